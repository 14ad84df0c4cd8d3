"""A multitree as a picture: the source tree above, the target tree below, and leaves joined between the two sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tolka.multitree.bank import Multitrees
from tolka.multitree.tree import ANY, worst_of
from tolka.page import svg

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.multitree.tree import Multitree, Spans

WORD, LABEL, COST = 15.0, 12.0, 11.0  # font sizes
STOREY = 38.0  # height of a storey of nodes
MARGIN, GAP, PAD = 16.0, 12.0, 8.0
BOX, BAND = 26.0, 76.0  # height of a phrase's box, and between the two rows of them
INK, SOFT, LINE, SAME, SWAPPED, WORST = "#1d2530", "#5a6675", "#9aa7b6", "#2468b4", "#b4561c", "#b3261e"
WHITE, ALARM = "#ffffff", "#fdecea"


def draw_multitree(
    tree: Multitree | Multitrees, costs: Mapping[Spans, float] | None = None, *, heading: str = ""
) -> svg.Drawing:
    """Draw a multitree, or the trees of a pair, as an SVG image.

    Inverted nodes are orange diamonds, monotonic ones blue dots. Each phrase of the source is joined to its translation; under an
    inversion these bands cross. Words in no tree are grey.

    Args:
        tree: What to draw.
        costs: What a node costs, by its spans; the worst is marked.
        heading: Stands above the picture.

    Example:
        >>> from tolka.multitree import inverted, leaf
        >>> tree = inverted(leaf("joint", "commune", "JJ"), leaf("debate", "discussion", "NN"), "NP")
        >>> draw_multitree(tree, {((0, 2), (0, 2)): 0.5}).startswith("<svg")
        True
    """
    pair = tree if isinstance(tree, Multitrees) else _alone(tree)
    picture = _Picture(pair, costs or {}, MARGIN + (WORD + 12 if heading else 0))
    parts = picture.parts()
    width = picture.width
    if heading:
        parts.append(_text(heading, MARGIN, MARGIN + WORD, WORD, INK, anchor="start", weight="600"))
        width = max(width, 2 * MARGIN + svg.width_of(heading, WORD) * 1.05)
    legend, right = _legend(MARGIN, picture.bottom + 16, picture)
    title = f"{' '.join(pair.source)} | {' '.join(pair.target)}"
    return svg.image(max(width, right + MARGIN), picture.bottom + 36, [*parts, *legend], title=title)


def within_page(where: str) -> str:
    """The style for drawings inside a page, which would else give them its own colours and letters.

    Args:
        where: A selector of what is around the drawings.
    """
    colours = "".join(
        f'{where} svg [fill="{colour}"]{{fill:{colour}}}'
        for colour in (INK, SOFT, LINE, SAME, SWAPPED, WORST, WHITE, ALARM)
    )
    sizes = "".join(f'{where} svg [font-size="{size:.0f}"]{{font-size:{size:.0f}px}}' for size in (WORD, LABEL, COST))
    return f'{where}{{overflow-x:auto}}{where} svg{{width:auto;max-width:none}}{where} svg [fill="none"]{{fill:none}}{colours}{sizes}'


def _alone(tree: Multitree) -> Multitrees:
    """A tree without the rest of its sentences."""
    tree = tree.moved(-tree.source[0], -tree.target[0])
    return Multitrees(tree.source_yield(), tree.target_yield(), (tree,))


@dataclass(slots=True)
class _Row:
    """The phrases of one sentence in order: words, where their boxes begin, and how wide they are."""

    words: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    left: list[float] = field(default_factory=list)
    wide: list[float] = field(default_factory=list)

    def middle(self, start: int) -> float:
        """The middle of the box of the phrase that begins with a word."""
        at = self.starts.index(start)
        return self.left[at] + self.wide[at] / 2


class _Picture:
    def __init__(self, pair: Multitrees, costs: Mapping[Spans, float], top: float) -> None:
        self.pair, self.costs = pair, costs
        worst = [found for tree in pair.trees if (found := worst_of(tree, costs)) is not None]
        self.worst = max(worst, key=costs.__getitem__, default=None)
        self.orientations = {node.orientation for tree in pair.trees for node in tree}
        self.rows = [_row(pair, side, costs=bool(costs)) for side in (0, 1)]
        widths = [row.left[-1] + row.wide[-1] if row.left else 0.0 for row in self.rows]
        for row, width in zip(self.rows, widths, strict=True):
            row.left = [left + MARGIN + (max(widths) - width) / 2 for left in row.left]
        self.width = max(widths) + 2 * MARGIN
        # Leaves have their labels beside the boxes, so trees of one leaf need a storey too.
        self.storeys = max((tree.depth for tree in pair.trees), default=0)
        self.middle = (top + STOREY * self.storeys, top + STOREY * self.storeys + BOX + BAND)
        self.targeted = any(node.label[1] != ANY for tree in pair.trees for node in tree)
        self.bottom = self.middle[1] + BOX + STOREY * self.storeys

    def parts(self) -> list[str]:
        found = self._bands()
        for side in (0, 1):
            for tree in self.pair.trees:
                found += self._branches(tree, side)
            found += self._boxes(side)
        return found

    def _bands(self) -> list[str]:
        """What joins the phrases: pale where order is kept, orange below an inversion."""
        found = []
        for tree in self.pair.trees:
            crossing = {
                one.spans for node in tree if node.orientation == "inverted" for one in node.leaves()
            }  # fmt: skip
            for one in sorted(tree.leaves(), key=lambda one: one.spans in crossing):
                corners = []
                for side in (0, 1):
                    row = self.rows[side]
                    at = row.starts.index(one.spans[side][0])
                    corners.append((row.left[at] + 4, row.left[at] + row.wide[at] - 4))
                top, low = self.middle[0] + BOX, self.middle[1]
                half = (top + low) / 2
                (a, b), (c, d) = corners
                colour = SWAPPED if one.spans in crossing else SAME
                found.append(
                    f'<path d="M{a:.1f} {top:.1f}C{a:.1f} {half:.1f} {c:.1f} {half:.1f} {c:.1f} {low:.1f}H{d:.1f}'
                    f'C{d:.1f} {half:.1f} {b:.1f} {half:.1f} {b:.1f} {top:.1f}Z" fill="{colour}" fill-opacity="0.16" '
                    f'stroke="{colour}" stroke-opacity="0.45"/>'
                )
        return found

    def _boxes(self, side: int) -> list[str]:
        row, y = self.rows[side], self.middle[side]
        leaves = {one.spans[side][0]: one for one in self.pair.leaves()}
        found = []
        for words, start, left, wide in zip(row.words, row.starts, row.left, row.wide, strict=True):
            one = leaves.get(start)
            look = f'fill="{WHITE}" stroke="{LINE}"' if one else 'fill="none" stroke="#d5dbe2" stroke-dasharray="3 3"'
            if one and side == 0 and one.spans == self.worst:
                look = f'fill="{ALARM}" stroke="{WORST}" stroke-width="1.6"'
            found.append(
                f'<rect x="{left:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{BOX:.0f}" rx="5" {look}/>'
                + _text(words, left + wide / 2, y + BOX * 0.69, WORD, INK if one else LINE)
            )
        return found

    def _branches(self, tree: Multitree, side: int) -> list[str]:
        """Lines from each node to its children, and over them what the nodes are called and cost."""
        places = self._places(tree, side)
        lines, names = [], []
        for node in tree:
            x, y = places[node.spans]
            colour = SWAPPED if node.orientation == "inverted" else LINE
            for child in node.children:
                # Along the storey and then straight to the child: such lines meet no other node.
                across, far = places[child.spans]
                turn = min(8.0, abs(across - x)) * (1 if across > x else -1)
                fall = 8.0 if side == 0 else -8.0
                lines.append(
                    f'<path d="M{x:.1f} {y:.1f}H{across - turn:.1f}Q{across:.1f} {y:.1f} {across:.1f} {y + fall:.1f}'
                    f'V{far:.1f}" fill="none" stroke="{colour}" stroke-width="1.4"/>'
                )
            if not node.children:
                edge = self.middle[side] + (0 if side == 0 else BOX)
                lines.append(f'<path d="M{x:.1f} {y:.1f}V{edge:.1f}" stroke="{LINE}" stroke-width="1.4"/>')
            names += self._name(node, side, x, y)
        return lines + names

    def _places(self, tree: Multitree, side: int) -> dict[Spans, tuple[float, float]]:
        """Nodes stand above (or below) the middle of their children, as many storeys off as they are high."""
        places: dict[Spans, tuple[float, float]] = {}
        for node in reversed(tree.nodes()):
            if node.children:
                x = sum(places[child.spans][0] for child in node.children) / 2
            else:
                x = self.rows[side].middle(node.spans[side][0])
            far = STOREY * (node.depth - 0.45)
            places[node.spans] = (x, self.middle[0] - far if side == 0 else self.middle[1] + BOX + far)
        return places

    def _name(self, node: Multitree, side: int, x: float, y: float) -> list[str]:
        label = svg.short(node.label[side], 14)
        cost = self.costs.get(node.spans) if side == 0 else None
        bad = cost is not None and node.spans == self.worst
        colour = {"leaf": SOFT, "monotonic": SAME, "inverted": SWAPPED}[node.orientation]
        if side == 1 and not self.targeted:
            # Nothing but X: a sign is enough.
            return [_sign(node, x, y, colour)] if node.children else []
        number = "" if cost is None else f"{cost:.2f}"
        wide = svg.width_of(label, LABEL) * 1.1 + (7 + svg.width_of(number, COST) if number else 0) + 12
        back = ALARM if bad else WHITE
        edge = f' stroke="{WORST}" stroke-width="1.6"' if bad else ""
        found = [
            f'<rect x="{x - wide / 2:.1f}" y="{y - 9:.1f}" width="{wide:.1f}" height="18" rx="9" fill="{back}"{edge}/>'
        ]
        at = x - wide / 2 + 6
        weight = "400" if node.orientation == "leaf" else "600"
        found.append(_text(label, at, y + 4.2, LABEL, colour, anchor="start", weight=weight))
        if number:
            at = x + wide / 2 - 6
            found.append(_text(number, at, y + 4.2, COST, WORST if bad else SOFT, anchor="end"))
        if node.orientation == "inverted":
            found.append(_sign(node, x, y + (-13 if side == 0 else 13), SWAPPED))
        return found


def _row(pair: Multitrees, side: int, *, costs: bool) -> _Row:
    """The phrases of a side, and single words where no tree is, with boxes as wide as their words and labels need."""
    row, words = _Row(), (pair.source, pair.target)[side]
    leaves = {one.spans[side][0]: one for one in pair.leaves()}
    at, x = 0, 0.0
    while at < len(words):
        one = leaves.get(at)
        end = one.spans[side][1] if one else at + 1
        text = " ".join(svg.short(svg.readable(word)) for word in words[at:end])
        label = (
            svg.width_of(svg.short(one.label[side], 14), LABEL) + (50 if costs and side == 0 else 14) if one else 0.0
        )
        wide = max(svg.width_of(text, WORD) + 2 * PAD, label)
        row.words.append(text)
        row.starts.append(at)
        row.left.append(x)
        row.wide.append(wide)
        x += wide + GAP
        at = end
    return row


def _sign(node: Multitree, x: float, y: float, colour: str) -> str:
    if node.orientation == "inverted":
        return f'<path d="M{x - 5:.1f} {y:.1f}L{x:.1f} {y - 5:.1f}L{x + 5:.1f} {y:.1f}L{x:.1f} {y + 5:.1f}Z" fill="{colour}"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>'


def _legend(x: float, y: float, picture: _Picture) -> tuple[list[str], float]:
    """What colours mean, in a row, and where it ends; only what the picture has."""
    parts: list[str] = []
    known = {
        "order kept": "monotonic" in picture.orientations,
        "order swapped": "inverted" in picture.orientations,
        "highest cost": picture.worst is not None,
    }
    entries = [words for words, there in known.items() if there]
    for words in entries:
        if words == "order kept":
            sign = f'<circle cx="{x + 5:.1f}" cy="{y:.1f}" r="3.6" fill="{SAME}"/>'
        elif words == "order swapped":
            sign = f'<path d="M{x:.1f} {y:.1f}l5 -5l5 5l-5 5Z" fill="{SWAPPED}"/>'
        else:
            sign = f'<rect x="{x:.1f}" y="{y - 5:.1f}" width="11" height="11" rx="4" fill="{ALARM}" stroke="{WORST}"/>'
        parts += [sign, _text(words, x + 17, y + 4, LABEL, SOFT, anchor="start")]
        x += 17 + svg.width_of(words, LABEL) + 18
    return ['<g class="legend">', *parts, "</g>"], x


def _text(
    words: str, x: float, y: float, size: float, colour: str, *, anchor: str = "middle", weight: str = "400"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:.0f}" font-weight="{weight}" '
        f'fill="{colour}">{svg.clean(words)}</text>'
    )
