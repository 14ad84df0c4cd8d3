"""The page about a training: one HTML file that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tolka._engine import __version__
from tolka.page import document, svg

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.pipeline.training import TrainResult

_STYLE = """
:root{color-scheme:light dark;--ink:#1c2226;--soft:#5b6770;--line:#d8dee2;--paper:#fff;--mark:#00796b}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaec;--soft:#9aa6ad;--line:#38424a;--paper:#14191c;--mark:#4db6ac}}
body{margin:0 auto;max-width:60rem;padding:2rem 1.25rem;font:16px/1.5 system-ui,sans-serif;color:var(--ink);
background:var(--paper)}
h1{font-size:1.6rem;margin:0}h2{font-size:1.15rem;margin:2.2rem 0 .6rem}.soft,footer,small{color:var(--soft)}
.tiles{display:flex;flex-wrap:wrap;gap:1rem;margin:1.4rem 0}.tiles div{border:1px solid var(--line);border-radius:8px;
padding:.6rem 1rem;min-width:7rem}.tiles b{display:block;font-size:1.5rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;
border-bottom:1px solid var(--line)}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}svg{width:100%;height:auto;max-width:44rem}svg text{fill:var(--soft);font-size:12px}
svg .grid{stroke:var(--line)}svg .curve{fill:none;stroke:var(--mark);stroke-width:2}svg .dot{fill:var(--mark)}
.samples td{width:33%}.note{border-left:3px solid var(--mark);padding-left:.8rem}
"""

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 640, 240, 48, 14, 34


def training_page(result: TrainResult) -> str:
    """The page of a training."""
    source, target = result.settings.langs
    title = f"{source} → {target}"
    body = "".join(
        [
            f"<header><p class=soft>A translator trained by tolka</p><h1>{escape(title)}</h1></header><main>",
            *(f"<p class=note>{escape(note)}.</p>" for note in result.notes),
            _tiles(result),
            _tuning(result),
            _test(result),
            _samples(result),
            _stages(result),
            _weights(result),
            _settings(result),
            f"</main><footer>Made by tolka {escape(__version__)}.</footer>",
        ]
    )
    return document(title, body, style=_STYLE)


def _tiles(result: TrainResult) -> str:
    sizes = result.sizes
    tiles = [
        ("sentence pairs", f"{sizes['pairs']:,}"),
        ("rules", "on demand" if result.settings.growing else f"{sizes['rules']:,}"),
        ("n-grams", f"{sizes['ngrams']:,}"),
        ("model", amount(sizes["bytes"])),
        ("time", duration(result.seconds)),
    ]
    if result.tuning is not None and result.dev_score is not None:
        tiles.insert(0, (f"{result.tuning['metric'].upper()} of the development set", f"{result.dev_score:.2f}"))
    if result.test is not None:
        tiles[:0] = [(f"{score.name} of the test set", f"{score.score:.2f}") for score in result.test.scores[:1]]
    return f"<div class=tiles>{''.join(f'<div><b>{value}</b>{escape(name)}</div>' for name, value in tiles)}</div>"


def _tuning(result: TrainResult) -> str:
    if result.tuning is None:
        return ""
    metric = result.tuning["metric"].upper()
    first = [step["score"] for step in result.tuning["history"] if step["restart"] == 0]
    note = (
        f"{metric} of the development set, of words, after each round of tuning with {escape(result.settings.tuner)}."
    )
    return f"<h2>Tuning</h2><p class=soft>{note}</p>{curve(first, f'{metric} by iteration')}"


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
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.1f}</text>')
    points = " ".join(f"{x(at):.1f},{y(score):.1f}" for at, score in enumerate(scores))
    parts.append(f'<polyline class="curve" points="{points}"/>')
    for at, score in enumerate(scores):
        parts.append(
            f'<circle class="dot" cx="{x(at):.1f}" cy="{y(score):.1f}" r="4">'
            f"<title>iteration {at}: {score:.2f}</title></circle>"
            f'<text x="{x(at):.1f}" y="{floor + 20}" text-anchor="middle">{at}</text>'
        )
    return svg.inline(_WIDTH, _HEIGHT, title, parts)


def _test(result: TrainResult) -> str:
    if result.test is None:
        return ""
    rows = [
        (score.name, f"{score.score:.2f}", f"<small>{escape(score.signature)}</small>") for score in result.test.scores
    ]
    speed = result.test.sentences / result.test_seconds if result.test_seconds > 0 else 0.0
    note = (
        f"{result.test.sentences:,} lines, translated in {duration(result.test_seconds)}: {speed:,.0f} lines a second."
    )
    return f"<h2>Test set</h2><p class=soft>{note}</p>{_table(('metric', 'score', 'signature'), rows, numbers=(1,))}"


def _samples(result: TrainResult) -> str:
    if not result.samples:
        return ""
    rows = [tuple(map(escape, (one.source, one.translation, one.reference))) for one in result.samples]
    of = "test" if result.test is not None else "development"
    return (
        f"<h2>Samples</h2><p class=soft>From the {of} set.</p>"
        f"{_table(('source', 'translation', 'reference'), rows, kind='samples')}"
    )


def _stages(result: TrainResult) -> str:
    rows = [
        (escape(one.name), "kept from before" if one.cached else duration(one.usage.seconds), amount(one.bytes))
        for one in result.run.stages
    ]
    return f"<h2>Stages</h2>{_table(('stage', 'time', 'size'), rows, numbers=(1, 2))}"


def _weights(result: TrainResult) -> str:
    rows = [(escape(name), f"{weight:.4f}") for name, weight in result.weights.items()]
    return f"<h2>Weights</h2>{_table(('feature', 'weight'), rows, numbers=(1,))}"


def _settings(result: TrainResult) -> str:
    asked = result.settings
    listed = {
        "kind": asked.kind,
        "text": "tokenised already" if asked.tokenised else "tokenised and truecased here",
        "language model": asked.lm.name if asked.lm is not None else f"order {asked.order}",
        "further text": ", ".join(path.name for path in asked.mono) or "none",
        "tuner": asked.tuner,
        "seed": str(asked.seed),
        "other settings": ", ".join(asked.overrides) or "none",
    }
    rows = [(escape(name), escape(value)) for name, value in listed.items()]
    return f"<h2>Settings</h2>{_table(('setting', 'value'), rows)}"


def _table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: tuple[int, ...] = (), kind: str = ""
) -> str:
    """A table whose cells are HTML already."""

    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(f"<{tag}{' class=n' if at in numbers else ''}>{cell}</{tag}>" for at, cell in enumerate(row))

    lines = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f'<div class=scroll><table class="{kind}"><thead><tr>{cells("th", heads)}</tr></thead><tbody>{lines}</tbody></table></div>'


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
