"""Comparisons that scores imply: of two outputs for a segment, a judge prefers the one they scored higher.

Direct assessment and MQM give a number to each output. Numbers of different judges do not share a scale, so only scores
that one judge gave to one segment are compared; equal scores are ties.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from tolka.judge.answers import Answer, Choice

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping

SMALL = 1e-9


def implied_answers(
    scores: Mapping[tuple[str, str], Mapping[str, list[float]]], skipped: Counter[str]
) -> Iterator[Answer]:
    """Every pair of systems that a judge scored on a segment.

    Args:
        scores: By judge and segment, then by system, the scores given; the mean counts where there are several. A system
            called `A_with_B` is A shown beside B, and is compared with B alone.
        skipped: Receives what could not be compared.
    """
    for (judge, segment), systems in scores.items():
        if len(systems) == 1:
            skipped["scores without another of the same judge on the segment"] += 1
        values = {name: sum(given) / len(given) for name, given in systems.items()}
        for left, right in combinations(sorted(values), 2):
            one, beside_one = _shown(left)
            two, beside_two = _shown(right)
            if one == two or (beside_one not in {None, two}) or (beside_two not in {None, one}):
                continue
            difference = values[left] - values[right]
            choice = Choice.LEFT if difference > SMALL else Choice.RIGHT if difference < -SMALL else Choice.TIE
            yield Answer(one, two, choice, judge, segment)


def _shown(name: str) -> tuple[str, str | None]:
    one, beside, two = name.partition("_with_")
    return (one, two) if beside and one and two else (name, None)
