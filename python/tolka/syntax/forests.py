"""Forests of constituency trees with scores: sums over all trees, the best ones, drawn ones, other scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from tolka import _engine
from tolka.errors import InputError, SettingsError
from tolka.syntax import forest_json
from tolka.syntax.forest_trees import Columns, gathered
from tolka.syntax.penn import Constituent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from tolka.syntax.heads import HeadRules

_NONE = 0xFFFF_FFFF
_MOST_SEED = 1 << 64


@dataclass(frozen=True)
class ScoredTree:
    """A tree of a sentence.

    Attributes:
        tree: The tree.
        log_probability: The natural logarithm of how probable the tree and its words are together; of a forest's tree, of
            its weight, which is how probable the tree is given the words if the weights add up to 1.
    """

    tree: Constituent
    log_probability: float


class ForestNode(NamedTuple):
    """A phrase, or a word with its tag.

    Attributes:
        label: Its label.
        begin: Its first word, from 0.
        end: The word after its last.
        head: Its head word.
        edges: The numbers of the edges that make it, none for a word.
    """

    label: str
    begin: int
    end: int
    head: int
    edges: range


class ForestEdge(NamedTuple):
    """A way to make a node.

    Attributes:
        node: The node it makes.
        children: The nodes it is made of, from left to right.
        score: The natural logarithm of its weight.
    """

    node: int
    children: tuple[int, ...]
    score: float


class Marginals(NamedTuple):
    """How often nodes and edges are expected in a tree: their posteriors, but for those on circles, which a tree may have twice."""

    nodes: NDArray[np.float64]
    edges: NDArray[np.float64]


class ConstituentForest:
    """Constituency trees of one sentence, packed: alternatives share what they have in common.

    A tree's weight is the product of the weights of its edges. Unary edges may go in circles, as long as a circle weighs less
    than 1; sums are exact nevertheless (Lehmann, 1977; Goodman, 1999). Forests come from `ConstituencyParser.forest`, from lists
    of trees, or from any parser by way of JSON (`read_forests`); they are checked once, and never change.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> two = ["(S (NP (N I)) (VP (V saw) (NP (N it)) (ADV now)))", "(S (NP (N I)) (VP (V saw) (NP (N it))) (ADV now))"]
        >>> forest = ConstituentForest.from_trees([(parse_penn(two[0]), -1.0), (parse_penn(two[1]), -2.0)])
        >>> print(forest.best())
        (S (NP (N I)) (VP (V saw) (NP (N it)) (ADV now)))
        >>> [round(float(chance), 3) for chance in forest.marginals().edges if chance < 1]
        [0.731, 0.269, 0.731, 0.269]
    """

    def __init__(self, native: _engine.ConstituentForest) -> None:
        self.native = native

    @classmethod
    def from_trees(cls, trees: Iterable[tuple[Constituent, float]], *, rules: HeadRules | None = None) -> Self:
        """The forest of exactly these trees, with the logarithms of their weights.

        Each tree is an edge of the root, and has its weight. Below, identical phrases over the same words are one node, which
        has one edge, so that no other tree comes about. If trees have different labels at the top, a node ROOT stands over them.

        Args:
            trees: Trees over the same words.
            rules: Who is head; Collins if not given.

        Raises:
            InputError: There is no tree, words differ, or a weight is none.
        """
        return cls(_native(gathered(trees, rules)))

    @classmethod
    def from_json(cls, line: str, *, rules: HeadRules | None = None) -> Self:
        """The forest of a line of JSON, as docs/constituents.md describes it.

        Raises:
            FormatError: The line is no forest; says why.
            LimitError: The forest is too large.
        """
        with forest_json.as_format():
            return cls(_native(forest_json.columns(line, rules)))

    def to_json(self) -> str:
        """One line of JSON, without its end."""
        return forest_json.line(self)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words."""
        return tuple(self.native.words)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels of nodes, each once."""
        return tuple(self.native.labels)

    @property
    def root(self) -> int:
        """The node of whole trees."""
        return self.native.root

    @cached_property
    def nodes(self) -> tuple[ForestNode, ...]:
        """The nodes."""
        columns = [column.tolist() for column in self.native.nodes]
        begins = self.native.places[0].tolist()
        return tuple(
            ForestNode(self.labels[label], begin, end, head, range(begins[at], begins[at + 1]))
            for at, (label, begin, end, head) in enumerate(zip(*columns, strict=True))
        )

    @cached_property
    def edges(self) -> tuple[ForestEdge, ...]:
        """The edges, those of the first node first."""
        _, begins, children = (column.tolist() for column in self.native.places)
        owners = (number for number, node in enumerate(self.nodes) for _ in node.edges)
        return tuple(
            ForestEdge(node, tuple(children[begins[at] : begins[at + 1]]), score)
            for at, (node, score) in enumerate(zip(owners, self.native.scores.tolist(), strict=True))
        )

    @property
    def num_nodes(self) -> int:
        """How many nodes there are."""
        return len(self.native.nodes[0])

    @property
    def num_edges(self) -> int:
        """How many edges there are."""
        return len(self.native.scores)

    def inside(self) -> NDArray[np.float64]:
        """For each node the logarithm of the sum over its trees."""
        return self.native.inside()

    def outside(self) -> NDArray[np.float64]:
        """For each node the logarithm of the sum over all that completes its trees."""
        return self.native.sums()[2]

    @property
    def log_inside(self) -> float:
        """The logarithm of the sum over all trees."""
        return float(self.native.inside()[self.root])

    def marginals(self) -> Marginals:
        """How often nodes and edges are expected in a tree."""
        nodes, edges, _ = self.native.sums()
        return Marginals(nodes, edges)

    def best(self) -> Constituent:
        """The tree with the largest weight."""
        return self._tree(self.native.best()[1])

    def nbest(self, count: int) -> list[ScoredTree]:
        """The best trees, best first, each labelled bracketing once with the weight of its best derivation."""
        if count < 1:
            raise SettingsError(f"there are no {count} best trees", hint="ask for at least 1")
        return [ScoredTree(self._tree(tree), score) for score, tree in self.native.nbest(count)]

    def sample(self, count: int, *, seed: int = 1) -> list[Constituent]:
        """Trees drawn by their weights."""
        if count < 0 or not 0 <= seed < _MOST_SEED:
            raise SettingsError("how many trees and the seed must not be negative, and the seed have 64 bits")
        return [self._tree(tree) for tree in self.native.sample(count, seed)]

    def reweighted(self, deltas: NDArray[np.float64]) -> ConstituentForest:
        """The same trees, with something added to the score of each edge; minus infinity takes an edge away.

        Raises:
            InputError: Another number of deltas than edges, one that is none, or no tree is left.
        """
        return ConstituentForest(self.native.reweighted(np.ascontiguousarray(deltas, dtype=np.float64)))

    def with_words(self, words: Sequence[str]) -> ConstituentForest:
        """The same trees over other words, as many of them.

        Raises:
            InputError: There are more or fewer words, or an empty one.
        """
        return ConstituentForest(self.native.with_words(list(words)))

    def pruned(self, least: float) -> ConstituentForest:
        """Without edges that are expected less often than `least` in a tree.

        Raises:
            InputError: No tree is left.
        """
        found = self.native.pruned(least)
        if found is None:
            raise InputError(f"no tree is left at a chance of {least}", hint="use a smaller one")
        return ConstituentForest(found)

    def _tree(self, chosen: Sequence[tuple[int, int]]) -> Constituent:
        stack: list[Constituent] = []
        nodes, edges, words = self.nodes, self.edges, self.words
        for number, edge in reversed(chosen):
            node = nodes[number]
            if edge == _NONE:
                stack.append(Constituent(node.label, word=words[node.begin]))
            else:
                count = len(edges[edge].children)
                children = tuple(reversed(stack[-count:]))
                del stack[-count:]
                stack.append(Constituent(node.label, children))
        return stack[0]


def _native(columns: Columns) -> _engine.ConstituentForest:
    def array(numbers: list[int]) -> NDArray[np.uint32]:
        return np.asarray(numbers, dtype=np.uint32)

    labels = {label: at for at, label in enumerate(dict.fromkeys(columns.labels))}
    return _engine.ConstituentForest(
        words=columns.words,
        labels=list(labels),
        nodes=(array([labels[label] for label in columns.labels]), array(columns.begins), array(columns.ends)),
        heads=array(columns.heads),
        edge_begins=array(columns.edge_begins),
        scores=np.asarray(columns.scores, dtype=np.float64),
        child_begins=array(columns.child_begins),
        children=array(columns.children),
        root=columns.root,
    )
