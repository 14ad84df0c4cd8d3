"""Labels of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError
from tolka.graph.checks import check_whole, numbered, reals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Labels:
    """For each node some labels with probabilities, and a dummy label that stands for none of them.

    Attributes:
        starts: Where those of each node begin in the lists, and where the last end.
        ids: Labels, ascending for each node.
        probabilities: How probable they are. Those of a node, with its dummy, need not sum to 1.
        dummy: How probable the dummy label is, for each node.

    Example:
        >>> labels = Labels.of(3, {0: {7: 0.7, 4: 0.3}, 2: {4: 1.0}})
        >>> labels.row(0)
        (array([4, 7], dtype=uint32), array([0.3, 0.7]))
        >>> labels.best(0, 1)
        [(7, 1.0)]
    """

    starts: NDArray[np.uint64]
    ids: NDArray[np.uint32]
    probabilities: NDArray[np.float64]
    dummy: NDArray[np.float64]

    def __post_init__(self) -> None:
        size, count = len(self.dummy), len(self.ids)
        sound = len(self.starts) == size + 1 and int(self.starts[-1]) == count == len(self.probabilities)
        if not sound:
            raise InputError("the parts of labels do not fit each other")

    @classmethod
    def of(
        cls, size: int, labels: Mapping[int, Mapping[int, float]] | tuple[ArrayLike, ArrayLike, ArrayLike]
    ) -> Labels:
        """Labels of so many nodes, without dummies.

        Args:
            size: The number of nodes.
            labels: For some nodes their labels, each with its probability; or three arrays: where the labels of each node
                begin, labels (ascending for each node), probabilities.

        Raises:
            InputError: Nodes that there are none of, or arrays that do not fit each other.
        """
        size = check_whole("size", size)
        dummy = np.zeros(size)
        if isinstance(labels, tuple):
            if len(labels) != 3:  # noqa: PLR2004 the three arrays
                raise InputError("labels are three lists: starts, labels, probabilities")
            starts = numbered("starts of labels", labels[0]).astype(np.uint64)
            return cls(starts, numbered("labels", labels[1]), reals("probabilities", labels[2]), dummy)
        counts = np.zeros(size, dtype=np.uint64)
        ids: list[int] = []
        values: list[float] = []
        for node, row in sorted(labels.items()):
            if not 0 <= node < size:
                raise InputError(f"there is no node {node}", hint=f"there are {size}, counted from 0")
            counts[node] = len(row)
            for label, value in sorted(row.items()):
                ids.append(label)
                values.append(value)
        starts = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(counts, dtype=np.uint64)])
        return cls(starts, numbered("labels", ids), reals("probabilities", values), dummy)

    def __len__(self) -> int:
        return len(self.dummy)

    def row(self, node: int) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
        """The labels of a node, ascending, and their probabilities, without the dummy."""
        if not 0 <= node < len(self):
            raise InputError(f"there is no node {node}", hint=f"there are {len(self)}, counted from 0")
        part = slice(int(self.starts[node]), int(self.starts[node + 1]))
        return self.ids[part], self.probabilities[part]

    def best(self, node: int, most: int = 20, *, normalise: bool = True) -> list[tuple[int, float]]:
        """The most probable labels of a node without the dummy, best first.

        Args:
            node: The node.
            most: How many.
            normalise: Whether those that are given sum to 1; as they are, they say how sure it is (Razmara 2013, section 5.3.1).
        """
        ids, values = self.row(node)
        order = np.lexsort((ids, -values))[:most]
        kept = values[order]
        if normalise and kept.sum() > 0:
            kept = kept / kept.sum()
        return list(zip(ids[order].tolist(), kept.tolist(), strict=True))
