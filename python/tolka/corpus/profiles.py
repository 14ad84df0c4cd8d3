"""Telling the two languages of a corpus apart by the letters of their words, as learnt from the corpus itself.

A profile counts the letters of words in sequences of one to four (Cavnar and Trenkle 1994); which of two profiles a line
is likelier under says which side it belongs to. Nothing is known of any language in advance, so it works for all.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Verdict = Literal["right", "swapped", "source", "target"]
"""What is said of pairs: nothing to say, both sides swapped, or only that one side is in the language of the other."""

_LONGEST = 4
_MOST_LETTERS = 40
# Nats by which a line must be likelier under one profile to count, and all lines together to be spoken of.
_DECIDED = 2.0
_SURE = 25.0
# The share of lines that must agree on it.
_SHARE = 0.85


class Profile:
    """The sequences of letters in some words."""

    def __init__(self, words: Mapping[str, int]) -> None:
        self.counts: list[Counter[str]] = [Counter() for _ in range(_LONGEST)]
        for word, count in words.items():
            for length, sequence in _sequences(word):
                self.counts[length - 1][sequence] += count

    @classmethod
    def of(cls, lines: Iterable[str]) -> Profile:
        """The profile of some lines."""
        return cls(Counter(word for line in lines for word in line.split()))

    @cached_property
    def totals(self) -> list[int]:
        """How many sequences of each length there are."""
        return [counts.total() for counts in self.counts]


@dataclass(frozen=True)
class Sides:
    """The profiles of the two sides of a corpus.

    Example:
        >>> sides = Sides(Profile.of(["das ist ein Haus und das ist ein Dach"]), Profile.of(["this is a house and a roof"]))
        >>> sides.evidence("und ein Haus") > 0 > sides.evidence("this house")
        True
    """

    source: Profile
    target: Profile

    @cached_property
    def _known(self) -> dict[str, float]:
        return {}

    def evidence(self, line: str) -> float:
        """By how many nats a line is likelier to be of the source side; of the target side if it is negative."""
        return sum(self._word(word) for word in line.split())

    def _word(self, word: str) -> float:
        found = self._known.get(word)
        if found is None:
            # The four lengths tell the same letters four times.
            found = sum(self._sequence(*one) for one in _sequences(word)) / _LONGEST
            self._known[word] = found
        return found

    def _sequence(self, length: int, sequence: str) -> float:
        own = [profile.counts[length - 1] for profile in (self.source, self.target)]
        # Add a half of an occurrence to all sequences of either side.
        kinds = max(len(own[0]), len(own[1]), 1)
        source, target = (
            math.log((counts[sequence] + 0.5) / (profile.totals[length - 1] + 0.5 * kinds))
            for counts, profile in zip(own, (self.source, self.target), strict=True)
        )
        return source - target

    def judge(self, sources: Sequence[str], targets: Sequence[str]) -> Verdict:
        """Say whether sentence pairs have their sides where this corpus has them."""
        # What is the same on both sides says nothing, and what is repeated says nothing new.
        pairs = {pair: None for pair in zip(sources, targets, strict=True) if pair[0] != pair[1]}
        sources, targets = [one for one, _ in pairs], [other for _, other in pairs]
        left, right = [self.evidence(line) for line in sources], [-self.evidence(line) for line in targets]
        if (
            _is_wrong([one + other for one, other in zip(left, right, strict=True)])
            and sum(left) < 0
            and sum(right) < 0
        ):
            return "swapped"
        if self.is_foreign(sources, "source"):
            return "source"
        return "target" if self.is_foreign(targets, "target") else "right"

    def is_foreign(self, lines: Sequence[str], side: Literal["source", "target"]) -> bool:
        """Whether lines that should be of one side are in the language of the other."""
        sign = 1 if side == "source" else -1
        return _is_wrong([sign * self.evidence(line) for line in lines])


def _is_wrong(evidence: Sequence[float]) -> bool:
    decided = [one for one in evidence if abs(one) >= _DECIDED]
    if not decided or sum(decided) > -_SURE:
        return False
    # Most lines say something, and nearly all of them the same: boilerplate that is the same on both sides is no reason.
    return 2 * len(decided) >= len(evidence) and sum(one < 0 for one in decided) >= _SHARE * len(decided)


def _sequences(word: str) -> list[tuple[int, str]]:
    padded = f" {word[:_MOST_LETTERS].lower()} "
    return [
        (length, padded[at : at + length])
        for length in range(1, _LONGEST + 1)
        for at in range(len(padded) - length + 1)
        if length > 1 or padded[at] != " "
    ]
