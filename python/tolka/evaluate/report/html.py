"""The frame of a page that needs nothing else, and the pieces its pages have in common."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


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
    """The style that pages of this room and later ones share."""
    return files("tolka.evaluate.report").joinpath("page.css").read_text("utf-8")


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


def svg(width: int, height: int, title: str, parts: Iterable[str]) -> str:
    """A drawing that says what it shows."""
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title, quote=True)}">'
        f"{''.join(parts)}</svg>"
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
