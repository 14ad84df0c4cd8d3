"""Charts as inline SVG: bars by bucket, and scores with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.page import svg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.evaluate.report.analysis import Bucket, Figure

_WIDTH, _HEIGHT = 640, 220
_LEFT, _TOP, _BOTTOM = 40, 12, 44


def bars(buckets: Sequence[Bucket], systems: Sequence[str], title: str, unit: str) -> str:
    """Grouped bars, one group per bucket and one bar per system."""
    highest = max([value for bucket in buckets for value in bucket.values] or [0.0])
    top = next(limit for limit in (1, 2, 5, 10, 20, 40, 60, 80, 100, 200, 500, 1e3, 1e9) if highest <= limit)
    floor = _HEIGHT - _BOTTOM
    scale = (floor - _TOP) / top
    parts = []
    for step in range(5):
        value = top * step / 4
        y = floor - value * scale
        parts.append(svg.row_of_grid(_LEFT, _WIDTH, y, f"{value:g}"))
    group = (_WIDTH - _LEFT) / max(len(buckets), 1)
    wide = min(group * 0.76 / len(systems), 34)
    for number, bucket in enumerate(buckets):
        middle = _LEFT + group * (number + 0.5)
        for index, value in enumerate(bucket.values):
            x = middle + (index - len(systems) / 2) * wide
            height = max(value * scale, 0.0)
            said = svg.clean(f"{systems[index]}, {bucket.label}: {value:.1f}")
            parts.append(
                f'<rect class="s{index}" x="{x + 1:.1f}" y="{floor - height:.1f}" width="{wide - 2:.1f}" '
                f'height="{height:.1f}" rx="2"><title>{said}</title></rect>'
            )
        parts.append(svg.text(middle, floor + 17, bucket.label))
        parts.append(svg.text(middle, floor + 33, f"{bucket.size} {unit}", kind="note"))
    return svg.inline(_WIDTH, _HEIGHT, title, parts)


def intervals(figure: Figure, systems: Sequence[str]) -> str:
    """A dot per system with its 95 % interval."""
    low = min(interval.low for interval in figure.intervals)
    high = max(interval.high for interval in figure.intervals)
    margin = (high - low) * 0.08 or 1.0
    low, high = low - margin, high + margin
    width, left, row = 320, 24, 24
    height = row * len(systems) + 34

    def place(value: float) -> float:
        return left + (value - low) / (high - low) * (width - 2 * left)

    parts = []
    for step in range(5):
        value = low + (high - low) * step / 4
        x = place(value)
        parts.append(svg.line(x, 6, x, height - 26))
        parts.append(svg.text(x, height - 8, f"{value:.1f}"))
    for index, (score, interval) in enumerate(zip(figure.scores, figure.intervals, strict=True)):
        y = row * index + 20
        said = svg.clean(f"{systems[index]}: {score:.2f}, {interval.low:.2f} to {interval.high:.2f}")
        parts.append(
            f'<g class="s{index}"><title>{said}</title>'
            f"{svg.line(place(interval.low), y, place(interval.high), y, kind='whisker')}"
            f'<circle cx="{place(score):.1f}" cy="{y}" r="5"/></g>'
        )
    return svg.inline(width, height, f"{figure.name} with 95 % intervals", parts)
