"""How many answers a question will need, before any has been given.

In a balanced design with items that are close, the difference of two scores has variance 8 / (N n), with n answers per
pair (logistic, slope 1). To see a gap of delta at z standard errors takes T = 4 (N - 1) z^2 / delta^2 answers in all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from tolka.errors import SettingsError


@dataclass(frozen=True)
class Plan:
    """A budget and what it buys.

    Attributes:
        items: Items that are ranked.
        answers: Answers in all.
        gap: The difference of scores (logistic, slope 1) that can just be told from none.
        win: How often the better of two items with that gap is chosen.
        level: The confidence of "told".
    """

    items: int
    answers: int
    gap: float
    win: float
    level: float


def answers_needed(items: int, *, win: float, level: float = 0.95) -> Plan:
    """The answers it takes to tell two items apart of which the better is chosen with chance `win`.

    Example:
        >>> answers_needed(7, win=0.65).answers
        241
    """
    _check(items, level)
    if not 0.5 < win < 1:  # noqa: PLR2004
        raise SettingsError(f"the better item is chosen with a chance between 0.5 and 1, not {win:g}")
    gap = math.log(win / (1 - win))
    return Plan(items, round(_numerator(items, level) / gap**2), gap, win, level)


def smallest_gap(items: int, answers: int, *, level: float = 0.95) -> Plan:
    """What so many answers can tell apart.

    Example:
        >>> round(smallest_gap(7, 200).win, 3)
        0.664
    """
    _check(items, level)
    if answers < 1:
        raise SettingsError(f"a budget is at least one answer, not {answers}")
    gap = math.sqrt(_numerator(items, level) / answers)
    return Plan(items, answers, gap, 1 / (1 + math.exp(-gap)), level)


def _numerator(items: int, level: float) -> float:
    return 4 * (items - 1) * NormalDist().inv_cdf(0.5 + level / 2) ** 2


def _check(items: int, level: float) -> None:
    if items < 2:  # noqa: PLR2004
        raise SettingsError(f"ranking takes at least two items, not {items}")
    if not 0 < level < 1:
        raise SettingsError(f"a level is between 0 and 1, not {level:g}")
