"""The page about a comparison: one HTML file that needs nothing else."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from tolka.evaluate import p_text
from tolka.page import chips, document, made_by, page_style, section, svg, table, tiles
from tolka.pipeline.training_page import duration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.combine.adaptation.comparing import Adaptation
    from tolka.combine.adaptation.scores import Row

_STYLE = """
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
_SETS = ("development set", "test set")


def adaptation_page(result: Adaptation) -> str:
    """The page of a comparison."""
    source, target = result.settings.langs
    title = f"{source} → {target}, adapted"
    body = "".join(
        [
            f"<header><p class=kicker>Ways to adapt, compared by tolka</p><h1>{escape(title)}</h1></header><main>",
            _notes(result.notes),
            _tiles(result),
            _picture(result),
            _scores(result),
            _found(result.rows),
            _texts(result),
            f"</main>{made_by()}",
        ]
    )
    return document(title, body, style=page_style() + _STYLE)


def _notes(notes: Sequence[str]) -> str:
    if not notes:
        return ""
    items = "".join(f"<li>{escape(note)}.</li>" for note in notes)
    return (
        f'<section class=attention aria-labelledby="notes"><h2 id="notes">Worth knowing</h2><ul>{items}</ul></section>'
    )


def _tiles(result: Adaptation) -> str:
    return tiles(
        [
            ("best on the development set", escape(result.best)),
            ("BLEU of the test set", f"{result.test:.2f}"),
            ("BLEU of the development set", f"{result.dev:.2f}"),
            ("ways compared", f"{len(result.rows)}"),
            ("tunings of each", f"{result.settings.tunings}"),
            ("time", duration(result.seconds)),
        ]
    )


def _picture(result: Adaptation) -> str:
    note = (
        "BLEU of each way, the mean of its tunings, with 95 % intervals of resampled sentences. "
        "What is kept is chosen by the development set alone."
    )
    # A narrow screen scrolls: letters stay large enough to be read.
    drawn = (
        f'<div class=legend>{chips(_SETS)}</div><div class=chart tabindex="0" role="region" aria-label="Scores as a picture">'
        f"{chart(result.rows, result.best)}</div>"
    )
    return section("picture", "Scores", note, drawn)


def chart(rows: Sequence[Row], best: str) -> str:
    """Dev and test scores of all rows with their intervals, in SVG."""
    low = min(min(row.dev.low, row.test.low) for row in rows)
    high = max(max(row.dev.high, row.test.high) for row in rows)
    margin = (high - low) * 0.05 or 1.0
    low, high = max(0.0, low - margin), high + margin
    floor = _TOP + _ROW * len(rows)

    def x(score: float) -> float:
        return _LABELS + (score - low) / (high - low) * (_WIDTH - _LABELS - _RIGHT)

    parts = []
    for value in round_numbers(low, high):
        parts.append(svg.line(x(value), _TOP - 6, x(value), floor))
        parts.append(svg.text(x(value), _TOP - 11, f"{value:g}"))
    for at, row in enumerate(rows):
        middle = _TOP + _ROW * at + _ROW / 2
        kind = "tick best" if row.name == best else "tick"
        parts.append(svg.text(_LABELS - 8, middle + 4, svg.short(row.name, 20), kind=kind, anchor="end"))
        for series, (own, name) in enumerate(zip((row.dev, row.test), _SETS, strict=True)):
            y = middle + (6 if series else -6)
            said = svg.clean(f"{row.name}, {name}: {own.mean:.2f} ({own.low:.2f} to {own.high:.2f})")
            parts.append(
                f'<g class="s{series}">{svg.line(x(own.low), y, x(own.high), y, kind="whisker")}'
                f'<circle cx="{x(own.mean):.1f}" cy="{y:.1f}" r="4" fill="currentColor"><title>{said}</title></circle></g>'
            )
    return svg.inline(_WIDTH, floor + 8, "BLEU of the development and the test set by row", parts)


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


def _scores(result: Adaptation) -> str:
    baselines = [name for name in ("concatenation", "linear") if any(row.name == name for row in result.rows)]
    heads = ("way", "dev", "test", *(f"p against {name}" for name in baselines), "rules")
    rows = [
        (
            f"<b>{escape(row.name)}</b>" if row.name == result.best else escape(row.name),
            spread(row.dev.scores, row.dev.mean, row.dev.deviation),
            spread(row.test.scores, row.test.mean, row.test.deviation),
            *(_against(row, name) for name in baselines),
            f"{row.rules:,}",
        )
        for row in result.rows
    ]
    note = (
        "BLEU, mean and standard deviation of the tunings, and how often chance alone makes such a difference on the test "
        "set (approximate randomisation over all tunings). Rules of an ensemble are those of its parts."
    )
    return section("scores", "All ways", note, table("Scores", heads, rows))


def spread(scores: Sequence[float], mean: float, deviation: float) -> str:
    """A mean with its deviation, if there are several scores.

    Example:
        >>> spread([20.0], 20.0, 0.0), spread([20.0, 21.0], 20.5, 0.707)
        ('20.00', '20.50 ± 0.71')
    """
    return f"{mean:.2f} ± {deviation:.2f}" if len(scores) > 1 else f"{mean:.2f}"


def _against(row: Row, name: str) -> str:
    return escape(f"{row.differences[name]:+.2f}, {p_text(row.p[name])}") if name in row.p else "&ndash;"


def _found(rows: Sequence[Row]) -> str:
    listed = [(escape(row.name), escape(_said(row.details))) for row in rows if row.details]
    if not listed:
        return ""
    note = "Weights of mixtures, lambdas of ensembles (of each tuning), and how much was selected."
    return section("found", "Found on the way", note, table("Found on the way", ("way", "what"), listed))


def _said(details: Mapping[str, object]) -> str:
    if isinstance(details.get("lambda"), list):
        return "; ".join(_weights(one) for one in details["lambda"])  # type: ignore[attr-defined]
    weights = details.get("weights")
    if isinstance(weights, dict):
        nested = any(isinstance(one, dict) for one in weights.values())
        return "; ".join(f"{name}: {_weights(one)}" for name, one in weights.items()) if nested else _weights(weights)
    return f"{details['pairs']:,} of {details['of']:,} pairs" if "of" in details else ""


def _weights(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {weight:.3g}" for name, weight in weights.items())


def _texts(result: Adaptation) -> str:
    rows = [(escape(name), f"{pairs:,}") for name, pairs in result.pairs.items()]
    return section("texts", "Texts", "Pairs after cleaning.", table("Texts", ("text", "pairs"), rows))
