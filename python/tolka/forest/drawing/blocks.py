"""A phrase-based derivation: blocks of source words tied to the blocks they became."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.forest.drawing import svg
from tolka.forest.drawing.badges import beside
from tolka.forest.drawing.growth import growth_keys
from tolka.forest.drawing.legend import least_width, legend
from tolka.forest.drawing.voices import Voices
from tolka.page.svg import readable

if TYPE_CHECKING:
    from tolka.forest.derivation import Derivation, Step
    from tolka.page.svg import Drawing

_MARGIN = 22.0
_BLOCK = 32.0
_BETWEEN = 110.0


def draw_blocks(derivation: Derivation, *, theme: svg.Theme = "auto", with_legend: bool = True) -> Drawing:
    """Draw phrases as coloured blocks, source on top, with bands between them and the links of their words."""
    length = max(step.source_span[1] for step in derivation.steps)
    source = svg.Row(derivation.source or tuple("·" for _ in range(length)), gap=26)
    target = svg.Row(derivation.target, gap=26)
    voices = Voices(derivation.components)
    keys = voices.keys(step.rule for step in derivation.steps) + growth_keys([derivation]) if with_legend else []
    width = max(source.width, target.width, least_width(keys), 120.0) + 2 * _MARGIN
    for row in (source, target):
        row.left = (width - row.width) / 2
    top = _MARGIN + _BLOCK / 2
    bottom = top + _BETWEEN + _BLOCK
    bands, blocks, links = [], [], []
    ordered = sorted(range(len(derivation.steps)), key=lambda at: derivation.steps[at].target_span)
    for place, number in enumerate(ordered):
        step = derivation.steps[number]
        copied = step.rule.kind == "copied"
        kind: str = step.rule.kind
        if kind not in {"copied", "given"} and not voices.names:
            kind = f"phrase{place % svg.PHRASES}"
        kind = voices.colour(step.rule) or kind
        above, below = source.edges(*step.source_span), target.edges(*step.target_span)
        tip = svg.describe(step)
        bands.append(svg.group([_band(above, top, below, bottom, kind)], tip=tip, step=number))
        shapes = [_block(ends, y, kind, dashed=copied) for ends, y in ((above, top), (below, bottom))]
        if number_of := voices.number(step.rule):
            # Colours are not enough for so many: the number stands below the block.
            x, y = target.middle(*step.target_span), bottom + _BLOCK / 2 + 13
            shapes.append(svg.text(x, y, number_of.strip(" ·"), size=11, kind="soft"))
        if step.grown:
            shapes.append(beside(above[0] - 12, top, _BLOCK, step.grown))
        blocks.append(svg.group(shapes, tip=tip, step=number))
        links += _links(step, source, target, (top + _BLOCK / 2, bottom - _BLOCK / 2))
    words = source.texts(top + 5) + target.texts(bottom + 5)
    # Words must not catch the pointer: what is below them shows the features.
    shown = ['<g pointer-events="none">', *links, *words, "</g>"]
    title = readable(f"{' '.join(derivation.source)} → {derivation.text}")
    height = bottom + _BLOCK / 2 + _MARGIN
    said, high = legend(keys, _MARGIN, height - 4, width - 2 * _MARGIN)
    shown += said
    height += high + 4 if keys else 0.0
    return svg.document(width, height, [*bands, *blocks, *shown], title=title, theme=theme)


def _block(ends: tuple[float, float], y: float, kind: str, *, dashed: bool) -> str:
    left, right = ends
    return svg.box((left + right) / 2, y, right - left + 16, _BLOCK, kind=kind, dashed=dashed)


def _band(above: tuple[float, float], top: float, below: tuple[float, float], bottom: float, kind: str) -> str:
    y1, y2 = top + _BLOCK / 2, bottom - _BLOCK / 2
    middle = (y1 + y2) / 2
    (a, b), (c, d) = ((left - 8, right + 8) for left, right in (above, below))
    path = (
        f"M{a:.1f} {y1:.1f}C{a:.1f} {middle:.1f} {c:.1f} {middle:.1f} {c:.1f} {y2:.1f}"
        f"L{d:.1f} {y2:.1f}C{d:.1f} {middle:.1f} {b:.1f} {middle:.1f} {b:.1f} {y1:.1f}Z"
    )
    return f'<path class="{kind}" d="{path}" fill-opacity="0.55" stroke="none" style="stroke:none"/>'


def _links(step: Step, source: svg.Row, target: svg.Row, ys: tuple[float, float]) -> list[str]:
    y1, y2 = ys
    return [svg.curve(source.centre(a), y1, target.centre(b), y2, kind="link", thick=1.1) for a, b in step.links]
