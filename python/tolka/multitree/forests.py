"""What a search for multitrees inferred, as forests of the house."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.forest import Forest
from tolka.multitree.encoding import SentenceEncoder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka import _engine
    from tolka.multitree.encoding import Symbols
    from tolka.syntax import Constituent


def translation_forests(
    model: _engine.MultitreeModel,
    symbols: Symbols,
    sentences: Sequence[Sequence[str]],
    trees: Sequence[Constituent | None] | None = None,
    *,
    threads: int = 0,
) -> list[Forest | None]:
    """All translations of each sentence that a search comes to with its beam; None if no tree covers the sentence.

    Each edge is one inference, its score minus what that cost; so the best derivation is the translator's own if it is asked
    for in its semiring (`forest.kbest(1, semiring="minmerge")`). Nodes are labels over source spans. The edges of bilingual
    compositions have the words of both sides; the fuses of these words stand above them as edges of their own. The features
    are costs by type of inference, and the first number of a rule's id is the place of its type in `KINDS`, from 1 on.
    """
    known = symbols.copy()
    encoder = SentenceEncoder(known)
    trees = trees or [None] * len(sentences)
    encoded = [encoder.encode(words, tree) for words, tree in zip(sentences, trees, strict=True)]
    found = model.forests(encoded, list(known), threads)
    return [forest if forest is None else Forest(forest) for forest in found]
