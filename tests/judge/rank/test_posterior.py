"""Posteriors against a reference sampler, and intervals against made-up truths."""

import numpy as np
import pytest
from scipy import special

from tolka.errors import InputError, LimitError, SettingsError
from tolka.judge.rank import Counts, Likelihood, Logistic, Posterior, Probit, Ranker, StudentT, newton, posterior

CYCLE = [[0, 4, 5, 3], [1, 0, 4, 4], [2, 1, 0, 3], [1, 1, 2, 0]]


def metropolis(likelihood, steps, seed):
    """Random-walk Metropolis on scores of mean 0: slow, and right whatever the shape."""
    rng = np.random.default_rng(seed)
    size = likelihood.size
    x = newton(likelihood).scores
    factor = np.linalg.cholesky(np.linalg.pinv(likelihood.information(x)) + 1e-9 * np.eye(size))
    value = likelihood.value(x)
    kept = np.empty((steps, size))
    for step in range(steps):
        trial = x + 1.2 * factor @ rng.standard_normal(size)
        trial -= trial.mean()
        found = likelihood.value(trial)
        if np.log(rng.random()) < found - value:
            x, value = trial, found
        kept[step] = x
    return kept[steps // 10 :]


@pytest.mark.parametrize("activation", [Logistic(), Probit(), StudentT()])
def test_importance_like_metropolis(activation):
    likelihood = Likelihood(Counts.from_matrix("abcd", CYCLE), activation, prior=0.25)
    walk = metropolis(likelihood, 30_000, seed=1)
    found = Posterior.importance(likelihood, newton(likelihood).scores, draws=20_000)
    np.testing.assert_allclose(found.mean, walk.mean(axis=0), atol=0.04 / activation.scale)
    np.testing.assert_allclose(found.errors, walk.std(axis=0), rtol=0.06)
    pairwise = (walk[:, :, None] > walk[:, None, :]).mean(axis=0) + np.eye(4) / 2
    np.testing.assert_allclose(found.p_better(), pairwise, atol=0.02)
    low, high = found.interval(0.9)
    np.testing.assert_allclose(low, np.quantile(walk, 0.05, axis=0), atol=0.1 / activation.scale)
    np.testing.assert_allclose(high, np.quantile(walk, 0.95, axis=0), atol=0.1 / activation.scale)


def test_importance_beats_laplace_for_few_answers():
    likelihood = Likelihood(Counts.from_matrix("ab", [[0, 3], [0, 0]]), prior=0.25)
    # The difference d has prior N(0, 8) and likelihood F(d)^3: integrate that.
    d = np.linspace(-40, 40, 400_001)
    density = special.expit(d) ** 3 * np.exp(-(d**2) / 16)
    wanted = density[d > 0].sum() / density.sum()
    top = newton(likelihood).scores
    exact = Posterior.importance(likelihood, top, draws=40_000).p_better()[0, 1]
    assert exact == pytest.approx(wanted, abs=0.005)
    assert Posterior.laplace(likelihood, top).p_better()[0, 1] < wanted - 0.02


def test_a_poor_sample_is_refused():
    likelihood = Likelihood(Counts.from_matrix("abcd", CYCLE))
    top = newton(likelihood).scores
    with pytest.raises(InputError, match=r"worth only \d+ independent ones \(at least 100 are needed\)"):
        Posterior.importance(likelihood, top, draws=90)
    with pytest.raises(SettingsError, match="at least one draw"):
        Posterior.importance(likelihood, top, draws=0)


def test_samples():
    likelihood = Likelihood(Counts.from_matrix("abcd", CYCLE), prior=0.25)
    top = newton(likelihood).scores
    for found in (Posterior.laplace(likelihood, top), Posterior.importance(likelihood, top, draws=20_000)):
        sample = found.sample(20_000, seed=4)
        np.testing.assert_allclose(sample.mean(axis=0), found.mean, atol=0.03)
        np.testing.assert_allclose(np.cov(sample.T), found.covariance, atol=0.03)
        np.testing.assert_allclose(sample.sum(axis=1), 0, atol=1e-9)
        np.testing.assert_array_equal(sample, found.sample(20_000, seed=4))


def test_one_item_and_no_answers():
    counts = Counts.from_matrix(["only"], [[0]])
    ranking = Ranker().fit(counts)
    assert (ranking.items, ranking.scores.tolist(), ranking.rank_high.tolist()) == (("only",), [0.0], [1])
    with pytest.raises(InputError, match="no answers to rank by"):
        Ranker().fit([])


def test_too_many_items(monkeypatch):
    monkeypatch.setattr(posterior, "MOST_ITEMS", 3)
    likelihood = Likelihood(Counts.from_matrix("abcd", CYCLE))
    with pytest.raises(LimitError, match="4 items are too many for a posterior"):
        Posterior.laplace(likelihood, np.zeros(4))


@pytest.mark.parametrize("posterior_name", ["laplace", "bootstrap"])
def test_coverage(posterior_name):
    """Of 95 % intervals of differences between made-up items, about 95 % hold."""
    rng = np.random.default_rng(7)
    size, hits, all_of_them = 5, 0, 0
    for _ in range(150):
        x = rng.normal(0, 0.7, size)
        first = rng.integers(0, size, 400)
        second = (first + rng.integers(1, size, 400)) % size
        won = rng.random(400) < 1 / (1 + np.exp(x[second] - x[first]))
        counts = Counts.from_pairs("abcde", np.where(won, first, second), np.where(won, second, first))
        ranking = Ranker(prior=0.05, posterior=posterior_name, rounds=200).fit(counts)
        difference, error = ranking.posterior.differences()
        upper = np.triu_indices(size, 1)
        miss = np.abs(difference - (x[:, None] - x[None, :]))[upper] > 1.96 * error[upper]
        hits, all_of_them = hits + (~miss).sum(), all_of_them + miss.size
    assert 0.93 <= hits / all_of_them <= 0.97
