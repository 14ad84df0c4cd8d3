"""BLEU by time, one point for each row: a curve of the best for each way to search."""

from __future__ import annotations

from html import escape
from math import log2
from typing import Any

WIDTH, HEIGHT, LEFT, BOTTOM, RIGHT = 860.0, 520.0, 60.0, 50.0, 20.0
COLOURS = {"undirected": "#c2410c", "cube pruning": "#1d4ed8", "boundary": "#047857"}
ABOVE = "cube pruning"
"""Whose names stand above its points; curves of others are mostly below."""


def way(row: str) -> str:
    """How a row searches."""
    if row.startswith("chart"):
        return "boundary" if "boundary" in row else "cube pruning"
    return "undirected"


def drawn(rows: list[dict[str, Any]]) -> str:
    """The rows as points in SVG, time on a scale of doublings, and who is best for its time."""
    times, scores = [log2(row["ms"]) for row in rows], [row["bleu"] for row in rows]
    low, high = min(times) - 0.1, max(times) + 0.1
    floor, top = max(min(scores), max(scores) - 4.0) - 0.2, max(scores) + 0.2

    def place(row: dict[str, Any]) -> tuple[float, float]:
        x = LEFT + (log2(row["ms"]) - low) / (high - low) * (WIDTH - LEFT - RIGHT)
        y = HEIGHT - BOTTOM - (row["bleu"] - floor) / (top - floor) * (HEIGHT - BOTTOM - 20)
        return x, y

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH:g}" height="{HEIGHT:g}" fill="white"/>',
    ]
    for tick in range(int(floor) + 1, int(top) + 1):
        y = place({"ms": 2**low, "bleu": tick})[1]
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#e5e7eb"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick}</text>')
    ms = 1.0
    while log2(ms) < high:
        if log2(ms) > low:
            x = place({"ms": ms, "bleu": floor})[0]
            parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18:g}" text-anchor="middle">{ms:g} ms</text>')
        ms *= 2
    shown = [row for row in rows if row["bleu"] >= floor]
    for kind, colour in COLOURS.items():
        own = sorted((row for row in shown if way(row["row"]) == kind), key=lambda row: (row["ms"], -row["bleu"]))
        best, curve = float("-inf"), []
        for row in own:
            x, y = place(row)
            title = f"{row['row']}: BLEU {row['bleu']}, {row['ms']} ms"
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"><title>{escape(title)}</title></circle>'
            )
            if row["bleu"] > best:
                best = row["bleu"]
                curve.append(f"{x:.1f} {y:.1f}")
                at = y - 8 if kind == ABOVE else y + 14
                parts.append(
                    f'<text x="{x + 7:.1f}" y="{at:.1f}" fill="{colour}" font-size="10">{escape(row["row"])}</text>'
                )
        if curve:
            parts.append(f'<path d="M{"L".join(curve)}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    for at, (kind, colour) in enumerate(COLOURS.items()):
        parts.append(f'<text x="{LEFT + 10 + at * 120:g}" y="16" fill="{colour}">{kind}</text>')
    parts.append(f'<text x="{WIDTH / 2:g}" y="{HEIGHT - 8:g}" text-anchor="middle">CPU time a sentence</text></svg>')
    return "\n".join(parts)
