"""A tree as a picture: arcs above the words, tags below, and under these the words in another order if there is one."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from tolka.errors import InputError
from tolka.page import svg
from tolka.syntax.projectivity import nonprojective_edges
from tolka.syntax.tree import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.syntax.tree import Tree

WORD, LABEL = 15.0, 11.0  # font sizes
STEP, FOOT, CORNER = 24.0, 10.0, 7.0  # height of a storey of arcs, from the words to the arcs' ends, rounding
GAP, MARGIN, ANCHOR = 16.0, 14.0, 6.0
FALL = 74.0  # between the two rows of words
INK, SOFT, ARC, TORN, MOVED = "#1d2530", "#5a6675", "#2468b4", "#b25e00", "#b4561c"


def draw_tree(tree: Tree, order: Sequence[int] | None = None) -> svg.Drawing:
    """Draw a tree as an SVG image; arcs that tear the tree apart (non-projective ones) are dashed and orange.

    Args:
        tree: The tree.
        order: Positions, from 0, in another order, drawn below; the tree's own if it has one.

    Raises:
        InputError: The order is no permutation of the words.

    Example:
        >>> from tolka.syntax import Tree
        >>> draw_tree(Tree(forms=("er", "liest"), heads=(2, 0), deprels=("nsubj", "root"))).startswith("<svg")
        True
    """
    order = tree.order if order is None else tuple(order)
    if order is not None and sorted(order) != list(range(len(tree))):
        raise InputError(f"the order of a tree of {len(tree)} words is no permutation of 0 to {len(tree) - 1}")
    labels = [svg.short(relation) for relation in tree.deprels]
    centres = _centres(tree, labels)
    levels = _levels(tree.heads)
    base = MARGIN + STEP * (max(levels) + 1) + FOOT + WORD  # Where words stand.
    tags = tree.upos if set(tree.upos) != {UNKNOWN} else tree.xpos
    tagged = set(tags) != {UNKNOWN}
    width = centres[-1] + _width(tree.forms[-1], WORD) / 2 + MARGIN
    width = max(width, centres[-1] + _width(svg.short(tags[-1]), LABEL) / 2 + MARGIN)
    below = base + (LABEL + 5 if tagged else 0) + 6
    parts = _arcs(tree, labels, centres, levels, base - WORD - 4)
    parts += [_text(form, x, base, WORD, INK) for form, x in zip(tree.forms, centres, strict=True)]
    if tagged:
        parts += [_text(tag, x, base + LABEL + 5, LABEL, SOFT) for tag, x in zip(tags, centres, strict=True)]
    height = below + 6
    if order is not None:
        row, places = _second_row(tree, order, centres, width)
        width = max(width, row)
        parts += _moves(tree, order, centres, places, below)
        height = below + FALL + WORD
    return svg.image(width, height, parts, title=" ".join(tree.forms))


def _centres(tree: Tree, labels: list[str]) -> list[float]:
    """Horizontal middles of the words, far enough apart for the words, the tags and the labels of arcs."""
    tags = tree.upos if set(tree.upos) != {UNKNOWN} else tree.xpos
    widths = [
        max(_width(form, WORD), _width(svg.short(tag), LABEL)) for form, tag in zip(tree.forms, tags, strict=True)
    ]
    steps = [0.0, *((one + two) / 2 + GAP for one, two in pairwise(widths))]
    arcs = sorted(
        (abs(head - word), min(head, word), max(head, word), word) for word, head in enumerate(tree.heads, 1) if head
    )
    for _, low, high, word in arcs:
        lacking = _width(labels[word - 1], LABEL) + 34 - sum(steps[low:high])
        if lacking > 0:
            for step in range(low, high):
                steps[step] += lacking / (high - low)
    return [MARGIN + widths[0] / 2 + x for x in accumulate(steps)]


def _levels(heads: Sequence[int]) -> list[int]:
    """The storey of each word's arc: above all arcs that lie within its span; roots are above all."""
    spans = sorted(
        (abs(head - word), min(head, word), max(head, word), word) for word, head in enumerate(heads, 1) if head
    )
    levels = [0] * len(heads)
    placed: list[tuple[int, int, int]] = []
    for _, low, high, word in spans:
        # Arcs that cross share no storey either, so that their labels do not meet.
        levels[word - 1] = 1 + max((level for a, b, level in placed if a < high and low < b), default=0)
        placed.append((low, high, levels[word - 1]))
    return levels


def _arcs(tree: Tree, labels: list[str], centres: list[float], levels: list[int], foot: float) -> list[str]:
    anchors = _anchors(tree.heads, levels)
    torn = set(nonprojective_edges(tree))
    lines: list[str] = []
    texts: list[str] = []
    for word, head in enumerate(tree.heads):
        end = centres[word]
        if not head:
            lines.append(_arrow(f"M{end:.1f} {MARGIN:.1f}V{foot:.1f}", end, foot, SOFT))
            texts += _tag(labels[word], end, MARGIN + 6, SOFT)
            continue
        start = centres[head - 1] + anchors[word]
        top = foot - STEP * levels[word]
        turn = CORNER if end > start else -CORNER
        path = (
            f"M{start:.1f} {foot:.1f}V{top + CORNER:.1f}Q{start:.1f} {top:.1f} {start + turn:.1f} {top:.1f}"
            f"H{end - turn:.1f}Q{end:.1f} {top:.1f} {end:.1f} {top + CORNER:.1f}V{foot:.1f}"
        )
        colour = TORN if word in torn else ARC
        lines.append(_arrow(path, end, foot, colour, dashed=word in torn))
        texts += _tag(labels[word], (start + end) / 2, top, colour)
    return lines + texts


def _anchors(heads: Sequence[int], levels: list[int]) -> list[float]:
    """Where on its head each arc begins, relative to the middle: high arcs inside, low ones outside, so none cross."""
    found = [0.0] * len(heads)
    sides: defaultdict[tuple[int, bool], list[int]] = defaultdict(list)
    for word, head in enumerate(heads):
        if head:
            sides[head, word + 1 > head].append(word)
    for (_, right), words in sides.items():
        words.sort(key=lambda word: -levels[word])
        for place, word in enumerate(words, 1):
            found[word] = ANCHOR * min(place, 4) * (1 if right else -1)
    return found


def _arrow(path: str, x: float, y: float, colour: str, *, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="5 3"' if dashed else ""
    tip = f"M{x - 3.5:.1f} {y - 6:.1f}L{x:.1f} {y:.1f}L{x + 3.5:.1f} {y - 6:.1f}Z"
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.3"{dash}/><path d="{tip}" fill="{colour}"/>'


def _tag(label: str, x: float, y: float, colour: str) -> list[str]:
    if label == UNKNOWN:
        return []
    wide = _width(label, LABEL) + 6
    box = f'<rect x="{x - wide / 2:.1f}" y="{y - 7:.1f}" width="{wide:.1f}" height="14" fill="#ffffff"/>'
    return [box + _text(label, x, y + 3.8, LABEL, colour)]


def _second_row(tree: Tree, order: Sequence[int], centres: list[float], width: float) -> tuple[float, dict[int, float]]:
    """Middles of the words in their new order, spread over the width of the first row."""
    widths = [_width(tree.forms[word], WORD) for word in order]
    room = width - 2 * MARGIN - sum(widths)
    gap = max(GAP * 0.6, room / max(len(order) - 1, 1)) if len(order) > 1 else 0.0
    places: dict[int, float] = {}
    x = MARGIN if len(order) > 1 else centres[0] - widths[0] / 2
    for word, wide in zip(order, widths, strict=True):
        places[word] = x + wide / 2
        x += wide + gap
    return x - gap + MARGIN, places


def _moves(tree: Tree, order: Sequence[int], centres: list[float], places: dict[int, float], top: float) -> list[str]:
    moved = set(order) - set(_longest_increasing(order))
    bottom = top + FALL - WORD - 4
    middle = (top + bottom) / 2
    parts = []
    for word in sorted(order, key=lambda word: word in moved):
        colour, weight = (MOVED, 1.8) if word in moved else ("#a9b4c2", 1.2)
        parts.append(
            f'<path d="M{centres[word]:.1f} {top:.1f}C{centres[word]:.1f} {middle:.1f} {places[word]:.1f} {middle:.1f} '
            f'{places[word]:.1f} {bottom:.1f}" fill="none" stroke="{colour}" stroke-width="{weight}"/>'
        )
    parts += [
        _text(tree.forms[word], places[word], bottom + WORD + 1, WORD, MOVED if word in moved else INK)
        for word in order
    ]
    return parts


def _longest_increasing(order: Sequence[int]) -> list[int]:
    """Most of the words that stay in order (Schensted, 1961); the others are the ones that moved."""
    ends: list[int] = []  # Smallest last word of a run of each length.
    before: dict[int, int | None] = {}
    for word in order:
        place = bisect_left(ends, word)
        before[word] = ends[place - 1] if place else None
        ends[place : place + 1] = [word]
    found: list[int] = []
    at: int | None = ends[-1] if ends else None
    while at is not None:
        found.append(at)
        at = before[at]
    return found[::-1]


def _text(text: str, x: float, y: float, size: float, colour: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" font-size="{size:.0f}" fill="{colour}">'
        f"{svg.clean(svg.short(text))}</text>"
    )


def _width(text: str, size: float) -> float:
    return svg.width_of(svg.short(text), size)
