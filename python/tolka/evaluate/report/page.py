"""The comparison as one web page that needs nothing else: no network, no other file."""

from __future__ import annotations

from difflib import SequenceMatcher
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from tolka.evaluate.report.charts import bars, intervals
from tolka.evaluate.report.verdict import SURE, verdict
from tolka.evaluate.significance import p_text
from tolka.page import chip, chips, document, made_by, page_style, section, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.evaluate.report.analysis import Bucket, Comparisons, Example, Figure, Ngram


def render(found: Comparisons) -> str:
    """The page of a comparison.

    Example:
        >>> from tolka.evaluate import compare
        >>> page = render(compare({"a": ["the <x> sat"], "b": ["a cat sat"]}, ["the cat sat"]))
        >>> "<x>" in page, "&lt;x&gt;" in page
        (False, True)
    """
    script = files("tolka.evaluate.report").joinpath("page.js").read_text("utf-8")
    title = " · ".join(found.systems)
    lines = f"{found.sentences:,} lines, {found.references} reference{'s' if found.references > 1 else ''}"
    header = (
        f"<header><p class=kicker>Comparison of translations</p><h1>{chips(found.systems)}</h1>"
        f"<p class=said><b>{escape(verdict(found))}</b></p><p>{lines}. The first system is what the others are compared with.</p></header>"
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
            f"</main>{made_by()}",
        ]
    )
    return document(title, body, style=page_style(), script=script)


def _figures(found: Comparisons) -> str:
    def cell(figure: Figure, index: int) -> str:
        score, interval = figure.scores[index], figure.intervals[index]
        best = max(figure.scores) if figure.higher_is_better else min(figure.scores)
        number = f"<b>{score:.2f}</b>" if score == best else f"{score:.2f}"
        return f"{number} <small>{interval.low:.2f} to {interval.high:.2f}</small>"

    heads = ["system", *(f"{figure.name} {'↑' if figure.higher_is_better else '↓'}" for figure in found.figures)]
    rows = [
        [chip(index, name), *(cell(figure, index) for figure in found.figures)]
        for index, name in enumerate(found.systems)
    ]
    charts = "".join(
        f"<figure><figcaption>{escape(figure.name)}</figcaption>{intervals(figure, found.systems)}</figure>"
        for figure in found.figures
    )
    rounds = found.figures[0].intervals[0].rounds
    note = f"With 95 % intervals from {rounds:,} bootstrap resamples of the lines. The best score of a column is bold."
    return section("scores", "Scores", note, f"{table('Scores', heads, rows)}<div class=charts>{charts}</div>")


def _pairs(found: Comparisons) -> str:
    def cell(figure: Figure, pair: tuple[int, int]) -> str:
        test = figure.pairs[pair]
        better = (test.difference > 0) == figure.higher_is_better
        kind = "same" if test.p >= SURE else "better" if better else "worse"
        words = {"same": "not significant", "better": "better", "worse": "worse"}[kind]
        chance = escape(p_text(test.p))
        return f'{test.difference:+.2f} <small>{chance}</small> <span class="verdict {kind}">{words}</span>'

    rows = [
        [
            f"{chip(j, found.systems[j])} against {chip(i, found.systems[i])}",
            *(cell(f, (i, j)) for f in found.figures),
        ]
        for i, j in found.figures[0].pairs
    ]
    note = (
        "Approximate randomisation (Riezler and Maxwell 2005). A difference with p of 0.05 or more may be chance. "
        "With many pairs some will look significant by chance; p is not corrected for their number."
    )
    heads = ["pair", *(escape(figure.name) for figure in found.figures)]
    return section("pairs", "Is the difference real?", note, table("Tests of each pair", heads, rows))


def _buckets(found: Comparisons, buckets: Sequence[Bucket], name: str, title: str, note: str, unit: str) -> str:
    rows = [
        [escape(bucket.label), f"{bucket.size:,}", *(f"{value:.1f}" for value in bucket.values)] for bucket in buckets
    ]
    heads = ["bucket", unit, *(chip(index, system) for index, system in enumerate(found.systems))]
    body = (
        f"<div class=legend>{chips(found.systems)}</div><figure class=wide tabindex=0>{bars(buckets, found.systems, title, unit)}</figure>"
        f"<details><summary>As a table</summary>{table(title, heads, rows)}</details>"
    )
    return section(name, title, note, body)


def _ngrams(found: Comparisons) -> str:
    def listed(ngrams: Sequence[Ngram], caption: str, other: int) -> str:
        if not ngrams:
            return f"<div><h3>{escape(caption)}</h3><p class=note>None.</p></div>"
        rows = [[f"<bdi>{escape(' '.join(ngram.words))}</bdi>", str(ngram.first), str(ngram.other)] for ngram in ngrams]
        heads = ["words", chip(0, found.systems[0]), chip(other, found.systems[other])]
        return f"<div>{table(caption, heads, rows)}</div>"

    parts = []
    for other, (won, lost) in enumerate(found.ngrams, start=1):
        name = found.systems[other]
        parts.append(
            f"<div class=two>{listed(won, f'Won by {name}', other)}{listed(lost, f'Lost by {name}', other)}</div>"
        )
    note = "Runs of words of the reference that one system finds more often than the first does, and the other way."
    return section("ngrams", "Words won and lost", note, "".join(parts))


def _examples(found: Comparisons) -> str:
    if not found.examples:
        return section("examples", "Sentences", "The systems score the same on every line.", "")
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
    return section("examples", "Sentences", note, body)


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
            f"<dt>{chip(index, name)} <small>{example.scores[index]:.1f}</small></dt>"
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
    return section("signatures", "Signatures", note, table("Signatures", ["metric", "signature"], rows))
