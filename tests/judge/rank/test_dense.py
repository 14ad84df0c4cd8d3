"""The solver for small tables equals the general one, alone and in stacks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.judge.rank import Counts, Likelihood, Logistic, Posterior, Probit, newton
from tolka.judge.rank.dense import climb, covariance_of


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_stack_is_fitted_as_the_general_solver_fits_each(data):
    size, stack = data.draw(st.integers(2, 6)), data.draw(st.integers(1, 3))
    cells = stack * size * size
    wins = np.array(data.draw(st.lists(st.integers(0, 40), min_size=cells, max_size=cells)), float)
    wins = wins.reshape(stack, size, size)
    wins[:, np.arange(size), np.arange(size)] = 0
    activation = data.draw(st.sampled_from([Logistic(), Logistic(2), Probit()]))
    names = [str(at) for at in range(size)]
    likelihoods = [Likelihood(Counts.from_matrix(names, table), activation, 0.25) for table in wins]
    scores, reached = climb(wins, activation, likelihoods[0].tau, np.zeros((stack, size)), 1e-9)
    covariance = covariance_of(wins, activation, likelihoods[0].tau, scores)
    assert reached.all()
    for at, likelihood in enumerate(likelihoods):
        top = newton(likelihood).scores
        np.testing.assert_allclose(scores[at], top, atol=1e-7)
        np.testing.assert_allclose(covariance[at], Posterior.laplace(likelihood, top).covariance, atol=1e-6)


def test_without_a_prior():
    wins = np.array([[0, 2, 1], [1, 0, 2], [2, 1, 0.0]])
    scores, reached = climb(wins, Logistic(), 0.0, np.zeros(3), 1e-9)
    assert reached
    likelihood = Likelihood(Counts.from_matrix("abc", wins))
    np.testing.assert_allclose(scores, newton(likelihood).scores, atol=1e-8)
    np.testing.assert_allclose(
        covariance_of(wins, Logistic(), 0.0, scores), Posterior.laplace(likelihood, scores).covariance, atol=1e-9
    )


def test_it_says_where_it_did_not_get():
    """Nothing holds the winner of every answer down: each step leads further up."""
    wins = np.array([[[0, 9.0], [0, 0]], [[0, 2], [1.0, 0]]])
    scores, reached = climb(wins, Logistic(), 0.0, np.zeros((2, 2)), 1e-9)
    assert reached.tolist() == [False, True]
    assert scores[1] == pytest.approx([np.log(2) / 2, -np.log(2) / 2])
