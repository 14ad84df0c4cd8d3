"""Whole rankings: what a judge says who puts several outputs in order at once, as WMT asked from 2008 to 2014.

Example:
    >>> ranked = Ranked((("a",), ("b", "c")), judge="anna")
    >>> [(answer.left, str(answer.choice), answer.right) for answer in ranked.answers()]
    [('a', 'left', 'b'), ('a', 'left', 'c'), ('b', 'tie', 'c')]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from tolka.errors import InputError
from tolka.judge.answers import Answer, Choice

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Ranked:
    """One judge's order of several items.

    Attributes:
        groups: The items from best to worst; those of a group are tied.
        judge: Who ranked them; empty if it is not known.
        segment: Which sentence or document was shown; empty if it is not known.
        weight: How many such rankings this one stands for.
    """

    groups: tuple[tuple[str, ...], ...]
    judge: str = ""
    segment: str = ""
    weight: float = 1.0

    def __post_init__(self) -> None:
        items = [item for group in self.groups for item in group]
        twice = next((item for at, item in enumerate(items) if item in items[:at]), None)
        if twice is not None:
            raise InputError(f"{twice!r} is ranked twice")
        if len(items) < 2 or not all(items):  # noqa: PLR2004
            raise InputError("a ranking is of at least two items with names")
        if not (math.isfinite(self.weight) and self.weight > 0):
            raise InputError(f"the weight of a ranking must be a positive number, not {self.weight}")

    @property
    def items(self) -> tuple[str, ...]:
        """All items, from best to worst."""
        return tuple(item for group in self.groups for item in group)

    def answers(self) -> Iterator[Answer]:
        """The ranking taken apart: an answer per pair."""
        places = [(place, item) for place, group in enumerate(self.groups) for item in group]
        for (better, left), (worse, right) in combinations(places, 2):
            choice = Choice.LEFT if better < worse else Choice.TIE
            yield Answer(left, right, choice, self.judge, self.segment, weight=self.weight)


def ranked_pair(answer: Answer) -> Ranked | None:
    """An answer as a ranking of two; None for a test question and for "cannot decide"."""
    if answer.test is not None or answer.choice is Choice.UNDECIDED:
        return None
    groups: tuple[tuple[str, ...], ...] = ((answer.left, answer.right),)
    if answer.winner is not None and answer.loser is not None:
        groups = ((answer.winner,), (answer.loser,))
    return Ranked(groups, answer.judge, answer.segment, answer.weight)
