"""The page about a comparison: one HTML file that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tolka.combine.page import STYLE, chart, notes_section, spread
from tolka.evaluate import p_text
from tolka.page import chips, document, made_by, page_style, section, table, tiles
from tolka.pipeline.training_page import duration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.combine.adaptation.comparing import Adaptation
    from tolka.combine.adaptation.row import Row

_SETS = ("development set", "test set")


def adaptation_page(result: Adaptation) -> str:
    """The page of a comparison."""
    source, target = result.settings.langs
    title = f"{source} → {target}, adapted"
    body = "".join(
        [
            f"<header><p class=kicker>Ways to adapt, compared by tolka</p><h1>{escape(title)}</h1></header><main>",
            notes_section(result.notes),
            _tiles(result),
            _picture(result),
            _scores(result),
            _found(result.rows),
            _texts(result),
            f"</main>{made_by()}",
        ]
    )
    return document(title, body, style=page_style() + STYLE)


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
    rows = {row.name: dict(zip(_SETS, (row.dev, row.test), strict=True)) for row in result.rows}
    return section("picture", "Scores", note, f"<div class=legend>{chips(_SETS)}</div>{chart(rows, result.best)}")


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
