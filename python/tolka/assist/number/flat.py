"""Trees with observed values as arrays, and both kinds of expectation maximisation on them.

A feature value is inherited from one leaf, up one path: P(v | tree) is a sum over leaves of the product of the chances, at
each phrase above, that the child on the path is the one the feature comes from. All trees are gone through at once, a
height at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from tolka.syntax import Constituent

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Rule = tuple[str, tuple[str, ...]]
"""The category of a phrase and those of its children."""


def rule_of(node: Constituent) -> Rule:
    """The rule of a phrase; functions and the mark of basic noun phrases do not matter."""
    return plain(node), tuple(map(plain, node.children))


def plain(node: Constituent) -> str:
    """The category of a node as rules know it."""
    return "NP" if node.category == "NPB" else node.category


@dataclass
class Level:
    """The edges below all phrases of one height, those of a phrase beside each other.

    Attributes:
        parents: The phrase of each edge.
        children: The node below.
        slots: The place of the edge's chance in the vector of all of them.
        begins: The first edge of each phrase.
    """

    parents: NDArray[np.int64]
    children: NDArray[np.int64]
    slots: NDArray[np.int64]
    begins: NDArray[np.int64]


class FlatTrees:
    """Trees, their rules numbered, phrases by height.

    Attributes:
        rules: The rules, in the order in which they were met.
        begins: Where each rule's chances begin in the vector of all; one more at the end.
        counts: How often each rule was met.
        owners: The rule of each place in the vector.
        size: How many nodes there are.
        levels: Edges by the height of the phrase above, from below.
        edges: All of them.
        roots: The root of each tree.
        leaves: The nodes that are leaves.
        entries: Which entry of `lexicon` each has.
        lexicon: Distinct leaves: the words with their tags.
    """

    def __init__(self, trees: Iterable[Constituent]) -> None:
        numbers: dict[Rule, int] = {}
        words: dict[tuple[str, str], int] = {}
        self.begins = [0]
        self.counts: list[int] = []
        self.lexicon: list[Constituent] = []
        levels: list[tuple[list[int], list[int], list[int]]] = []
        leaves: list[tuple[int, int]] = []
        roots: list[int] = []
        size = 0
        for tree in trees:
            done: list[list[tuple[int, int]]] = [[]]  # Numbers and heights of nodes whose phrase is not closed yet.
            stack: list[tuple[Constituent, bool]] = [(tree, False)]
            while stack:
                node, ready = stack.pop()
                if node.word:
                    entry = words.setdefault((node.label, node.word.casefold()), len(words))
                    if entry == len(self.lexicon):
                        self.lexicon.append(node)
                    leaves.append((size, entry))
                    done[-1].append((size, 0))
                    size += 1
                elif not ready:
                    stack.append((node, True))
                    done.append([])
                    stack.extend((child, False) for child in reversed(node.children))
                else:
                    below = done.pop()
                    rule = rule_of(node)
                    number = numbers.setdefault(rule, len(numbers))
                    if number == len(self.counts):
                        self.counts.append(0)
                        self.begins.append(self.begins[-1] + len(rule[1]))
                    self.counts[number] += 1
                    height = 1 + max(height for _, height in below)
                    while len(levels) < height:
                        levels.append(([], [], []))
                    for at, (child, _) in enumerate(below):
                        for column, value in zip(
                            levels[height - 1], (size, child, self.begins[number] + at), strict=True
                        ):
                            column.append(value)
                    done[-1].append((size, height))
                    size += 1
            roots.append(done[0][0][0])
        self.rules = list(numbers)
        self.size = size
        self.levels = [_level(level) for level in levels]
        self.edges = _level(tuple([value for level in levels for value in level[column]] for column in range(3)))
        self.roots = np.asarray(roots, dtype=np.int64)
        self.leaves, self.entries = np.asarray(leaves, dtype=np.int64).reshape(-1, 2).T
        self.owners = np.repeat(np.arange(len(self.counts)), np.diff(self.begins))

    def upward(self, chances: Floats, masses: Floats) -> Floats:
        """The distribution of every node, given the chances of all rules and the distributions of the lexicon."""
        found = np.zeros((self.size, masses.shape[1]))
        found[self.leaves] = masses[self.entries]
        for level in self.levels:
            shares = chances[level.slots, None] * found[level.children]
            found[level.parents[level.begins]] = np.add.reduceat(shares, level.begins, axis=0)
        return found

    def downward(self, chances: Floats, roots: Floats) -> Floats:
        """For every node, the product of the chances on the way from the root, times what `roots` has for its tree."""
        reach = np.zeros(self.size)
        reach[self.roots] = roots
        for level in reversed(self.levels):
            reach[level.children] = reach[level.parents] * chances[level.slots]
        return reach

    def normalised(self, counts: Floats, otherwise: Floats) -> Floats:
        """Counts as chances; a rule without any keeps what it has `otherwise`."""
        totals = np.bincount(self.owners, counts, minlength=len(self.counts))[self.owners]
        return np.where(totals > 0, counts / np.where(totals > 0, totals, 1), otherwise)


def _level(columns: Sequence[Sequence[int]]) -> Level:
    parents, children, slots = (np.asarray(column, dtype=np.int64) for column in columns)
    return Level(parents, children, slots, np.flatnonzero(np.diff(parents, prepend=-1)))


@dataclass(frozen=True)
class Observed:
    """What was observed at the roots, and the trees in which it is possible at all; others teach nothing.

    Attributes:
        values: The observed value at each root.
        nodes: The same at every node of each tree.
        possible: Whether some leaf of the tree can have it.
    """

    values: NDArray[np.int64]
    nodes: NDArray[np.int64]
    possible: NDArray[np.bool_]

    @classmethod
    def of(cls, flat: FlatTrees, masses: Floats, values: Sequence[int]) -> Observed:
        """Look at what leaves can have, whatever the chances of heads."""
        roots = np.asarray(values, dtype=np.int64)
        nodes = np.zeros(flat.size, dtype=np.int64)
        nodes[flat.roots] = roots
        for level in reversed(flat.levels):
            nodes[level.children] = nodes[level.parents]
        inside = flat.upward(np.ones(flat.begins[-1]), masses)
        return cls(roots, nodes, inside[flat.roots, roots] > 0)

    def log_likelihood(self, at_root: Floats) -> float:
        """The log probability of what was observed where it is possible."""
        with np.errstate(divide="ignore"):
            return float(np.log(at_root[self.possible]).sum())


def exact_counts(flat: FlatTrees, chances: Floats, masses: Floats, observed: Observed) -> tuple[Floats, Floats, float]:
    """Expected counts of F-heads and of the values of the lexicon's entries, and the log likelihood.

    Expected count of "child i is the head at t", where v is what was observed at the root:
    reach(t) chance(i | t) inside_i(v) / inside_root(v).
    """
    inside = flat.upward(chances, masses)
    at_root = inside[flat.roots, observed.values]
    reach = flat.downward(chances, np.where(observed.possible, 1 / np.where(observed.possible, at_root, 1), 0.0))
    edges = flat.edges
    shares = reach[edges.children] * inside[edges.children, observed.nodes[edges.children]]
    heads: Floats = np.bincount(edges.slots, shares, minlength=flat.begins[-1]).astype(np.float64)
    words = np.zeros_like(masses)
    chosen = observed.nodes[flat.leaves]
    np.add.at(words, (flat.entries, chosen), reach[flat.leaves] * inside[flat.leaves, chosen])
    return heads, words, observed.log_likelihood(at_root)


def printed_counts(flat: FlatTrees, chances: Floats, masses: Floats, observed: Observed) -> tuple[Floats, float]:
    """The M-step as the thesis prints it (table 1.5): the dot product of a phrase's distribution and its child's.

    It uses what comes from below where exact EM would use the posterior, and forgets the old chances: no EM, so that the
    likelihood may fall.
    """
    inside = flat.upward(chances, masses)
    at_root = inside[flat.roots, observed.values]
    inside[flat.roots] = 0
    inside[flat.roots, observed.values] = 1
    edges = flat.edges
    shares = (inside[edges.parents] * inside[edges.children]).sum(axis=1)
    heads: Floats = np.bincount(edges.slots, shares, minlength=flat.begins[-1]).astype(np.float64)
    return heads, observed.log_likelihood(at_root)
