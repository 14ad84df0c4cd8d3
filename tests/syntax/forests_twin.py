"""Plain forests: sums by going round again and again, trees one by one, unfolding by way of all trees."""

import math
from collections import defaultdict
from itertools import product

from tolka.syntax import Constituent, ConstituentForest


def inside(forest: ConstituentForest, rounds: int = 2000) -> list[float]:
    """Sums over trees of so many turns on circles."""
    sums = [0.0 if node.edges else 1.0 for node in forest.nodes]
    for _ in range(rounds):
        for number, node in enumerate(forest.nodes):
            if node.edges:
                sums[number] = sum(
                    math.exp(forest.edges[at].score) * math.prod(sums[child] for child in forest.edges[at].children)
                    for at in node.edges
                )
    return sums


def trees(forest: ConstituentForest, node: int | None = None) -> list[tuple[float, Constituent]]:
    """All trees of a forest without circles, with the logarithms of their weights."""
    node = forest.root if node is None else node
    label, begin, _, _, edges = forest.nodes[node]
    if not edges:
        return [(0.0, Constituent(label, word=forest.words[begin]))]
    found = []
    for at in edges:
        edge = forest.edges[at]
        for parts in product(*(trees(forest, child) for child in edge.children)):
            score = edge.score + sum(score for score, _ in parts)
            found.append((score, Constituent(label, tuple(tree for _, tree in parts))))
    return found


def chances(weighed: list[tuple[float, Constituent]]) -> dict[str, float]:
    """The chance of each bracketing."""
    sums: dict[str, float] = defaultdict(float)
    for score, tree in weighed:
        sums[str(tree)] += math.exp(score)
    whole = sum(sums.values())
    return {tree: value / whole for tree, value in sums.items()}
