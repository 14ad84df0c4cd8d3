"""The analysis as one web page that needs nothing else: tables, histograms and distribution functions."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from tolka.page import document, made_by, page_style, section, svg, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tolka.reorder.analysis.correlations import Correlations
    from tolka.reorder.analysis.statistics import Analysis, Movement, Spread

_WIDTH, _HEIGHT = 640, 230
_LEFT, _TOP, _BOTTOM = 46, 16, 40
_STYLE = (
    ".line{fill:none;stroke:var(--c1);stroke-width:2.5;stroke-linejoin:round}svg rect.s0{fill:var(--c0)}"
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr));gap:1rem}"
    ".plots figure{margin:0}.plots figcaption{color:var(--soft);font-size:.9rem}"
)


def render(found: Analysis, correlations: Correlations | None = None, *, title: str = "Reordering") -> str:
    """The page of an analysis.

    Example:
        >>> from tolka.reorder.analysis import analyse
        >>> from tolka.syntax import synthetic_treebank
        >>> text = synthetic_treebank(1, 50)
        >>> render(analyse(text.trees, text.orders)).count("<svg")
        5
    """
    head = (
        f"<header><p class=kicker>Analysis of reordering</p><h1>{escape(title)}</h1>"
        f"<p>{found.sentences:,} sentences, {found.words:,} words; {_percent(found.reordered)} of the sentences change "
        f"their order; mean Kendall's τ between source and reference order {found.tau:.3f}.</p></header><main>"
    )
    parts = [head, _movement(found), _plots(found), _nonprojectivity(found)]
    if correlations is not None:
        parts += [_gap(correlations), _correlations(correlations), _differences(correlations)]
    parts.append(f"</main>{made_by()}")
    return document(title, "".join(parts), style=page_style() + _STYLE)


def _movement(found: Analysis) -> str:
    def row(name: str, movement: Movement) -> list[str]:
        return [
            name,
            f"{movement.fragments:,}",
            _percent(movement.monotone),
            _percent(movement.forward),
            _percent(movement.forward_unless_monotone),
            _number(movement.distance.mean),
            _number(movement.distance.median),
            _number(movement.distance.high),
        ]

    heads = ["Fragments", "Number", "Monotone", "Forward", "Forward unless monotone", "Mean |d|", "Median", "95th pct"]
    first = table("Movement", heads, [row("All", found.all), row("Non-tree-local", found.nonlocal_)])
    second = table(
        "Long non-tree-local movement",
        ["Distance above", "Of such fragments", "Of sentences that have one", "Of all sentences"],
        [
            [str(tail.limit), _percent(tail.fragments), _percent(tail.sentences_with), _percent(tail.sentences)]
            for tail in found.tails
        ],
    )
    each = f"one for {found.words_each:.1f} words" if found.words_each else "none"
    note = (
        "A fragment is the walk on the tree from one word of the reference order to the next. It is non-tree-local if it "
        f"leaves a subtree that is not finished: {_percent(found.nonlocal_sentences)} of the sentences have such a "
        f"fragment, {each}."
    )
    return section("movement", "Movement on trees", note, first + second)


def _plots(found: Analysis) -> str:
    columns = found.per_sentence()
    far = abs(found.fragments.distance)
    drawn = [
        ("Non-tree-local fragments per sentence", columns["nonlocal fragments"]),
        ("Distance of all fragments", far),
        ("Distance of non-tree-local fragments", far[found.fragments.nonlocal_]),
        ("Non-projective relations per sentence", columns["nonprojective relations"]),
        ("Excursion of non-projective relations", found.own.excursion[found.own.nonlocal_]),
    ]
    figures = "".join(
        f"<figure>{histogram(values, name)}<figcaption>{escape(name)}</figcaption></figure>" for name, values in drawn
    )
    note = "Bars are shares of the values; the line is the share of values up to there."
    return section("plots", "Distributions", note, f"<div class=plots>{figures}</div>")


def histogram(values: NDArray[np.int64], title: str, *, bars: int = 30) -> str:
    """A histogram of whole numbers from 0 with its distribution function; what lies beyond the last bar is in it."""
    floor, width = _HEIGHT - _BOTTOM, _WIDTH - _LEFT - 8
    top = max(int(values.max()), 1) if len(values) else 1
    step = -(-(top + 1) // bars)
    edges = np.arange(0, top + step + 1, step)
    counts = np.histogram(values, bins=edges)[0]
    shares = counts / max(len(values), 1)
    parts = []
    for tick in range(5):
        share = tick / 4
        y = floor - share * (floor - _TOP)
        parts.append(svg.row_of_grid(_LEFT, _WIDTH - 8, y, f"{share:.0%}"))
    wide = width / len(shares)
    every = -(-len(shares) // 10)
    line = [f"{_LEFT:.1f},{floor:.1f}"]
    below = 0.0
    for at, share in enumerate(shares.tolist()):
        first, last = int(edges[at]), int(edges[at + 1]) - 1
        label = str(first) if first == last else f"{first} to {last}"
        height = share * (floor - _TOP)
        x = _LEFT + at * wide
        parts.append(
            f'<rect class="s0" x="{x + wide * 0.1:.1f}" y="{floor - height:.1f}" width="{wide * 0.8:.1f}" '
            f'height="{height:.1f}"><title>{label}: {counts[at]:,} ({share:.1%})</title></rect>'
        )
        if at % every == 0:
            parts.append(svg.text(x + wide / 2, floor + 17, str(first)))
        below += share
        line.append(f"{x + wide / 2:.1f},{floor - below * (floor - _TOP):.1f}")
    parts.append(f'<polyline class="line" points="{" ".join(line)}"/>')
    return svg.inline(_WIDTH, _HEIGHT, title, parts)


def _nonprojectivity(found: Analysis) -> str:
    strange = found.nonprojective

    def row(name: str, spread: Spread) -> list[str]:
        values = (spread.mean, spread.deviation, spread.median, spread.low, spread.high)
        return [name, *(_number(value) for value in values)]

    rows = [row("Relations per sentence", strange.per_sentence), row("Excursion", strange.excursion)]
    heads = ["", "Mean", "Standard deviation", "Median", "5th pct", "95th pct"]
    each = f", one for {strange.words_each:.1f} words" if strange.relations else ""
    note = f"{_percent(strange.sentences)} of the sentences have a non-projective relation{each}."
    return section("nonprojective", "Non-projectivity", note, table("Non-projectivity", heads, rows))


def _gap(correlations: Correlations) -> str:
    gap = correlations.gap
    if gap is None:
        return ""
    rows = [
        ["BLEU", f"{gap.baseline_bleu:.2f}", f"{gap.oracle_bleu:.2f}", f"{gap.bleu:+.2f}"],
        ["TER", f"{gap.baseline_ter:.2f}", f"{gap.oracle_ter:.2f}", f"{gap.ter:+.2f}"],
    ]
    note = "Translations of the text as it is and in its reference order; a positive gain means that reordering helps."
    heads = ["", "Baseline", "Oracle", "Gain"]
    return section("gap", "What the reference order is worth", note, table("Oracle gap", heads, rows))


def _correlations(correlations: Correlations) -> str:
    rows = [
        [
            f"{escape(row.x)} → {escape(row.y)}",
            *(_maybe(value) for value in (row.rho, row.rho_p, row.slope, row.intercept, row.r, row.r_p)),
        ]
        for row in correlations.rows
    ]
    heads = ["", "&rho;", "p", "Slope", "Intercept", "r", "p"]
    note = "Spearman's &rho;, and a straight line by least squares; gaps are positive where the oracle is better."
    return section("correlations", "Correlations", note, table("Correlations", heads, rows))


def _differences(correlations: Correlations) -> str:
    rows = [
        [
            f"{escape(test.first)} / {escape(test.second)}, {'signed' if test.signed else 'unsigned'}",
            _maybe(test.statistic),
            _maybe(test.p),
        ]
        for test in correlations.differences
    ]
    note = "Two-sample Kolmogorov-Smirnov tests on the distances of fragments."
    return section("differences", "Do such words move differently?", note, table("Tests", ["", "D", "p"], rows))


def _maybe(value: float | None) -> str:
    return "&ndash;" if value is None else f"{value:.3g}"


def _percent(share: float) -> str:
    return f"{share:.0%}" if share in {0.0, 1.0} else f"{share:.1%}"


def _number(value: float) -> str:
    return f"{value:.2g}" if 0 < abs(value) < 0.1 else f"{value:.2f}".rstrip("0").rstrip(".")  # noqa: PLR2004
