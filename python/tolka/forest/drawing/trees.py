"""A derivation: the source on top, the target at the bottom, and between them how one became the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tolka.errors import LimitError
from tolka.forest.drawing import svg
from tolka.forest.drawing.badges import beside, centred
from tolka.forest.drawing.blocks import draw_blocks
from tolka.forest.drawing.growth import growth_keys, is_grown
from tolka.forest.drawing.legend import least_width, legend
from tolka.forest.drawing.voices import Voices
from tolka.page.svg import readable, width_of

if TYPE_CHECKING:
    from tolka.forest.derivation import Derivation, Step
    from tolka.page.svg import Drawing

_MARGIN = 22.0
# Between levels, between words and at the sides; more where rules have numbers.
_ROOM, _ROOM_GROWN = (40.0, 18.0, 22.0), (48.0, 26.0, 32.0)
_PILL = 22.0
_STEM = 26.0
_MOST_STEPS = 2000


def draw_derivation(derivation: Derivation, *, theme: svg.Theme = "auto", with_legend: bool = True) -> Drawing:
    """Draw a derivation: as a pair of trees that share their root, or as aligned blocks if it is phrase-based.

    Args:
        derivation: What is drawn.
        theme: Light, dark, or as the reader has it.
        with_legend: Whether the drawing of an ensemble's says whose the colours are; a page does that once for all.
    """
    if len(derivation.steps) > _MOST_STEPS:
        raise LimitError(f"a derivation of {len(derivation.steps)} rules cannot be drawn", hint="use its JSON")
    if not derivation.steps:
        return svg.document(200, 60, [svg.text(100, 35, "(empty)", kind="soft")], title="(empty)", theme=theme)
    if derivation.is_phrase_based:
        return draw_blocks(derivation, theme=theme, with_legend=with_legend)
    return _Trees(derivation, with_legend=with_legend).draw(theme)


@dataclass
class _Node:
    """A rule in the picture; a chain of glue is one of them."""

    number: int
    step: Step
    tip: str
    parts: list[int] = field(default_factory=list)
    joints: dict[int, int] = field(default_factory=dict)  # for glue with numbers, which of its steps took a part in
    level: int = 1


class _Trees:
    """The tree over the source words and its mirror image over the target words."""

    def __init__(self, derivation: Derivation, *, with_legend: bool) -> None:
        self._derivation = derivation
        self._nodes = _merge_glue(derivation)
        length = max((end for step in derivation.steps for end in (step.source_span[1], *step.source_words)), default=0)
        source = derivation.source or tuple("·" for _ in range(length))
        self._level, gap, self._side = _ROOM_GROWN if is_grown(derivation) else _ROOM
        self._source, self._target = svg.Row(source, gap=gap), svg.Row(derivation.target, gap=gap)
        self._voices = Voices(derivation.components)
        keys = self._voices.keys(step.rule for step in derivation.steps) + growth_keys([derivation])
        self._keys = keys if with_legend else []
        self._width = max(self._source.width, self._target.width, least_width(self._keys), 120.0) + 2 * self._side
        for row in (self._source, self._target):
            row.left = (self._width - row.width) / 2
        self._above = {part: node for node in self._nodes.values() for part in node.parts}
        self._height = max(node.level for node in self._nodes.values())
        self._top = _MARGIN + 16
        self._middle = self._top + 10 + self._height * self._level
        self._middle += _STEM if self._nodes[self._root].joints else 0.0
        self._bottom = 2 * self._middle - self._top

    def draw(self, theme: svg.Theme) -> Drawing:
        lines, pills, numbers = [], [], []
        for node in self._nodes.values():
            for on_target in (False, True):
                lines += self._lines(node, on_target=on_target)
                if on_target and node.number == self._root:
                    continue  # the two trees share it
                pills.append(self._pill(node, on_target=on_target))
            numbers += self._joints(node) if node.step.rule.kind == "glue" else self._number(node)
        texts = self._source.texts(self._top) + self._target.texts(self._bottom + 12)
        height = self._bottom + 12 + _MARGIN
        said, high = legend(self._keys, self._side, height - 4, self._width - 2 * self._side)
        height += high + 4 if self._keys else 0.0
        title = readable(f"{' '.join(self._derivation.source)} → {self._derivation.text}")
        return svg.document(self._width, height, [*lines, *pills, *numbers, *texts, *said], title=title, theme=theme)

    @property
    def _root(self) -> int:
        return max(self._nodes)

    def _place(self, node: _Node, *, on_target: bool) -> tuple[float, float]:
        if node.number == self._root:
            return self._width / 2, self._middle
        y = self._top + 10 + node.level * self._level
        if on_target:
            return self._target.middle(*node.step.target_span), 2 * self._middle - y
        return self._source.middle(*node.step.source_span), y

    def _lines(self, node: _Node, *, on_target: bool) -> list[str]:
        x, y = self._place(node, on_target=on_target)
        row = self._target if on_target else self._source
        words = node.step.target_words if on_target else node.step.source_words
        edge = self._bottom - 4 if on_target else self._top + 6
        kind = "copied-line" if node.step.rule.kind == "copied" else "best-line"
        if own := self._voices.colour(node.step.rule):
            kind = f"{own}-line"
        found = [svg.curve(row.centre(at), edge, x, y, kind=kind, thick=1.6) for at in words]
        for part in node.parts:
            left, top = self._place(self._nodes[part], on_target=on_target)
            if part in node.joints and not on_target:
                found.append(svg.line(left, top, left, top + _STEM))
                top += _STEM
            found.append(svg.curve(left, top, x, y))
        return found

    def _pill(self, node: _Node, *, on_target: bool) -> str:
        x, y = self._place(node, on_target=on_target)
        kind = node.step.rule.kind
        label, width = self._label(node)
        shapes = [
            svg.box(x, y, width, _PILL, kind=self._voices.colour(node.step.rule) or kind, dashed=kind == "glue"),
            svg.text(x, y + 4.2, label, size=12, kind="soft" if kind == "glue" else "ink"),
        ]
        return svg.group(shapes, tip=node.tip, step=node.number)

    def _label(self, node: _Node) -> tuple[str, float]:
        """What a rule's box says, and how wide that is."""
        rule = node.step.rule
        label = f"{rule.lhs}{_subscript(node.number + 1)}" if rule.kind != "glue" else "glue"
        label += self._voices.number(rule)
        return label, width_of(label, 12) + 16

    def _number(self, node: _Node) -> list[str]:
        """When a rule was connected, beside its box where few lines are: that to the rule above leaves at its lower end."""
        if not node.step.grown:
            return []
        x, y = self._place(node, on_target=False)
        above = self._above.get(node.number)
        leaves_left = above is not None and self._place(above, on_target=False)[0] < x
        away = self._label(node)[1] / 2 + 4
        on_right = leaves_left != (node.step.grown.how == "up")
        shape = beside(x + away if on_right else x - away, y, _PILL, node.step.grown)
        return [svg.group([shape], tip=node.tip, step=node.number)]

    def _joints(self, node: _Node) -> list[str]:
        """Numbers of glue: a chain of it is one box, but each of its steps has a part of its own, on whose line it is."""
        found = []
        for part, number in node.joints.items():
            step = self._derivation.steps[number]
            if step.grown:
                x, y = self._place(self._nodes[part], on_target=False)
                shape = centred(x, y + _STEM, step.grown)
                found.append(svg.group([shape], tip=svg.describe(step), step=number))
        return found


def _subscript(number: int) -> str:
    return "".join(chr(0x2080 + int(digit)) for digit in str(number))


def _merge_glue(derivation: Derivation) -> dict[int, _Node]:
    """The steps as nodes; glue on glue becomes one node with many parts, or pictures would be as deep as long."""
    nodes: dict[int, _Node] = {}
    for number, step in enumerate(derivation.steps):
        node = _Node(number, step, svg.describe(step))
        for part in step.parts:
            below = nodes[part]
            if step.rule.kind == "glue" and below.step.rule.kind == "glue":
                node.parts += below.parts
                node.joints |= below.joints
                node.tip = f"{below.tip}\n{node.tip}"
                del nodes[part]
            else:
                node.parts.append(part)
                if step.rule.kind == "glue" and step.grown:
                    node.joints[part] = number
        node.level = 1 + max((nodes[part].level for part in node.parts), default=0)
        nodes[number] = node
    return nodes
