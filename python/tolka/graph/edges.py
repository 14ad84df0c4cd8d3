"""Graphs whose edges weigh something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka import _engine
from tolka.errors import InputError
from tolka.graph.checks import check_whole, numbered, reals

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


class Graph:
    """An undirected graph of nodes 0 to `size` - 1. Made by `Graph.of`.

    Attributes:
        size: How many nodes there are.

    Example:
        >>> graph = Graph.of(3, ([0, 1, 1], [1, 0, 2], [0.5, 0.7, 0.2]))
        >>> graph.row(1)
        [(0, 0.7), (2, 0.2)]
    """

    def __init__(self, native: _engine.LabelGraph) -> None:
        self.native = native
        self.size = native.size
        self._arrays: tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float64]] | None = None

    @classmethod
    def of(cls, size: int, edges: tuple[ArrayLike, ArrayLike, ArrayLike]) -> Graph:
        """The graph of edges: from, to, weights, as `Neighbours.edges` gives them.

        An edge that is given several times, in either direction, is one edge with the greatest weight. An edge that weighs 0 is
        none, and neither is one from a node to itself.

        Raises:
            InputError: Edges that lead outside, and weights that are negative or not finite.
        """
        try:
            begins, ends, weights = edges
        except (TypeError, ValueError):
            raise InputError("edges are three lists: from, to, weights") from None
        parts = numbered("nodes of edges", begins), numbered("nodes of edges", ends), reals("weights of edges", weights)
        return cls(_engine.LabelGraph(check_whole("size", size), *parts))

    def __repr__(self) -> str:
        return f"Graph({self.size} nodes, {len(self.arrays()[1]) // 2} edges)"

    def arrays(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float64]]:
        """Where the neighbours of each node begin (and the last end), all neighbours, and weights; each edge twice."""
        if self._arrays is None:
            self._arrays = self.native.arrays()
        return self._arrays

    def row(self, node: int) -> list[tuple[int, float]]:
        """The neighbours of a node, ascending, and what the edges to them weigh."""
        if not 0 <= node < self.size:
            raise InputError(f"there is no node {node}", hint=f"there are {self.size}, counted from 0")
        starts, ids, weights = self.arrays()
        part = slice(int(starts[node]), int(starts[node + 1]))
        return list(zip(ids[part].tolist(), weights[part].tolist(), strict=True))
