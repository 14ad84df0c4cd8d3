"""Forests of decoders, of phrases or of a chart, as the parts of a search graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tolka.assist.senses.graph import Piece
from tolka.assist.senses.packed import Shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tolka.forest import Forest, Rule

_Span = tuple[int, int]


def parts_of(forest: Forest) -> tuple[Shape, list[Piece], NDArray[np.int64], NDArray[np.float64]]:
    """A forest's shape, the different pieces its edges say, for each edge which, and the edges' scores."""
    edges, nodes, rules = forest.edges, forest.nodes, forest.rules
    spans = list(zip(nodes.begin.tolist(), nodes.end.tolist(), strict=True))
    pieces: dict[Piece, int] = {}
    # The same rule in the same place is made once.
    known: dict[tuple[int, _Span, tuple[_Span, ...]], int] = {}
    named = []
    for rule, span, tails in zip(edges.rule.tolist(), edges.span.tolist(), edges.tails.tolist(), strict=True):
        key = (rule, (span[0], span[1]), tuple(spans[tail] for tail in tails if tail >= 0))
        if key not in known:
            known[key] = pieces.setdefault(piece_of(rules[rule], key[1], key[2]), len(pieces))
        named.append(known[key])
    shape = Shape(edges.head.astype(np.int64), edges.tails, len(nodes), len(nodes) - 1)
    return shape, list(pieces), np.array(named, dtype=np.int64), edges.score.astype(np.float64)


def piece_of(rule: Rule, span: _Span, gaps: tuple[_Span, ...]) -> Piece:
    """What a rule says where it stands.

    Args:
        rule: The rule.
        span: Source words it stands on; of a phrase its own, of a chart's rule also those in its gaps.
        gaps: What each gap stands on.
    """
    own = len(rule.source) - len(rule.source_gaps)
    # A phrase's gap is all that was translated before, wherever that is.
    is_phrase = bool(rule.source_gaps) and own == span[1] - span[0]
    places: dict[int, int] = {}
    at, filled = span[0], 0
    for number in range(len(rule.source)):
        if number in rule.source_gaps:
            at = at if is_phrase else gaps[filled][1]
            filled += 1
        else:
            places[number] = at
            at += 1
    target = tuple(rule.target_gaps.get(number, word) for number, word in enumerate(rule.target))
    links = tuple(sorted((places[i], j) for i, j in rule.links if i in places and j not in rule.target_gaps))
    return Piece(target, tuple(places.values()), links)
