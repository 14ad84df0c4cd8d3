"""What each source word of a search graph may become."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from tolka.assist.senses.graph import Piece, SearchGraph

_Span = tuple[int, int]


class Unit(NamedTuple):
    """A translation of a span of source words, wherever the graph has it.

    Attributes:
        target: Its words, with spaces between.
        pieces: The graph's pieces that say it.
    """

    target: str
    pieces: NDArray[np.int64]


class Units:
    """The translations of each span of at most `width` source words.

    A piece translates a span if it stands on the span and nothing else, as the thesis has it, or, unless `exact`, if
    links inside the piece say which of its words translate the span and nothing else: *heavy* in *heavy rain* for
    *schwerer Regen*. Otherwise answers would say nothing of phrases, and make them likelier than the word alone.

    Attributes:
        by_span: For each span its translations, in the order of the graph.

    Example:
        >>> from tolka.assist.senses import SearchGraph
        >>> graph = SearchGraph.from_edges([
        ...     (0, 1, "a", (0, 1), -0.3), (1, 2, "house", (1, 2), -0.1), (0, 2, "a home", (0, 2), -2.0),
        ... ])
        >>> {span: [unit.target for unit in units] for span, units in Units(graph).by_span.items()}
        {(0, 1): ['a'], (1, 2): ['house']}
    """

    def __init__(self, graph: SearchGraph, *, width: int = 1, exact: bool = False) -> None:
        self.width, self.exact = width, exact
        found: dict[_Span, dict[str, list[int]]] = {}
        for number, piece in enumerate(graph.pieces):
            for span, target in _units_of(piece, width, exact=exact).items():
                found.setdefault(span, {}).setdefault(target, []).append(number)
        self.by_span: Mapping[_Span, tuple[Unit, ...]] = {
            span: tuple(Unit(target, np.array(pieces, dtype=np.int64)) for target, pieces in found[span].items())
            for span in sorted(found)
        }
        self._covers: dict[_Span, NDArray[np.bool_]] = {}
        self._graph_pieces = graph.pieces

    def covering(self, span: _Span) -> NDArray[np.bool_]:
        """Which pieces translate any word of a span."""
        if span not in self._covers:
            wanted = set(range(*span))
            self._covers[span] = np.array([not wanted.isdisjoint(piece.at) for piece in self._graph_pieces])
        return self._covers[span]


def _units_of(piece: Piece, width: int, *, exact: bool) -> dict[_Span, str]:
    at, found = piece.at, {}
    whole = (at[0], at[-1] + 1) if at and at[-1] + 1 - at[0] == len(at) else None
    if whole is not None and len(at) <= width:
        words = [number for number, part in enumerate(piece.target) if isinstance(part, str)]
        if words and words[-1] + 1 - words[0] == len(words):
            found[whole] = piece.words
    if exact or not piece.links:
        return found
    places = set(at)
    for begin in at:
        for end in range(begin + 1, begin + width + 1):
            span = (begin, end)
            if not places.issuperset(range(begin, end)):
                break
            if span != whole and (target := _linked(piece, span)):
                found[span] = target
    return found


def _linked(piece: Piece, span: _Span) -> str:
    """The neighbouring target words that are linked with the span and nothing else; empty if there are none."""
    inside = {j for i, j in piece.links if span[0] <= i < span[1]}
    outside = {j for i, j in piece.links if not span[0] <= i < span[1]}
    if not inside or inside & outside:
        return ""
    words = piece.target[min(inside) : max(inside) + 1]
    if len(words) != len(inside) or not all(isinstance(word, str) for word in words):
        return ""
    return " ".join(map(str, words))
