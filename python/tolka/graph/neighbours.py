"""Neighbours of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The neighbours of some nodes, the nearest first.

    Attributes:
        of: Whose they are.
        starts: Where those of each begin in the lists, and where the last end.
        ids: The neighbours.
        similarities: How alike they are.
    """

    of: NDArray[np.uint32]
    starts: NDArray[np.uint64]
    ids: NDArray[np.uint32]
    similarities: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.of)

    def row(self, place: int) -> list[tuple[int, float]]:
        """The neighbours of a node, by its place in `of`."""
        if not 0 <= place < len(self):
            raise InputError(f"there is no row {place}", hint=f"there are {len(self)}, counted from 0")
        part = slice(int(self.starts[place]), int(self.starts[place + 1]))
        return list(zip(self.ids[part].tolist(), self.similarities[part].tolist(), strict=True))

    def edges(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]:
        """All as the edges of a graph: from, to, weights."""
        begins = np.repeat(self.of, np.diff(self.starts).astype(np.int64))
        return begins, self.ids, self.similarities.astype(np.float64)

    def recall(self, exact: Neighbours) -> float:
        """Which share of the exact neighbours of the same nodes are among these, of all rows together.

        Raises:
            InputError: They are of other nodes.
        """
        if not np.array_equal(self.of, exact.of):
            raise InputError("these are neighbours of other nodes", hint="find both with the same `of`")
        # A row and a neighbour in one number.
        rows = [
            np.repeat(np.arange(len(one), dtype=np.uint64), np.diff(one.starts).astype(np.int64)) << np.uint64(32)
            | one.ids.astype(np.uint64)
            for one in (self, exact)
        ]
        return float(np.isin(rows[1], rows[0], assume_unique=True).mean()) if len(rows[1]) else 1.0


def joined(
    of: NDArray[np.uint32],
    parts: Sequence[tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float32]]],
) -> Neighbours:
    """The neighbours of all rows from those of parts of them."""
    ends, before = [np.zeros(1, dtype=np.uint64)], 0
    for starts, _, _ in parts:
        ends.append(starts[1:] + np.uint64(before))
        before += int(starts[-1])
    none: list[NDArray[np.uint32]] = [np.empty(0, dtype=np.uint32)]
    some: list[NDArray[np.float32]] = [np.empty(0, dtype=np.float32)]
    return Neighbours(
        of,
        np.concatenate(ends),
        np.concatenate(none + [ids for _, ids, _ in parts]),
        np.concatenate(some + [weights for _, _, weights in parts]),
    )
