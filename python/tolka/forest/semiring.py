"""Sums over derivations in a semiring of your own (Goodman 1999).

The engine has the semirings that decoding needs; one that is written in Python is slower, and can be anything that adds
and multiplies: probabilities of strings, sets of words, expectations, provenance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from tolka.forest.forest import Forest

T = TypeVar("T")


@dataclass(frozen=True)
class Semiring(Generic[T]):
    """What sums and products of derivations mean.

    Attributes:
        zero: The sum of nothing; `times` with it gives it.
        one: The product of nothing.
        plus: Adds two values; in any order, since alternatives have none.
        times: Multiplies two values. `inside` multiplies an edge's own value with those of its tails from left to right;
            `outside` needs a product whose order does not matter.
        weigh: The value of an edge, from the forest and the edge's index.

    Example:
        >>> from tolka.forest import Forest, Semiring
        >>> forest = Forest.from_dict({
        ...     "categories": ["X"],
        ...     "rules": [{"lhs": 0, "source": ["haus"], "target": [word]} for word in ("house", "building")],
        ...     "nodes": [[0, 0, 1]],
        ...     "edges": [{"head": 0, "rule": 0, "score": -0.5}, {"head": 0, "rule": 1, "score": -1.5}]})
        >>> words = Semiring(
        ...     zero=frozenset(), one=frozenset([""]), plus=frozenset.union,
        ...     times=lambda a, b: frozenset(f"{x} {y}".strip() for x in a for y in b),
        ...     weigh=lambda forest, edge: frozenset([forest.rules[forest.edges.rule[edge]].target[0]]))
        >>> sorted(forest.inside(words)[-1])
        ['building', 'house']
    """

    zero: T
    one: T
    plus: Callable[[T, T], T]
    times: Callable[[T, T], T]
    weigh: Callable[[Forest, int], T]


def inside(forest: Forest, semiring: Semiring[T]) -> list[T]:
    """For each node the sum over its derivations of the products of their edges."""
    sums: list[T] = []
    tails = forest.edges.tails.tolist()
    first = forest.nodes.first_edge.tolist()
    # Nodes stand in topological order, tails before heads.
    for node in range(len(forest.nodes)):
        total = semiring.zero
        for edge in range(first[node], first[node + 1]):
            value = semiring.weigh(forest, edge)
            for tail in tails[edge]:
                if tail >= 0:
                    value = semiring.times(value, sums[tail])
            total = semiring.plus(total, value)
        sums.append(total)
    return sums


def outside(forest: Forest, semiring: Semiring[T]) -> list[T]:
    """For each node the sum over all that completes its derivations to derivations of the goal."""
    below = inside(forest, semiring)
    sums = [semiring.zero] * len(below)
    if not sums:
        return sums
    sums[-1] = semiring.one
    tails = forest.edges.tails.tolist()
    first = forest.nodes.first_edge.tolist()
    for node in reversed(range(len(sums))):
        for edge in range(first[node], first[node + 1]):
            own = semiring.times(sums[node], semiring.weigh(forest, edge))
            known = [tail for tail in tails[edge] if tail >= 0]
            for place, tail in enumerate(known):
                value = own
                for other, sibling in enumerate(known):
                    if other != place:
                        value = semiring.times(value, below[sibling])
                sums[tail] = semiring.plus(sums[tail], value)
    return sums
