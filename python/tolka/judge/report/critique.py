"""The critique of BLEU as a page: the curve and the traps."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tolka.judge.report.charts import Line, legend, line_chart
from tolka.judge.report.style import report_style
from tolka.page import document, made_by, section, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.judge.experiment.surprisal import Point
    from tolka.judge.experiment.traps import Verdict


def render_critique(verdicts: Sequence[Verdict], curve: Sequence[Point] = ()) -> str:
    """The page of both experiments."""
    title = "What BLEU does not see"
    parts = [
        f"<header><p class=kicker>Mohammad 2012, sections 3.1 and 3.2</p><h1>{title}</h1></header><main>",
        _curve(curve) if curve else "",
        _traps(verdicts),
        f"</main>{made_by()}",
    ]
    return document(title, "".join(parts), style=report_style())


def _curve(curve: Sequence[Point]) -> str:
    ordered = sorted(curve, key=lambda point: point.information)
    left = [point.information for point in ordered]
    lines = [
        Line("surprising words replaced", left, [point.bleu for point in ordered]),
        Line(
            "random words replaced, as much information gone", left, [point.control for point in ordered], dashed=True
        ),
    ]
    chart = line_chart(
        lines, title="BLEU by information", x_label="nats per word left", y_label="BLEU", y_range=(0.0, 100.0)
    )
    note = (
        "The most surprising words of a text, which carry most of its information, are replaced by the likeliest words; "
        "BLEU is against the text itself. Where the solid line is above the dashed one, BLEU minds the loss of "
        "content less than the loss of as much information from common words."
    )
    return section(
        "curve",
        "A text without its information",
        note,
        f"{legend([line.name for line in lines])}<figure class=wide tabindex=0>{chart}</figure>",
    )


def _traps(verdicts: Sequence[Verdict]) -> str:
    rows = [
        [
            f"<bdi>{escape(one.trap.trap)}</bdi>",
            f"<bdi>{escape(one.trap.adequate)}</bdi>",
            escape(one.metric),
            f"{one.trap_score:.1f}",
            f"{one.adequate_score:.1f}",
            f'<span class="verdict {"better" if one.passed else "worse"}">{"passed" if one.passed else "fooled"}</span>',
        ]
        for one in verdicts
    ]
    heads = ["trap", "says what the reference says", "metric", "trap", "right", ""]
    note = "Fluent outputs that say something else than the reference, against rewordings that say the same."
    return section("traps", "Traps", note, table("Traps", heads, rows))
