"""Parts of pages about systems that were compared: notes, scores with their intervals, means with deviations."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tolka.page import svg

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.combine.scores import Measured

STYLE = """
.attention{border-left:4px solid var(--mark-line);background:var(--mark)}
.attention ul{margin:.3rem 0 0;padding-left:1.2rem;overflow-wrap:anywhere}
.chart{max-width:52rem}
.whisker{stroke:currentColor;stroke-width:2}
.best{font-weight:700}
"""

_WIDTH, _LABELS, _RIGHT, _TOP, _ROW = 720, 150, 16, 26, 30


def notes_section(notes: Sequence[str]) -> str:
    """What deserves attention; nothing if nothing does."""
    if not notes:
        return ""
    items = "".join(f"<li>{escape(note)}.</li>" for note in notes)
    return (
        f'<section class=attention aria-labelledby="notes"><h2 id="notes">Worth knowing</h2><ul>{items}</ul></section>'
    )


def chart(rows: Mapping[str, Mapping[str, Measured]], marked: str) -> str:
    """The scores of all rows with their intervals, in SVG.

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
    for step in range(6):
        value = low + (high - low) * step / 5
        parts.append(svg.line(x(value), _TOP - 6, x(value), floor))
        parts.append(svg.text(x(value), _TOP - 11, f"{value:.1f}"))
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
    return svg.inline(_WIDTH, floor + 8, f"BLEU of the {names} by row", parts)


def spread(scores: Sequence[float], mean: float, deviation: float) -> str:
    """A mean with its deviation, if there are several scores.

    Example:
        >>> spread([20.0], 20.0, 0.0), spread([20.0, 21.0], 20.5, 0.707)
        ('20.00', '20.50 ± 0.71')
    """
    return f"{mean:.2f} ± {deviation:.2f}" if len(scores) > 1 else f"{mean:.2f}"
