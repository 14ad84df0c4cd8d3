"""Statistics of reordering on trees (Miceli Barone, section 3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError
from tolka.reorder.fragments import find_fragments
from tolka.reorder.measure import score_orders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tolka.reorder.fragments import Fragments
    from tolka.syntax import Tree

LIMITS = (6, 8)
"""Distances beyond which movement is counted as long: 6 is the usual distortion limit of phrase-based decoders."""


@dataclass(frozen=True)
class Spread:
    """How values are spread.

    Attributes:
        mean: Their mean.
        deviation: Their standard deviation.
        median: The middle.
        low: The 5th percentile.
        high: The 95th percentile.
    """

    mean: float
    deviation: float
    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: NDArray[np.int64]) -> Spread:
        """The spread of values; all 0 if there are none."""
        if not len(values):
            return cls(0.0, 0.0, 0.0, 0.0, 0.0)
        low, median, high = np.percentile(values, [5, 50, 95]).tolist()
        return cls(float(values.mean()), float(values.std()), median, low, high)


@dataclass(frozen=True)
class Tail:
    """Non-tree-local fragments that go farther than a limit.

    Attributes:
        limit: The distance.
        fragments: Share of non-tree-local fragments.
        sentences_with: Share of sentences with such a fragment, among those with a non-tree-local one.
        sentences: Share among all sentences.
    """

    limit: int
    fragments: float
    sentences_with: float
    sentences: float


@dataclass(frozen=True)
class Movement:
    """Fragments of one kind.

    Attributes:
        fragments: How many.
        monotone: Share that goes to the next word (distance 1).
        forward: Share with a positive distance.
        forward_unless_monotone: Share with a positive distance among those that are not monotone.
        distance: How distances without their sign are spread.
    """

    fragments: int
    monotone: float
    forward: float
    forward_unless_monotone: float
    distance: Spread

    @classmethod
    def of(cls, distances: NDArray[np.int64]) -> Movement:
        """The movement of signed distances."""
        others = distances[distances != 1]
        return cls(
            fragments=len(distances),
            monotone=_share(distances == 1),
            forward=_share(distances > 0),
            forward_unless_monotone=_share(others > 0),
            distance=Spread.of(abs(distances)),
        )


@dataclass(frozen=True)
class NonProjectivity:
    """Fragments of the sentences' own order that have an unforced UP: one for each non-projective relation.

    Attributes:
        relations: How many.
        sentences: Share of sentences with one.
        words_each: Words for each; 0 if there is none.
        per_sentence: How their number per sentence is spread.
        excursion: How their excursions are spread.
    """

    relations: int
    sentences: float
    words_each: float
    per_sentence: Spread
    excursion: Spread


@dataclass(frozen=True)
class Analysis:
    """What reordering a corpus needs.

    Attributes:
        sentences: Sentences.
        words: Words.
        reordered: Share of sentences whose order changes.
        tau: Mean Kendall's tau between the sentences' own order and the reference order.
        all: Movement of all fragments.
        nonlocal_: Movement of non-tree-local fragments.
        nonlocal_sentences: Share of sentences with a non-tree-local fragment.
        words_each: Words for each non-tree-local fragment; 0 if there is none.
        tails: Long movement.
        nonprojective: Non-projectivity of the trees.
        fragments: The fragments themselves, of the reference orders.
        own: The fragments of the sentences' own orders.
    """

    sentences: int
    words: int
    reordered: float
    tau: float
    all: Movement
    nonlocal_: Movement
    nonlocal_sentences: float
    words_each: float
    tails: tuple[Tail, ...]
    nonprojective: NonProjectivity
    fragments: Fragments
    own: Fragments

    def per_sentence(self) -> dict[str, NDArray[np.int64]]:
        """For each sentence, numbers of non-tree-local fragments and non-projective relations, and how far they go."""
        far = abs(self.fragments.distance) * self.fragments.nonlocal_
        excursion = self.own.excursion * self.own.nonlocal_
        start = self.fragments.offsets[:-1]
        return {
            "nonlocal fragments": np.add.reduceat(self.fragments.nonlocal_.astype(np.int64), start),
            "longest nonlocal distance": np.maximum.reduceat(far, start),
            "sum of nonlocal distances": np.add.reduceat(far, start),
            "nonprojective relations": np.add.reduceat(self.own.nonlocal_.astype(np.int64), start),
            "longest nonprojective excursion": np.maximum.reduceat(excursion, start),
        }

    def summary(self) -> dict[str, object]:
        """All numbers, for JSON."""
        from dataclasses import asdict  # noqa: PLC0415 - only here

        return {
            "sentences": self.sentences,
            "words": self.words,
            "reordered": self.reordered,
            "tau": self.tau,
            "all": asdict(self.all),
            "nonlocal_sentences": self.nonlocal_sentences,
            "words_each": self.words_each,
            "tails": [asdict(tail) for tail in self.tails],
            "nonprojective": asdict(self.nonprojective),
            "nonlocal": asdict(self.nonlocal_),
        }


def analyse(
    trees: Sequence[Tree], orders: Sequence[Sequence[int]], *, limits: Sequence[int] = LIMITS, threads: int = 0
) -> Analysis:
    """Describe the reordering of a corpus.

    Args:
        trees: Its sentences.
        orders: Their reference orders.
        limits: Distances beyond which movement is long.
        threads: 0 for all cores.

    Raises:
        InputError: There is no sentence, numbers of sentences differ, or an order is no permutation.

    Example:
        >>> from tolka.syntax import synthetic_treebank
        >>> text = synthetic_treebank(1, 200)
        >>> found = analyse(text.trees, text.orders)
        >>> found.sentences, found.nonlocal_.fragments > 0
        (200, True)
    """
    if not trees:
        raise InputError("there is no sentence to analyse")
    fragments = find_fragments(trees, orders, threads=threads)
    own = find_fragments(trees, threads=threads)
    start = fragments.offsets[:-1]
    far = abs(fragments.distance) * fragments.nonlocal_
    longest = np.maximum.reduceat(far, start)
    with_one = np.logical_or.reduceat(fragments.nonlocal_, start)
    strange = np.add.reduceat(own.nonlocal_.astype(np.int64), start)
    number = int(fragments.nonlocal_.sum())
    relations = int(strange.sum())
    words = len(fragments.word)
    scores = score_orders([range(len(tree)) for tree in trees], orders, threads=threads)
    return Analysis(
        sentences=len(trees),
        words=words,
        reordered=_share(~scores.exact),
        tau=float(scores.tau.mean()),
        all=Movement.of(fragments.distance),
        nonlocal_=Movement.of(fragments.distance[fragments.nonlocal_]),
        nonlocal_sentences=_share(with_one),
        words_each=words / number if number else 0.0,
        tails=tuple(
            Tail(
                limit,
                _share(far[fragments.nonlocal_] > limit),
                _share(longest[with_one] > limit),
                _share(longest > limit),
            )
            for limit in limits
        ),
        nonprojective=NonProjectivity(
            relations=relations,
            sentences=_share(strange > 0),
            words_each=words / relations if relations else 0.0,
            per_sentence=Spread.of(strange),
            excursion=Spread.of(own.excursion[own.nonlocal_]),
        ),
        fragments=fragments,
        own=own,
    )


def _share(which: NDArray[np.bool_]) -> float:
    return float(which.mean()) if len(which) else 0.0
