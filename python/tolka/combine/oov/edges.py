"""The edges of a graph of words: who is used alike, and who is written alike (Razmara 2013, section 5.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolka.graph import spelling_profiles
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from tolka.combine.oov.settings import OovSettings
    from tolka.graph import Neighbours, Profiles
    from tolka.progress import Progress

    Ids = NDArray[np.int64]
    Listed = tuple[Ids, Ids, NDArray[np.float64], int]

CONTEXT, SPELLING = 0, 1
"""Kinds of edges."""


@dataclass(frozen=True)
class Edges:
    """Undirected edges, each once.

    Attributes:
        begins: The node of each edge that has the smaller number.
        ends: The other one.
        weights: Similarities, above 0.
        kinds: `CONTEXT` or `SPELLING`.
    """

    begins: Ids
    ends: Ids
    weights: NDArray[np.float64]
    kinds: NDArray[np.int8]

    @classmethod
    def of(cls, listed: Iterable[Listed]) -> Edges:
        """Edges of several lists: of those between the same two nodes the one with the greatest weight, and of equals the first.

        Example:
            >>> one = np.array([3, 0]), np.array([1, 1]), np.array([0.5, 0.25]), CONTEXT
            >>> other = np.array([1, 2]), np.array([3, 2]), np.array([0.75, 1.0]), SPELLING
            >>> edges = Edges.of([one, other])
            >>> list(zip(edges.begins.tolist(), edges.ends.tolist(), edges.weights.tolist(), edges.kinds.tolist()))
            [(0, 1, 0.25, 0), (1, 3, 0.75, 1)]
        """
        lists = list(listed)
        none = np.empty(0)
        one = np.concatenate([none, *(own[0] for own in lists)]).astype(np.int64)
        other = np.concatenate([none, *(own[1] for own in lists)]).astype(np.int64)
        weights = np.concatenate([none, *(own[2] for own in lists)]).astype(np.float64)
        kinds = np.concatenate([none, *(np.full(len(own[0]), own[3]) for own in lists)]).astype(np.int8)
        begins, ends = np.minimum(one, other), np.maximum(one, other)
        order = np.lexsort((kinds, -weights, ends, begins))
        begins, ends, weights, kinds = begins[order], ends[order], weights[order], kinds[order]
        first = np.ones(len(begins), dtype=bool)
        first[1:] = (begins[1:] != begins[:-1]) | (ends[1:] != ends[:-1])
        first &= (begins != ends) & (weights > 0)
        return cls(begins[first], ends[first], weights[first], kinds[first])

    def nodes(self) -> Ids:
        """All nodes that have an edge."""
        return np.unique(np.concatenate([self.begins, self.ends]))

    def beside(self, nodes: Iterable[int]) -> dict[int, list[tuple[int, float, int]]]:
        """The neighbours of some nodes with weight and kind, most similar first."""
        found: dict[int, list[tuple[int, float, int]]] = {node: [] for node in nodes}
        rows = zip(self.begins.tolist(), self.ends.tolist(), self.weights.tolist(), self.kinds.tolist(), strict=True)
        for begin, end, weight, kind in rows:
            for node, other in ((begin, end), (end, begin)):
                if node in found:
                    found[node].append((other, weight, kind))
        for own in found.values():
            own.sort(key=lambda edge: (-edge[1], edge[0]))
        return found


def context_edges(
    profiles: Profiles,
    unknown: Ids,
    labelled: Ids,
    bridges: Ids,
    settings: OovSettings,
    *,
    threads: int = 0,
    progress: Progress = SILENT,
) -> list[Listed]:
    """Edges between nodes that are used alike.

    In a bipartite graph each unknown word has edges to the labelled nodes that are most similar; in a tripartite one also to
    bridges, and these to labelled nodes; in a full one each node to any others.

    Args:
        profiles: Of associations.
        unknown: The nodes of unknown words.
        labelled: Nodes that have labels.
        bridges: Nodes that have none.
        settings: The shape of the graph, and how many neighbours.
        threads: How many; 0 for one per core.
        progress: Who is told.
    """

    def nearest(of: Ids, among: Ids, count: int) -> Listed:
        if not len(of) or not len(among):
            return of[:0], among[:0], np.empty(0), CONTEXT
        found = profiles.neighbours(
            count, of=of, among=among, similarity=settings.similarity, method=settings.method, threads=threads, progress=progress
        )  # fmt: skip
        return _listed(found, CONTEXT)

    if settings.graph == "full":
        every = np.unique(np.concatenate([unknown, labelled, bridges]))
        return [nearest(every, every, settings.neighbours)]
    found = [nearest(unknown, labelled, settings.neighbours)]
    if settings.graph == "tripartite" and settings.bridges:
        across = nearest(unknown, bridges, settings.bridges)
        found += [across, nearest(np.unique(across[1]), labelled, settings.neighbours)]
    return found


def spelling_edges(
    words: Sequence[str],
    unknown: Ids,
    labelled: Ids,
    settings: OovSettings,
    *,
    threads: int = 0,
    progress: Progress = SILENT,
) -> list[Listed]:
    """Edges between unknown words and labelled ones that are written alike: forms of one word, compounds, relatives.

    Args:
        words: All nodes.
        unknown: The unknown ones.
        labelled: Those with labels.
        settings: How many neighbours, and how much alike.
        threads: How many; 0 for one per core.
        progress: Who is told.
    """
    nodes = np.unique(np.concatenate([unknown, labelled]))
    if not settings.spelling or not len(unknown) or not len(labelled):
        return []
    place = {node: at for at, node in enumerate(nodes.tolist())}
    spelled = spelling_profiles([words[node] for node in nodes.tolist()]).weigh("ppmi")
    of = np.array([place[node] for node in unknown.tolist()], dtype=np.int64)
    among = np.array([place[node] for node in labelled.tolist()], dtype=np.int64)
    begins, ends, weights, kind = _listed(
        spelled.neighbours(settings.spelling, of=of, among=among, threads=threads, progress=progress), SPELLING
    )
    alike = weights >= settings.spelling_least
    return [(nodes[begins[alike]], nodes[ends[alike]], weights[alike] * settings.spelling_weight, kind)]


def _listed(found: Neighbours, kind: int) -> Listed:
    starts = np.asarray(found.starts, dtype=np.int64)
    begins = np.repeat(np.asarray(found.of, dtype=np.int64), starts[1:] - starts[:-1])
    return begins, np.asarray(found.ids, dtype=np.int64), np.asarray(found.similarities, dtype=np.float64), kind
