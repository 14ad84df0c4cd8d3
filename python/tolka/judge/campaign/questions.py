"""Which question comes next: a pair from a queue that is filled ahead, and a segment where the two differ.

Nobody waits for a fit: pairs come from the last batch the question engine chose, in turn, and a share of them (all,
before the first batch) is drawn at random, which keeps the comparison graph connected.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

_TRIES = 40


@dataclass(frozen=True)
class Question:
    """A segment and two items whose outputs differ there, `low` being the smaller number."""

    segment: int
    low: int
    high: int
    information: float | None = None


class Asked(Protocol):
    """What is known of questions asked before."""

    def by_this_judge(self, low: int, high: int) -> set[int]:
        """The segments on which this judge has compared the pair."""

    def by_anyone(self, low: int, high: int) -> set[int]:
        """The segments on which anyone has."""


class Questions:
    """Draws questions; safe to use from many threads.

    Args:
        texts: Per segment and item, a number for the text: equal texts have equal numbers, -1 is none. It may be
            replaced by a table of more segments and items.
        explore: The share of pairs drawn at random.
        overlap: The share of questions that someone has answered before.
    """

    def __init__(self, texts: NDArray[np.int32], *, explore: float, overlap: float) -> None:
        self.texts = texts
        self.explore = explore
        self.overlap = overlap
        self._queue: deque[tuple[int, int, float | None]] = deque()
        self._lock = threading.Lock()

    def fill(self, pairs: Iterable[tuple[int, int, float | None]]) -> None:
        """Replace the queue by a new batch of pairs, each with the information expected of it."""
        batch = deque((min(one, other), max(one, other), gain) for one, other, gain in pairs)
        with self._lock:
            self._queue = batch

    def differing(self, low: int, high: int) -> NDArray[np.intp]:
        """The segments where the outputs of two items are there and differ."""
        texts = self.texts
        one, other = texts[:, low], texts[:, high]
        return np.flatnonzero((one != other) & (one >= 0) & (other >= 0))

    def number(self) -> int:
        """How many different questions there are."""
        texts = np.sort(self.texts, axis=1)
        there = (texts >= 0).sum(axis=1)
        new = np.ones_like(texts, dtype=bool)
        new[:, 1:] = texts[:, 1:] != texts[:, :-1]
        # Of each run of equal texts, those before the one at hand ask nothing.
        places = np.broadcast_to(np.arange(texts.shape[1]), texts.shape)
        since = places - np.maximum.accumulate(np.where(new, places, 0), axis=1)
        return int((there * (there - 1) // 2).sum() - since[texts >= 0].sum())

    def draw(self, asked: Asked, rng: random.Random) -> Question | None:
        """A question this judge has not had, or None if there is none left."""
        for low, high, information in self._pairs(rng):
            done = asked.by_this_judge(low, high)
            left = [segment for segment in self.differing(low, high).tolist() if segment not in done]
            if not left:
                continue
            shared: list[int] = []
            if rng.random() < self.overlap:
                known = asked.by_anyone(low, high)
                shared = [segment for segment in left if segment in known]
            return Question(rng.choice(shared or left), low, high, information)
        return None

    def _pairs(self, rng: random.Random) -> Iterator[tuple[int, int, float | None]]:
        """Pairs in the order in which they are to be tried; in the end every pair there is."""
        with self._lock:
            turns = 0 if rng.random() < self.explore else len(self._queue)
        for _ in range(turns):
            with self._lock:
                if not self._queue:
                    break
                self._queue.rotate(-1)
                pair = self._queue[-1]
            yield pair
        items = self.texts.shape[1]
        for _ in range(_TRIES):
            low, high = sorted(rng.sample(range(items), 2))
            yield low, high, None
        for low in rng.sample(range(items), items):
            for high in range(low + 1, items):
                yield low, high, None
