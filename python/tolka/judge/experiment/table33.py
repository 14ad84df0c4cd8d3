"""Table 3.3 of Mohammad 2012 read again: seven systems of WMT 2007, ranked by CLAIRE, by BLEU and by the workshop.

The thesis says that CLAIRE "correlates strongly" with the workshop's ranking and prints no coefficient, no number of
answers, and a column "sigma" that is either a standard deviation or a variance. This computes what it leaves out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from tolka.judge.experiment.agreement import Agreement, agreement

if TYPE_CHECKING:
    from collections.abc import Sequence

# Points of Elo per unit of score of a logistic with slope 1.
ELO = 400 / math.log(10)


@dataclass(frozen=True)
class Row:
    """One system of the table."""

    system: str
    claire: float
    sigma: float
    bleu: float
    human: int


TABLE = (
    Row("systran", 0.23015, 0.027, 0.154, 1),
    Row("uedin", 0.21232, 0.026, 0.277, 2),
    Row("liu", 0.11797, 0.024, 0.263, 4),
    Row("nrc", 0.08926, 0.024, 0.254, 5),
    Row("saar", 0.06191, 0.024, 0.198, 6),
    Row("cmu-uka", 0.01335, 0.024, 0.247, 7),
    Row("upc", 0.00000, 0.021, 0.250, 3),
)


@dataclass(frozen=True)
class Reading:
    """What the table says under one reading of "sigma" and one slope of the logistic.

    Attributes:
        sigma: "deviation" or "variance".
        slope: Of the logistic: 2 is the thesis's tanh form, 1 is Bradley-Terry.
        answers: Answers that a balanced design needs for such a sigma.
        best_worst_errors: How many standard errors lie between the best and the worst system.
    """

    sigma: str
    slope: int
    answers: int
    best_worst_errors: float


@dataclass(frozen=True)
class Analysis:
    """The table's analysis.

    Attributes:
        claire: Agreement of CLAIRE's scores with the workshop's ranking.
        bleu: The same of BLEU.
        without: The same of both, with each system left out in turn.
        readings: What "sigma" may mean.
        win: By slope, the chance that the best system is preferred to the worst.
        elo: By slope, the same in points of Elo.
    """

    claire: Agreement
    bleu: Agreement
    without: dict[str, tuple[Agreement, Agreement]]
    readings: tuple[Reading, ...]
    win: dict[int, float]
    elo: dict[int, float]


def analyse(table: Sequence[Row] = TABLE) -> Analysis:
    """Analyse the table.

    Example:
        >>> found = analyse()
        >>> round(found.claire.spearman, 3), round(found.bleu.spearman, 3)
        (0.643, 0.107)
    """
    best = max(table, key=lambda row: row.claire)
    worst = min(table, key=lambda row: row.claire)
    gap = best.claire - worst.claire
    typical = median(row.sigma for row in table)
    readings = []
    for kind in ("deviation", "variance"):
        power = 2 if kind == "deviation" else 1
        errors = gap / math.sqrt(best.sigma**power + worst.sigma**power)
        readings += [Reading(kind, slope, _answers(len(table), typical**power, slope), errors) for slope in (2, 1)]
    return Analysis(
        _agreement(table, "claire"),
        _agreement(table, "bleu"),
        {row.system: (_agreement(rest, "claire"), _agreement(rest, "bleu")) for row, rest in _leave_one_out(table)},
        tuple(readings),
        {slope: 1 / (1 + math.exp(-slope * gap)) for slope in (2, 1)},
        {slope: slope * gap * ELO for slope in (2, 1)},
    )


def _agreement(table: Sequence[Row], column: str) -> Agreement:
    return agreement([getattr(row, column) for row in table], [-row.human for row in table])


def _leave_one_out(table: Sequence[Row]) -> list[tuple[Row, list[Row]]]:
    return [(row, [other for other in table if other is not row]) for row in table]


def _answers(items: int, variance: float, slope: int) -> int:
    """Answers T of a balanced design of near ties: a score's variance is 2 (N - 1)^2 / (slope^2 N T) around the mean."""
    return round(2 * (items - 1) ** 2 / (slope**2 * items * variance))
