"""Learning curves as a page: tau, interval width and error against the number of answers."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from tolka.judge.report.charts import Line, legend, line_chart
from tolka.judge.report.style import report_style
from tolka.page import document, made_by, section, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.judge.ask import Curve, Saving, Simulation


def render_curves(found: Simulation, savings: Sequence[Saving] = (), *, title: str = "Learning curves") -> str:
    """The page of a simulation or a replay.

    Example:
        >>> from tolka.judge.ask import simulate
        >>> "Kendall" in render_curves(simulate(4, 1.0, 20, ["information"], runs=2))
        True
    """
    names = [curve.strategy for curve in found.curves]
    real = "pool" in found.settings
    goal = "the ranking by all answers" if real else "the true ranking"
    header = (
        f"<header><p class=kicker>Ways of asking compared</p><h1>{escape(title)}</h1>"
        f"<p>{found.settings['items']} items, {found.settings['answers']:,} answers, {found.settings['runs']} runs. "
        "Every ranking is that of the same model: only the questions differ.</p></header><main>"
    )
    parts = [
        header,
        section(
            "tau",
            "How right is the order?",
            f"Kendall's tau with {goal}; 1 is the same order. The band is one standard error over runs.",
            legend(names) + _figure(found.curves, "tau", "Kendall's tau", "answers", bounded=True),
        ),
    ]
    if savings:
        rows = [
            [
                f"{escape(one.strategy)}, tau {one.tau:g}",
                f"{one.ratio:.2f}",
                f"{one.low:.2f} to {one.high:.2f}",
                _verdict(one),
            ]
            for one in savings
        ]
        note = f"Answers needed, as a share of what <b>{escape(savings[0].baseline)}</b> needs for the same tau."
        heads = ["strategy", "ratio", "95 %", ""]
        parts.append(section("saved", "How many answers does it save?", note, table("Savings", heads, rows)))
    parts.append(
        section(
            "width",
            "How sure is it?",
            "The mean width of the 95 % intervals of the scores. A strategy that cares for the order alone leaves "
            "scores of items far from the others less well known.",
            legend(names) + _figure(found.curves, "width", "interval width", "answers"),
        )
    )
    heads = ["answers", *(escape(f"{name}: tau") for name in names), *(escape(f"{name}: width") for name in names)]
    rows = [
        [
            f"{answers:,}",
            *(f"{curve.tau.mean(axis=0)[at]:.3f}" for curve in found.curves),
            *(f"{curve.width.mean(axis=0)[at]:.3f}" for curve in found.curves),
        ]
        for at, answers in enumerate(found.curves[0].answers)
    ]
    settings = "|".join(f"{name}:{value}" for name, value in found.settings.items())
    parts += [
        section("numbers", "Numbers", "Means over runs.", table("Numbers", heads, rows)),
        section(
            "settings",
            "Settings",
            "The same settings and seed give the same curves.",
            f"<code class=cite>{escape(settings)}</code>",
        ),
        f"</main>{made_by()}",
    ]
    return document(title, "".join(parts), style=report_style())


def _figure(curves: Sequence[Curve], column: str, y_label: str, x_label: str, *, bounded: bool = False) -> str:
    lines = []
    for curve in curves:
        values = getattr(curve, column)
        mean = values.mean(axis=0)
        error = values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.zeros(len(mean))
        lines.append(Line(curve.strategy, curve.answers, list(mean), list(mean - error), list(mean + error)))
    lowest = min(min(line.low or line.y) for line in lines)
    chart = line_chart(
        lines, title=y_label, x_label=x_label, y_label=y_label, y_range=(min(0.0, lowest), 1.0) if bounded else None
    )
    return f"<figure class=wide tabindex=0>{chart}</figure>"


def _verdict(one: Saving) -> str:
    kind, words = ("same", "cannot be told from no difference")
    if one.high < 1:
        kind, words = ("better", "fewer answers")
    elif one.low > 1:
        kind, words = ("worse", "more answers")
    return f'<span class="verdict {kind}">{words}</span>'
