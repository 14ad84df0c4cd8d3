"""Sums over the derivations of an acyclic graph whose edges lead from at most two nodes to one.

A search graph has one tail an edge, a forest of a chart up to two; sums are the same. Nodes are taken level by level,
each level in a few operations on arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_SECOND = 2


class Shape:
    """Which edges lead where, checked once and shared by all weightings of them.

    Attributes:
        heads: The node that each edge leads to.
        tails: Two columns: the nodes it comes from, -1 for none.
        nodes: How many nodes there are.
        goal: The node of whole translations.
        start: The node that is there before anything is translated, if the graph has one.
    """

    def __init__(self, heads: Ints, tails: Ints, nodes: int, goal: int, start: int | None = None) -> None:
        self.heads, self.tails, self.nodes, self.goal, self.start = heads, tails, nodes, goal, start
        edges = len(heads)
        if not edges:
            raise InputError("the graph has no edges")
        if not (0 <= goal < nodes and (start is None or 0 <= start < nodes)):
            raise InputError("the goal or the start is no node of the graph")
        if heads.min() < 0 or heads.max() >= nodes or tails.min() < -1 or tails.max() >= nodes:
            raise InputError("an edge leads from or to a node that the graph does not have")
        if start is not None and bool((heads == start).any()):
            raise InputError(f"the graph has no root: an edge leads to node {start}, where it starts")
        # Missing tails point to a place behind the nodes that holds the weight 1.
        self._padded = np.where(tails < 0, nodes, tails)
        levels = self._levels()
        self._check_reached(levels)
        order = np.lexsort((np.arange(edges), heads, levels[heads]))
        cuts = np.flatnonzero(np.diff(levels[heads][order])) + 1
        self._groups = []
        for group in np.split(order, cuts):
            begins = np.concatenate(([0], np.flatnonzero(np.diff(heads[group])) + 1))
            self._groups.append((group, begins, heads[group][begins]))

    def _levels(self) -> Ints:
        """For each node the longest way to it (Kahn 1962); refuses cycles."""
        into: list[int] = np.bincount(self.heads, minlength=self.nodes).tolist()
        leaving: list[list[int]] = [[] for _ in range(self.nodes)]
        waiting = []
        for edge, pair in enumerate(self.tails.tolist()):
            own = {tail for tail in pair if tail >= 0}
            waiting.append(len(own))
            for tail in own:
                leaving[tail].append(edge)
        heads, levels, settled = self.heads.tolist(), [0] * self.nodes, 0
        ready = [node for node in range(self.nodes) if not into[node]]
        done_edges = [edge for edge, left in enumerate(waiting) if not left]
        while ready or done_edges:
            while done_edges:
                head = heads[done_edges.pop()]
                into[head] -= 1
                if not into[head]:
                    ready.append(head)
            if ready:
                node = ready.pop()
                settled += 1
                for edge in leaving[node]:
                    levels[heads[edge]] = max(levels[heads[edge]], levels[node] + 1)
                    waiting[edge] -= 1
                    if not waiting[edge]:
                        done_edges.append(edge)
        if settled < self.nodes:
            stuck = next(node for node in range(self.nodes) if into[node])
            raise InputError(f"the graph has a cycle, through or before node {stuck}")
        return np.array(levels, dtype=np.int64)

    def _check_reached(self, levels: Ints) -> None:
        """Every edge must be part of a whole translation."""
        useless = np.flatnonzero(~self.useful(levels))
        if useless.size:
            edge = int(useless[0])
            raise InputError(
                f"edge {edge}, to node {int(self.heads[edge])}, is on no way from the start to the goal",
                hint="leave out what makes no whole translation",
            )

    def useful(self, levels: Ints) -> NDArray[np.bool_]:
        """Which edges are part of a whole derivation."""
        order = np.argsort(levels[self.heads], kind="stable").tolist()
        pairs, heads = self.tails.tolist(), self.heads.tolist()
        made = [False] * self.nodes
        if self.start is not None:
            made[self.start] = True
        possible = [False] * len(heads)
        for edge in order:
            possible[edge] = all(tail < 0 or made[tail] for tail in pairs[edge])
            made[heads[edge]] |= possible[edge]
        wanted = [False] * self.nodes
        wanted[self.goal] = True
        useful = np.zeros(len(heads), dtype=bool)
        for edge in reversed(order):
            if possible[edge] and wanted[heads[edge]]:
                useful[edge] = True
                for tail in pairs[edge]:
                    if tail >= 0:
                        wanted[tail] = True
        return useful

    def inside(self, weights: Floats) -> Floats:
        """For each node the log of the sum over its derivations."""
        sums = self._empty()
        for group, begins, heads in self._groups:
            values = weights[group] + sums[self._padded[group]].sum(axis=1)
            top = np.maximum.reduceat(values, begins)
            shifted = np.exp(values - np.repeat(top, np.diff(np.append(begins, len(values)))))
            sums[heads] = top + np.log(np.add.reduceat(shifted, begins))
        return sums[:-1]

    def outside(self, weights: Floats, inside: Floats) -> Floats:
        """For each node the log of the sum over all that completes its derivations."""
        sums = np.full(self.nodes + 1, -np.inf)
        sums[self.goal] = 0.0
        below = np.append(inside, 0.0)
        for group, _, _ in reversed(self._groups):
            reach = weights[group] + sums[self.heads[group]]
            first, second = self._padded[group].T
            np.logaddexp.at(sums, first, reach + below[second])
            np.logaddexp.at(sums, second, reach + below[first])
        return sums[:-1]

    def best(self, weights: Floats) -> tuple[float, list[int]]:
        """The best derivation: its weight, and its edges, each before those in its tails; of equal ones the first edge."""
        sums = self._empty()
        chosen = np.full(self.nodes, -1, dtype=np.int64)
        for group, begins, heads in self._groups:
            values = weights[group] + sums[self._padded[group]].sum(axis=1)
            top = np.maximum.reduceat(values, begins)
            sums[heads] = top
            at_top = np.flatnonzero(values == np.repeat(top, np.diff(np.append(begins, len(values)))))
            firsts = np.unique(heads.searchsorted(self.heads[group][at_top]), return_index=True)[1]
            chosen[self.heads[group][at_top[firsts]]] = group[at_top[firsts]]
        edges, stack = [], [self.goal]
        while stack:
            edge = int(chosen[stack.pop()])
            if edge >= 0:
                edges.append(edge)
                stack.extend(int(tail) for tail in self.tails[edge][::-1] if tail >= 0)
        return float(sums[self.goal]), edges

    def _empty(self) -> Floats:
        sums = np.full(self.nodes + 1, -np.inf)
        sums[-1] = 0.0
        if self.start is not None:
            sums[self.start] = 0.0
        return sums


def trimmed(heads: Sequence[int], tails: Sequence[int], start: int, goal: int) -> list[int]:
    """The edges, of one tail each, that are on a way from the start to the goal.

    Example:
        >>> trimmed([1, 2, 3], [0, 1, 0], 0, 2)
        [0, 1]
    """
    forward, backward = _reached(tails, heads, start), _reached(heads, tails, goal)
    return [
        edge for edge, (tail, head) in enumerate(zip(tails, heads, strict=True)) if tail in forward and head in backward
    ]


def _reached(begins: Sequence[int], ends: Sequence[int], origin: int) -> set[int]:
    following: dict[int, list[int]] = {}
    for begin, end in zip(begins, ends, strict=True):
        following.setdefault(begin, []).append(end)
    seen, stack = {origin}, [origin]
    while stack:
        for node in following.get(stack.pop(), ()):
            if node not in seen:
                seen.add(node)
                stack.append(node)
    return seen
