"""Solvers against each other, against general optimisation, and against other people's programs."""

import choix
import evalica
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from tolka.errors import InputError, SettingsError
from tolka.judge.rank import (
    ACTIVATIONS,
    Counts,
    Laplace,
    Likelihood,
    Logistic,
    Probit,
    StudentT,
    activation_by_name,
    conjugate_gradient,
    mm,
    newton,
    solvers,
)


def made(size, answers, seed, spread=1.0):
    """Counts from made-up items, every pair met at least once both ways so that scores are finite."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0, spread, size)
    first = rng.integers(0, size, answers)
    second = (first + rng.integers(1, size, answers)) % size
    won = rng.random(answers) < 1 / (1 + np.exp(x[second] - x[first]))
    table = np.zeros((size, size))
    np.add.at(table, (np.where(won, first, second), np.where(won, second, first)), 1)
    for i in range(size):
        table[i, (i + 1) % size] += 1
    return Counts.from_matrix([f"s{i}" for i in range(size)], table)


def naive_value(table, x, activation, tau):
    total = -tau / 2 * sum(v * v for v in x)
    for i in range(len(x)):
        for j in range(len(x)):
            if table[i][j]:
                total += table[i][j] * float(activation.log_cdf(x[i] - x[j]))
    return total


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 6), st.integers(0, 2**32), st.sampled_from(ACTIVATIONS), st.sampled_from([0.0, 0.25]))
def test_likelihood_like_loops_and_differences(size, seed, name, prior):
    counts, activation = made(size, 40, seed), activation_by_name(name)
    likelihood = Likelihood(counts, activation, prior)
    x = np.random.default_rng(seed).normal(0, 1, size)
    tau = prior * activation.scale**2
    assert likelihood.value(x) == pytest.approx(naive_value(counts.matrix(), x, activation, tau), rel=1e-10)
    step = 1e-5
    for i in range(size):
        shift = np.eye(size)[i] * step
        rise = (likelihood.value(x + shift) - likelihood.value(x - shift)) / (2 * step)
        assert likelihood.gradient(x)[i] == pytest.approx(rise, abs=1e-4)
        bend = (likelihood.gradient(x + shift) - likelihood.gradient(x - shift)) / (2 * step)
        np.testing.assert_allclose(likelihood.hessian(x)[i], bend, atol=2e-3)


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("prior", [0.0, 0.25])
def test_newton_like_general_optimisation(name, prior):
    likelihood = Likelihood(made(6, 120, 3), activation_by_name(name), prior)
    solution = newton(likelihood)
    assert solution.converged
    assert np.abs(likelihood.gradient(solution.scores)).max() < 1e-6
    found = minimize(
        lambda x: -likelihood.value(x), np.zeros(6), jac=lambda x: -likelihood.gradient(x), method="BFGS", tol=1e-10
    )
    assert solution.loglik >= -found.fun - 1e-9
    np.testing.assert_allclose(solution.scores, found.x - found.x.mean(), atol=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_the_three_agree(seed):
    likelihood = Likelihood(made(8, 200, seed))
    wanted = newton(likelihood).scores
    np.testing.assert_allclose(mm(likelihood).scores, wanted, atol=1e-8)
    climbed = conjugate_gradient(likelihood, tolerance=1e-12, seed=seed)
    np.testing.assert_allclose(climbed.scores - climbed.scores.mean(), wanted, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_like_choix(seed):
    counts = made(12, 600, seed)
    found = newton(Likelihood(counts)).scores
    np.testing.assert_allclose(choix.ilsr_pairwise_dense(counts.matrix(), max_iter=1000, tol=1e-12), found, atol=1e-6)
    data = [
        pair
        for i, j, n in zip(counts.winner.tolist(), counts.loser.tolist(), counts.wins, strict=True)
        for pair in [(i, j)] * int(n)
    ]
    # choix's penalty is alpha |x|^2, the prior's is tau |x|^2 / 2.
    penalised = choix.opt_pairwise(12, data, alpha=0.125, method="Newton-CG", tol=1e-12)
    np.testing.assert_allclose(penalised - penalised.mean(), newton(Likelihood(counts, prior=0.25)).scores, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_like_evalica(seed):
    counts = made(12, 600, seed)
    rows = [
        (i, j)
        for i, j, n in zip(counts.winner.tolist(), counts.loser.tolist(), counts.wins, strict=True)
        for _ in range(int(n))
    ]
    left, right = zip(*rows, strict=True)
    result = evalica.bradley_terry(
        left, right, [evalica.Winner.X] * len(rows), tolerance=1e-14, limit=100_000, solver="naive"
    )
    scores = np.log(np.array([result.scores[i] for i in range(12)]))
    np.testing.assert_allclose(scores - scores.mean(), newton(Likelihood(counts)).scores, atol=1e-6)


def test_sparse_like_dense(monkeypatch):
    likelihood = Likelihood(made(60, 900, 1))
    dense = newton(likelihood)
    monkeypatch.setattr(solvers, "_DENSE", 10)
    sparse = newton(likelihood)
    assert sparse.converged
    np.testing.assert_allclose(sparse.scores, dense.scores, atol=1e-8)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ({(0, 1): 3, (1, 2): 1, (2, 1): 1}, r"2 parts; a always beat the rest"),
        ({(1, 0): 3, (1, 2): 1, (2, 1): 1}, r"2 parts; a never beat the rest"),
        ({(1, 2): 1, (2, 1): 1}, r"2 parts; a do not meet the rest"),
        ({(0, 1): 1, (1, 2): 1}, r"3 parts; a always beat the rest"),
    ],
)
def test_no_finite_scores(pairs, message):
    table = np.zeros((3, 3))
    for pair, n in pairs.items():
        table[pair] = n
    counts = Counts.from_matrix("abc", table)
    for solve in (newton, conjugate_gradient, mm):
        with pytest.raises(InputError, match=message + ".*use a prior"):
            solve(Likelihood(counts))
    assert np.isfinite(newton(Likelihood(counts, prior=0.01)).scores).all()


def test_extreme_counts():
    counts = Counts.from_matrix("ab", [[0, 1e9], [1, 0]])
    scores = newton(Likelihood(counts)).scores
    assert scores[0] - scores[1] == pytest.approx(np.log(1e9), rel=1e-9)
    lopsided = Counts.from_matrix("ab", [[0, 10_000], [0, 0]])
    for name in ACTIVATIONS:
        solution = newton(Likelihood(lopsided, activation_by_name(name), prior=0.25))
        assert solution.converged
        assert np.isfinite(solution.scores).all()


def test_student_finds_the_higher_of_several_tops():
    counts = Counts.from_matrix("abc", [[0, 30, 1], [1, 0, 30], [30, 1, 0]])  # a cycle: rock, paper, scissors
    likelihood = Likelihood(counts, StudentT(1), prior=0.01)
    best = newton(likelihood)
    rng = np.random.default_rng(0)
    for _ in range(20):
        found = minimize(lambda x: -likelihood.value(x), rng.normal(0, 3, 3), tol=1e-10)
        assert best.loglik >= -found.fun - 1e-6


def test_mm_is_for_logistic_scores():
    counts = Counts.from_matrix("ab", [[0, 1], [1, 0]])
    for likelihood in (Likelihood(counts, Probit()), Likelihood(counts, prior=1)):
        with pytest.raises(SettingsError, match="MM is for the logistic activation without a prior"):
            mm(likelihood)
    with pytest.raises(SettingsError, match="precision must be a number from 0"):
        Likelihood(counts, prior=-1)


class TestAWrongActivation:
    """Order is safe under a wrong activation in balanced designs, and not in sparse ones."""

    TRUTH = np.array([3.0, 2.9, 1.45, 0.0])  # A, B, M, C

    def fitted(self, weights, truth, assumed):
        table = np.zeros((4, 4))
        for (i, j), weight in weights.items():
            p = float(truth.cdf(self.TRUTH[i] - self.TRUTH[j]))
            table[i, j], table[j, i] = weight * p, weight * (1 - p)
        x = newton(Likelihood(Counts.from_matrix("ABMC", table), assumed)).scores
        return x - x[3]

    def test_sparse(self):
        chain = {(0, 3): 1.0, (1, 2): 1.0, (2, 3): 1.0}
        found = self.fitted(chain, Laplace(), Logistic())
        np.testing.assert_allclose(found, [3.66794, 4.03679, 2.01839, 0], atol=1e-5)
        for weight, gap in ((0.05, -0.1209), (0.1, -0.0224), (0.2, 0.0609), (1.0, 0.1596)):
            x = self.fitted({**chain, (0, 1): weight}, Laplace(), Logistic())
            assert x[0] - x[1] == pytest.approx(gap, abs=1e-4)
        found = self.fitted(chain, Logistic(), Probit())
        np.testing.assert_allclose(found[:2], [1.67034, 1.75578], atol=1e-5)

    def test_balanced(self):
        pairs = {(i, j): 1.0 for i in range(4) for j in range(i + 1, 4)}
        found = self.fitted(pairs, Laplace(), Logistic())
        np.testing.assert_allclose(found, [3.99843, 3.82330, 1.89841, 0], atol=1e-5)
