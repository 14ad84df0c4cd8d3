"""Does the activation fit?"""

import numpy as np
import pytest

from tolka.errors import InputError, SettingsError
from tolka.judge.rank import Counts, Laplace, Logistic, Probit, compare_activations, empirical_gain


def exact(activation, amount, size=9, spread=0.35):
    """What infinitely many answers under an activation look like, per pair."""
    x = spread * np.arange(size)[::-1] / activation.scale * 2
    p = activation.cdf(x[:, None] - x[None, :])
    np.fill_diagonal(p, 0)
    return Counts.from_matrix([f"s{i}" for i in range(size)], amount * p)


@pytest.mark.parametrize("activation", [Logistic(), Probit(), Laplace()])
def test_the_empirical_gain_is_the_activation_s(activation):
    found = empirical_gain(exact(activation, 1e6), bins=50, width=1e-9)
    assert len(found.p) >= 3
    np.testing.assert_allclose(found.gain, activation.gain(found.p), atol=1e-9)
    assert (found.error < 1e-3).all()


def test_gain_needs_answers():
    assert empirical_gain(exact(Logistic(), 5)).p.size == 0
    with pytest.raises(SettingsError, match="bins, width and least"):
        empirical_gain(exact(Logistic(), 5), bins=0)


@pytest.mark.parametrize("truth", [Logistic(), Laplace()])
def test_the_true_activation_predicts_best(truth):
    rng = np.random.default_rng(3)
    ideal = exact(truth, 1.0, size=7, spread=0.9)
    table = np.zeros((7, 7))
    for i in range(7):
        for j in range(i + 1, 7):
            n = 40_000
            table[i, j] = rng.binomial(n, ideal.matrix()[i, j])
            table[j, i] = n - table[i, j]
    found = compare_activations(Counts.from_matrix(ideal.items, table), folds=4)
    assert next(one.activation for one in found) == truth.name
    assert {one.activation for one in found} == {"logistic", "probit", "student-t", "laplace"}
    assert found[0].excess == 0
    assert all(one.excess >= 0 for one in found)


def test_ties_are_dealt_out_in_halves():
    counts = Counts.from_matrix("ab", [[0, 10.5], [9.5, 0]])
    found = compare_activations(counts, ["logistic"], folds=5)
    assert found[0].logloss == pytest.approx(np.log(2), abs=0.05)


def test_too_few_answers():
    counts = Counts.from_matrix("ab", [[0, 1], [1, 0]])
    with pytest.raises(InputError, match="2 answers are too few for 10 folds"):
        compare_activations(counts)
    with pytest.raises(SettingsError, match="at least two folds"):
        compare_activations(counts, folds=1)
