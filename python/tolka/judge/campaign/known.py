"""Which answers a campaign has already, so that one which comes in twice counts once.

A file exported yesterday and the longer one exported today share answers, and so do a campaign and its own export. Two
answers are the same if judge, segment, items and choice are, and nothing that both know differs: formats that keep no
times say nothing against it. What is there twice within one file was given twice, so every answer counts as often as in
the place that has it most often.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from tolka.judge.answers import Choice

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.judge.answers import Answer

    Key = tuple[object, ...]


class Known:
    """The answers that are there, each to be met once more.

    Example:
        >>> from tolka.judge import Answer
        >>> known = Known([Answer("a", "b", judge="anna", segment="1", at="2026-03-01T12:00:00Z")])
        >>> again = Answer("b", "a", Choice.RIGHT, judge="anna", segment="1")
        >>> known.new([again, again])
        [1]
    """

    def __init__(self, answers: Iterable[Answer]) -> None:
        self._left: dict[Key, Counter[str]] = defaultdict(Counter)
        for answer in answers:
            self._left[_key(answer)][_moment(answer)] += 1

    def new(self, answers: Sequence[Answer]) -> list[int]:
        """The positions of those that are not there yet."""
        fresh = [True] * len(answers)
        # First those that are there to the letter, then those that may be: else one without a time could take the
        # place of one that has it.
        for match in (self._same, self._without_time, self._any_time):
            for at, answer in enumerate(answers):
                if fresh[at] and match(self._left.get(_key(answer)), _moment(answer)):
                    fresh[at] = False
        return [at for at, is_new in enumerate(fresh) if is_new]

    @staticmethod
    def _same(there: Counter[str] | None, moment: str) -> bool:
        return there is not None and _take(there, moment)

    @staticmethod
    def _without_time(there: Counter[str] | None, moment: str) -> bool:
        return there is not None and bool(moment) and _take(there, "")

    @staticmethod
    def _any_time(there: Counter[str] | None, moment: str) -> bool:
        return there is not None and not moment and bool(there) and _take(there, next(iter(there)))


def _take(there: Counter[str], moment: str) -> bool:
    if moment not in there:
        return False
    there[moment] -= 1
    if not there[moment]:
        del there[moment]
    return True


def _key(answer: Answer) -> Key:
    """What every format knows; which side an item stood on is not among it."""
    if answer.test is not None:
        # Of a test question only the side is known that was right.
        said: tuple[object, ...] = (answer.left, answer.right, answer.choice, answer.test)
    elif answer.choice in {Choice.LEFT, Choice.RIGHT}:
        said = (answer.winner, answer.loser)
    else:
        said = (*sorted((answer.left, answer.right)), answer.choice)
    return answer.judge, answer.segment, answer.weight, *said


def _moment(answer: Answer) -> str:
    """When it was given, or else how long it took; empty if neither is known."""
    return answer.at or ("" if answer.seconds is None else f"{answer.seconds:.3f} s")
