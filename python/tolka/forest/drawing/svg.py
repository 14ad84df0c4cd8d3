"""What all drawings share: colours for light and dark pages, text and its width, shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tolka.page.svg import Drawing, clean, image, readable, width_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.forest.derivation import Growth, Step

Theme = Literal["auto", "light", "dark"]
SIZE = 15.0
"""Of words; labels are smaller."""

# For each class its fill and stroke on light and on dark pages. Contrast of text is at least 4.5 to 1 on both.
_COLOURS = {
    "ink": (("#1d2530", "none"), ("#e6eaf0", "none")),
    "soft": (("#525d6b", "none"), ("#9fabba", "none")),
    "line": (("none", "#8a96a5"), ("none", "#6f7c8c")),
    "link": (("none", "#5a6675"), ("none", "#a9b4c2")),
    "best-line": (("none", "#0b7a6e"), ("none", "#4fd1c0")),
    "copied-line": (("none", "#b25e00"), ("none", "#f5b14c")),
    "rule": (("#d9f0ed", "#0b7a6e"), ("#12423d", "#4fd1c0")),
    "copied": (("#fde9c8", "#b25e00"), ("#4d3208", "#f5b14c")),
    "glue": (("#e9ecf0", "#8a96a5"), ("#2b323c", "#7b8796")),
    "given": (("#ffffff", "#1d2530"), ("#14191f", "#e6eaf0")),
    # What several components of an ensemble say is nobody's colour.
    "several": (("#e3e7ed", "#4f5b6a"), ("#343d49", "#b4bfcc")),
    "several-line": (("none", "#4f5b6a"), ("none", "#b4bfcc")),
    "other": (("#e4e6fb", "#4a52b8"), ("#292d55", "#9aa2f5")),
    "node": (("#ffffff", "#5a6675"), ("#1c222b", "#9fabba")),
}
# Phrases side by side must differ, and from copied words; the order keeps neighbours apart for colour-blind eyes too.
_PHRASES = (
    (("#cfe3fb", "#2468b4"), ("#173456", "#7db5f5")),
    (("#d8efd0", "#3c7d27"), ("#1f3f16", "#8fd077")),
    (("#f3d6ec", "#9c3485"), ("#47193c", "#e793d3")),
    (("#f6ecbd", "#857000"), ("#433a06", "#dcc552")),
    (("#d5ecf1", "#20788a"), ("#123c45", "#6fc6d8")),
)
PHRASES = len(_PHRASES)

GROWTH: dict[Growth, str] = {"start": "first rule", "up": "put around the tree", "down": "put into a gap"}
"""What undirected search does with a rule, in words that hold for trees that stand on their heads."""


def style(theme: Theme) -> str:
    """The style sheet; `auto` follows the reader's settings."""
    light, dark = _rules(0), _rules(1)
    if theme == "auto":
        return f"{light}@media(prefers-color-scheme:dark){{{dark}}}"
    return dark if theme == "dark" else light


def _rules(page: int) -> str:
    colours = {**_COLOURS, **{f"phrase{number}": both for number, both in enumerate(_PHRASES)}}
    # Lines to the words of a rule have its colour.
    colours |= {
        f"phrase{number}-line": (("none", light), ("none", dark))
        for number, ((_, light), (_, dark)) in enumerate(_PHRASES)
    }
    rules = [f".{name}{{fill:{both[page][0]};stroke:{both[page][1]}}}" for name, both in colours.items()]
    background = ("#ffffff", "#14191f")[page]
    return "".join([*rules, f".page{{fill:{background}}}"])


def document(width: float, height: float, body: Iterable[str], *, title: str, theme: Theme) -> Drawing:
    """A whole SVG."""
    return image(width, height, body, title=title, style=style(theme))


def text(x: float, y: float, words: str, *, kind: str = "ink", size: float = SIZE, anchor: str = "middle") -> str:
    """A line of text, centred on `x` unless told otherwise; `y` is its base line."""
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place}>{clean(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, *, kind: str = "line", thick: float = 1.2) -> str:
    """A straight line."""
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke-width="{thick:g}"/>'


def curve(x1: float, y1: float, x2: float, y2: float, *, kind: str = "line", thick: float = 1.2) -> str:
    """A line that leaves and arrives upright."""
    middle = (y1 + y2) / 2
    path = f"M{x1:.1f} {y1:.1f}C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}"
    return f'<path class="{kind}" d="{path}" stroke-width="{thick:g}"/>'


def box(x: float, y: float, width: float, height: float, *, kind: str, dashed: bool = False, thick: float = 1.2) -> str:
    """A box with round corners around the centre `x`, `y`."""
    place = f'x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" height="{height:.1f}"'
    dashes = ' stroke-dasharray="4 3"' if dashed else ""
    return f'<rect class="{kind}" {place} rx="{min(height / 2, 7):.1f}" stroke-width="{thick:g}"{dashes}/>'


def group(parts: Iterable[str], *, tip: str = "", step: int | None = None) -> str:
    """Shapes that belong together, with a text shown on hovering."""
    number = "" if step is None else f' data-step="{step}"'
    return f"<g{number}>" + (f"<title>{clean_lines(tip)}</title>" if tip else "") + "".join(parts) + "</g>"


def clean_lines(text: str) -> str:
    """Text of several lines for XML."""
    return "\n".join(clean(part) for part in text.split("\n"))


def describe(step: Step) -> str:
    """What hovering over a step shows: its rule, score and features."""
    named = "" if step.rule.kind in {"rule", "other"} else f" ({step.rule.kind})"
    spoken = [f"by {', '.join(step.rule.components)}"] if step.rule.components else []
    told = [f"action {step.grown.order + 1}: {GROWTH[step.grown.how]}"] if step.grown else []
    lines = [f"{step.rule}{named}", *spoken, *told, f"score {step.score:.3f}"]
    lines += [f"{name} {value:.3f}" for name, value in step.features.items()]
    return readable("\n".join(lines))


class Row:
    """Words side by side.

    Attributes:
        width: Of all of them.
    """

    def __init__(self, words: tuple[str, ...], *, gap: float = 18.0) -> None:
        self._words = words = tuple(map(readable, words))
        self._begins: list[float] = []
        self._widths = [max(width_of(word, SIZE), 12.0) for word in words]
        at = 0.0
        for width in self._widths:
            self._begins.append(at)
            at += width + gap
        self.width = max(at - gap, 0.0)
        self.left = 0.0

    def centre(self, at: int) -> float:
        """The middle of a word."""
        return self.left + self._begins[at] + self._widths[at] / 2

    def edges(self, begin: int, end: int) -> tuple[float, float]:
        """Where a span of words begins and ends; of an empty one, the place between its neighbours."""
        if begin < end:
            return self.left + self._begins[begin], self.left + self._begins[end - 1] + self._widths[end - 1]
        before = self._begins[begin - 1] + self._widths[begin - 1] if 0 < begin <= len(self._words) else 0.0
        return self.left + before + 4, self.left + before + 14

    def middle(self, begin: int, end: int) -> float:
        """The middle of a span."""
        left, right = self.edges(begin, end)
        return (left + right) / 2

    def texts(self, y: float) -> list[str]:
        """The words."""
        return [text(self.centre(at), y, word) for at, word in enumerate(self._words)]
