"""The multitree that links and a source tree leave: leaves from the links, nodes from the source constituents.

Linked words stand in one leaf, with all that lies between them on either side: *ne lit pas* beside *does not read* is one
leaf, because *not* is linked to *ne* and *pas*. Words without a link are absorbed by a neighbour's leaf, since no leaf is of
one language alone (Galron 2012, section 4.2). What is left is an order of leaves; the tree over it is the one that
crosses the fewest source constituents, found exactly by dynamic programming (the crossed brackets of section 4.5.3). An order
such as 2 4 1 3 has no such tree (Wu 1997): the pair then has a maximum cover.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from tolka.errors import InputError, LimitError
from tolka.multitree.bank import Multitrees
from tolka.multitree.constituents import Constituents
from tolka.multitree.cover import maximum_cover
from tolka.multitree.tree import join, leaf

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.multitree.tree import Multitree, Span, Spans
    from tolka.syntax import Constituent

Link = tuple[int, int]
MOST_WORDS = 300
"""Words of a sentence; the time grows with their cube, to some seconds for as many as this."""


def multitree_of_links(
    source: Sequence[str],
    target: Sequence[str],
    links: Iterable[Link],
    *,
    source_tree: Constituent | None = None,
    target_tree: Constituent | None = None,
    source_heads: Sequence[int] | None = None,
    target_heads: Sequence[int] | None = None,
) -> Multitrees:
    """The multitree of a sentence pair, by its links and trees; a maximum cover where none is complete.

    Labels are those of Galron (2012): the tag of a word, the label of a constituent, or the label of the part with the head and
    a star; X on a side without a tree. Target constituents only decide where source ones leave a choice.

    Args:
        source: The source words.
        target: The target words.
        links: Positions of words that translate each other, from 0.
        source_tree: The constituency tree of the source.
        target_tree: That of the target.
        source_heads: For each source word the position of the word it depends on, -1 for the root; for labels alone.
        target_heads: The same of the target.

    Raises:
        InputError: A link is outside the sentences, or a tree has other words.
        LimitError: A sentence has more than 300 words.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> tree = parse_penn("(NP (DT this) (JJ joint) (NN debate))")
        >>> links = [(0, 0), (1, 2), (2, 1)]
        >>> target = ["cette", "discussion", "commune"]
        >>> found = multitree_of_links(tree.words(), target, links, source_tree=tree, source_heads=[2, 2, -1])
        >>> print(found.trees[0])
        (NP [DT this | cette] <NN* [JJ joint | commune] [NN debate | discussion]>)
    """
    longest = max(len(source), len(target))
    if longest > MOST_WORDS:
        raise LimitError(
            f"a sentence has {longest} words, and a multitree takes at most {MOST_WORDS}", hint="leave it out"
        )
    sides = (
        Constituents(source, source_tree, source_heads, "source sentence"),
        Constituents(target, target_tree, target_heads, "target sentence"),
    )
    blocks = _blocks((len(source), len(target)), links)
    if not blocks:
        return Multitrees(tuple(source), tuple(target))
    blocks = _absorbed(blocks, sides)
    leaves = [
        leaf(source[slice(*i)], target[slice(*j)], (sides[0].label(i), sides[1].label(j)), (i[0], j[0]))
        for i, j in blocks
    ]
    chart = _Chart(leaves, sides)
    whole = chart.tree(0, len(leaves))
    trees = [whole] if whole is not None else chart.cover()
    return Multitrees(tuple(source), tuple(target), tuple(trees))


def _blocks(lengths: tuple[int, int], links: Iterable[Link]) -> list[Spans]:
    """The smallest span pairs that hold the links and do not overlap on either side, in the order of the source."""
    spans: list[Spans] = []
    for i, j in sorted(set(links)):
        if not (0 <= i < lengths[0] and 0 <= j < lengths[1]):
            raise InputError(f"the link {i}-{j} is outside sentences of {lengths[0]} and {lengths[1]} words")
        block = ((i, i + 1), (j, j + 1))
        while True:
            # A block that grows may meet others, also those it was apart from before.
            met = [other for other in spans if _overlap(block[0], other[0]) or _overlap(block[1], other[1])]
            if not met:
                break
            spans = [other for other in spans if other not in met]
            block = (_hull([block[0], *(i for i, _ in met)]), _hull([block[1], *(j for _, j in met)]))
        spans.append(block)
    return sorted(spans)


def _absorbed(blocks: list[Spans], sides: tuple[Constituents, Constituents]) -> list[Spans]:
    """The blocks with the words between them: each goes to the neighbour that shares the smaller constituent with it.

    Where constituents do not tell, punctuation goes to the left and words to the right.
    """
    grown = [[list(i), list(j)] for i, j in blocks]
    for side, tree in enumerate(sides):
        order = sorted(range(len(grown)), key=lambda at: grown[at][side])
        first, last = grown[order[0]][side], grown[order[-1]][side]
        for before, after in pairwise(order):
            left, right = grown[before][side], grown[after][side]
            between = range(left[1], right[0])
            marks = next((at for at in between if any(map(str.isalnum, tree.words[at]))), right[0])
            cut = min(
                range(left[1], right[0] + 1),
                key=lambda cut: (tree.looseness((left[0], cut)) + tree.looseness((cut, right[1])), abs(cut - marks)),
            )
            left[1] = right[0] = cut
        first[0], last[1] = 0, len(tree.words)
    return [((i[0], i[1]), (j[0], j[1])) for i, j in grown]


@dataclass(frozen=True, slots=True)
class _Best:
    """The best way to make a node: crossed constituents below and at it, source before target, and where it is cut."""

    crossed: tuple[int, int]
    cut: int


class _Chart:
    """All nodes over neighbouring leaves whose target sides are neighbours too."""

    def __init__(self, leaves: list[Multitree], sides: tuple[Constituents, Constituents]) -> None:
        self.leaves = leaves
        self.sides = sides
        self.best: dict[tuple[int, int], _Best] = {}
        size = len(leaves)
        for wide in range(1, size + 1):
            for start in range(size - wide + 1):
                self._fill(start, start + wide)

    def _fill(self, start: int, end: int) -> None:
        below = [node.target for node in self.leaves[start:end]]
        target = _hull(below)
        if sum(high - low for low, high in below) != target[1] - target[0]:
            return
        here = (self.sides[0].crossed(self._source(start, end)), self.sides[1].crossed(target))
        if end - start == 1:
            self.best[start, end] = _Best(here, start)
            return
        ways = []
        for cut in range(start + 1, end):
            left, right = self.best.get((start, cut)), self.best.get((cut, end))
            if left is not None and right is not None:
                crossed = (
                    here[0] + left.crossed[0] + right.crossed[0],
                    here[1] + left.crossed[1] + right.crossed[1],
                )
                ways.append((crossed, cut))
        if ways:
            self.best[start, end] = _Best(*min(ways))

    def _source(self, start: int, end: int) -> Span:
        return self.leaves[start].source[0], self.leaves[end - 1].source[1]

    def tree(self, start: int, end: int) -> Multitree | None:
        """The best tree over some leaves, if there is one."""
        if (start, end) not in self.best:
            return None
        order: list[tuple[int, int]] = []
        stack = [(start, end)]
        while stack:
            low, high = stack.pop()
            order.append((low, high))
            if high - low > 1:
                cut = self.best[low, high].cut
                stack += [(cut, high), (low, cut)]
        done: list[Multitree] = []
        for low, high in reversed(order):
            if high - low == 1:
                done.append(self.leaves[low])
                continue
            left, right = done.pop(), done.pop()
            made = join(left, right)
            done.append(join(left, right, (self.sides[0].label(made.source), self.sides[1].label(made.target))))
        return done[0]

    def cover(self) -> list[Multitree]:
        """The fewest trees, when there is no whole one."""
        places = sorted(self.best)
        found = {place: tree for place in places if (tree := self.tree(*place)) is not None}
        costs = {tree: float(sum(self.best[place].crossed)) for place, tree in found.items()}
        return maximum_cover(list(found.values()), costs)


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _hull(spans: Iterable[Span]) -> Span:
    spans = list(spans)
    return min(low for low, _ in spans), max(high for _, high in spans)
