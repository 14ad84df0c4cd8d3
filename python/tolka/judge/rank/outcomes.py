"""Answers as arrays: who was chosen over whom, by which judge, on which segment and side.

Counts are all that plain ranking needs; judges' reliability and intervals that respect segments need this much more.
"""

from __future__ import annotations

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
        rows: list[tuple[str, str, float, float, str, str]] = []
        tests: list[tuple[str, bool, float]] = []
        tied = undecided = 0.0
        for answer in answers:
            check_answer(answer)
            if answer.test is not None:
                tests.append((answer.judge, answer.choice is answer.test, answer.weight))
                continue
            side = 1.0 if answer.sided else 0.0
            about = (answer.judge, answer.segment)
            if answer.choice is Choice.LEFT:
                rows.append((answer.left, answer.right, answer.weight, side, *about))
            elif answer.choice is Choice.RIGHT:
                rows.append((answer.right, answer.left, answer.weight, -side, *about))
            elif answer.choice is Choice.UNDECIDED:
                undecided += answer.weight
            elif ties == "error":
                raise InputError(f"{answer.left} and {answer.right} are tied", hint="say how ties count: half or drop")
            else:
                tied += answer.weight
                if ties == "half":
                    rows.append((answer.left, answer.right, answer.weight / 2, side, *about))
                    rows.append((answer.right, answer.left, answer.weight / 2, -side, *about))
        return cls._of_rows(rows, tests, items, ties, tied, undecided)

    @classmethod
    def _of_rows(
        cls,
        rows: list[tuple[str, str, float, float, str, str]],
        tests: list[tuple[str, bool, float]],
        items: Sequence[str] | None,
        ties: Ties,
        tied: float,
        undecided: float,
    ) -> Outcomes:
        names = sorted({row[0] for row in rows} | {row[1] for row in rows}) if items is None else list(items)
        judges = sorted({row[4] for row in rows if row[4]} | {test[0] for test in tests if test[0]})
        segments = sorted({row[5] for row in rows if row[5]})
        item_of = {name: i for i, name in enumerate(names)}
        judge_of = {name: i for i, name in enumerate(judges)} | {"": UNKNOWN}
        segment_of = {name: i for i, name in enumerate(segments)} | {"": UNKNOWN}
        try:
            winner = np.array([item_of[row[0]] for row in rows], dtype=np.int64)
            loser = np.array([item_of[row[1]] for row in rows], dtype=np.int64)
        except KeyError as error:
            raise InputError(f"there are answers about {error.args[0]!r}, which is not among the items") from None
        right, wrong = np.zeros(len(judges)), np.zeros(len(judges))
        for judge, good, weight in tests:
            if judge:
                (right if good else wrong)[judge_of[judge]] += weight
        return cls(
            items=tuple(names),
            judges=tuple(judges),
            segments=tuple(segments),
            winner=winner,
            loser=loser,
            weight=np.array([row[2] for row in rows], dtype=np.float64),
            side=np.array([row[3] for row in rows], dtype=np.float64),
            judge=np.array([judge_of[row[4]] for row in rows], dtype=np.int64),
            segment=np.array([segment_of[row[5]] for row in rows], dtype=np.int64),
            right=right,
            wrong=wrong,
            ties=ties,
            tied=tied,
            undecided=undecided,
            tests=float(sum(test[2] for test in tests)),
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
