"""The numbers of a worked example: four items, ten answers, every quantity computed by hand or by quadrature."""

import numpy as np
import pytest

from tolka.judge.rank import Counts, Likelihood, Logistic, Posterior, Ranker, conjugate_gradient, mm, mm_step, newton

ANSWERS = {"AB": 2, "BA": 1, "AC": 1, "BC": 1, "CB": 1, "BD": 2, "CD": 1, "DC": 1}
MLE = np.array([1.332085, 0.432893, -0.548254, -1.216724])


def table(answers, items):
    matrix = np.zeros((len(items), len(items)))
    for pair, count in answers.items():
        matrix[items.index(pair[0]), items.index(pair[1])] = count
    return Counts.from_matrix(list(items), matrix)


@pytest.fixture
def counts():
    return table(ANSWERS, "ABCD")


def close(found, wanted, tolerance=1e-6):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)


@pytest.mark.parametrize("kappa", [1.0, 2.0, 0.3])
def test_at_zero(counts, kappa):
    likelihood = Likelihood(counts, Logistic(kappa))
    assert likelihood.value(np.zeros(4)) == pytest.approx(10 * np.log(0.5))
    close(likelihood.gradient(np.zeros(4)), kappa * np.array([1, 0.5, -0.5, -1]))
    wanted = np.array([[-1, 0.75, 0.25, 0], [0.75, -1.75, 0.5, 0.5], [0.25, 0.5, -1.25, 0.5], [0, 0.5, 0.5, -1]])
    close(likelihood.hessian(np.zeros(4)), kappa**2 * wanted)
    close(likelihood.sparse_information(np.zeros(4)).toarray(), -(kappa**2) * wanted)


def test_elsewhere(counts):
    likelihood = Likelihood(counts)
    x = np.array([0.4, 0.3, 0.2, 0.1])
    assert likelihood.value(x) == pytest.approx(-6.605193, abs=1e-6)
    close(likelihood.values(np.stack([x, 2 * x])), [likelihood.value(x), likelihood.value(2 * x)], 1e-12)
    close(likelihood.gradient(x), [0.875228, 0.425311, -0.450166, -0.850374])
    hessian = likelihood.hessian(x)
    close([hessian[0, 0], hessian[0, 1], hessian[0, 2], hessian[1, 3]], [-0.995645, 0.748128, 0.247517, 0.495033])


def test_top(counts):
    likelihood = Likelihood(counts)
    solution = newton(likelihood)
    close(solution.scores, MLE)
    assert solution.loglik == pytest.approx(-5.530662, abs=1e-6)
    close(newton(Likelihood(counts, Logistic(2))).scores, [0.666042, 0.216447, -0.274127, -0.608362])
    close(mm(likelihood).scores, solution.scores, 1e-8)
    close(mm_step(counts, np.ones(4)), [1.648373, 1.255903, 0.879132, 0.549458])
    close(newton(Likelihood(counts, prior=0.25)).scores, [0.961186, 0.321261, -0.397177, -0.885269])


def test_the_thesis_s_search_step_by_step(counts):
    trace = []
    likelihood = Likelihood(counts)
    solution = conjugate_gradient(likelihood, start=[0.4, 0.3, 0.2, 0.1], tolerance=1e-10, trace=trace)
    wanted = [
        [1.467593, 0.818789, -0.349107, -0.937275],
        [1.591200, 0.685627, -0.307360, -0.969467],
        [1.585985, 0.683324, -0.298524, -0.970785],
    ]
    close(trace[:3], wanted)
    close([likelihood.value(x) for x in trace[:3]], [-5.560553, -5.530735, -5.530673])
    close(solution.scores, newton(likelihood).scores + 0.25, 1e-8)
    assert solution.converged


def test_information_and_errors(counts):
    likelihood = Likelihood(counts)
    scores = newton(likelihood).scores
    wanted = [
        [0.731545, -0.616711, -0.114833, 0],
        [-0.616711, 1.283724, -0.396637, -0.270376],
        [-0.114833, -0.396637, 0.959525, -0.448054],
        [0, -0.270376, -0.448054, 0.718430],
    ]
    information = likelihood.information(scores)
    close(information, wanted)
    close(Likelihood(counts, Logistic(2)).information(scores / 2), 4 * np.array(wanted), 4e-6)
    posterior = Posterior.laplace(likelihood, scores)
    close(posterior.errors, [0.990634, 0.686837, 0.798382, 0.957349])
    close(np.diagonal(posterior.covariance), [0.981357, 0.471745, 0.637414, 0.916518])
    close(posterior.covariance, np.linalg.pinv(information), 1e-9)
    # The same in the gauge where A is fixed, by deleting its row and column as the thesis does.
    pinned = np.linalg.inv(information[1:, 1:])
    close(pinned[0], [1.404189, 1.167092, 1.256321])
    _, errors = posterior.differences()
    close(errors[0, 1:], np.sqrt(np.diagonal(pinned)))
    assert np.linalg.det(information[1:, 1:]) == pytest.approx(0.347958, abs=1e-6)


def test_pairs_by_laplace(counts):
    likelihood = Likelihood(counts)
    posterior = Posterior.laplace(likelihood, newton(likelihood).scores)
    difference, error = posterior.differences()
    upper = np.triu_indices(4, 1)
    close(difference[upper], [0.899192, 1.880338, 2.548809, 0.981147, 1.649617, 0.668471])
    close(error[upper], [1.184985, 1.562183, 1.757229, 1.228992, 1.406912, 1.267221])
    close(posterior.p_better()[upper], [0.7760, 0.8856, 0.9265, 0.7877, 0.8795, 0.7011], 5e-5)


def test_pairs_exactly(counts):
    likelihood = Likelihood(counts)
    posterior = Posterior.importance(likelihood, newton(likelihood).scores, draws=40_000, seed=3)
    upper = np.triu_indices(4, 1)
    close(posterior.p_better()[upper], [0.822, 0.939, 0.969, 0.839, 0.936, 0.737], 0.01)
    difference, _ = posterior.differences()
    close([difference[0, 1], difference[1, 2], difference[2, 3]], [1.2890, 1.4449, 0.9893], 0.05)
    assert posterior.ess > 0.6 * 40_000
    sample = posterior.sample(20_000, seed=5)
    ordered = (np.diff(sample, axis=1) < 0).all(axis=1)
    assert ordered.mean() == pytest.approx(0.478, abs=0.02)


def test_one_more_answer_moves_all(counts):
    close(newton(Likelihood(counts.plus(2, 3))).scores, [1.387183, 0.465103, -0.375963, -1.476323])
    close(newton(Likelihood(counts.plus(3, 2))).scores, [1.265590, 0.408623, -0.865829, -0.808384])


def test_expected_wins(counts):
    close(counts.expected_wins(), [0.8333, 0.6111, 0.3333, 0.25], 5e-5)


def test_an_undefeated_item():
    counts = table({"AB": 2, "AC": 1, "BC": 1, "CB": 1}, "ABC")
    close(newton(Likelihood(counts, prior=0.25)).scores, [1.361743, -0.721840, -0.639903])
    close(newton(Likelihood(counts, prior=1)).scores, [0.736645, -0.422932, -0.313712])
    ranking = Ranker().fit(counts)
    assert ranking.warnings == (
        (
            "the answers do not connect all items (2 parts; A always beat the rest), so without a prior some scores would "
            "be infinite; the prior keeps them finite"
        ),
    )
    assert np.isfinite(ranking.high).all()


def test_units_change_no_probability(counts):
    thesis, ours = Ranker("tanh").fit(counts), Ranker("logistic").fit(counts)
    close(2 * thesis.scores, ours.scores, 1e-9)
    close(thesis.p_better, ours.p_better, 1e-9)
    assert thesis.groups == ours.groups
