"""The frame of a page that needs nothing else, and the pieces that pages have in common."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from tolka._engine import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# So many colours the style has; the next series begins again with the first.
COLOURS = 8


def document(title: str, body: str, *, style: str, script: str = "") -> str:
    """A page whose style and script are inside it, and which may load and run nothing else, whatever its texts contain.

    Example:
        >>> "default-src &#x27;none&#x27;" in document("a", "<p>b</p>", style="p{}")
        True
    """
    policy = f"default-src 'none'; style-src '{_digest(style)}'"
    if script:
        policy += f"; script-src '{_digest(script)}'"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy, quote=True)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{style}</style></head>"
        f"<body>{body}{f'<script>{script}</script>' if script else ''}</body></html>\n"
    )


def page_style() -> str:
    """The style that all pages share."""
    return files("tolka.page").joinpath("style.css").read_text("utf-8")


def section(name: str, title: str, note: str, body: str) -> str:
    """A part of a page with its heading; note and body are HTML already."""
    return (
        f'<section aria-labelledby="{name}"><h2 id="{name}">{escape(title)}</h2>'
        f"<p class=note>{note}</p>{body}</section>"
    )


def table(caption: str, heads: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose cells are HTML already; the first of a row is its head."""
    head = "".join(f'<th scope="col">{cell}</th>' for cell in heads)
    lines = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>' for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption, quote=True)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def tiles(facts: Iterable[tuple[str, str]]) -> str:
    """The few numbers a page begins with, by name; values are HTML already."""
    return f"<div class=tiles>{''.join(f'<div><b>{value}</b>{escape(name)}</div>' for name, value in facts)}</div>"


def chip(index: int, name: str) -> str:
    """A name with the colour of its series."""
    return f'<span class="chip s{index % COLOURS}"><i aria-hidden=true></i><bdi>{escape(name)}</bdi></span>'


def chips(names: Iterable[str]) -> str:
    """The names of all series with their colours.

    Example:
        >>> chips(["a", "b"]).count("chip s")
        2
    """
    return " ".join(chip(index, name) for index, name in enumerate(names))


def made_by() -> str:
    """The last line of a page."""
    return f"<footer>Made by tolka {escape(__version__)}.</footer>"


def _digest(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
