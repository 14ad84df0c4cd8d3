"""Parts of pages about systems that were compared: notes, scores with their intervals, means with deviations."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from tolka.page import svg

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.combine.scores import Measured

STYLE = """
.attention{border-left:4px solid var(--mark-line);background:var(--mark)}
.attention ul{margin:.3rem 0 0;padding-left:1.2rem;overflow-wrap:anywhere}
.chart{max-width:40rem;overflow-x:auto}
.chart svg{min-width:23rem}
.chart svg text{font-size:14px}
@media (min-width:48rem){.chart svg text{font-size:12px}}
.chart:focus-visible{outline:3px solid var(--c2);outline-offset:2px;border-radius:6px}
[aria-label="Found on the way"] :is(td,thead th){text-align:left;white-space:normal}
.whisker{stroke:currentColor;stroke-width:2}
.best{font-weight:700}
"""

_WIDTH, _LABELS, _RIGHT, _TOP, _ROW = 520, 140, 16, 26, 30


def notes_section(notes: Sequence[str]) -> str:
    """What deserves attention; nothing if nothing does."""
    if not notes:
        return ""
    items = "".join(f"<li>{escape(note)}.</li>" for note in notes)
    return (
        f'<section class=attention aria-labelledby="notes"><h2 id="notes">Worth knowing</h2><ul>{items}</ul></section>'
    )


def chart(rows: Mapping[str, Mapping[str, Measured]], marked: str) -> str:
    """The scores of all rows with their intervals, as a picture in SVG that a narrow screen scrolls.

    Args:
        rows: For each row what was measured, by the names of the sets.
        marked: The row that stands out.
    """
    every = [own for sets in rows.values() for own in sets.values()]
    low, high = min(own.low for own in every), max(own.high for own in every)
    margin = (high - low) * 0.05 or 1.0
    low, high = max(0.0, low - margin), high + margin
    floor = _TOP + _ROW * len(rows)

    def x(score: float) -> float:
        return _LABELS + (score - low) / (high - low) * (_WIDTH - _LABELS - _RIGHT)

    parts = []
    for value in round_numbers(low, high):
        parts.append(svg.line(x(value), _TOP - 6, x(value), floor))
        parts.append(svg.text(x(value), _TOP - 11, f"{value:g}"))
    for at, (row, sets) in enumerate(rows.items()):
        middle = _TOP + _ROW * at + _ROW / 2
        kind = "tick best" if row == marked else "tick"
        parts.append(svg.text(_LABELS - 8, middle + 4, svg.short(row, 20), kind=kind, anchor="end"))
        for series, (name, own) in enumerate(sets.items()):
            y = middle + 12 * series - 6 * (len(sets) - 1)
            said = svg.clean(f"{row}, {name}: {own.mean:.2f} ({own.low:.2f} to {own.high:.2f})")
            parts.append(
                f'<g class="s{series}">{svg.line(x(own.low), y, x(own.high), y, kind="whisker")}'
                f'<circle cx="{x(own.mean):.1f}" cy="{y:.1f}" r="4" fill="currentColor"><title>{said}</title></circle></g>'
            )
    names = " and the ".join(dict.fromkeys(name for sets in rows.values() for name in sets))
    drawn = svg.inline(_WIDTH, floor + 8, f"BLEU of the {names} by row", parts)
    # A narrow screen scrolls: letters stay large enough to be read.
    return f'<div class=chart tabindex="0" role="region" aria-label="Scores as a picture">{drawn}</div>'


def round_numbers(low: float, high: float, most: int = 8) -> list[float]:
    """Numbers from a range that are easy to read, at the same distance from each other.

    Example:
        >>> round_numbers(3.1, 31.0), round_numbers(20.13, 20.41)
        ([5.0, 10.0, 15.0, 20.0, 25.0, 30.0], [20.15, 20.2, 20.25, 20.3, 20.35, 20.4])
    """
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor * most >= (high - low))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(step * at, 10) for at in range(first, last + 1)]


def spread(scores: Sequence[float], mean: float, deviation: float) -> str:
    """A mean with its deviation, if there are several scores.

    Example:
        >>> spread([20.0], 20.0, 0.0), spread([20.0, 21.0], 20.5, 0.707)
        ('20.00', '20.50 ± 0.71')
    """
    return f"{mean:.2f} ± {deviation:.2f}" if len(scores) > 1 else f"{mean:.2f}"
