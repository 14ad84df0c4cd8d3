"""An alignment as a picture: source words down the side, target words along the top, a filled square for a link."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tolka.errors import InputError
from tolka.page import svg

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.align.links import GoldLinks, Link

# The engine separates words at ASCII white space only.
WORD = re.compile(r"[^ \t\n\f\r]+")
CELL = 24
LETTERS = 14  # their size


def draw(
    source: str | Sequence[str],
    target: str | Sequence[str],
    links: Iterable[Link] | Mapping[Link, float],
    *,
    gold: GoldLinks | None = None,
) -> svg.Drawing:
    """Draw the links of one sentence pair as an SVG image.

    Args:
        source: The source sentence, tokenised.
        target: The target sentence, tokenised.
        links: The links; with probabilities, fainter squares are less probable ones.
        gold: Gold links, drawn as outlines: solid for sure, dashed for possible.

    Raises:
        InputError: A link is outside the sentences.

    Example:
        >>> draw("das Haus", "the house", [(0, 0), (1, 1)]).startswith("<svg")
        True
    """
    rows = WORD.findall(source) if isinstance(source, str) else list(source)
    columns = WORD.findall(target) if isinstance(target, str) else list(target)
    weights = dict(links) if isinstance(links, Mapping) else dict.fromkeys(links, 1.0)
    sure = set(gold.sure) if gold else set()
    possible = set(gold.possible) - sure if gold else set()
    for i, j in [*weights, *sure, *possible]:
        if not (0 <= i < len(rows) and 0 <= j < len(columns)):
            raise InputError(f"the link {i}-{j} is outside sentences of {len(rows)} and {len(columns)} tokens")
    left = 16 + max((_width(word) for word in rows), default=0)
    # Labels along the top lean by 45 degrees, so the last one reaches out to the right as far as it is tall.
    top = 16 + 0.71 * max((_width(word) for word in columns), default=0)
    reach = max((j * CELL + 0.71 * _width(word) for j, word in enumerate(columns)), default=0)
    width = left + max(CELL * len(columns) + 8, reach + CELL + 8)
    below = top + CELL * len(rows)
    legend = _legend(16, below + 14, faint=any(weight < 1 for weight in weights.values()), gold=gold)
    width = max(width, legend[1])
    height = below + 14 + CELL
    parts = [_grid(left, top, len(rows), len(columns)), f'<g font-size="{LETTERS}">']
    parts += [
        f'<text x="{left - 8:.1f}" y="{top + CELL * i + CELL * 0.68:.1f}" text-anchor="end">{_label(word)}</text>'
        for i, word in enumerate(rows)
    ]
    parts += [
        f'<text transform="translate({left + CELL * j + CELL * 0.6:.1f} {top - 7:.1f}) rotate(-45)">{_label(word)}</text>'
        for j, word in enumerate(columns)
    ]
    parts.append("</g>")
    for (i, j), weight in sorted(weights.items()):
        shade = 0.15 + 0.85 * min(max(weight, 0.0), 1.0)
        title = f"{_label(rows[i])} : {_label(columns[j])}" + (f" {weight:.2f}" if weight < 1 else "")
        parts.append(
            f'<rect x="{left + CELL * j + 4:.1f}" y="{top + CELL * i + 4:.1f}" width="{CELL - 8}" height="{CELL - 8}" '
            f'rx="3" fill="#1f5fa8" fill-opacity="{shade:.2f}"><title>{title}</title></rect>'
        )
    for (i, j), dash in sorted(
        [(link, "") for link in sure] + [(link, ' stroke-dasharray="3 3"') for link in possible]
    ):
        parts.append(
            f'<rect x="{left + CELL * j + 1.5:.1f}" y="{top + CELL * i + 1.5:.1f}" width="{CELL - 3}" '
            f'height="{CELL - 3}" fill="none" stroke="#c0392b" stroke-width="2"{dash}/>'
        )
    return svg.image(width, height, [*parts, *legend[0]], title="Word alignment")


def _legend(x: float, y: float, *, faint: bool, gold: GoldLinks | None) -> tuple[list[str], float]:
    """What the squares mean, in a row, and where it ends."""
    entries = [("link", 'fill="#1f5fa8"')]
    if faint:
        entries.append(("less probable", 'fill="#1f5fa8" fill-opacity="0.35"'))
    outline = 'fill="none" stroke="#c0392b" stroke-width="2"'
    if gold is not None:
        entries.append(("sure in the gold links", outline))
        if gold.possible:
            entries.append(("possible", f'{outline} stroke-dasharray="3 3"'))
    parts = []
    for words, look in entries:
        parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="12" height="12" rx="2" {look}/>')
        parts.append(f'<text x="{x + 18:.1f}" y="{y + 10.5:.1f}" font-size="12" fill="#4a5360">{words}</text>')
        x += 18 + svg.width_of(words, 12) + 18
    return ['<g class="legend">', *parts, "</g>"], x


def _grid(left: float, top: float, rows: int, columns: int) -> str:
    right, bottom = left + CELL * columns, top + CELL * rows
    path = "".join(f"M{left:.1f} {top + CELL * i:.1f}H{right:.1f}" for i in range(rows + 1))
    path += "".join(f"M{left + CELL * j:.1f} {top:.1f}V{bottom:.1f}" for j in range(columns + 1))
    return f'<path d="{path}" stroke="#d0d4da" fill="none"/>'


def _label(word: str) -> str:
    return svg.clean(svg.short(svg.readable(word)))


def _width(word: str) -> float:
    return svg.width_of(svg.short(svg.readable(word)), LETTERS)
