"""What a text that should be one sentence a line really is: a document in a format of its own, or nothing else."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from typing import TYPE_CHECKING

from tolka.corpus.lines import read_lines
from tolka.errors import TolkaError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

_COMPRESSED = {".gz", ".xz", ".zst", ".bz2"}
_LINES = 1000
# The kinds of marks that Markdown without its name must have: prose has one or the other now and then.
_SEVERAL = 3

_MARKDOWN = {
    "heading": re.compile(r"#{1,6} \S"),
    "fence": re.compile(r"(```|~~~)"),
    "link": re.compile(r".*!?\[[^\]]+\]\([^)\s]+\)"),
    "bold": re.compile(r".*(\*\*|__)\S[^*_]*\S?\1"),
    "code": re.compile(r".*(?<!`)`[^`]+`(?!`)"),
    "item": re.compile(r"\s*([*+-]|\d+\.) \S"),
    "rule": re.compile(r"(---+|===+|\*\*\*+)\s*$"),
    "quote": re.compile(r"> \S"),
}
# A dash or a number begins lines of ordinary text, too.
_PLAIN = {"item", "rule", "quote"}
_TAG = re.compile(r"<[A-Za-z!/?][^<>]*>")
_ROOTS = (
    ("TMX", re.compile(r"(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*(<!DOCTYPE\s+tmx[^>]*>\s*)?<tmx\b", re.DOTALL)),
    ("XLIFF", re.compile(r"(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<xliff\b", re.DOTALL)),
    ("HTML", re.compile(r"(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*(<!DOCTYPE\s+html\b|<html\b|<head\b|<body\b)", re.IGNORECASE | re.DOTALL)),
    ("XML", re.compile(r"<\?xml\s")),
    ("PO", re.compile(r'(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*msg(?:id|ctxt)[ \t]*"')),
    ("subtitles", re.compile(r"(WEBVTT\b|\d+\s*\n\d\d:\d\d:\d\d[,.]\d{3} --> )")),
)  # fmt: skip
# A name says so only if the text has at least a mark of it: people name plain text as they like.
_NAMES = {
    ".tmx": ("TMX", re.compile(r"<(tmx|tu|tuv|seg)\b")),
    ".xlf": ("XLIFF", re.compile(r"<(xliff|trans-unit|unit|segment)\b")),
    ".xliff": ("XLIFF", re.compile(r"<(xliff|trans-unit|unit|segment)\b")),
    ".xml": ("XML", _TAG),
    ".html": ("HTML", _TAG),
    ".htm": ("HTML", _TAG),
    ".xhtml": ("HTML", _TAG),
    ".po": ("PO", re.compile(r'^\s*msg(id|str)\b.*"', re.MULTILINE)),
    ".pot": ("PO", re.compile(r'^\s*msg(id|str)\b.*"', re.MULTILINE)),
    ".srt": ("subtitles", re.compile(r"\d --> \d")),
    ".vtt": ("subtitles", re.compile(r"\d --> \d")),
    ".tsv": ("TSV", re.compile(r"\t")),
    ".tab": ("TSV", re.compile(r"\t")),
}
_MARKDOWN_NAMES = {".md", ".markdown", ".mkd", ".mdx"}
READ = {"TMX": "tmx", "PO": "po", "TSV": "tsv"}
"""Those of which `read_corpus` takes the sentences out, by the format's name there."""


@dataclass(frozen=True)
class Document:
    """What a text is.

    Attributes:
        kind: The format, such as "HTML".
        sure: Whether it can be nothing else; if not, it may be ordinary text with marks in it.
    """

    kind: str
    sure: bool


def sniff(lines: Sequence[str], path: str | PathLike[str] = "-") -> Document | None:
    """Tell from the first lines of a text, and its file's name, whether it is a document and not one sentence a line.

    Example:
        >>> sniff(["<!DOCTYPE html>", "<title>Häuser</title>"])
        Document(kind='HTML', sure=True)
        >>> sniff(["Das Haus ist <b>alt</b>.", "# 5 ist frei"]) is None
        True
    """
    head = list(lines[:_LINES])
    text = "\n".join(head).lstrip("\ufeff \t\r\n")
    for kind, root in _ROOTS:
        if root.match(text):
            return Document(kind, sure=True)
    ending = ending_of(path)
    if ending in _NAMES and _NAMES[ending][1].search(text):
        return Document(_NAMES[ending][0], sure=True)
    marks = {kind for kind, mark in _MARKDOWN.items() if any(mark.match(line) for line in head)}
    if ending in _MARKDOWN_NAMES and marks:
        return Document("Markdown", sure=True)
    if len(marks - _PLAIN) >= _SEVERAL:
        return Document("Markdown", sure=False)
    return None


def sniff_file(path: str | PathLike[str]) -> Document | None:
    """Tell from a file's first lines what it is; what cannot be read is nobody's document."""
    head: list[str] = []
    with suppress(TolkaError):
        head.extend(islice(read_lines(path), _LINES))
    return sniff(head, path)


def ending_of(path: str | PathLike[str]) -> str:
    """The end of a file's name in small letters, without that of its compression.

    Example:
        >>> ending_of("memory.TMX.gz")
        '.tmx'
    """
    name = PurePath(path)
    if name.suffix.lower() in _COMPRESSED:
        name = name.with_suffix("")
    return name.suffix.lower()
