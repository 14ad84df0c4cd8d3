"""How near orders are to reference orders: Kendall's tau, fuzzy score, crossing links, monolingual BLEU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolka import _engine
from tolka.errors import InputError
from tolka.reorder.flat import flat_links, flat_orders, offsets
from tolka.reorder.reordering import in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tolka.align.links import Link
    from tolka.reorder.preorderer import Order

MONOLINGUAL_ORDER = 4


@dataclass(frozen=True)
class OrderScores:
    """How near orders are to reference orders, a number per sentence.

    Attributes:
        lengths: Words.
        inversions: Pairs of words that stand the other way round.
        chunks: Pieces that the sentence is cut into so that each runs through the reference word by word.
    """

    lengths: NDArray[np.int64]
    inversions: NDArray[np.int64]
    chunks: NDArray[np.int64]

    @property
    def tau(self) -> NDArray[np.float64]:
        """Kendall's tau, from -1 to 1; 1 for a single word."""
        return 2 * self.tau01 - 1

    @property
    def tau01(self) -> NDArray[np.float64]:
        """Kendall's tau in [0, 1]: the share of pairs of words in the right order; 1 for a single word."""
        pairs = np.maximum(self.lengths * (self.lengths - 1) // 2, 1)
        found: NDArray[np.float64] = 1 - self.inversions / pairs
        return found

    @property
    def fuzzy(self) -> NDArray[np.float64]:
        """Fuzzy reordering score (Talbot et al. 2011): 1 - (chunks - 1) / (words - 1); 1 for a single word."""
        return 1 - (self.chunks - 1) / np.maximum(self.lengths - 1, 1)

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Whether the orders are the same."""
        found: NDArray[np.bool_] = self.inversions == 0
        return found


def score_orders(
    orders: Sequence[Sequence[int]], references: Sequence[Sequence[int]], *, threads: int = 0
) -> OrderScores:
    """Compare orders with reference orders of the same sentences.

    Raises:
        InputError: Numbers of sentences or words differ, or an order is no permutation.

    Example:
        >>> scores = score_orders([(0, 1, 2, 3)], [(0, 3, 1, 2)])
        >>> scores.inversions.tolist(), scores.chunks.tolist(), scores.tau01.round(3).tolist()
        ([2], [3], [0.667])
    """
    _check_alike(orders, references)
    ends = offsets(references)
    inversions, chunks = _engine.reorder_differences(
        ends, flat_orders(orders), flat_orders(references), threads=threads
    )
    lengths = np.fromiter((len(reference) for reference in references), dtype=np.int64, count=len(references))
    return OrderScores(lengths, inversions.astype(np.int64), chunks.astype(np.int64))


def crossing_links(
    orders: Sequence[Sequence[int]], links: Sequence[Sequence[Link]], *, threads: int = 0
) -> NDArray[np.int64]:
    """For each sentence how many pairs of links cross when its words stand in the given order.

    Example:
        >>> crossing_links([(0, 1), (1, 0)], [[(0, 1), (1, 0)]] * 2).tolist()
        [1, 0]
    """
    if len(orders) != len(links):
        raise InputError(f"there are {len(orders)} sentences and {len(links)} lines of links")
    found = _engine.reorder_crossings(offsets(orders), flat_orders(orders), *flat_links(links), threads=threads)
    return found.astype(np.int64)


def monolingual_bleu(
    sentences: Sequence[Sequence[str]],
    orders: Sequence[Sequence[int]],
    references: Sequence[Sequence[int]],
    *,
    threads: int = 0,
) -> float:
    """BLEU of source sentences in the given orders against the same sentences in their reference orders, 0 to 100.

    Example:
        >>> words = "a b c d e f".split()
        >>> round(monolingual_bleu([words], [range(6)], [range(6)]), 6)
        100.0
    """
    _check_alike(orders, references)
    table = _engine.MetricTable()
    texts = [
        table.texts([in_order(words, order) for words, order in zip(sentences, which, strict=True)], "none")
        for which in (references, orders)
    ]
    metric = _engine.Metric.bleu(
        [texts[0]],
        order=MONOLINGUAL_ORDER,
        smoothing="none",
        value=None,
        effective_order=False,
        plus_one=False,
    )
    return metric.score(metric.stats(texts[1], threads=threads).sum(axis=0))


def is_permutation(order: Sequence[int], length: int) -> bool:
    """Whether an order has every word of a sentence once.

    Example:
        >>> is_permutation((2, 0, 1), 3), is_permutation((0, 2), 3)
        (True, False)
    """
    return len(order) == length and set(order) == set(range(length))


def invert(order: Sequence[int]) -> Order:
    """For each word its new place.

    Example:
        >>> invert((2, 0, 1))
        (1, 2, 0)
    """
    places = [0] * len(order)
    for place, word in enumerate(order):
        places[word] = place
    return tuple(places)


def _check_alike(orders: Sequence[Sequence[int]], references: Sequence[Sequence[int]]) -> None:
    if len(orders) != len(references):
        raise InputError(f"there are {len(orders)} orders and {len(references)} reference orders")
    for number, (order, reference) in enumerate(zip(orders, references, strict=True), 1):
        if len(order) != len(reference):
            raise InputError(f"sentence {number}: orders of {len(order)} and {len(reference)} words")
