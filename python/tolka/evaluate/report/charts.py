"""Charts as inline SVG: bars by bucket, and scores with their intervals."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tolka.evaluate.report.html import svg

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
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    group = (_WIDTH - _LEFT) / max(len(buckets), 1)
    wide = min(group * 0.76 / len(systems), 34)
    for number, bucket in enumerate(buckets):
        middle = _LEFT + group * (number + 0.5)
        for index, value in enumerate(bucket.values):
            x = middle + (index - len(systems) / 2) * wide
            height = max(value * scale, 0.0)
            said = escape(f"{systems[index]}, {bucket.label}: {value:.1f}")
            parts.append(
                f'<rect class="s{index}" x="{x + 1:.1f}" y="{floor - height:.1f}" width="{wide - 2:.1f}" '
                f'height="{height:.1f}" rx="2"><title>{said}</title></rect>'
            )
        parts.append(
            f'<text class="tick" x="{middle:.1f}" y="{floor + 17}" text-anchor="middle">{escape(bucket.label)}</text>'
            f'<text class="note" x="{middle:.1f}" y="{floor + 33}" text-anchor="middle">{bucket.size} {unit}</text>'
        )
    return svg(_WIDTH, _HEIGHT, title, parts)


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
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="6" y2="{height - 26}"/>')
        parts.append(f'<text class="tick" x="{x:.1f}" y="{height - 8}" text-anchor="middle">{value:.1f}</text>')
    for index, (score, interval) in enumerate(zip(figure.scores, figure.intervals, strict=True)):
        y = row * index + 20
        said = escape(f"{systems[index]}: {score:.2f}, {interval.low:.2f} to {interval.high:.2f}")
        parts.append(
            f'<g class="s{index}"><title>{said}</title>'
            f'<line class="whisker" x1="{place(interval.low):.1f}" x2="{place(interval.high):.1f}" y1="{y}" y2="{y}"/>'
            f'<circle cx="{place(score):.1f}" cy="{y}" r="5"/></g>'
        )
    return svg(width, height, f"{figure.name} with 95 % intervals", parts)
