"""Sentences whose words are put into the target language's order before they are translated."""

from __future__ import annotations

from bisect import bisect
from dataclasses import replace
from typing import TYPE_CHECKING

from tolka.decode import Sentence, words_of
from tolka.reorder import ANALYSERS, Reordering, from_bundle, in_order, keep_together, map_links
from tolka.translate.tagged import moved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.align.links import Link
    from tolka.translate.bundle import ModelFiles
    from tolka.translate.description import Description


def open_reordering(description: Description, files: ModelFiles) -> Reordering | None:
    """What puts a model's source words into another order; None if nothing does."""
    if description.reorder is None or files.analyser is None or files.preorderer is None:
        return None
    analyser = ANALYSERS[description.reorder.analyser](files.analyser)
    return Reordering(analyser, from_bundle(files.preorderer))


def reorder_lines(reordering: Reordering, lines: Sequence[str], *, threads: int = 0) -> list[str]:
    """Lines of words in their new order."""
    sentences = [words_of(line) for line in lines]
    orders = reordering.orders(sentences, threads=threads)
    return [in_order(words, order) for words, order in zip(sentences, orders, strict=True)]


def reorder_aligned(
    reordering: Reordering, lines: Sequence[str], links: Sequence[Sequence[Link]], *, threads: int = 0
) -> tuple[list[str], list[list[Link]]]:
    """Lines of words in their new order, and their links, which follow the words."""
    sentences = [words_of(line) for line in lines]
    orders = reordering.orders(sentences, threads=threads)
    moved = [in_order(words, order) for words, order in zip(sentences, orders, strict=True)]
    return moved, [map_links(own, order) for own, order in zip(links, orders, strict=True)]


def reorder_sentences(reordering: Reordering, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
    """Sentences in their new order; words with a given translation stay together."""
    orders = reordering.orders([one.words for one in sentences], threads=threads)
    return [reorder_sentence(one, order) for one, order in zip(sentences, orders, strict=True)]


def reorder_sentence(sentence: Sentence, order: Sequence[int]) -> Sentence:
    """A sentence in another order, with what is given of its spans; walls stay where they are.

    Example:
        >>> from tolka.decode import Given
        >>> moved = reorder_sentence(Sentence("er das buch las", [Given(1, 3, [("the book", 0.0)])]), [0, 3, 1, 2])
        >>> moved.text, moved.given[0].start, moved.given[0].end
        ('er las das buch', 2, 4)
    """
    # A wall inside of a span moves with it; others keep words on their side.
    walls = [
        wall for wall in sorted(sentence.walls) if not any(span.start < wall < span.end for span in sentence.spans)
    ]
    order = sorted(order, key=lambda word: bisect(walls, word))
    kept = [(given.start, given.end) for given in sentence.given] + [(span.start, span.end) for span in sentence.spans]
    together = keep_together(order, kept)
    place = {word: at for at, word in enumerate(together)}
    given = tuple(
        replace(span, start=place[span.start], end=place[span.start] + span.end - span.start) for span in sentence.given
    )
    spans = tuple(
        replace(span, start=place[span.start], end=place[span.start] + span.end - span.start) for span in sentence.spans
    )
    standing = tuple(sorted(wall if wall in walls else place[wall] for wall in sentence.walls))
    text = in_order(sentence.words, together)
    return moved(replace(sentence, text=text, given=given, spans=spans, walls=standing), together)
