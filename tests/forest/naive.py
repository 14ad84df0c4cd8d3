"""Forests written down as slowly as possible: every derivation is listed."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator

Tree = tuple[int, tuple[Any, ...]]  # an edge and the trees of its tails


def derivations(data: dict[str, Any], node: int | None = None) -> Iterator[Tree]:
    """All trees of a node, of the goal if none is given."""
    at = len(data["nodes"]) - 1 if node is None else node
    for number, edge in enumerate(data["edges"]):
        if edge["head"] == at:
            for parts in product(*(list(derivations(data, tail)) for tail in edge["tails"])):
                yield number, parts


def edges(tree: Tree) -> list[int]:
    number, parts = tree
    return [*(edge for part in parts for edge in edges(part)), number]


def score(data: dict[str, Any], tree: Tree) -> float:
    return sum(data["edges"][edge]["score"] for edge in edges(tree))


def words(data: dict[str, Any], tree: Tree) -> list[str]:
    number, parts = tree
    out: list[str] = []
    for symbol in data["rules"][data["edges"][number]["rule"]]["target"]:
        out.extend([symbol] if isinstance(symbol, str) else words(data, parts[symbol]))
    return out


def probabilities(data: dict[str, Any], scale: float = 1.0) -> list[tuple[Tree, float]]:
    trees = list(derivations(data))
    weights = [math.exp(scale * score(data, tree)) for tree in trees]
    return [(tree, weight / sum(weights)) for tree, weight in zip(trees, weights, strict=True)]


@st.composite
def forests(draw: st.DrawFn, *, most_nodes: int = 5) -> dict[str, Any]:
    """Random small forests, as dictionaries; every node has a derivation."""
    data: dict[str, Any] = {
        "categories": ["X", "S"],
        "features": ["f", "g"],
        "sparse_features": ["a", "b"],
        "rules": [],
        "nodes": [],
        "edges": [],
    }
    for node in range(draw(st.integers(1, most_nodes))):
        data["nodes"].append([draw(st.integers(0, 1)), 0, node + 1])
        for _ in range(draw(st.integers(1, 3))):
            arity = draw(st.integers(0, min(node, 2)))
            tails = [draw(st.integers(0, node - 1)) for _ in range(arity)]
            gaps = draw(st.permutations(range(arity)))
            side: list[Any] = [draw(st.sampled_from("abc")) for _ in range(draw(st.integers(0 if arity else 1, 2)))]
            for gap in gaps:
                side.insert(draw(st.integers(0, len(side))), gap)
            source = [data["nodes"][tail][0] for tail in tails]
            rule = {"lhs": data["nodes"][node][0], "source": [*source, "w"], "target": side}
            if rule not in data["rules"]:
                data["rules"].append(rule)
            values = [draw(st.integers(-4, 4)) / 2, 1.0]
            data["edges"].append(
                {
                    "head": node,
                    "tails": tails,
                    "rule": data["rules"].index(rule),
                    "score": draw(st.integers(-12, 4)) / 8,
                    "features": values,
                    "sparse": draw(st.sampled_from([[], [[0, 0.5]], [[0, 1.0], [1, -2.0]]])),
                }
            )
    return data
