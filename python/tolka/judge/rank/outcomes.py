"""Answers as arrays: who was chosen over whom, by which judge, on which segment and side.

Counts are all that plain ranking needs; judges' reliability and intervals that respect segments need this much more.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError, SettingsError
from tolka.judge.answers import Choice
from tolka.judge.rank.counts import TIES, Counts, Ties, check_answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from tolka.judge.answers import Answer

    Array = NDArray[np.float64]
    Indices = NDArray[np.int64]

UNKNOWN = -1


@dataclass(frozen=True)
class Outcomes:
    """One row per choice between two items; a tie that counts half is two rows of half the weight.

    Attributes:
        items: The names, sorted.
        judges: The judges' names, sorted.
        segments: The segments' names, sorted.
        winner: The item chosen, per row.
        loser: The item not chosen, per row.
        weight: How many answers a row stands for.
        side: 1 where the item chosen stood on the left, -1 where on the right, 0 where it is not known.
        judge: The judge, per row; -1 if not known.
        segment: The segment, per row; -1 if not known.
        right: Test questions answered right, per judge.
        wrong: Test questions answered wrong, per judge; a tie there is wrong.
        ties: How ties were counted.
        tied: How many ties there were.
        undecided: How many answers were "cannot decide".
    """

    items: tuple[str, ...]
    judges: tuple[str, ...]
    segments: tuple[str, ...]
    winner: Indices
    loser: Indices
    weight: Array
    side: Array
    judge: Indices
    segment: Indices
    right: Array
    wrong: Array
    ties: Ties
    tied: float
    undecided: float
    tests: float

    @classmethod
    def of(cls, answers: Iterable[Answer], *, ties: Ties = "half", items: Sequence[str] | None = None) -> Outcomes:
        """Take answers apart.

        Args:
            answers: The answers, in any order.
            ties: What to do with a tie: count "half" a win for each, "drop" it, or take it as an "error".
            items: The items, if some may have no answers; those in the answers if not given.
        """
        if ties not in TIES:
            raise SettingsError(f"unknown tie policy {ties!r}", hint=f"choose one of {', '.join(TIES)}")
        columns = _Columns(ties)
        for answer in answers:
            columns.add(answer)
        names, place = columns.items.sorted_names()
        if items is not None:
            unknown = sorted(set(names) - set(items))
            if unknown:
                raise InputError(f"there are answers about {unknown[0]!r}, which is not among the items")
            index = {name: number for number, name in enumerate(items)}
            place = np.array([index[name] for name in columns.items.ids], dtype=np.int64)
            names = list(items)
        judges, judge_place = columns.judges.sorted_names()
        segments, segment_place = columns.segments.sorted_names()
        right, wrong = np.zeros(len(judges)), np.zeros(len(judges))
        for (judge, good), weight in columns.tests.items():
            if judge:
                (right if good else wrong)[judges.index(judge)] += weight
        return cls(
            items=tuple(names),
            judges=tuple(judges),
            segments=tuple(segments),
            winner=_moved(columns.winner, place),
            loser=_moved(columns.loser, place),
            weight=np.array(columns.weight, dtype=np.float64),
            side=np.array(columns.side, dtype=np.float64),
            judge=_moved(columns.judge, judge_place),
            segment=_moved(columns.segment, segment_place),
            right=right,
            wrong=wrong,
            ties=ties,
            tied=columns.tied,
            undecided=columns.undecided,
            tests=sum(columns.tests.values()),
        )

    def counts(self) -> Counts:
        """How often each item was chosen over each other one."""
        counts = Counts.from_pairs(self.items, self.winner, self.loser, self.weight)
        return Counts(
            self.items,
            counts.winner,
            counts.loser,
            counts.wins,
            self.ties,
            self.tied,
            self.undecided,
            self.tests,
        )


class _Names:
    """Numbers for names, in the order in which they come."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}

    def id(self, name: str) -> int:
        return self.ids.setdefault(name, len(self.ids)) if name else UNKNOWN

    def sorted_names(self) -> tuple[list[str], Indices]:
        """The names in order, and per number the place of its name there."""
        names = sorted(self.ids)
        place = {name: number for number, name in enumerate(names)}
        return names, np.array([place[name] for name in self.ids], dtype=np.int64)


class _Columns:
    """Grows column by column, some fifty bytes an answer, so that millions of them fit into memory."""

    def __init__(self, ties: Ties) -> None:
        self.ties = ties
        self.items, self.judges, self.segments = _Names(), _Names(), _Names()
        self.winner, self.loser, self.judge, self.segment = array("q"), array("q"), array("q"), array("q")
        self.weight, self.side = array("d"), array("d")
        self.tests: dict[tuple[str, bool], float] = {}
        self.tied = self.undecided = 0.0

    def add(self, answer: Answer) -> None:
        check_answer(answer)
        if answer.test is not None:
            self.judges.id(answer.judge)
            key = (answer.judge, answer.choice is answer.test)
            self.tests[key] = self.tests.get(key, 0.0) + answer.weight
        elif answer.choice is Choice.LEFT:
            self._row(answer, answer.weight, left_won=True)
        elif answer.choice is Choice.RIGHT:
            self._row(answer, answer.weight, left_won=False)
        elif answer.choice is Choice.UNDECIDED:
            self.undecided += answer.weight
        elif self.ties == "error":
            raise InputError(f"{answer.left} and {answer.right} are tied", hint="say how ties count: half or drop")
        else:
            self.tied += answer.weight
            if self.ties == "half":
                self._row(answer, answer.weight / 2, left_won=True)
                self._row(answer, answer.weight / 2, left_won=False)

    def _row(self, answer: Answer, weight: float, *, left_won: bool) -> None:
        left, right = self.items.id(answer.left), self.items.id(answer.right)
        self.winner.append(left if left_won else right)
        self.loser.append(right if left_won else left)
        self.weight.append(weight)
        self.side.append((1.0 if left_won else -1.0) if answer.sided else 0.0)
        self.judge.append(self.judges.id(answer.judge))
        self.segment.append(self.segments.id(answer.segment))


def _moved(numbers: array[int], place: Indices) -> Indices:
    """Numbers given in the order of coming, as places in the order of names."""
    found = np.array(numbers, dtype=np.int64)
    # The last place answers for -1, which is nobody.
    return np.append(place, UNKNOWN)[found]
