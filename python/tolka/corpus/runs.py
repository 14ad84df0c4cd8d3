"""A sample of a corpus in runs of neighbouring pairs, spread evenly over the whole, from one reading."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tolka.corpus.batches import in_batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tolka.corpus.rows import Pair

RUN = 250
"""Pairs of a run."""

MOST_RUNS = 60
"""Most runs that are kept; a corpus of no more pairs than theirs is kept whole."""


@dataclass
class Run:
    """Neighbouring pairs; `first` is the line of the first, counted from 1."""

    first: int
    pairs: list[Pair] = field(default_factory=list)


class Runs:
    """Collects runs while pairs pass by: every run at first, and every second of them again when there are too many.

    Attributes:
        kept: The runs.
        pairs: How many pairs have passed.

    Example:
        >>> runs = Runs()
        >>> passed = list(runs.watch((f"Satz {n}", f"sentence {n}") for n in range(100_000)))
        >>> runs.pairs, len(runs.kept), runs.kept[1].first
        (100000, 50, 2001)
    """

    def __init__(self) -> None:
        self.kept: list[Run] = []
        self.pairs = 0
        self._stride = 1

    @classmethod
    def of(cls, pairs: Iterable[Pair]) -> Runs:
        """The runs of pairs that nobody else waits for."""
        runs = cls()
        for _ in runs.watch(pairs):
            pass
        return runs

    def watch(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Give the pairs on, and keep some."""
        for batch in in_batches(pairs, RUN):
            number = self.pairs // RUN
            if number % self._stride == 0:
                self.kept.append(Run(self.pairs + 1, batch))
                if len(self.kept) > MOST_RUNS:
                    del self.kept[1::2]
                    self._stride *= 2
            self.pairs += len(batch)
            yield from batch
