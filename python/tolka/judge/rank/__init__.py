"""Ranking items by forced choices: scores, intervals, ranks, and who can be told apart.

Example:
    >>> from tolka.judge import Answer
    >>> from tolka.judge.rank import Ranker
    >>> ranking = Ranker().fit([Answer("a", "b")] * 8 + [Answer("b", "a")] * 2 + [Answer("b", "c")] * 9)
    >>> ranking.items
    ('a', 'b', 'c')
"""

from tolka.judge.rank.activations import (
    ACTIVATIONS,
    Activation,
    Laplace,
    Logistic,
    Probit,
    StudentT,
    activation_by_name,
    check_activation,
)
from tolka.judge.rank.counts import TIES, Counts, Ties
from tolka.judge.rank.likelihood import Likelihood
from tolka.judge.rank.posterior import Posterior
from tolka.judge.rank.ranking import Ranker, Ranking
from tolka.judge.rank.solvers import Solution, conjugate_gradient, mm, mm_step, newton

__all__ = [
    "ACTIVATIONS",
    "TIES",
    "Activation",
    "Counts",
    "Laplace",
    "Likelihood",
    "Logistic",
    "Posterior",
    "Probit",
    "Ranker",
    "Ranking",
    "Solution",
    "StudentT",
    "Ties",
    "activation_by_name",
    "check_activation",
    "conjugate_gradient",
    "mm",
    "mm_step",
    "newton",
]
