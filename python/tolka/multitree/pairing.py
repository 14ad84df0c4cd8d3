"""Parse a sentence and its translation at once: alignment by an inversion transduction grammar (Wu 1997)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tolka import _engine
from tolka.errors import InputError
from tolka.forest import Forest
from tolka.multitree.aligning import trees_of
from tolka.multitree.encoding import SentenceEncoder, Symbols
from tolka.multitree.settings import MultitreeSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.multitree.tree import Multitree, Spans
    from tolka.syntax import Constituent


@dataclass(frozen=True)
class PairParse:
    """How a sentence and its translation are built together.

    Attributes:
        trees: The best multitree, or if no tree covers both sentences those that cover most of them side by side.
        costs: What the inference of each node cost, by the spans of the node.
        forest: All multitrees that were found, packed; None if none covers both sentences.
    """

    trees: tuple[Multitree, ...]
    costs: dict[Spans, float]
    forest: Forest | None

    @property
    def links(self) -> list[tuple[int, int]]:
        """Source and target words that translate each other: each word of a leaf with each on its other side."""
        return sorted(link for tree in self.trees for link in tree.links())


def parse_pair(
    source: Sequence[str],
    target: Sequence[str],
    links: Iterable[tuple[int, int, float]],
    *,
    tree: Constituent | None = None,
    target_tree: Constituent | None = None,
    semiring: Literal["minmerge", "viterbi"] = "minmerge",
    longest: tuple[int, int] = (3, 3),
    most_crossings: int | None = 3,
    beam: int | None = None,
) -> PairParse:
    """Find the best multitree of a pair by logic MP and the pseudo-ITG (Galron 2012, sections 4.2.1 and 4.5.3).

    Args:
        source: The words of the sentence.
        target: The words of its translation.
        links: Source and target positions with the probability that they belong together. A leaf must have a link, and no
            link may lead out of it; improbable ones are costly.
        tree: A tree of the source; spans that cross its brackets are costly.
        target_tree: The same of the translation.
        semiring: Compare by worst inferences or by sums.
        longest: Most words of a source and of a target phrase in a leaf.
        most_crossings: Brackets that a span may cross; None for any.
        beam: Items over a span that are kept; None for all.

    Raises:
        InputError: A side is empty, a link leads nowhere, the tree has other words.

    Example:
        >>> found = parse_pair(["joint", "debate"], ["discussion", "commune"], [(0, 1, 0.9), (1, 0, 0.8)])
        >>> print(found.trees[0])
        <X [X joint | commune] [X debate | discussion]>
        >>> found.links
        [(0, 1), (1, 0)]
    """
    symbols = Symbols()
    settings = MultitreeSettings(semiring=semiring, longest=longest, most_crossings=most_crossings, beam=beam)
    model = _engine.MultitreeModel(settings.search())
    encoder = SentenceEncoder(symbols)
    encoded, words = encoder.encode(source, tree), [symbols.number(word) for word in target]
    [wrong] = model.add([(encoded, words, list(links))])
    if wrong:
        raise InputError(wrong, hint="give words on both sides, and links between them")
    if target_tree is not None:
        model.set_target_tree(0, encoder.encode(target, target_tree))
    [(steps, complete, _)] = model.align([0], HIERARCHY, 0)
    packed = model.pair_forest(0, HIERARCHY, list(symbols)) if complete else None
    trees = trees_of(steps, source, target, tree, target_tree)
    costs = {((start, end), (begin, stop)): cost for _, start, _, end, begin, _, stop, cost in steps}
    return PairParse(trees, costs, Forest(packed) if packed else None)


HIERARCHY = "itg : itg"
"""Links and brackets say what is allowed, and what it costs."""
