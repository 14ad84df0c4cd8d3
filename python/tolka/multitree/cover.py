"""Maximum covers: the trees to keep of a pair that no tree covers (Galron 2012, section 4.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.multitree.tree import Multitree


def maximum_cover(trees: Sequence[Multitree], costs: Mapping[Multitree, float] | None = None) -> list[Multitree]:
    """Few trees that do not overlap and cover much, chosen greedily: the largest, then the cheapest, then the first.

    A tree's size is its number of words on both sides. The choice is the thesis's; it does not always find the fewest.

    Args:
        trees: What there is to choose from.
        costs: What each costs; nothing if not given.

    Returns:
        The chosen trees, in the order of the source.

    Example:
        >>> from tolka.multitree import leaf, monotonic
        >>> pair = monotonic(leaf("a", "x"), leaf("b", "y"))
        >>> for tree in maximum_cover([leaf("c", "z", at=(2, 2)), leaf("b c", "z", at=(1, 2)), pair]):
        ...     print(tree)
        (X [X a | x] [X b | y])
        [X c | z]
    """
    costs = costs or {}
    order = sorted(range(len(trees)), key=lambda at: (-_size(trees[at]), costs.get(trees[at], 0.0), at))
    taken: tuple[set[int], set[int]] = (set(), set())
    chosen = []
    for at in order:
        covered = [set(range(*span)) for span in trees[at].spans]
        if all(side.isdisjoint(own) for side, own in zip(taken, covered, strict=True)):
            chosen.append(trees[at])
            for side, own in zip(taken, covered, strict=True):
                side.update(own)
    return sorted(chosen, key=lambda tree: tree.source)


def maximum_covers(
    trees: Sequence[Multitree], number: int, costs: Mapping[Multitree, float] | None = None
) -> list[list[Multitree]]:
    """Up to so many covers, one after the other of what those before have left: no tree is in two of them.

    Args:
        trees: What there is to choose from.
        number: Most covers; lexicons of forests take ten of a pair without a tree.
        costs: What each costs; nothing if not given.

    Example:
        >>> from tolka.multitree import leaf
        >>> found = maximum_covers([leaf("a", "x"), leaf("b", "y", at=(1, 1)), leaf("a b", "x y")], 3)
        >>> [[str(tree) for tree in cover] for cover in found]
        [['[X a b | x y]'], ['[X a | x]', '[X b | y]']]
    """
    left: list[Multitree] = list(trees)
    found: list[list[Multitree]] = []
    while left and len(found) < number:
        cover = maximum_cover(left, costs)
        for tree in cover:
            # Equal trees may be there more than once, and each counts once.
            del left[next(at for at, own in enumerate(left) if own is tree)]
        found.append(cover)
    return found


def _size(tree: Multitree) -> int:
    return sum(end - start for start, end in tree.spans)
