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
    activation_of_settings,
    check_activation,
)
from tolka.judge.rank.bootstrap import bootstrap
from tolka.judge.rank.clusters import CLUSTERS, Cluster
from tolka.judge.rank.counts import TIES, Counts, Ties
from tolka.judge.rank.diagnostics import Gain, HeldOut, compare_activations, empirical_gain
from tolka.judge.rank.exclusion import Exclusion, Rules, exclude, self_agreement
from tolka.judge.rank.gauge import GAUGES, Gauge, regauge
from tolka.judge.rank.guessing import Suspicion, suspicions
from tolka.judge.rank.likelihood import Likelihood
from tolka.judge.rank.outcomes import Outcomes
from tolka.judge.rank.plackett_luce import PlackettLuceRanker
from tolka.judge.rank.posterior import Posterior
from tolka.judge.rank.ranking import Ranker, Ranking
from tolka.judge.rank.ratings import Rating, Skill, elo, rank_centrality, ratings, trueskill, win_rate
from tolka.judge.rank.reliability import Judge, JudgedFit, JudgeModel
from tolka.judge.rank.solvers import Solution, conjugate_gradient, mm, mm_step, newton
from tolka.judge.rank.tally import Tally, tally
from tolka.judge.rank.ties import DavidsonRanker, TiedRanking

__all__ = [
    "ACTIVATIONS",
    "CLUSTERS",
    "GAUGES",
    "TIES",
    "Activation",
    "Cluster",
    "Counts",
    "DavidsonRanker",
    "Exclusion",
    "Gain",
    "Gauge",
    "HeldOut",
    "Judge",
    "JudgeModel",
    "JudgedFit",
    "Laplace",
    "Likelihood",
    "Logistic",
    "Outcomes",
    "PlackettLuceRanker",
    "Posterior",
    "Probit",
    "Ranker",
    "Ranking",
    "Rating",
    "Rules",
    "Skill",
    "Solution",
    "StudentT",
    "Suspicion",
    "Tally",
    "TiedRanking",
    "Ties",
    "activation_by_name",
    "activation_of_settings",
    "bootstrap",
    "check_activation",
    "compare_activations",
    "conjugate_gradient",
    "elo",
    "empirical_gain",
    "exclude",
    "mm",
    "mm_step",
    "newton",
    "rank_centrality",
    "ratings",
    "regauge",
    "self_agreement",
    "suspicions",
    "tally",
    "trueskill",
    "win_rate",
]
