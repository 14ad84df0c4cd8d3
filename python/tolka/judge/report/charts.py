"""Drawings as inline SVG: intervals of scores, who is better than whom, and lines.

Colours come from classes of the page's style, so that they follow light and dark; opacity says how much.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka.page import chips, svg
from tolka.page.frame import COLOURS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_LABEL = 30
_BETWEEN = ".-_/ "
# Beyond so many items a heat map has cells too small for numbers.
_NUMBERED = 14


@dataclass(frozen=True)
class Line:
    """A line of a chart, with a band around it if there is one.

    Attributes:
        name: What it shows.
        x: Where.
        y: How much.
        low: The band's lower end.
        high: Its upper end.
        dashed: Draw it as a line to compare with.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    dashed: bool = False


def interval_plot(
    items: Sequence[str],
    scores: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    groups: Sequence[Sequence[str]] = (),
    *,
    title: str = "Scores with their intervals",
) -> str:
    """A dot per item with its interval, best first; items of a group stand on one band.

    Example:
        >>> interval_plot(["a", "b"], [1, 0], [0.5, -0.5], [1.5, 0.5]).count("<circle")
        2
    """
    width, left, right, row, top = 720, 230, 24, 26, 8
    floor = top + row * len(items)
    ticks = _ticks(min(low, default=0.0), max(high, default=1.0), 7)
    first, last = ticks[0], ticks[-1]

    def place(value: float) -> float:
        return left + (value - first) / (last - first) * (width - left - right)

    shown = labels(items)
    parts = []
    start = 0
    for number, group in enumerate(groups):
        if number % 2 == 0:
            parts.append(
                f'<rect class="band" x="0" y="{top + row * start}" width="{width}" height="{row * len(group)}" rx="6"/>'
            )
        start += len(group)
    for value in ticks:
        x = place(value)
        parts.append(svg.line(x, top, x, floor))
        parts.append(svg.text(x, floor + 18, f"{value:g}"))
    for at, item in enumerate(items):
        y = top + row * at + row / 2
        said = svg.clean(f"{item}: {scores[at]:.3f}, {low[at]:.3f} to {high[at]:.3f}")
        parts.append(
            f'<g class="s0"><title>{said}</title>'
            f'<text x="{left - 14}" y="{y + 4:.1f}" text-anchor="end">{svg.clean(brief(shown[at]))}</text>'
            f"{svg.line(place(low[at]), y, place(high[at]), y, kind='whisker')}"
            f'<circle cx="{place(scores[at]):.1f}" cy="{y:.1f}" r="5"/></g>'
        )
    return svg.inline(width, floor + 26, title, parts)


def better_map(items: Sequence[str], chances: NDArray[np.float64], *, title: str = "Who is better than whom") -> str:
    """The probability that the item of a row is better than that of a column, as shades."""
    size = len(items)
    left, top = 230, 26
    cell = max(8.0, min(44.0, 480 / max(size, 1)))
    # As wide as the other drawings, so that a small table is not blown up.
    width, height = max(720, int(left + cell * size + 10)), int(top + cell * size + 8)
    shown = labels(items)
    parts = []
    for at, item in enumerate(items):
        middle = cell * (at + 0.5)
        parts.append(
            f'<text x="{left - 10}" y="{top + middle + 4:.1f}" text-anchor="end">{at + 1}  {svg.clean(brief(shown[at]))}</text>'
            f"{svg.text(left + middle, top - 8, str(at + 1))}"
        )
        for other, name in enumerate(items):
            x, y = left + cell * other, top + cell * at
            if at == other:
                parts.append(f'<rect class="none" x="{x:.1f}" y="{y:.1f}" width="{cell:.1f}" height="{cell:.1f}"/>')
                continue
            chance = float(chances[at][other])
            said = svg.clean(f"{item} better than {name}: {chance:.3f}")
            parts.append(
                f'<g><title>{said}</title><rect class="{"s0" if chance >= 0.5 else "s1"}" '  # noqa: PLR2004
                f'fill-opacity="{abs(2 * chance - 1) * 0.75:.3f}" x="{x:.1f}" y="{y:.1f}" '
                f'width="{cell:.1f}" height="{cell:.1f}"/>'
            )
            if size <= _NUMBERED:
                parts.append(svg.text(x + cell / 2, y + cell / 2 + 4, _share(chance)))
            parts.append("</g>")
    return svg.inline(width, height, title, parts)


def line_chart(
    lines: Sequence[Line],
    *,
    title: str,
    x_label: str,
    y_label: str,
    y_range: tuple[float, float] | None = None,
) -> str:
    """Lines over a common scale.

    Example:
        >>> line_chart([Line("a", [0, 1], [0, 1])], title="t", x_label="x", y_label="y").count("<polyline")
        1
    """
    width, height, left, right, top, bottom = 720, 320, 56, 16, 26, 44
    floor = height - bottom
    xs = _ticks(min(min(line.x) for line in lines), max(max(line.x) for line in lines), 8)
    lowest = min(min(line.low or line.y) for line in lines)
    highest = max(max(line.high or line.y) for line in lines)
    ys = _ticks(*(y_range or (lowest, highest)), 6)

    def across(x: float) -> float:
        return left + (x - xs[0]) / (xs[-1] - xs[0]) * (width - left - right)

    def up(y: float) -> float:
        return floor - (min(max(y, ys[0]), ys[-1]) - ys[0]) / (ys[-1] - ys[0]) * (floor - top)

    def place(x: float, y: float) -> str:
        return f"{across(x):.1f},{up(y):.1f}"

    parts = [f'<text class="note" x="{left}" y="14">{svg.clean(y_label)}</text>']
    parts += [svg.row_of_grid(left, width - right, up(value), f"{value:g}") for value in ys]
    parts += [svg.text(across(value), floor + 18, f"{value:g}") for value in xs]
    parts.append(svg.text((left + width - right) // 2, height - 6, x_label, kind="note"))
    for number, line in enumerate(lines):
        kind = f"s{number % COLOURS}"
        if line.low is not None and line.high is not None:
            edge = [place(x, y) for x, y in zip(line.x, line.high, strict=True)]
            back = [place(x, y) for x, y in zip(line.x, line.low, strict=True)][::-1]
            parts.append(f'<polygon class="{kind} ribbon" points="{" ".join(edge + back)}"/>')
        points = " ".join(place(x, y) for x, y in zip(line.x, line.y, strict=True))
        dash = ' stroke-dasharray="6 5"' if line.dashed else ""
        parts.append(
            f'<polyline class="{kind} line" points="{points}"{dash}><title>{svg.clean(line.name)}</title></polyline>'
        )
    return svg.inline(width, height, title, parts)


def legend(names: Sequence[str]) -> str:
    """The names of lines with their colours."""
    return f"<div class=legend>{chips(names)}</div>"


def labels(names: Sequence[str]) -> list[str]:
    """Names without what they all begin and end with, up to a full stop, dash, underscore, slash or space.

    Example:
        >>> labels(["newstest2015.online-A.cs-en.txt", "newstest2015.JHU.cs-en.txt"])
        ['online-A', 'JHU']
        >>> labels(["a", "b"])
        ['a', 'b']
    """
    if len(names) < 2:  # noqa: PLR2004
        return list(names)
    start, end = _shared(names), _shared([name[::-1] for name in names])
    cut = [name[start : len(name) - end] for name in names]
    return cut if all(cut) and len(set(cut)) == len(set(names)) else list(names)


def _shared(names: Sequence[str]) -> int:
    """How long a beginning all names share that ends where a part of a name does."""
    ends = 0
    for at, letters in enumerate(zip(*names, strict=False), start=1):
        if len(set(letters)) > 1:
            break
        if letters[0] in _BETWEEN:
            ends = at
    return ends


def brief(name: str) -> str:
    """A name short enough for a chart: its middle goes first.

    Example:
        >>> brief("newstest2015.uedin-jhu-phrase.4071.cs-en.txt")
        'newstest2015.ue…4071.cs-en.txt'
    """
    if len(name) <= _LABEL:
        return name
    half = _LABEL // 2
    return f"{name[:half]}…{name[-(_LABEL - half - 1) :]}"


def _share(chance: float) -> str:
    """Two digits without the leading zero; certainty is never written where there is none."""
    if chance > 0.995:  # noqa: PLR2004
        return ">.99"
    if chance < 0.005:  # noqa: PLR2004
        return "<.01"
    return f"{chance:.2f}"[1:]


def _ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers from just below the lowest value to just above the highest."""
    span = high - low or abs(high) or 1.0
    rough = span / most
    unit = 10 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * at, 10) for at in range(first, max(last, first + 1) + 1)]
