"""The page about a training: one HTML file that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from tolka.corpus.clean import RULE_MEANINGS
from tolka.page import document, made_by, page_style, section, svg, table, tiles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.pipeline.training import TrainResult

_STYLE = """
.words td:last-child,.words th:last-child{text-align:left;white-space:normal}
.words caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.attention{border-left:4px solid var(--mark-line);background:var(--mark)}
.attention ul{margin:.3rem 0 0;padding-left:1.2rem;overflow-wrap:anywhere}
#cards li{content-visibility:visible}
.chart{max-width:34rem}
.example{font-weight:400;margin-top:.3rem;overflow-wrap:anywhere}
.curve{fill:none;stroke:currentColor;stroke-width:2}
"""

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 420, 210, 42, 14, 34


def training_page(result: TrainResult) -> str:
    """The page of a training."""
    source, target = result.settings.langs
    title = f"{source} → {target}"
    body = "".join(
        [
            f"<header><p class=kicker>A translator trained by tolka</p><h1>{escape(title)}</h1></header><main>",
            _notes(result),
            _tiles(result),
            _tuning(result),
            _test(result),
            _samples(result),
            _cleaning(result),
            _stages(result),
            _weights(result),
            _settings(result),
            f"</main>{made_by()}",
        ]
    )
    return document(title, body, style=page_style() + _STYLE)


def _notes(result: TrainResult) -> str:
    if not result.notes:
        return ""
    items = "".join(f"<li>{escape(note)}.</li>" for note in result.notes)
    return (
        f'<section class=attention aria-labelledby="notes"><h2 id="notes">Worth knowing</h2><ul>{items}</ul></section>'
    )


def _tiles(result: TrainResult) -> str:
    sizes = result.sizes
    facts = [
        ("sentence pairs", f"{sizes['pairs']:,}"),
        *_parts(result),
        ("model", amount(sizes["bytes"])),
        ("time", duration(result.seconds)),
    ]
    if result.tuning is not None and result.dev_score is not None:
        facts.insert(0, (f"{result.tuning['metric'].upper()} of the development set", f"{result.dev_score:.2f}"))
    if result.test is not None:
        facts[:0] = [(f"{score.name} of the test set", f"{score.score:.2f}") for score in result.test.scores[:1]]
    return tiles(facts)


def _parts(result: TrainResult) -> list[tuple[str, str]]:
    """What the model is made of."""
    sizes = result.sizes
    ngrams = [("n-grams", f"{sizes['ngrams']:,}")] if "ngrams" in sizes else []
    if "phrases" in sizes:
        return [("pairs of phrases", f"{sizes['phrases']:,}"), *ngrams]
    rules = "on demand" if result.settings.growing else f"{sizes['rules']:,}"
    return [("rules", rules), *ngrams]


def _tuning(result: TrainResult) -> str:
    if result.tuning is None:
        return ""
    metric = result.tuning["metric"].upper()
    first = [step["score"] for step in result.tuning["history"] if step["restart"] == 0]
    note = (
        f"{metric} of the development set, of words, with each penalty of classifiers, the largest first."
        if result.settings.chosen_tuner == "penalty"
        else f"{metric} of the development set, of words, after each round of tuning with {escape(result.settings.chosen_tuner)}."
    )
    return section("tuning", "Tuning", note, f"<div class=chart>{curve(first, f'{metric} by iteration')}</div>")


def curve(scores: Sequence[float], title: str) -> str:
    """Scores by iteration as a line, in SVG.

    Example:
        >>> curve([10.0, 20.0], "BLEU").count("<circle")
        2
    """
    low, high = min(scores), max(scores)
    margin = (high - low) * 0.1 or 1.0
    low, high = low - margin, high + margin
    floor = _HEIGHT - _BOTTOM

    def x(at: int) -> float:
        return _LEFT + 12 + at * (_WIDTH - _LEFT - 36) / max(len(scores) - 1, 1)

    def y(score: float) -> float:
        return floor - (score - low) / (high - low) * (floor - _TOP)

    parts = []
    for step in range(5):
        value = low + (high - low) * step / 4
        parts.append(svg.row_of_grid(_LEFT, _WIDTH, y(value), f"{value:.1f}"))
    points = " ".join(f"{x(at):.1f},{y(score):.1f}" for at, score in enumerate(scores))
    parts.append(f'<g class="s0"><polyline class="curve" points="{points}"/>')
    for at, score in enumerate(scores):
        parts.append(
            f'<circle cx="{x(at):.1f}" cy="{y(score):.1f}" r="4"><title>iteration {at}: {score:.2f}</title></circle>'
        )
    parts.append("</g>")
    parts.extend(svg.text(x(at), floor + 20, str(at)) for at in range(len(scores)))
    return svg.inline(_WIDTH, _HEIGHT, title, parts)


def _test(result: TrainResult) -> str:
    if result.test is None:
        return ""
    rows = [
        (escape(score.name), f"{score.score:.2f}", f"<code>{escape(score.signature)}</code>")
        for score in result.test.scores
    ]
    speed = result.test.sentences / result.test_seconds if result.test_seconds > 0 else 0.0
    note = (
        f"{result.test.sentences:,} lines, translated in {duration(result.test_seconds)}: {speed:,.0f} lines a second."
    )
    body = table("Scores of the test set", ("metric", "score", "signature"), rows)
    return section("test", "Test set", note, f"<div class=words>{body}</div>")


def _samples(result: TrainResult) -> str:
    if not result.samples:
        return ""
    cards = "".join(
        "<li><dl>"
        + "".join(
            f'<dt>{name}</dt><dd dir="auto">{escape(text)}</dd>'
            for name, text in (("source", one.source), ("translation", one.translation), ("reference", one.reference))
        )
        + "</dl></li>"
        for one in result.samples
    )
    of = "test" if result.test is not None else "development"
    return section("samples", "Samples", f"From the {of} set.", f'<ol id="cards">{cards}</ol>')


def _cleaning(result: TrainResult) -> str:
    """What was dropped and why, with an example of each rule."""
    account = result.cleaning
    note = f"{account['pairs']:,} pairs were read, {account['kept']:,} kept and {account['dropped']:,} dropped."
    if account["skipped"]:
        left_out = ", ".join(f"{count:,} {escape(reason)}" for reason, count in account["skipped"].items())
        note += f" The reader left out before: {left_out}."
    for more in account["notes"]:
        note += f" {escape(more)}."
    rows = [
        (
            f"{escape(one['rule'])} <small>{escape(RULE_MEANINGS[one['rule']])}</small>{_example(one['examples'])}",
            f"{one['count']:,}",
            f"{one['share']:.1%}",
        )
        for one in account["rules"]
        if one["count"]
    ]
    if not rows:
        return section("cleaning", "Cleaning", note, "")
    body = table("What was dropped", ("rule, and the first pair it dropped", "pairs", "share"), rows)
    return section("cleaning", "Cleaning", note, body)


def _example(examples: Sequence[Mapping[str, Any]]) -> str:
    if not examples:
        return ""
    one = examples[0]
    sides = "<br>".join(f'<bdi dir="auto">{escape(one[side])}</bdi>' for side in ("source", "target"))
    return f"<div class=example><small>line {one['line']:,}</small><br>{sides}</div>"


def _stages(result: TrainResult) -> str:
    rows = [
        (escape(one.name), "kept from before" if one.cached else duration(one.usage.seconds), amount(one.bytes))
        for one in result.run.stages
    ]
    note = "What was done, how long it took, and how large what it made is."
    return section("stages", "Stages", note, table("Stages", ("stage", "time", "size"), rows))


def _weights(result: TrainResult) -> str:
    if not result.weights:
        return ""
    rows = [(escape(name), f"{weight:.4f}") for name, weight in result.weights.items()]
    note = "How much each feature counts in the choice of a translation."
    return section("weights", "Weights", note, table("Weights", ("feature", "weight"), rows))


def _settings(result: TrainResult) -> str:
    asked = result.settings
    listed = {
        "kind": asked.kind,
        "text": "tokenised already" if asked.tokenised else "tokenised and truecased here",
        **({"system": asked.system or "best"} if asked.kind == "multitree" else {}),
        **(
            {"language model": asked.lm.name if asked.lm else f"order {asked.order}"}
            if "ngrams" in result.sizes
            else {}
        ),
        "further text": ", ".join(path.name for path in asked.mono) or "none",
        "tuner": asked.chosen_tuner,
        "seed": str(asked.seed),
        "other settings": ", ".join(asked.overrides) or "none",
    }
    rows = [(escape(name), escape(value)) for name, value in listed.items()]
    body = table("Settings", ("setting", "value"), rows)
    return section("settings", "Settings", "What was asked for.", f"<div class=words>{body}</div>")


def amount(size: float) -> str:
    """Bytes as people say them.

    Example:
        >>> amount(590741312)
        '591 MB'
    """
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:  # noqa: PLR2004
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def duration(seconds: float) -> str:
    """Seconds as people say them.

    Example:
        >>> duration(3.21), duration(200)
        ('3.2 s', '3 min 20 s')
    """
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds) // 60} min {int(seconds) % 60} s"  # noqa: PLR2004
