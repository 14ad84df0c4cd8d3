"""The page about a stacked model: one HTML file that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tolka.combine.page import STYLE, chart, notes_section, spread
from tolka.evaluate import p_text
from tolka.page import document, made_by, page_style, section, table, tiles
from tolka.pipeline.training_page import duration

if TYPE_CHECKING:
    from tolka.combine.stacking.row import StackRow
    from tolka.combine.stacking.run import Stacking


def stacking_page(result: Stacking) -> str:
    """The page of a stacked model."""
    source, target = result.settings.langs
    title = f"{source} → {target}, stacked"
    body = "".join(
        [
            f"<header><p class=kicker>Stacked by tolka</p><h1>{escape(title)}</h1></header><main>",
            notes_section(result.notes),
            _tiles(result),
            _picture(result) if len(result.rows) > 1 else "",
            _scores(result) if result.rows else "",
            _folds(result),
            _texts(result),
            f"</main>{made_by()}",
        ]
    )
    return document(title, body, style=page_style() + STYLE)


def _tiles(result: Stacking) -> str:
    test = [] if result.test is None else [("BLEU of the test set", f"{result.test:.2f}")]
    return tiles(
        [
            ("models", f"{len(result.folds)}"),
            ("operation", escape(result.settings.operation)),
            *test,
            ("BLEU held out", f"{result.held_out:.2f}"),
            ("tunings of each", f"{result.settings.tunings}"),
            ("time", duration(result.seconds)),
        ]
    )


def _picture(result: Stacking) -> str:
    note = "BLEU of the test set, the mean of all tunings, with 95 % intervals of resampled sentences."
    rows = {row.name: {"test set": row.test} for row in result.rows}
    return section("picture", "Scores", note, chart(rows, result.settings.operation))


def _scores(result: Stacking) -> str:
    baselines = [name for name in ("conventional", "retrained") if any(row.name == name for row in result.rows)]
    heads = ("way", "test", *(f"against {name}" for name in baselines), "models")
    rows = [
        (
            f"<b>{escape(row.name)}</b>" if row.name == result.settings.operation else escape(row.name),
            spread(row.test.scores, row.test.mean, row.test.deviation),
            *(_against(row, name) for name in baselines),
            f"{row.models}",
        )
        for row in result.rows
    ]
    note = (
        "BLEU of the test set, mean and standard deviation of the tunings; the difference of all tunings as one text, and how "
        "often chance alone makes such a difference (approximate randomisation)."
    )
    return section("scores", "All ways", note, table("Scores", heads, rows))


def _against(row: StackRow, name: str) -> str:
    return escape(f"{row.differences[name]:+.2f}, {p_text(row.p[name])}") if name in row.p else "&ndash;"


def _folds(result: Stacking) -> str:
    rows = [(f"{fold.number}", f"{fold.pairs:,}", f"{fold.score:.2f}") for fold in result.folds]
    note = (
        f"All text is divided into {result.settings.folds} folds. Each model is trained on all but one of them and tuned on "
        "that one; BLEU is that of its words under the weights that were found."
    )
    return section("folds", "Models", note, table("Models", ("without fold", "pairs tuned on", "BLEU"), rows))


def _texts(result: Stacking) -> str:
    rows = [(escape(name), f"{pairs:,}") for name, pairs in result.pairs.items()]
    return section("texts", "Texts", "Pairs after cleaning.", table("Texts", ("text", "pairs"), rows))
