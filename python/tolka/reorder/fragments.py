"""The fragments of many sentences' executions, as arrays; `tolka.reorder.automaton` says what they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolka import _engine
from tolka.errors import InputError
from tolka.reorder.flat import flat_orders, numbers, offsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tolka.syntax import Tree


@dataclass(frozen=True)
class Fragments:
    """Fragments of executions, a number per word of all sentences, in the order of emission.

    Attributes:
        offsets: Where each sentence begins among the words, and at the end how many words there are.
        word: The word that is emitted, counted from 0 within its sentence.
        ups: Steps up.
        downs: Steps down.
        unforced: Steps up that were not forced; the fragment is non-tree-local if there is one.
        top: The highest vertex visited; -1 for a silent root.
        distance: From the word before to this one, with its sign.
        excursion: The longer way between top and either word.
        forced: For each step up of all fragments, whether it was forced.
    """

    offsets: NDArray[np.int64]
    word: NDArray[np.int64]
    ups: NDArray[np.int64]
    downs: NDArray[np.int64]
    unforced: NDArray[np.int64]
    top: NDArray[np.int64]
    distance: NDArray[np.int64]
    excursion: NDArray[np.int64]
    forced: NDArray[np.bool_]

    @property
    def nonlocal_(self) -> NDArray[np.bool_]:
        """Whether each fragment is non-tree-local."""
        return self.unforced > 0

    @property
    def sentence(self) -> NDArray[np.int64]:
        """The sentence of each fragment."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def by_word(self, values: NDArray[np.generic]) -> NDArray[np.generic]:
        """Values of fragments, put into the order of the sentences' words."""
        sorted_ = np.empty_like(values)
        sorted_[self.word + self.offsets[self.sentence]] = values
        return sorted_


def find_fragments(
    trees: Sequence[Tree], orders: Sequence[Sequence[int]] | None = None, *, threads: int = 0
) -> Fragments:
    """Walk through sentences in the given orders; in their own order if none are given.

    Raises:
        InputError: The numbers of sentences differ, or an order is no permutation.

    Example:
        >>> from tolka.syntax import Tree
        >>> tree = Tree(forms=("a", "b", "c", "d"), heads=(3, 4, 4, 0))
        >>> find_fragments([tree]).nonlocal_.tolist()  # the arcs of a and b cross
        [False, True, False, False]
    """
    if orders is None:
        orders = [range(len(tree)) for tree in trees]
    if len(trees) != len(orders):
        raise InputError(f"there are {len(trees)} sentences and {len(orders)} orders")
    for number, (tree, order) in enumerate(zip(trees, orders, strict=True), 1):
        if len(tree) != len(order):
            raise InputError(f"sentence {number}: {len(tree)} words and an order of {len(order)}")
    ends = offsets([tree.forms for tree in trees])
    words = flat_orders(orders)
    columns, forced = _engine.reorder_fragments(
        ends, numbers(head for tree in trees for head in tree.heads), words, threads=threads
    )
    return Fragments(
        offsets=ends.astype(np.int64),
        word=words.astype(np.int64),
        forced=forced,
        **{name: values.astype(np.int64) for name, values in columns.items()},
    )
