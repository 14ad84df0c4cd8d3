"""The comparison as one web page that needs nothing else: no network, no other file."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from difflib import SequenceMatcher
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from tolka._engine import __version__
from tolka.evaluate.report.charts import bars, intervals

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.evaluate.report.analysis import Bucket, Comparisons, Example, Figure, Ngram

_SURE = 0.05
# Smaller values of p are not told apart.
_LEAST = 0.001


def render(found: Comparisons) -> str:
    """The page of a comparison.

    Example:
        >>> from tolka.evaluate import compare
        >>> page = render(compare({"a": ["the <x> sat"], "b": ["a cat sat"]}, ["the cat sat"]))
        >>> "<x>" in page, "&lt;x&gt;" in page
        (False, True)
    """
    room = files("tolka.evaluate.report")
    style, script = (room.joinpath(name).read_text("utf-8") for name in ("page.css", "page.js"))
    # Nothing but our own style and script may run, whatever the texts contain.
    policy = f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'"
    title = " · ".join(found.systems)
    lines = f"{found.sentences:,} lines, {found.references} reference{'s' if found.references > 1 else ''}"
    header = (
        f"<header><p class=kicker>Comparison of translations</p><h1>{_legend(found.systems)}</h1>"
        f"<p>{lines}. The first system is what the others are compared with.</p></header>"
    )
    body = "".join(
        [
            header,
            "<main>",
            _figures(found),
            _pairs(found),
            _buckets(
                found,
                found.lengths,
                "lengths",
                f"{found.figures[0].name} by length",
                "Lines grouped by the words of their first reference.",
                "lines",
            ),
            _buckets(
                found,
                found.frequencies,
                "frequencies",
                "Words by frequency",
                f"F1 of words, grouped by how often they occur in {escape(found.frequencies_of)}.",
                "words",
            ),
            _ngrams(found),
            _examples(found),
            _signatures(found.figures),
            f"</main><footer>Made by tolka {__version__}.</footer>",
        ]
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy, quote=True)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{style}</style></head>"
        f"<body>{body}<script>{script}</script></body></html>\n"
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _chip(index: int, name: str) -> str:
    return f'<span class="chip s{index}"><i aria-hidden=true></i><bdi>{escape(name)}</bdi></span>'


def _legend(systems: Sequence[str]) -> str:
    return " ".join(_chip(index, name) for index, name in enumerate(systems))


def _section(name: str, title: str, note: str, body: str) -> str:
    return (
        f'<section aria-labelledby="{name}"><h2 id="{name}">{escape(title)}</h2>'
        f"<p class=note>{note}</p>{body}</section>"
    )


def _table(caption: str, heads: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose cells are HTML already; the first of a row is its head."""
    head = "".join(f'<th scope="col">{cell}</th>' for cell in heads)
    lines = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>' for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption, quote=True)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _figures(found: Comparisons) -> str:
    def cell(figure: Figure, index: int) -> str:
        score, interval = figure.scores[index], figure.intervals[index]
        best = max(figure.scores) if figure.higher_is_better else min(figure.scores)
        number = f"<b>{score:.2f}</b>" if score == best else f"{score:.2f}"
        return f"{number} <small>{interval.low:.2f} to {interval.high:.2f}</small>"

    heads = ["system", *(f"{figure.name} {'↑' if figure.higher_is_better else '↓'}" for figure in found.figures)]
    rows = [
        [_chip(index, name), *(cell(figure, index) for figure in found.figures)]
        for index, name in enumerate(found.systems)
    ]
    charts = "".join(
        f"<figure><figcaption>{escape(figure.name)}</figcaption>{intervals(figure, found.systems)}</figure>"
        for figure in found.figures
    )
    rounds = found.figures[0].intervals[0].rounds
    note = f"With 95 % intervals from {rounds:,} bootstrap resamples of the lines. The best score of a column is bold."
    return _section("scores", "Scores", note, f"{_table('Scores', heads, rows)}<div class=charts>{charts}</div>")


def _pairs(found: Comparisons) -> str:
    def cell(figure: Figure, pair: tuple[int, int]) -> str:
        test = figure.pairs[pair]
        better = (test.difference > 0) == figure.higher_is_better
        kind = "same" if test.p >= _SURE else "better" if better else "worse"
        words = {"same": "not significant", "better": "better", "worse": "worse"}[kind]
        chance = f"p = {test.p:.3f}" if test.p >= _LEAST else "p &lt; 0.001"
        return f'{test.difference:+.2f} <small>{chance}</small> <span class="verdict {kind}">{words}</span>'

    rows = [
        [
            f"{_chip(j, found.systems[j])} against {_chip(i, found.systems[i])}",
            *(cell(f, (i, j)) for f in found.figures),
        ]
        for i, j in found.figures[0].pairs
    ]
    note = (
        "Approximate randomisation (Riezler and Maxwell 2005). A difference with p of 0.05 or more may be chance. "
        "With many pairs some will look significant by chance; p is not corrected for their number."
    )
    heads = ["pair", *(escape(figure.name) for figure in found.figures)]
    return _section("pairs", "Is the difference real?", note, _table("Tests of each pair", heads, rows))


def _buckets(found: Comparisons, buckets: Sequence[Bucket], name: str, title: str, note: str, unit: str) -> str:
    rows = [
        [escape(bucket.label), f"{bucket.size:,}", *(f"{value:.1f}" for value in bucket.values)] for bucket in buckets
    ]
    heads = ["bucket", unit, *(_chip(index, system) for index, system in enumerate(found.systems))]
    body = (
        f"<div class=legend>{_legend(found.systems)}</div><figure class=wide tabindex=0>{bars(buckets, found.systems, title, unit)}</figure>"
        f"<details><summary>As a table</summary>{_table(title, heads, rows)}</details>"
    )
    return _section(name, title, note, body)


def _ngrams(found: Comparisons) -> str:
    def listed(ngrams: Sequence[Ngram], caption: str, other: int) -> str:
        if not ngrams:
            return f"<div><h3>{escape(caption)}</h3><p class=note>None.</p></div>"
        rows = [[f"<bdi>{escape(' '.join(ngram.words))}</bdi>", str(ngram.first), str(ngram.other)] for ngram in ngrams]
        heads = ["words", _chip(0, found.systems[0]), _chip(other, found.systems[other])]
        return f"<div>{_table(caption, heads, rows)}</div>"

    parts = []
    for other, (won, lost) in enumerate(found.ngrams, start=1):
        name = found.systems[other]
        parts.append(
            f"<div class=two>{listed(won, f'Won by {name}', other)}{listed(lost, f'Lost by {name}', other)}</div>"
        )
    note = "Runs of words of the reference that one system finds more often than the first does, and the other way."
    return _section("ngrams", "Words won and lost", note, "".join(parts))


def _examples(found: Comparisons) -> str:
    if not found.examples:
        return _section("examples", "Sentences", "The systems score the same on every line.", "")
    choices = [('<option value="spread">largest difference first', "")]
    choices += [(f'<option value="{index}">{escape(name)} ahead most', "") for index, name in enumerate(found.systems)]
    choices.append(('<option value="line">order of the text', ""))
    options = "".join(f"{choice}</option>" for choice, _ in choices)
    cards = "".join(_card(found, example) for example in found.examples)
    note = (
        f"The {len(found.examples)} lines whose {escape(found.segment_metric)} differs most. "
        "<mark>Marked</mark> words are not where the first reference has them."
    )
    body = (
        f'<label class=sort for="sort">Sort by <select id="sort">{options}</select></label><ol id="cards">{cards}</ol>'
    )
    return _section("examples", "Sentences", note, body)


def _card(found: Comparisons, example: Example) -> str:
    sign = 1 if found.segments_higher else -1
    # How far each system is ahead of the best of the others.
    ahead = []
    for index, score in enumerate(example.scores):
        others = [sign * other for at, other in enumerate(example.scores) if at != index]
        ahead.append(f"{sign * score - max(others):.4f}")
    shown = []
    if example.source is not None:
        shown.append(f"<dt>source</dt><dd dir=auto>{escape(example.source)}</dd>")
    shown += [f"<dt>reference</dt><dd dir=auto>{escape(line)}</dd>" for line in example.references]
    for index, (name, output) in enumerate(zip(found.systems, example.outputs, strict=True)):
        shown.append(
            f"<dt>{_chip(index, name)} <small>{example.scores[index]:.1f}</small></dt>"
            f"<dd dir=auto>{_marked(output, example.references[0])}</dd>"
        )
    spread = max(example.scores) - min(example.scores)
    return (
        f'<li data-line="{example.line}" data-spread="{spread:.4f}" data-ahead="{",".join(ahead)}">'
        f"<p class=where>line {example.line}</p><dl>{''.join(shown)}</dl></li>"
    )


def _marked(output: str, reference: str) -> str:
    words, wanted = output.split(), reference.split()
    parts = []
    for kind, start, end, _, _ in SequenceMatcher(None, words, wanted, autojunk=False).get_opcodes():
        if start == end:
            continue
        text = escape(" ".join(words[start:end]))
        parts.append(text if kind == "equal" else f"<mark>{text}</mark>")
    return " ".join(parts) or "<em>nothing</em>"


def _signatures(figures: Sequence[Figure]) -> str:
    rows = [[escape(figure.name), f"<code>{escape(figure.signature)}</code>"] for figure in figures]
    note = "Scores can be compared with others only if the signatures agree."
    return _section("signatures", "Signatures", note, _table("Signatures", ["metric", "signature"], rows))
