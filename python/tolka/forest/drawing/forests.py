"""A small forest: nodes in layers, the goal on top, edges as boxes with the target sides of their rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.errors import LimitError
from tolka.forest.drawing import svg
from tolka.forest.drawing.legend import least_width, legend
from tolka.forest.drawing.voices import Voices
from tolka.page.svg import readable, width_of

if TYPE_CHECKING:
    from tolka.forest.derivation import Rule
    from tolka.forest.forest import Forest

_MARGIN = 24.0
_NODE = 26.0
_EDGE = 22.0
_GAP = 14.0
_LAYER = 132.0
_MOST_EDGES = 150
_MOST_LETTERS = 28


def draw_forest(forest: Forest, *, theme: svg.Theme = "auto") -> str:
    """Draw a forest, the best derivation highlighted.

    Raises:
        LimitError: It has too many edges to be looked at.
    """
    edges = len(forest.edges)
    if edges > _MOST_EDGES:
        what = f"a forest of {edges} edges cannot be drawn so that it can be read"
        raise LimitError(what, hint=f"prune it to at most {_MOST_EDGES} edges first")
    if not len(forest.nodes):
        return svg.document(200, 60, [svg.text(100, 35, "(empty)", kind="soft")], title="(empty)", theme=theme)
    return _Layers(forest).draw(theme)


class _Layers:
    """Where nodes and edges are."""

    def __init__(self, forest: Forest) -> None:
        self._forest = forest
        self._nodes, self._edges = forest.nodes, forest.edges
        count = len(self._nodes)
        self._tails = [[tail for tail in tails if tail >= 0] for tails in self._edges.tails.tolist()]
        self._into: list[list[int]] = [[] for _ in range(count)]
        for edge, head in enumerate(self._edges.head.tolist()):
            self._into[head].append(edge)
        best = forest.viterbi()
        self._best = {step.edge for step in best.steps} if best else set()
        self._voices = Voices(forest.components)
        used = [forest.rules[at] for at in sorted(set(self._edges.rule.tolist()))]
        self._keys = self._voices.keys(used)
        self._labels = [f"{_label(rule)}{self._voices.number(rule)}" for rule in forest.rules]
        layer = [0] * count
        for node in range(count):
            tails = [tail for edge in self._into[node] for tail in self._tails[edge]]
            layer[node] = 1 + max((layer[tail] for tail in tails), default=0)
        self._layer = layer
        self._x: list[float] = [0.0] * count
        self._edge_x: dict[int, float] = {}
        self._place()

    def _edge_width(self, edge: int) -> float:
        label, score = self._labels[self._edges.rule[edge]], self._score(edge)
        return width_of(label, 12) + width_of(score, 10.5) + 22

    def _score(self, edge: int) -> str:
        return f"{float(self._edges.score[edge]):.2f}".replace("-", "−")  # noqa: RUF001 - a minus sign, as wide as a digit

    def _node_width(self, node: int) -> float:
        edges = sum(self._edge_width(edge) + _GAP for edge in self._into[node]) - _GAP
        return max(edges, width_of(self._name(node), 13) + 20)

    def _name(self, node: int) -> str:
        nodes = self._nodes
        return f"{self._forest.categories[nodes.category[node]]} [{nodes.begin[node]}, {nodes.end[node]}]"

    def _place(self) -> None:
        layers: dict[int, list[int]] = {}
        for node, layer in enumerate(self._layer):
            layers.setdefault(layer, []).append(node)
        nodes = self._nodes
        for members in layers.values():
            members.sort(key=lambda node: (nodes.begin[node] + nodes.end[node], nodes.begin[node], node))
        widths = {
            layer: sum(self._node_width(node) + 2 * _GAP for node in members) - 2 * _GAP
            for layer, members in layers.items()
        }
        self._width = max(*widths.values(), least_width(self._keys)) + 2 * _MARGIN
        for layer, members in layers.items():
            at = (self._width - widths[layer]) / 2
            for node in members:
                width = self._node_width(node)
                self._x[node] = at + width / 2
                self._place_edges(node)
                at += width + 2 * _GAP
        self._height = (max(layers) - 1) * _LAYER + 2 * _MARGIN + 90

    def _place_edges(self, node: int) -> None:
        total = sum(self._edge_width(edge) + _GAP for edge in self._into[node]) - _GAP
        at = self._x[node] - total / 2
        for edge in self._into[node]:
            self._edge_x[edge] = at + self._edge_width(edge) / 2
            at += self._edge_width(edge) + _GAP

    def _y(self, node: int) -> float:
        return _MARGIN + _NODE / 2 + (max(self._layer) - self._layer[node]) * _LAYER

    def draw(self, theme: svg.Theme) -> str:
        lines: list[str] = []
        thick_lines: list[str] = []
        shapes: list[str] = []
        for node, edges in enumerate(self._into):
            x, y = self._x[node], self._y(node)
            for edge in edges:
                on_best = edge in self._best
                kind, thick = ("best-line", 2.4) if on_best else ("line", 1.1)
                place = (self._edge_x[edge], y + 52)
                drawn = [svg.curve(x, y + _NODE / 2, place[0], place[1] - _EDGE / 2, kind=kind, thick=thick)]
                for tail in self._tails[edge]:
                    there = (self._x[tail], self._y(tail) - _NODE / 2)
                    drawn.append(svg.curve(place[0], place[1] + _EDGE / 2, *there, kind=kind, thick=thick))
                (thick_lines if on_best else lines).extend(drawn)
                shapes.append(self._edge_box(edge, *place))
            shapes.append(svg.box(x, y, width_of(self._name(node), 13) + 20, _NODE, kind="node"))
            shapes.append(svg.text(x, y + 4.5, self._name(node), size=13))
        said, high = legend(self._keys, _MARGIN, self._height - _MARGIN, self._width - 2 * _MARGIN)
        title = " ".join(self._forest.source) or "a forest"
        return svg.document(
            self._width, self._height + high, [*lines, *thick_lines, *shapes, *said], title=title, theme=theme
        )

    def _edge_box(self, edge: int, x: float, y: float) -> str:
        rule = self._forest.rules[self._edges.rule[edge]]
        score = float(self._edges.score[edge])
        features = zip(self._forest.feature_names, self._edges.features[edge].tolist(), strict=True)
        spoken = [f"by {', '.join(rule.components)}"] if rule.components else []
        tip = "\n".join(
            [
                readable(str(rule)),
                *spoken,
                f"score {score:.3f}",
                *(f"{name} {value:.3f}" for name, value in features if value),
            ]
        )
        kind = rule.kind if rule.kind != "other" else "rule"
        width, thick = self._edge_width(edge), 2.2 if edge in self._best else 1.0
        right = x + width / 2 - 7
        shapes = [
            svg.box(x, y, width, _EDGE, kind=self._voices.colour(rule) or kind, dashed=kind == "glue", thick=thick),
            svg.text(x - width / 2 + 7, y + 4, self._labels[self._edges.rule[edge]], size=12, anchor="start"),
            svg.text(right, y + 4, self._score(edge), size=10.5, kind="soft", anchor="end"),
        ]
        return svg.group(shapes, tip=tip)


def _label(rule: Rule) -> str:
    shown = readable(" ".join(rule.target)) or "(nothing)"
    return shown if len(shown) <= _MOST_LETTERS else shown[: _MOST_LETTERS - 1] + "…"
