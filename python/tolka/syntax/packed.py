"""Trees as flat arrays of numbers: the form in which they go to the engine."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import SettingsError
from tolka.syntax.tree import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from tolka.syntax.tree import Tree

UNKNOWN, BEFORE, AFTER = 0, 1, 2
"""Ids with a meaning of their own: a value never seen, and what stands before and after every sentence."""


class Symbols:
    """Numbers for the values of some columns, in the order in which they were first met; the first three are reserved.

    Example:
        >>> from tolka.syntax import Tree
        >>> symbols = Symbols(["upos"])
        >>> symbols.learn([Tree(forms=("a", "b"), heads=(0, 1), upos=("DET", "NOUN"))])
        >>> symbols.values["upos"]
        ['', '<s>', '</s>', 'DET', 'NOUN']
    """

    def __init__(self, columns: Iterable[str], values: Mapping[str, Sequence[str]] | None = None) -> None:
        self.columns = tuple(columns)
        unknown = set(self.columns) - set(COLUMNS)
        if unknown:
            raise SettingsError(f"trees have no column {min(unknown)!r}", hint=f"choose from {', '.join(COLUMNS)}")
        self.values: dict[str, list[str]] = {
            name: list(values[name]) if values is not None else ["", "<s>", "</s>"] for name in self.columns
        }
        self._ids = {name: dict(zip(values, range(len(values)), strict=True)) for name, values in self.values.items()}

    def learn(self, trees: Iterable[Tree]) -> None:
        """Give new values numbers."""
        for tree in trees:
            for name in self.columns:
                ids = self._ids[name]
                for value in getattr(tree, name):
                    if value not in ids:
                        ids[value] = len(ids)
                        self.values[name].append(value)

    def numbers(self, name: str, values: Iterable[str]) -> list[int]:
        """The numbers of values of one column; 0 for what was never learnt."""
        ids = self._ids[name]
        return [ids.get(value, UNKNOWN) for value in values]


@dataclass(frozen=True)
class Packed:
    """Many trees in a few arrays.

    Attributes:
        offsets: Where each sentence begins among the words, and at the end how many words there are.
        heads: Heads of all words, counted from 1 within their sentences, 0 for a root.
        columns: For each column the numbers of the words' values.
    """

    offsets: NDArray[np.uint64]
    heads: NDArray[np.uint32]
    columns: dict[str, NDArray[np.uint32]]

    def __len__(self) -> int:
        return len(self.offsets) - 1


def pack(trees: Sequence[Tree], symbols: Symbols) -> Packed:
    """Put trees into flat arrays.

    Example:
        >>> from tolka.syntax import Tree
        >>> symbols = Symbols(["upos"])
        >>> trees = [Tree(forms=("a", "b"), heads=(2, 0), upos=("DET", "NOUN"))]
        >>> symbols.learn(trees)
        >>> packed = pack(trees, symbols)
        >>> packed.heads.tolist(), packed.columns["upos"].tolist()
        ([2, 0], [3, 4])
    """
    lengths = np.fromiter((len(tree) for tree in trees), dtype=np.uint64, count=len(trees))
    offsets = np.zeros(len(trees) + 1, dtype=np.uint64)
    np.cumsum(lengths, out=offsets[1:])
    words = int(offsets[-1])

    def flat(rows: Iterable[Iterable[int]]) -> NDArray[np.uint32]:
        return np.fromiter(chain.from_iterable(rows), dtype=np.uint32, count=words)

    columns = {name: flat(symbols.numbers(name, getattr(tree, name)) for tree in trees) for name in symbols.columns}
    return Packed(offsets, flat(tree.heads for tree in trees), columns)
