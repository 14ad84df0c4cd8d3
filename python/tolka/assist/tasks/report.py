"""The page that says what answers changed: the whole in numbers, each answer's effect, how people did, what was learned."""

from __future__ import annotations

from difflib import SequenceMatcher
from html import escape
from typing import TYPE_CHECKING

from tolka.judge.report.charts import Line, legend, line_chart
from tolka.judge.report.style import report_style
from tolka.page import document, made_by, section, table, tiles
from tolka.page.svg import readable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tolka.assist.dialogue import Effect
    from tolka.assist.tasks.outcome import Overview, Result

# Beyond so many a page is no longer read; export has them all.
MOST_SHOWN = 500
_STYLE = """
.effect{border-top:1px solid var(--line);padding:.8rem 0}
.effect p{margin:.2rem 0;overflow-wrap:anywhere}
.effect ol{margin:.2rem 0;padding-inline-start:1.5rem;overflow-wrap:anywhere}
.effect del,.effect ins{text-decoration-thickness:2px;text-underline-offset:.2em}
.effect .said{font-weight:600}
.mono{font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:.85em}
"""


def render(found: Overview, every: Sequence[Result], *, title: str, anonymous: bool = False) -> str:
    """The page.

    Args:
        found: How the tasks stand.
        every: Every sentence.
        title: What they are called.
        anonymous: Whether people are called helper 1 and so on.
    """
    names = {one.name: f"helper {number}" for number, one in enumerate(found.people, 1)} if anonymous else {}

    def call(by: str) -> str:
        return ", ".join(names.get(one, one) for one in by.split(", ")) if names else by

    effects = [(one, effect) for one in every for effect in one.effects]
    changed = sum(one.result != one.first for one in every)
    what = "trees" if found.task == "parse" else "translations"
    parts = [
        f"<header><p class=kicker>What answers changed</p><h1>{escape(readable(title))}</h1></header><main>",
        tiles(
            [
                ("sentences", f"{found.sentences:,}"),
                ("answers", f"{found.answers:,}"),
                (f"{what} changed", f"{changed:,}"),
                ("questions left", f"{found.open:,}"),
                ("people", f"{len(found.people):,}"),
            ]
        ),
        section("learned", "What was learned", _learned_note(effects), _curve([effect for _, effect in effects])),
        section(
            "people",
            "Who answered",
            "How far somebody is believed follows from their test questions. Whoever fails too many does not count.",
            table(
                "Who answered",
                ["who", "answers", "tests right", "believed", "median time", "cannot tell", ""],
                _people(found, call),
            ),
        ),
        section("effects", "What each answer changed", _shown_note(effects), _effects(effects, call)),
    ]
    troubles = [one for one in every if one.trouble]
    if troubles:
        rows = [[str(one.sentence + 1), _text(one.text), escape(one.trouble)] for one in troubles[:MOST_SHOWN]]
        note = "They have no question, and an empty line in what is exported."
        parts.append(
            section(
                "troubles", "Nothing could be made of these", note, table("Troubles", ["line", "sentence", "why"], rows)
            )
        )
    body = "".join(parts) + "</main>" + made_by()
    return document(readable(title), body, style=report_style() + _STYLE)


def _learned_note(effects: Sequence[tuple[Result, Effect]]) -> str:
    known = [effect.gained for _, effect in effects if effect.gained is not None]
    expected = sum(effect.question.information for _, effect in effects)
    said = f"{len(effects):,} answers were expected to tell {expected:.1f} nats in all"
    return f"{said}, and told {sum(known):.1f}." if known else f"{said}."


def _curve(effects: Sequence[Effect]) -> str:
    """What was learned by how many answers, the most telling question of each sentence first, as people were asked."""
    if len(effects) < 2:  # noqa: PLR2004 (a curve needs two points)
        return "<p>There are too few answers for a curve.</p>"
    ordered = sorted(effects, key=lambda one: -one.question.information)
    at = list(range(len(ordered) + 1))
    lines = [Line("expected", at, _sums([one.question.information for one in ordered]))]
    if all(one.gained is not None for one in ordered):
        lines.append(Line("told", at, _sums([one.gained or 0.0 for one in ordered])))
    drawn = line_chart(
        lines, title="Information by answers, the most telling first", x_label="answers", y_label="nats learned"
    )
    return legend([line.name for line in lines]) + drawn


def _sums(values: Sequence[float]) -> list[float]:
    found = [0.0]
    for value in values:
        found.append(found[-1] + value)
    return found


def _people(found: Overview, call: Callable[[str], str]) -> list[list[str]]:
    return [
        [
            f"<bdi>{escape(readable(call(one.name)))}</bdi>",
            f"{one.answers:,}",
            f"{one.passed} of {one.tests}" if one.tests else "",
            f"{one.trust:.0%}",
            "" if one.seconds is None else f"{one.seconds:.1f} s",
            "" if one.unsure is None else f"{one.unsure:.0%}",
            "" if one.counts else "does not count",
        ]
        for one in found.people
    ]


def _shown_note(effects: Sequence[tuple[Result, Effect]]) -> str:
    changed = sum(effect.changed for _, effect in effects)
    note = f"{changed:,} of {len(effects):,} answers changed a result; those are shown first."
    if len(effects) > MOST_SHOWN:
        note += f" {MOST_SHOWN:,} are shown here; <code>tolka assist export --account</code> has all of them."
    return note


def _effects(effects: Sequence[tuple[Result, Effect]], call: Callable[[str], str]) -> str:
    ordered = sorted(effects, key=lambda one: (not one[1].changed, one[0].sentence))
    return "".join(_effect(one, effect, call) for one, effect in ordered[:MOST_SHOWN])


def _effect(one: Result, effect: Effect, call: Callable[[str], str]) -> str:
    asked, said = effect.question, effect.answer
    if asked.kind == "substitute":
        answer = "both or neither" if not isinstance(said, int) else asked.choices[said]
        focused = _text(" ".join(asked.focused))
        told = f"<p>For “{focused}”: {_text(asked.choices[0])} or {_text(asked.choices[1])}? <span class=said>{_text(answer)}</span></p>"
    else:
        verdicts = said if isinstance(said, tuple) else (None,) * len(asked.choices)
        words = {True: "means the same", False: "means something else", None: "cannot tell"}
        rows = "".join(
            f"<li>{_text(text)} <span class=said>{words[verdict]}</span></li>"
            for text, verdict in zip(asked.choices, verdicts, strict=True)
        )
        told = f"<ol>{rows}</ol>"
    gained = "" if effect.gained is None else f", told {effect.gained:.2f}"
    by = f" by <bdi>{escape(readable(call(effect.by)))}</bdi>" if effect.by else ""
    note = f"<p class=note>Sentence {one.sentence + 1}{by}; expected {asked.information:.2f} nats{gained}</p>"
    result = _difference(effect.before, effect.after) if effect.changed else ""
    return f"<div class=effect><p>{_text(asked.text)}</p>{told}{note}{result}</div>"


def _difference(before: str, after: str) -> str:
    old, new = before.split(), after.split()
    first, second = [], []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        left, right = escape(readable(" ".join(old[a:b]))), escape(readable(" ".join(new[c:d])))
        first.append(left if kind == "equal" else f"<del>{left}</del>" if left else "")
        second.append(right if kind == "equal" else f"<ins>{right}</ins>" if right else "")
    shown = (" ".join(part for part in parts if part) for parts in (first, second))
    return "".join(f'<p class=mono dir="auto">{line}</p>' for line in shown)


def _text(text: str) -> str:
    return f'<bdi dir="auto">{escape(readable(text))}</bdi>'
