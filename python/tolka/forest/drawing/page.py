"""A page of derivations, complete in itself: it opens without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.errors import LimitError
from tolka.forest.drawing.growth import growth_keys, is_grown
from tolka.forest.drawing.legend import Key
from tolka.forest.drawing.svg import document, text
from tolka.forest.drawing.trees import draw_derivation
from tolka.forest.drawing.voices import Voices
from tolka.page.svg import clean as escape
from tolka.page.svg import readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tolka.forest.derivation import Derivation, Rule, Step

_STYLE = """
:root { color-scheme: light dark; --page: #f6f8fa; --card: #fff; --ink: #1d2530; --soft: #5a6675; --rim: #d7dde4; --mark: #e3f4f1 }
@media (prefers-color-scheme: dark) {
  :root { --page: #0e1217; --card: #14191f; --ink: #e6eaf0; --soft: #9fabba; --rim: #2c3540; --mark: #173732 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", "Noto Sans", sans-serif }
main { max-width: 1200px; margin: 0 auto; padding: 24px 16px 64px }
h1 { font-size: 1.5rem; margin: 0 0 .25rem }
p.about { color: var(--soft); margin: 0 0 1.25rem; max-width: 70ch }
.key { display: inline-flex; align-items: center; gap: .4em; margin: 0 .8em .2em 0; overflow-wrap: anywhere; font-size: .85em; color: var(--ink) }
section { background: var(--card); border: 1px solid var(--rim); border-radius: 10px; margin: 0 0 16px; padding: 14px 16px }
section > h2 { font-size: 1rem; margin: 0; font-weight: 600 } section > h2 small { color: var(--soft); font-weight: 400; white-space: nowrap }
.translation { margin: 0 0 .5rem } .note { color: var(--soft); font-size: .85em }
.drawing { overflow-x: auto } .drawing svg { display: block; margin: 0 auto; width: 100%; height: auto }
@media (max-width: 40rem) { .drawing > div { min-width: var(--near) !important } }
.drawing:focus-visible { outline: 3px solid #4a52b8 }
[data-step] { cursor: help } [data-step].on :is(rect, path) { stroke-width: 3px }
summary { cursor: pointer; color: var(--soft); font-size: .9rem }
table { border-collapse: collapse; font-size: .85rem; width: 100%; margin-top: .5rem }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-top: 1px solid var(--rim); vertical-align: top }
.rules { overflow-x: auto } .rules:focus-visible { outline: 3px solid #4a52b8 }
td.features { min-width: 24rem } td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap } tr.on td { background: var(--mark) }
"""

_SMALLEST, _SMALLEST_ON_PHONES = 0.6, 0.8

# Hovering over a rule marks it wherever it stands: in both trees and in the table.
_SCRIPT = """
for (const section of document.querySelectorAll("section")) {
  const mark = (event, on) => {
    const found = event.target.closest("[data-step]");
    if (!found) return;
    for (const one of section.querySelectorAll(`[data-step="${found.dataset.step}"]`)) one.classList.toggle("on", on);
  };
  section.addEventListener("mouseover", (event) => mark(event, true));
  section.addEventListener("mouseout", (event) => mark(event, false));
}
"""


def draw_page(derivations: Iterable[Derivation], *, title: str = "Derivations") -> Iterator[str]:
    """The pieces of an HTML page with a drawing and a table of the rules for each derivation."""
    shown = list(derivations)
    yield (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_clean(title)}</title>\n<style>{_STYLE}</style>\n<main>\n<h1>{_clean(title)}</h1>\n"
        '<p class="about">The source is on top, the translation at the bottom; hover over a rule to see its score and '
        "features."
        f"{_legend(shown)}\n"
    )
    for number, derivation in enumerate(shown, 1):
        yield _section(number, derivation)
    yield f"</main>\n<script>{_SCRIPT}</script>\n</html>\n"


_MEANINGS = {"rule": "rule", "copied": "copied word", "given": "given by the text", "glue": "glue", "other": "other"}


def _legend(derivations: list[Derivation]) -> str:
    """What the colours mean, in the colours that the drawings have."""
    kinds, phrases = set[str](), False
    spoken: dict[tuple[str, ...], set[Rule]] = {}
    for one in derivations:
        own = {step.rule.kind for step in one.steps}
        voices = Voices(one.components)
        if voices.names:
            spoken.setdefault(voices.names, set()).update(step.rule for step in one.steps)
            own &= {"glue"}
        elif one.is_phrase_based:
            phrases = phrases or not own <= {"copied", "given"}
            own &= {"copied", "given"}
        kinds |= own
    told = dict.fromkeys(key for names, rules in spoken.items() for key in Voices(names).keys(rules))
    keys = [_key([key]) for key in told]
    if phrases:
        meaning = "phrases, coloured to tell neighbours apart"
        keys.append(_key([Key(f"phrase{place}", meaning) for place in range(3)]))
    keys += [
        _key([Key(kind, meaning, dashed=kind in {"copied", "glue"})])
        for kind, meaning in _MEANINGS.items()
        if kind in kinds and kind not in {key.kind for key in told}
    ]
    about = (
        " A rule has the colour of the part of the ensemble that has it; several have those in grey." if told else ""
    )
    if numbers := growth_keys(derivations):
        about += " Numbers tell in which order rules were connected."
        keys += [_key([key]) for key in numbers]
    return f'{about}</p>\n<p class="about">{"".join(keys)}</p>'


def _key(keys: list[Key]) -> str:
    """Marks of one meaning, and what that is."""
    width, height = 22 * len(keys), 20 if keys[0].grown else 18
    marks = "".join(key.mark(11 + 22 * at, height / 2, 18) for at, key in enumerate(keys))
    drawn = f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" aria-hidden="true">{marks}</svg>'
    return f'<span class="key">{drawn}{_clean(keys[0].meaning)}</span>'


def _section(number: int, derivation: Derivation) -> str:
    try:
        drawing = draw_derivation(derivation, with_legend=False)
    except LimitError as error:
        drawing = document(600, 60, [text(300, 35, str(error), kind="soft")], title="too large", theme="auto")
    # A wide drawing shrinks as long as it can be read, then it scrolls; on a phone it scrolls anyway, so letters can be larger.
    limits = f"--near:{_SMALLEST_ON_PHONES * drawing.width:.0f}px;min-width:{_SMALLEST * drawing.width:.0f}px;max-width:{drawing.width:.0f}px;margin:0 auto"
    rows = "".join(_row(at, derivation) for at in range(len(derivation.steps)))
    by = "<th>by" if Voices(derivation.components).names else ""
    order = "<th>action" if is_grown(derivation) else ""
    note = f' <span class="note">{_clean(derivation.note)}</span>' if derivation.note else ""
    return (
        f"<section>\n<h2>{number}. {_clean(' '.join(derivation.source))} <small>score {derivation.score:.3f}</small></h2>\n"
        f'<p class="translation">{_clean(derivation.text)}{note}</p>\n<div class="drawing" tabindex="0" role="region" '
        f'aria-label="drawing {number}"><div style="{limits}">{drawing}</div></div>\n'
        f"<details><summary>{len(derivation.steps)} rules</summary>\n"
        f'<div class="rules" tabindex="0" role="region" aria-label="rules {number}"><table><tr><th>#{order}<th>source<th>target{by}'
        f"<th>from<th>to<th>score<th>features</tr>{rows}</table></div></details>\n</section>\n"
    )


def _clean(words: str) -> str:
    return escape(readable(words))


def _row(at: int, derivation: Derivation) -> str:
    step = derivation.steps[at]
    spans = "".join(f'<td class="number">{begin} to {end}' for begin, end in (step.source_span, step.target_span))
    voices = Voices(derivation.components).names
    by = f"<td>{_clean(_spoken(step.rule, voices))}" if voices else ""
    order = f"<td>{_told(step)}" if is_grown(derivation) else ""
    features = ", ".join(f"{name} {value:.2f}" for name, value in step.features.items())
    return (
        f'<tr data-step="{at}"><td>{at + 1}{order}<td>{_clean(" ".join(step.rule.source))}<td>{_clean(" ".join(step.rule.target))}'
        f'{by}{spans}<td class="number">{step.score:.3f}<td class="features">{_clean(features)}</tr>'
    )


def _told(step: Step) -> str:
    """When and how a rule was connected."""
    return f"{step.grown.order + 1}&nbsp;{step.grown.how}" if step.grown else ""


def _spoken(rule: Rule, names: tuple[str, ...]) -> str:
    """Who of an ensemble has a rule."""
    if rule.kind not in {"rule", "other"} and not rule.components:
        return rule.kind
    return "all" if not rule.components or rule.components == names else ", ".join(rule.components)
