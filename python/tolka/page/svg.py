"""Drawings as SVG: a picture of its own or one inside a page, text that is safe in it, and about how wide text is."""

from __future__ import annotations

import re
import unicodedata
from html import escape
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable

FONTS = "system-ui,'Segoe UI','Noto Sans',Helvetica,Arial,sans-serif"
LONGEST = 28
"""Letters of a label before it is cut."""

# Control characters, halves of surrogate pairs and what is no character: XML has no way to write most of them.
_UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def clean(text: str) -> str:
    r"""One line of text for SVG and HTML: markup escaped, what XML cannot write replaced.

    Example:
        >>> clean("a<b\x00") == "a&lt;b\ufffd"
        True
    """
    return escape(_UNWRITABLE.sub("\ufffd", text), quote=True)


# What tokenisers write for characters that have a meaning in models' files (the escapes of Moses).
_ESCAPES = {
    "&apos;": "'", "&quot;": '"', "&lt;": "<", "&gt;": ">", "&#124;": "|", "&#91;": "[", "&#93;": "]", "&amp;": "&",
}  # fmt: skip
_ESCAPE = re.compile("|".join(_ESCAPES))


def readable(words: str) -> str:
    """A model's words as people read them: without a tokeniser's escapes.

    Example:
        >>> readable("l &apos; R &amp;amp; D")
        "l ' R &amp; D"
    """
    return _ESCAPE.sub(lambda found: _ESCAPES[found.group()], words)


def short(text: str, most: int = LONGEST) -> str:
    """A label that is not too long: its end goes first.

    Example:
        >>> short("Donaudampfschifffahrt", 8)
        'Donauda…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def width_of(text: str, size: float) -> float:
    """About how wide a text is in letters of a size; fonts differ, so a little more than most need."""
    return size * sum(_letter_width(letter) for letter in text)


def _letter_width(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    if letter in "iIljtf.,:;'|!()[] r":
        return 0.38
    if letter in "mwMW@%":
        return 0.92
    return 0.7 if letter.isupper() else 0.59


class Drawing(str):
    """The text of an SVG image, which notebooks show as the image.

    Attributes:
        width: Its width in pixels.
    """

    __slots__ = ("width",)
    width: float

    def __new__(cls, text: str, width: float) -> Self:
        """The text of an image that is so wide."""
        made = super().__new__(cls, text)
        made.width = width
        return made

    def _repr_svg_(self) -> str:
        return str(self)


def image(width: float, height: float, parts: Iterable[str], *, title: str, style: str = "") -> Drawing:
    """A picture that is a file of its own, on white unless its style says otherwise of `.page`.

    Example:
        >>> image(20, 10, [], title="nothing").startswith("<svg xmlns=")
        True
    """
    size = f'width="{width:.0f}" height="{height:.0f}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'font-family="{FONTS}"><title>{clean(title)}</title>'
    )
    sheet = f"<style>{style}</style>" if style else ""
    return Drawing(
        "\n".join([head + sheet, f'<rect class="page" {size} fill="#ffffff"/>', *parts, "</svg>"]) + "\n", width
    )


def inline(width: int, height: int, title: str, parts: Iterable[str]) -> str:
    """A picture inside a page, whose style gives it colours; it says what it shows."""
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{clean(title)}">{"".join(parts)}</svg>'


def text(x: float, y: float, words: str, *, kind: str = "tick", anchor: str = "middle") -> str:
    """A word or number of a chart.

    Example:
        >>> text(40, 12.5, "<b>")
        '<text class="tick" x="40" y="12.5" text-anchor="middle">&lt;b&gt;</text>'
    """
    return f'<text class="{kind}" x="{_place(x)}" y="{_place(y)}" text-anchor="{anchor}">{clean(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, *, kind: str = "grid") -> str:
    """A straight line of a chart."""
    return f'<line class="{kind}" x1="{_place(x1)}" x2="{_place(x2)}" y1="{_place(y1)}" y2="{_place(y2)}"/>'


def row_of_grid(left: int, right: int, y: float, said: str) -> str:
    """A horizontal line of a chart's grid, with what it stands for before it."""
    return line(left, y, right, y) + text(left - 6, y + 4, said, anchor="end")


def _place(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.1f}"
