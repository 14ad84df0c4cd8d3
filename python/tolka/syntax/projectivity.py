"""How far trees are from projective: gaps, crossing arcs, nesting; and what a treebank has of each.

Definitions after Kuhlmann and Nivre (2006), sections 3 and 4. Several roots hang from a silent root before the sentence.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.syntax.tree import Tree

LABEL_LIMIT = 10_000  # relations and tags that statistics tell apart


def yields(tree: Tree) -> list[list[int]]:
    """For each word the positions of the word and of all below it, sorted."""
    length = len(tree)
    found: list[list[int]] = [[word] for word in range(length)]
    for word in sorted(range(length), key=_depths(tree).__getitem__, reverse=True):
        found[word].sort()
        head = tree.heads[word]
        if head:
            found[head - 1] += found[word]
    return found


def _depths(tree: Tree) -> list[int]:
    depths = [0] * (len(tree) + 1)
    for start in range(1, len(tree) + 1):
        path = []
        word = start
        while word and not depths[word]:
            path.append(word)
            word = tree.heads[word - 1]
        for depth, step in enumerate(reversed(path), depths[word] + 1):
            depths[step] = depth
    return depths[1:]


def is_projective(tree: Tree) -> bool:
    """Whether every word stands together with all that depends on it, and no arc spans a root.

    Example:
        >>> from tolka.syntax import Tree
        >>> is_projective(Tree(forms=("a", "b", "c"), heads=(3, 0, 2)))
        False
    """
    return not nonprojective_edges(tree)


def nonprojective_edges(tree: Tree) -> tuple[int, ...]:
    """The words, from 0, whose arc from the head spans a word that is not below the head."""
    heads = tree.heads
    # Quick way out: a stack parser's order tells projective trees, which nearly all are, in linear time.
    if _quickly_projective(heads):
        return ()
    found = []
    for word, head in enumerate(heads, 1):
        if not head:
            continue
        low, high = min(word, head), max(word, head)
        for between in range(low + 1, high):
            above = between
            while above and above != head:
                above = heads[above - 1]
            if not above:
                found.append(word - 1)
                break
    return tuple(found)


def _quickly_projective(heads: tuple[int, ...]) -> bool:
    """Attach words in order as soon as all their own children are there; projective trees leave only roots."""
    waiting = [0] * (len(heads) + 1)
    for head in heads:
        waiting[head] += 1
    stack: list[int] = []
    for word in range(1, len(heads) + 1):
        stack.append(word)
        while len(stack) > 1:
            last, before = stack[-1], stack[-2]
            if heads[before - 1] == last and not waiting[before]:
                waiting[last] -= 1
                del stack[-2]
            elif heads[last - 1] == before and not waiting[last]:
                waiting[before] -= 1
                stack.pop()
            else:
                break
    # A root spanned by an arc would have blocked that arc, so it is enough that only roots are left.
    return all(not heads[word - 1] for word in stack)


def gap_degree(tree: Tree) -> int:
    """The most gaps in what one word dominates; 0 for a projective tree."""
    return max(_gaps(positions) for positions in yields(tree))


def _gaps(positions: list[int]) -> int:
    return sum(after != before + 1 for before, after in pairwise(positions))


def edge_degree(tree: Tree) -> int:
    """The most foreign subtrees under one arc: those that lie in its span and hang from outside of it, not from its head."""
    heads = tree.heads
    worst = 0
    for word in nonprojective_edges(tree):
        low, high = sorted((word + 1, heads[word]))
        # A component is known by its topmost word: the one whose head is outside the span.
        tops = set()
        for between in range(low + 1, high):
            above = between
            while low < heads[above - 1] < high:
                above = heads[above - 1]
            if heads[above - 1] not in {low, high}:
                tops.add(above)
        worst = max(worst, len(tops))
    return worst


def is_well_nested(tree: Tree) -> bool:
    """Whether no two subtrees of which neither holds the other interleave, as in A B A B."""
    if not nonprojective_edges(tree):
        return True
    torn = [(word, set(found)) for word, found in enumerate(yields(tree)) if _gaps(found)]
    for number, (word, one) in enumerate(torn):
        for other, two in torn[:number]:
            if word in two or other in one:
                continue
            if _interleave(sorted(one), two, sorted(two)):
                return False
    return True


def _interleave(one: list[int], members: set[int], two: list[int]) -> bool:
    """Whether the two sets, laid out in order, change sides at least three times."""
    changes = 0
    last = -1
    for position in sorted([*one, *two]):
        side = int(position in members)
        changes += last >= 0 and side != last
        last = side
    return changes >= 3  # noqa: PLR2004 - A B A B


@dataclass(frozen=True)
class TreebankStatistics:
    """What a treebank consists of.

    Attributes:
        sentences: Trees.
        words: Words in them.
        longest: Words of the longest sentence.
        forests: Sentences with several roots.
        ordered: Sentences that carry a permutation.
        projective: Sentences whose trees are projective.
        nonprojective_edges: Arcs that span what is not below their heads.
        well_nested: Sentences without interleaving subtrees.
        gap_degrees: How many sentences have each gap degree.
        edge_degrees: How many sentences have each edge degree.
        mean_length: Words per sentence.
        mean_arc: Mean distance between a word and its head.
        relations: How often each relation occurs, most frequent first.
        tags: The same for universal tags.
    """

    sentences: int
    words: int
    longest: int
    forests: int
    ordered: int
    projective: int
    nonprojective_edges: int
    well_nested: int
    gap_degrees: dict[int, int]
    edge_degrees: dict[int, int]
    mean_length: float
    mean_arc: float
    relations: dict[str, int]
    tags: dict[str, int]


def treebank_statistics(trees: Iterable[Tree]) -> TreebankStatistics:
    """Count what a treebank has.

    Raises:
        InputError: There is no tree.

    Example:
        >>> from tolka.syntax import synthetic_treebank
        >>> found = treebank_statistics(synthetic_treebank(seed=1, sentences=500).trees)
        >>> found.sentences, found.projective, found.gap_degrees
        (500, 463, {0: 463, 1: 37})
    """
    sentences = words = longest = forests = ordered = projective = edges = nested = arcs = distance = 0
    gaps: Counter[int] = Counter()
    degrees: Counter[int] = Counter()
    relations: Counter[str] = Counter()
    tags: Counter[str] = Counter()
    for tree in trees:
        sentences += 1
        words += len(tree)
        longest = max(longest, len(tree))
        forests += tree.heads.count(0) > 1
        ordered += tree.order is not None
        spanning = len(nonprojective_edges(tree))
        edges += spanning
        projective += not spanning
        gaps[gap_degree(tree) if spanning else 0] += 1
        degrees[edge_degree(tree) if spanning else 0] += 1
        nested += not spanning or is_well_nested(tree)
        relations.update(tree.deprels)
        tags.update(tree.upos)
        for word, head in enumerate(tree.heads, 1):
            if head:
                arcs += 1
                distance += abs(word - head)
    if not sentences:
        raise InputError("there is no tree", hint="is the file empty?")
    return TreebankStatistics(
        sentences=sentences,
        words=words,
        longest=longest,
        forests=forests,
        ordered=ordered,
        projective=projective,
        nonprojective_edges=edges,
        well_nested=nested,
        gap_degrees=dict(sorted(gaps.items())),
        edge_degrees=dict(sorted(degrees.items())),
        mean_length=words / sentences,
        mean_arc=distance / max(arcs, 1),
        relations=_ranked(relations),
        tags=_ranked(tags),
    )


def _ranked(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:LABEL_LIMIT])
