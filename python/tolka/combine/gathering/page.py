"""The page about a translator of all sources: one HTML file that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tolka.combine.page import STYLE, chart, notes_section, spread
from tolka.evaluate import p_text
from tolka.page import document, made_by, page_style, section, table, tiles
from tolka.pipeline.training_page import duration

if TYPE_CHECKING:
    from tolka.combine.gathering.run import Gathering


def gathering_page(result: Gathering) -> str:
    """The page of all sources in one translator."""
    source, target = result.settings.sources.langs
    title = f"{source} → {target}, of all sources"
    body = "".join(
        [
            f"<header><p class=kicker>Gathered by tolka</p><h1>{escape(title)}</h1></header><main>",
            notes_section(result.notes),
            _tiles(result),
            _picture(result) if len(result.rows) > 1 else "",
            _scores(result) if result.rows else "",
            _given(result) if len(result.rows) > 1 else "",
            _parts(result),
            f"</main>{made_by()}",
        ]
    )
    return document(title, body, style=page_style() + STYLE)


def _tiles(result: Gathering) -> str:
    test = [] if result.test is None else [("BLEU of the test set", f"{result.test:.2f}")]
    return tiles(
        [
            ("steps", escape(" + ".join(result.settings.steps)) or "none"),
            ("parts", f"{len(result.parts)}"),
            *test,
            ("tunings", f"{result.settings.tunings}"),
            ("time", duration(result.seconds)),
        ]
    )


def _picture(result: Gathering) -> str:
    note = "BLEU of the test set, the mean of all tunings, with 95 % intervals of resampled sentences."
    rows = {row.name: {"test set": row.test} for row in result.rows}
    return section("picture", "Scores", note, chart(rows, result.settings.whole.name))


def _scores(result: Gathering) -> str:
    rows = [
        (
            f"<b>{escape(row.name)}</b>" if row.name == result.settings.whole.name else escape(row.name),
            spread(row.test.scores, row.test.mean, row.test.deviation),
            f"{row.covered.unknown_types:,}",
            f"{row.covered.unknown_tokens:,}",
            "&ndash;" if row.seconds is None else f"{row.seconds:.1f}",
        )
        for row in result.rows
    ]
    note = (
        "BLEU of the test set, mean and standard deviation of the tunings; different words of it that nothing translates, how "
        "often they come, and the processor time of translating it in seconds."
    )
    heads = ("system", "test", "unknown words", "their number", "seconds")
    return section("scores", "With and without each step", note, table("Scores", heads, rows))


def _given(result: Gathering) -> str:
    rows = [
        (escape(row.name), escape(name), f"{row.differences[name]:+.2f}", escape(p_text(p)))
        for row in result.rows
        for name, p in row.p.items()
    ]
    note = (
        "The difference of all tunings as one text, and how often chance alone makes such a difference (approximate "
        "randomisation)."
    )
    return section("given", "What steps give", note, table("Differences", ("system", "against", "BLEU", "p"), rows))


def _parts(result: Gathering) -> str:
    rows = [(escape(name), f"{weight:.3g}") for name, weight in result.parts.items()]
    note = f"What translates together, by {escape(result.settings.operation)}, and what each counts."
    return section("parts", "Parts", note, table("Parts", ("part", "lambda"), rows))
