"""Figures of the specification that no other test has: 6.4 and 9.1, and the order of chapter 1's questions (9.9)."""

import math

import numpy as np
import pytest

from tolka.judge.ask import answers_needed, binary_entropy
from tolka.judge.rank import Counts, Laplace, Likelihood, Logistic, newton

ITEMS = "ABCD"
ANSWERS = {"AB": 2, "BA": 1, "AC": 1, "BC": 1, "CB": 1, "BD": 2, "CD": 1, "DC": 1}


@pytest.fixture
def likelihood():
    wins = np.zeros((4, 4))
    for (one, other), number in ANSWERS.items():
        wins[ITEMS.index(one), ITEMS.index(other)] = number
    return Likelihood(Counts.from_matrix(ITEMS, wins))


def test_likelihood_of_no_difference(likelihood):
    assert likelihood.value(np.zeros(4)) == pytest.approx(-6.931472, abs=1e-6)


def test_differences_errors_and_chances(likelihood):
    solution = newton(likelihood)
    covariance = np.linalg.pinv(-likelihood.hessian(solution.scores))
    table = {
        "AB": (0.899192, 1.184985, 0.710783),
        "AC": (1.880338, 1.562183, 0.867650),
        "AD": (2.548809, 1.757229, 0.927493),
        "BC": (0.981147, 1.228992, 0.727336),
        "BD": (1.649617, 1.406912, 0.838839),
        "CD": (0.668471, 1.267221, 0.661161),
    }
    for (one, other), (gap, error, chance) in table.items():
        i, j = ITEMS.index(one), ITEMS.index(other)
        found = solution.scores[i] - solution.scores[j]
        variance = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
        assert found == pytest.approx(gap, abs=2e-6)
        assert math.sqrt(variance) == pytest.approx(error, abs=2e-6)
        assert float(Logistic().cdf(found)) == pytest.approx(chance, abs=2e-6)


def test_covariance_with_the_first_score_fixed(likelihood):
    rest = -likelihood.hessian(newton(likelihood).scores)[1:, 1:]
    assert np.linalg.det(rest) == pytest.approx(0.347958, abs=2e-6)
    wanted = [[1.404189, 1.167092, 1.256321], [1.167092, 2.440417, 1.961210], [1.256321, 1.961210, 3.087854]]
    assert np.linalg.inv(rest) == pytest.approx(np.array(wanted), abs=5e-6)


def test_chances_of_the_counter_example():
    assert [float(Laplace().cdf(gap)) for gap in (3.0, 1.45, 1.45)] == pytest.approx(
        [0.975106, 0.882715, 0.882715], abs=1e-6
    )


@pytest.mark.parametrize(
    ("win", "gap"), [(0.55, 0.2007), (0.60, 0.4055), (0.65, 0.6190), (0.70, 0.8473), (0.75, 1.0986)]
)
def test_gaps_of_the_planner(win, gap):
    assert answers_needed(7, win=win).gap == pytest.approx(gap, abs=5e-5)


def test_questions_about_parses():
    chances = np.array([0.4, 0.3, 0.2, 0.1])
    masses = [chances[[0, 1]].sum(), chances[[0]].sum(), chances[[0, 2]].sum()]
    assert binary_entropy(np.array(masses)) == pytest.approx([0.610864, 0.673012, 0.673012], abs=1e-6)
    # "No" to the first, as the thesis does it: ten points of log-probability less.
    after = chances * np.exp([-10, 0, 0, 0])
    assert after / after.sum() == pytest.approx([0.000030, 0.499985, 0.333323, 0.166662], abs=1e-6)
