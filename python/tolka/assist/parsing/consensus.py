"""The tree to give where belief is spread over many: the one whose brackets are expected to agree best with the right tree's."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from typing import TYPE_CHECKING

from tolka.syntax import HeadRules, brackets
from tolka.syntax.brackets import Bracket, evalb_label
from tolka.syntax.marks import unmarked_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tolka.syntax import Constituent, ConstituentForest

_rules = cache(HeadRules.collins)


@cache
def _name(label: str) -> str:
    """What a bracket is called by evalb, whether the tree has marks or not."""
    return evalb_label(unmarked_label(label, _rules()))


def expected_brackets(forest: ConstituentForest) -> dict[Bracket, float]:
    """How often each bracket, as evalb names it and without marks, is expected in a tree of a forest.

    Example:
        >>> from tolka.syntax import ConstituentForest, parse_penn
        >>> one, two = parse_penn("(S (A (X a) (X b)) (X c))"), parse_penn("(S (X a) (A-SBJ (X b) (X c)))")
        >>> found = expected_brackets(ConstituentForest.from_trees([(one, 0.0), (two, 0.0)]))
        >>> {bracket: round(chance, 6) for bracket, chance in sorted(found.items())}
        {('A', 0, 2): 0.5, ('A', 1, 3): 0.5, ('S', 0, 3): 1.0}
    """
    found: dict[Bracket, float] = defaultdict(float)
    for node, chance in zip(forest.nodes, forest.marginals().nodes.tolist(), strict=True):
        if node.edges and (name := _name(node.label)):
            found[name, node.begin, node.end] += chance
    return dict(found)


def consensus(trees: Iterable[Constituent], expected: Mapping[Bracket, float]) -> Constituent:
    """The tree whose brackets are expected to agree best (minimum Bayes risk; Goodman 1996); of equals the first.

    Agreement is F1 of expected counts; marks do not matter. A bracket that a tree has twice is counted up to what is expected
    of it.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> texts = ["(S (A (X a) (X b)) (X c))", "(S (X a) (A (X b) (X c)))"]
        >>> print(consensus(map(parse_penn, texts), {("S", 0, 3): 1.0, ("A", 0, 2): 0.4, ("A", 1, 3): 0.6}))
        (S (X a) (A (X b) (X c)))
    """
    size = sum(expected.values())

    def agreement(tree: Constituent) -> float:
        own: Counter[Bracket] = Counter()
        for (label, begin, end), times in brackets(tree).items():
            own[_name(label), begin, end] += times
        right = sum(
            min(times * chance, max(chance, 1.0)) for one, times in own.items() if (chance := expected.get(one))
        )
        return 2 * right / (own.total() + size) if own else 0.0

    return max(trees, key=agreement)
