"""From words to words in another order: an analyser and a pre-orderer that belong together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka.reorder.analyser import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.reorder.analyser import Analyser
    from tolka.reorder.preorderer import Order, Preorderer
    from tolka.syntax import Tree

_AT_A_TIME = 4096


@dataclass(frozen=True)
class Reordering:
    """Puts the words of sentences into the order of the target language.

    Attributes:
        analyser: Gives sentences their trees.
        preorderer: Gives trees their orders.
    """

    analyser: Analyser
    preorderer: Preorderer

    def trees(self, sentences: Sequence[Sequence[str]], *, threads: int = 1) -> list[Tree]:
        """The tree of each sentence; none of them is empty."""
        return self.analyser.parse([plain(words) for words in sentences], threads=threads)

    def orders(self, sentences: Sequence[Sequence[str]], *, threads: int = 1) -> list[Order]:
        """The order of each sentence's words: positions, counted from 0."""
        found: list[Order] = [()] * len(sentences)
        full = [at for at, words in enumerate(sentences) if words]
        # Trees are large, so not all of them are kept.
        for begin in range(0, len(full), _AT_A_TIME):
            places = full[begin : begin + _AT_A_TIME]
            trees = self.trees([sentences[at] for at in places], threads=threads)
            for at, order in zip(places, self.preorderer.orders(trees, threads=threads), strict=True):
                found[at] = order
        return found


def in_order(words: Sequence[str], order: Iterable[int]) -> str:
    """The words of a sentence in an order, as a line.

    Example:
        >>> in_order(["er", "Bier", "trinkt"], (0, 2, 1))
        'er trinkt Bier'
    """
    return " ".join([words[at] for at in order])


def keep_together(order: Sequence[int], spans: Iterable[tuple[int, int]]) -> list[int]:
    """An order in which the words of each span stay side by side, where the first of them went.

    Spans that overlap stay together as one.

    Example:
        >>> keep_together([3, 0, 1, 2], [(2, 4)])
        [2, 3, 0, 1]
    """
    together = list(order)
    for start, end in _joined(spans):
        at = min(together.index(word) for word in range(start, end))
        before = [word for word in together[:at] if not start <= word < end]
        after = [word for word in together[at:] if not start <= word < end]
        together = [*before, *range(start, end), *after]
    return together


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined
