"""A page of derivations, complete in itself: it opens without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.errors import LimitError
from tolka.forest.drawing.svg import document, text
from tolka.forest.drawing.trees import draw_derivation
from tolka.page.svg import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tolka.forest.derivation import Derivation

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
.key { display: inline-block; padding: 0 .5em; border-radius: .4em; border: 1px solid; font-size: .85em; color: var(--ink) }
.key.rule { background: #0b7a6e33; border-color: #0b7a6e } .key.copied { background: #b25e0033; border-color: #b25e00 }
.key.glue { background: #8a96a533; border: 1px dashed #8a96a5 }
section { background: var(--card); border: 1px solid var(--rim); border-radius: 10px; margin: 0 0 16px; padding: 14px 16px }
section > h2 { font-size: 1rem; margin: 0; font-weight: 600 } section > h2 small { color: var(--soft); font-weight: 400 }
.translation { margin: 0 0 .5rem }
.drawing { overflow-x: auto } .drawing svg { display: block; margin: 0 auto }
[data-step] { cursor: help } [data-step].on :is(rect, path) { stroke-width: 3px }
summary { cursor: pointer; color: var(--soft); font-size: .9rem }
table { border-collapse: collapse; font-size: .85rem; width: 100%; margin-top: .5rem }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-top: 1px solid var(--rim); vertical-align: top }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap } tr.on td { background: var(--mark) }
"""

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
    yield (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{clean(title)}</title>\n<style>{_STYLE}</style>\n<main>\n<h1>{clean(title)}</h1>\n"
        '<p class="about">The source is on top, the translation at the bottom; hover over a rule to see its score and '
        'features. <span class="key rule">rule</span> <span class="key copied">copied word</span> '
        '<span class="key glue">glue</span></p>\n'
    )
    for number, derivation in enumerate(derivations, 1):
        yield _section(number, derivation)
    yield f"</main>\n<script>{_SCRIPT}</script>\n</html>\n"


def _section(number: int, derivation: Derivation) -> str:
    try:
        drawing = draw_derivation(derivation)
    except LimitError as error:
        drawing = document(600, 60, [text(300, 35, str(error), kind="soft")], title="too large", theme="auto")
    rows = "".join(_row(at, derivation) for at in range(len(derivation.steps)))
    return (
        f"<section>\n<h2>{number}. {clean(' '.join(derivation.source))} <small>score {derivation.score:.3f}</small></h2>\n"
        f'<p class="translation">{clean(derivation.text)}</p>\n<div class="drawing">{drawing}</div>\n'
        f"<details><summary>{len(derivation.steps)} rules</summary>\n<table><tr><th>#<th>source<th>target<th>from<th>to"
        f"<th>score<th>features</tr>{rows}</table></details>\n</section>\n"
    )


def _row(at: int, derivation: Derivation) -> str:
    step = derivation.steps[at]
    spans = "".join(f'<td class="number">{begin} to {end}' for begin, end in (step.source_span, step.target_span))
    features = ", ".join(f"{name} {value:.2f}" for name, value in step.features.items())
    return (
        f'<tr data-step="{at}"><td>{at + 1}<td>{clean(" ".join(step.rule.source))}<td>{clean(" ".join(step.rule.target))}'
        f'{spans}<td class="number">{step.score:.3f}<td>{clean(features)}</tr>'
    )
