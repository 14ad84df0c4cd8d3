"""The naive twin of feature heads: every path from the root to a leaf, one by one."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tolka.assist.number import LeafTable
    from tolka.syntax import Constituent

Rule = tuple[str, tuple[str, ...]]
Chances = dict[Rule, list[float]]


def rule(node: Constituent) -> Rule:
    return node.category, tuple(child.category for child in node.children)


def paths(node: Constituent) -> Iterator[tuple[list[tuple[Rule, int]], Constituent]]:
    """The choices on the way to each leaf, and the leaf."""
    if node.word:
        yield [], node
    for at, child in enumerate(node.children):
        for choices, leaf in paths(child):
            yield [(rule(node), at), *choices], leaf


def path_chance(choices: Sequence[tuple[Rule, int]], chances: Mapping[Rule, Sequence[float]]) -> float:
    return math.prod(chances[key][at] for key, at in choices)


def distribution(tree: Constituent, chances: Mapping[Rule, Sequence[float]], table: LeafTable) -> list[float]:
    found = [0.0] * len(table.values)
    for choices, leaf in paths(tree):
        for value, mass in enumerate(table.mass(table.key(leaf))):
            found[value] += path_chance(choices, chances) * mass
    return found


def uniform(trees: Sequence[Constituent]) -> Chances:
    return {key: [1 / len(key[1])] * len(key[1]) for tree in trees for choices, _ in paths(tree) for key, _ in choices}


def exact_round(
    examples: Sequence[tuple[Constituent, int]], chances: Chances, table: LeafTable
) -> tuple[Chances, float]:
    """One round of EM with the posterior of each path; trees that cannot have what was observed are left out."""
    counts: dict[Rule, list[float]] = defaultdict(list)
    for key, row in chances.items():
        counts[key] = [0.0] * len(row)
    log = 0.0
    for tree, value in examples:
        total = distribution(tree, chances, table)[value]
        if not total:
            continue
        log += math.log(total)
        for choices, leaf in paths(tree):
            share = path_chance(choices, chances) * table.mass(table.key(leaf))[value] / total
            for key, at in choices:
                counts[key][at] += share
    return _normalised(counts, chances), log


def printed_round(examples: Sequence[tuple[Constituent, int]], chances: Chances, table: LeafTable) -> Chances:
    """The M-step of table 1.5, phrase by phrase."""
    counts = {key: [0.0] * len(row) for key, row in chances.items()}

    def visit(node: Constituent, mine: Sequence[float]) -> None:
        for at, child in enumerate(node.children):
            below = distribution(child, chances, table)
            counts[rule(node)][at] += sum(a * b for a, b in zip(mine, below, strict=True))
            visit(child, below)

    for tree, value in examples:
        visit(tree, [float(at == value) for at in range(len(table.values))])
    return _normalised(counts, chances)


def _normalised(counts: Mapping[Rule, Sequence[float]], old: Chances) -> Chances:
    return {key: [one / sum(row) for one in row] if sum(row) > 0 else old[key] for key, row in counts.items()}
