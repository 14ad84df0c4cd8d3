"""The plain tally: how often each item beat each other one, with a sign test, as published comparisons print it.

A sign test takes answers as independent. Several judges on one segment, or the pairs out of one ranking of five, are not; the
intervals of a ranking respect segments, a tally does not. Test questions and "cannot decide" do not count.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from tolka.errors import InputError
from tolka.judge.answers import Choice
from tolka.judge.rank.counts import check_answer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.judge.answers import Answer


@dataclass(frozen=True)
class Tally:
    """Two items that met.

    Attributes:
        item: The one that won more often; the first by name if both won as often.
        other: The other one.
        wins: Answers for the item.
        losses: Answers for the other.
        ties: Answers for neither, which the test leaves out.
        p: How often chance alone makes such a difference or a larger one (two-sided sign test).
    """

    item: str
    other: str
    wins: int
    losses: int
    ties: int
    p: float

    def as_json(self) -> dict[str, Any]:
        """The tally as JSON has it."""
        return asdict(self)


def tally(answers: Iterable[Answer]) -> tuple[Tally, ...]:
    """Count the answers for each pair of items that met, in the order of their names.

    Raises:
        InputError: An answer is malformed, or stands for a number of answers that is not whole.

    Example:
        >>> from tolka.judge import Answer
        >>> [one] = tally([Answer("new", "old")] * 9 + [Answer("old", "new")])
        >>> one.item, one.wins, one.losses, round(one.p, 4)
        ('new', 9, 1, 0.0215)
    """
    won: Counter[tuple[str, str]] = Counter()
    tied: Counter[frozenset[str]] = Counter()
    items: set[str] = set()
    for answer in answers:
        if answer.test is not None or answer.choice is Choice.UNDECIDED:
            continue
        check_answer(answer)
        if answer.weight != int(answer.weight):
            raise InputError(f"an answer stands for {answer.weight} answers", hint="a sign test counts whole ones")
        items |= {answer.left, answer.right}
        if answer.winner is None or answer.loser is None:
            tied[frozenset({answer.left, answer.right})] += int(answer.weight)
        else:
            won[answer.winner, answer.loser] += int(answer.weight)
    found = []
    for pair in combinations(sorted(items), 2):
        one, two = pair if won[pair] >= won[pair[1], pair[0]] else (pair[1], pair[0])
        wins, losses, ties = won[one, two], won[two, one], tied[frozenset(pair)]
        if wins + losses + ties:
            found.append(Tally(one, two, wins, losses, ties, _sign_test(wins, losses)))
    return tuple(found)


def _sign_test(wins: int, losses: int) -> float:
    if wins + losses > 1 << 10:
        from scipy.stats import binomtest  # noqa: PLC0415 - slow to import

        return float(binomtest(wins, wins + losses).pvalue)
    ways = sum(math.comb(wins + losses, at) for at in range(min(wins, losses) + 1))
    return min(1.0, float(2 * ways / 2 ** (wins + losses)))
