"""The hierarchical aligner: a multitreebank out of links and source trees (Galron 2012, sections 4.5.3 and 5.2).

Of all multitrees of a pair that links and brackets allow, the best one by link probabilities, crossed brackets and the
fertilities of source labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka import _engine
from tolka.errors import InputError
from tolka.multitree.bank import Multitrees
from tolka.multitree.constituents import Constituents
from tolka.multitree.encoding import SentenceEncoder, Symbols
from tolka.multitree.learnable import add_pairs, as_many, linked, require_some
from tolka.multitree.settings import MultitreeSettings
from tolka.multitree.tree import join, leaf
from tolka.progress import SILENT
from tolka.syntax.heads import HeadRules, Lexicalised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.multitree.learnable import Pair
    from tolka.multitree.tree import Multitree, Spans
    from tolka.progress import Progress
    from tolka.syntax import Constituent

Step = tuple[str, int, int, int, int, int, int, float]
"""Kind, source from, middle, to, target from, seam, to, and cost."""
_PIECE = 256


@dataclass(frozen=True)
class AlignedBank:
    """Multitrees of sentence pairs.

    Attributes:
        pairs: Each pair with its tree, or with the trees that cover most of it, or without any.
        skipped: The numbers of pairs for which none was looked for, from 0, with the reason.
    """

    pairs: tuple[Multitrees, ...]
    skipped: dict[int, str]

    @property
    def complete(self) -> int:
        """How many pairs have one tree over all words."""
        return sum(pair.complete for pair in self.pairs)

    def reasons(self) -> dict[str, int]:
        """How many pairs were left out for which reason."""
        return {reason: list(self.skipped.values()).count(reason) for reason in sorted({*self.skipped.values()})}


def align_multitrees(
    pairs: Sequence[Pair],
    trees: Sequence[Constituent | None] | None = None,
    *,
    links: Sequence[Sequence[tuple[int, int, float]]] | None = None,
    target_trees: Sequence[Constituent | None] | None = None,
    settings: MultitreeSettings | None = None,
    threads: int = 0,
    progress: Progress = SILENT,
) -> AlignedBank:
    """Find the best multitree of each pair.

    Args:
        pairs: Tokenised pairs.
        trees: A constituency tree for each source sentence; without, sentences are flat.
        links: Word links with probabilities; without, they are aligned here.
        target_trees: A tree for each translation, whose brackets are not to be crossed either.
        settings: How trees are searched for: `semiring`, `longest`, `most_crossings`, `crossing`, `beam`, `time_limit`.
        threads: Threads; 0 for one per core. They do not change the result.
        progress: Who is told.

    Raises:
        InputError: The numbers of trees or links differ from that of pairs, or no pair has words and links.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> pairs = [("joint debate".split(), "discussion commune".split()), (["yes"], [])]
        >>> trees = [parse_penn("(NP (JJ joint) (NN debate))"), None]
        >>> found = align_multitrees(pairs, trees, links=[[(0, 1, 0.9), (1, 0, 0.8)], []])
        >>> for pair in found.pairs:
        ...     print(pair)
        joint debate ||| discussion commune ||| <NP [JJ joint | commune] [NN debate | discussion]>
        yes ||| |||
        >>> found.complete, found.reasons()
        (1, {'a side is empty': 1})
    """
    settings = settings or MultitreeSettings()
    trees = as_many(trees, len(pairs), "trees") or [None] * len(pairs)
    others = as_many(target_trees, len(pairs), "trees of translations") or [None] * len(pairs)
    links = as_many(links, len(pairs), "lists of links") or linked(pairs, threads)
    native = _engine.MultitreeModel(settings.search())
    given = add_pairs(native, SentenceEncoder(Symbols()), pairs, trees, links, target_trees=others)
    require_some(native, given.skipped)
    native.fertility(threads)
    known: dict[int, list[Step]] = {}
    numbers, hierarchy = list(given.rows), settings.hierarchy("aligner")
    with progress.task("aligning trees", total=len(numbers), unit="pairs") as advance:
        for start in range(0, len(numbers), _PIECE):
            some = range(start, min(start + _PIECE, len(numbers)))
            for place, (steps, _, _) in zip(some, native.align(list(some), hierarchy, threads), strict=True):
                known[numbers[place]] = steps
            advance(len(some))
    made = []
    for number, ((source, target), tree, other) in enumerate(zip(pairs, trees, others, strict=True)):
        found = trees_of(known[number], source, target, tree, other) if number in known else ()
        made.append(Multitrees(tuple(source), tuple(target), found))
    return AlignedBank(tuple(made), given.skipped)


def trees_of(
    steps: Sequence[Step],
    source: Sequence[str],
    target: Sequence[str],
    tree: Constituent | None = None,
    target_tree: Constituent | None = None,
) -> tuple[Multitree, ...]:
    """The trees that the engine's inferences make, parents before their children; labels are those of the trees."""
    sides = ((source, tree), (target, target_tree))
    heads = (None if one is None else Lexicalised(one, HeadRules.collins()).heads for _, one in sides)
    labels = [Constituents(words, one, own).label for (words, one), own in zip(sides, heads, strict=True)]
    made: dict[Spans, Multitree] = {}
    below: set[Spans] = set()
    for kind, start, middle, end, begin, seam, stop, _ in reversed(steps):
        spans = ((start, end), (begin, stop))
        name = (labels[0](spans[0]), labels[1](spans[1]))
        if kind == "bilingual":
            made[spans] = leaf(source[start:end], target[begin:stop], name, (start, begin))
            continue
        first, second = (begin, seam), (seam, stop)
        if kind == "inverted":
            first, second = second, first
        parts = (((start, middle), first), ((middle, end), second))
        below.update(parts)
        made[spans] = join(made[parts[0]], made[parts[1]], name)
    return tuple(found for spans, found in sorted(made.items()) if spans not in below)


def steps_of(pair: Multitrees, longest: tuple[int, int] | None = None) -> list[Step]:
    """What the engine is told of a pair's trees.

    Raises:
        InputError: There are no trees, or a leaf has more words than `longest` allows.

    Example:
        >>> from tolka.multitree import parse_multitrees
        >>> steps_of(parse_multitrees("joint debate ||| discussion commune ||| <X [X joint | commune] [X debate | discussion]>"))[0]
        ('inverted', 0, 1, 2, 0, 1, 2, 0.0)
    """
    if not pair.trees:
        raise InputError("a pair has no multitree")
    found: list[Step] = []
    for node in (node for tree in pair.trees for node in tree.nodes()):
        (start, end), (begin, stop) = node.spans
        if node.children:
            left, right = node.children
            seam = max(left.target[0], right.target[0])
            found.append((node.orientation, start, left.source[1], end, begin, seam, stop, 0.0))
            continue
        if longest is not None and (end - start > longest[0] or stop - begin > longest[1]):
            raise InputError(f"a leaf has more than {longest[0]} and {longest[1]} words")
        found.append(("bilingual", start, 0, end, begin, 0, stop, 0.0))
    return found
