"""Scores are defined up to a constant and a unit; here they are put into the ones people want to see."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from scipy import special

from tolka.errors import SettingsError
from tolka.judge.rank.activations import Activation, activation_of_settings

if TYPE_CHECKING:
    from tolka.judge.rank.ranking import Ranking

Gauge = Literal["mean", "min", "elo"]
GAUGES: tuple[str, ...] = get_args(Gauge)
ELO = 400 / math.log(10)  # points per logit
_ELO_MEAN = 1500.0


def regauge(
    ranking: Ranking,
    gauge: Gauge = "mean",
    *,
    pin: str | None = None,
    activation: Activation | None = None,
) -> Ranking:
    """The same ranking with its scores and intervals shifted and scaled.

    Args:
        ranking: A ranking with scores of mean 0.
        gauge: "mean" 0; "min", the worst item at 0 as in the thesis's tables; "elo", points with mean 1500, where 400
            points are odds of ten to one.
        pin: An item to hold at 0 (or at 1500): errors and intervals are then those of the differences to it.
        activation: The ranking's own activation, if it is one of your own.

    Raises:
        SettingsError: There is no such gauge or item.

    Example:
        >>> from tolka.judge.rank import Counts, Ranker
        >>> ranking = Ranker(prior=0).fit(Counts.from_matrix("ab", [[0, 10], [1, 0]]))
        >>> regauge(ranking, "elo").scores.round(1).tolist()
        [1700.0, 1300.0]
        >>> regauge(ranking, pin="b").scores.round(4).tolist()
        [2.3026, 0.0]
    """
    if gauge not in GAUGES:
        raise SettingsError(f"unknown gauge {gauge!r}", hint=f"choose one of {', '.join(GAUGES)}")
    if pin is not None and pin not in ranking.items:
        raise SettingsError(f"{pin!r} is not among the items")
    scores, low, high, errors = ranking.scores, ranking.low, ranking.high, ranking.errors
    if pin is not None:
        order = np.array([ranking.posterior.items.index(item) for item in ranking.items])
        _, spread = ranking.posterior.differences()
        errors = spread[order, order[ranking.items.index(pin)]]
        scores = scores - scores[ranking.items.index(pin)]
        reach = float(special.ndtri(0.5 + ranking.settings["level"] / 2)) * errors
        low, high = scores - reach, scores + reach
    elif gauge == "min":
        low, high, scores = low - scores.min(), high - scores.min(), scores - scores.min()
    if gauge == "elo":
        known = activation if activation is not None else activation_of_settings(ranking.settings)
        unit = ELO * known.scale
        scores, low, high = (_ELO_MEAN + unit * ends for ends in (scores, low, high))
        errors = unit * errors
    settings = {**ranking.settings, "gauge": gauge, **({"pin": pin} if pin is not None else {})}
    return replace(ranking, scores=scores, low=low, high=high, errors=errors, settings=settings)
