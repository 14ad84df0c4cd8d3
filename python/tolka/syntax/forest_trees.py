"""Lists of trees as forests: each tree an alternative at the root, and below what is the same there once."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tolka.errors import InputError
from tolka.syntax.heads import HeadRules
from tolka.syntax.penn import Constituent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = "ROOT"


@dataclass
class Columns:
    """A forest in the making, nodes one after the other with their edges."""

    words: list[str]
    labels: list[str] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    edge_begins: list[int] = field(default_factory=lambda: [0])
    scores: list[float] = field(default_factory=list)
    child_begins: list[int] = field(default_factory=lambda: [0])
    children: list[int] = field(default_factory=list)
    root: int = 0

    def add(
        self, label: str, span: tuple[int, int], head: int, edges: Iterable[tuple[float, Sequence[int]]] = ()
    ) -> int:
        """Add a node; says its number."""
        for score, children in edges:
            self.scores.append(score)
            self.children += children
            self.child_begins.append(len(self.children))
        self.labels.append(label)
        self.begins.append(span[0])
        self.ends.append(span[1])
        self.heads.append(head)
        self.edge_begins.append(len(self.scores))
        return len(self.labels) - 1


def gathered(trees: Iterable[tuple[Constituent, float]], rules: HeadRules | None = None) -> Columns:
    """The forest of exactly these trees."""
    given = list(trees)
    if not given:
        raise InputError("there is no tree to make a forest of")
    words = given[0][0].words()
    for number, (tree, weight) in enumerate(given, 1):
        if tree.words() != words:
            raise InputError(f"tree {number} has other words than the first one")
        if math.isnan(weight) or weight == math.inf:
            raise InputError(f"the weight of tree {number} is not a number")
    labels = {tree.label for tree, _ in given}
    if len(labels) > 1 or any(tree.word for tree, _ in given):
        given = [(Constituent(ROOT, (tree,)), weight) for tree, weight in given]
    shared = _Shared(Columns(words), rules or HeadRules.collins())
    tops: dict[tuple[int, ...], float] = {}
    heads: list[int] = []
    for tree, weight in given:
        children = tuple(shared.children_of(tree))
        tops[children] = _sum(tops[children], weight) if children in tops else weight
        heads.append(shared.columns.heads[children[shared.rules.head(tree)]])
    best = max(range(len(given)), key=lambda at: given[at][1])
    columns = shared.columns
    edges = [(weight, children) for children, weight in tops.items()]
    columns.root = columns.add(given[0][0].label, (0, len(words)), heads[best], edges)
    return columns


def _sum(one: float, two: float) -> float:
    most = max(one, two)
    return most + math.log1p(math.exp(min(one, two) - most)) if most > -math.inf else most


class _Shared:
    """Nodes of trees, those with the same label, words and parts once."""

    def __init__(self, columns: Columns, rules: HeadRules) -> None:
        self.columns, self.rules = columns, rules
        self.known: dict[tuple[str, int, tuple[int, ...]], int] = {}

    def children_of(self, tree: Constituent) -> list[int]:
        """The nodes of a tree's children, whose own are added first."""
        done: list[list[int]] = [[]]
        stack: list[tuple[Constituent, bool]] = [(child, False) for child in reversed(tree.children)]
        at = 0
        while stack:
            node, ready = stack.pop()
            if node.word:
                done[-1].append(self.node(node, at, ()))
                at += 1
            elif ready:
                children = tuple(done.pop())
                done[-1].append(self.node(node, self.columns.begins[children[0]], children))
            else:
                stack.append((node, True))
                done.append([])
                stack.extend((child, False) for child in reversed(node.children))
        return done[0]

    def node(self, node: Constituent, begin: int, children: tuple[int, ...]) -> int:
        key = (node.label, begin, children)
        if key not in self.known:
            columns = self.columns
            if children:
                head, end = columns.heads[children[self.rules.head(node)]], columns.ends[children[-1]]
                self.known[key] = columns.add(node.label, (begin, end), head, [(0.0, children)])
            else:
                self.known[key] = columns.add(node.label, (begin, begin + 1), begin)
        return self.known[key]
