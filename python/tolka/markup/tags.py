"""Translations written into the text as tags, as Moses reads them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal, NoReturn

from tolka.errors import FormatError

Mode = Literal["exclusive", "inclusive", "ignore", "pass-through"]
"""What tags do: their translations are the only ones, or compete with the model's, or are ignored; with `pass-through`
text is not searched for tags at all."""

_TAG = re.compile(r"<(/?)([A-Za-z_][\w.-]{0,63})((?:\s+[A-Za-z_][\w.-]{0,63}\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'))*)\s*(/?)>")
_ATTRIBUTE = re.compile(r"([\w.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_ENTITY = re.compile(r"&(lt|gt|amp|quot|apos|#124|#91|#93);")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "#124": "|", "#91": "[", "#93": "]"}
_BETWEEN = "||"
_SPANS = frozenset({"zone", "whole"})
_WALL = "wall"

Mark = Literal["zone", "whole", "end", "wall"]
"""What stands between two words: the beginning of a span that belongs together, the end of the last one, or a wall."""


@dataclass(frozen=True)
class Piece:
    """A part of a text.

    Attributes:
        text: What is to be translated, without tags and entities.
        translations: How, with log weights; none if the model may choose.
        marks: What stands before it.
    """

    text: str
    translations: tuple[tuple[str, float], ...] = ()
    marks: tuple[Mark, ...] = ()


def parse_markup(text: str, *, line: int | None = None) -> list[Piece]:
    r"""Split a text at its tags.

    A tag `<name translation="a house||the house" prob="0.2||0.8">...</name>` gives translations of the text inside; the
    name does not matter. Of tags without translations, `<zone>...</zone>` and `<whole>...</whole>` say that the words inside
    belong together, and `<wall/>` that nothing crosses it; others are left out. `&lt; &gt; &amp; &quot; &apos;` stand for the signs that
    tags are made of; any other `&` is itself.

    Args:
        text: One sentence.
        line: Its number in the file, for error messages.

    Raises:
        FormatError: A tag that is not closed, not opened, nested in another with translations or badly spelled.

    Example:
        >>> parse_markup('<np translation="the house">das haus</np> ist klein')
        [Piece(text='das haus', translations=(('the house', 0.0),), marks=()), Piece(text=' ist klein', translations=(), marks=())]
        >>> [(piece.text, piece.marks) for piece in parse_markup("er <zone>las , <wall/> was</zone>")]
        [('er ', ()), ('las , ', ('zone',)), (' was', ('wall',)), ('', ('end',))]
    """
    parser = _Parser(line)
    at = 0
    while (sign := text.find("<", at)) >= 0:
        parser.words.append(plain(text[at:sign]))
        tag = _TAG.match(text, sign)
        if tag is None:
            _fail("`<` does not begin a tag", line, sign, "write &lt; for the sign itself")
        if tag.group(1):
            parser.close(tag)
        else:
            parser.open(tag)
        at = tag.end()
    parser.words.append(plain(text[at:]))
    return parser.finish()


_ANY_TAG = re.compile(
    r"<(?:/?[A-Za-z_](?:\"[^\"]{0,999}\"|'[^']{0,999}'|[^<>\"']){0,999}|!--.{0,999}?--|[!?][^<>]{0,999})>"
)


def without_markup(text: str) -> str:
    """A text without its tags, whatever they say and whether or not they are closed; other `<` stay.

    Example:
        >>> without_markup('<!DOCTYPE html><p class="x">1 < 2 &amp; <br>so')
        '1 < 2 & so'
    """
    return plain(_ANY_TAG.sub("", text))


_Translations = tuple[tuple[str, float], ...]


class _Parser:
    """What has been read of a text."""

    def __init__(self, line: int | None) -> None:
        self.line = line
        self.pieces: list[Piece] = []
        self.words: list[str] = []
        # What stands before the words.
        self.marks: list[Mark] = []
        # Tags that are open: name, column, translations.
        self.stack: list[tuple[str, int, _Translations]] = []

    def open(self, tag: re.Match[str]) -> None:
        _, name, attributes, alone = tag.groups()
        translations = _translations(attributes, self.line, tag.start())
        if translations:
            if any(outer for _, _, outer in self.stack):
                _fail("a tag with a translation is inside another", self.line, tag.start(), "mark each word once")
            if alone:
                self.fail_empty(tag.start())
            self.flush((), tag.start())
        elif name in _SPANS or name == _WALL:
            self.open_span(name, tag.start(), alone=bool(alone))
        if not alone:
            self.stack.append((name, tag.start(), translations))

    def open_span(self, name: str, column: int, *, alone: bool) -> None:
        if any(outer for _, _, outer in self.stack):
            _fail(f"<{name}> is inside a tag with a translation", self.line, column, "put it around the tag")
        if alone != (name == _WALL):
            how = "write <wall/>" if name == _WALL else "put it around the words that belong together"
            _fail(f"<{name}{'/' * alone}> makes no sense", self.line, column, how)
        self.mark(name)  # type: ignore[arg-type]

    def mark(self, mark: Mark) -> None:
        self.flush((), 0)
        self.marks.append(mark)

    def close(self, tag: re.Match[str]) -> None:
        _, name, attributes, alone = tag.groups()
        if attributes or alone or not self.stack or self.stack[-1][0] != name:
            due = f"</{self.stack[-1][0]}> is due" if self.stack else "no tag is open"
            _fail(f"</{name}> closes nothing here", self.line, tag.start(), due)
        _, column, translations = self.stack.pop()
        if translations:
            self.flush(translations, column)
        elif name in _SPANS:
            self.mark("end")

    def flush(self, translations: _Translations, column: int) -> None:
        found = "".join(self.words)
        self.words.clear()
        if translations and not found.strip():
            self.fail_empty(column)
        if found:
            self.pieces.append(Piece(found, translations, tuple(self.marks)))
            self.marks.clear()

    def fail_empty(self, column: int) -> NoReturn:
        _fail("the tag has a translation but no words", self.line, column, "put the words between it and its end")

    def finish(self) -> list[Piece]:
        if self.stack:
            name, column, _ = self.stack[-1]
            _fail(f"<{name}> is not closed", self.line, column, f"write </{name}> behind its words")
        self.flush((), 0)
        if self.marks:
            self.pieces.append(Piece("", (), tuple(self.marks)))
        return self.pieces


def _translations(attributes: str, line: int | None, column: int) -> _Translations:
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(attributes):
        name, value = match.group(1), match.group(2) if match.group(2) is not None else match.group(3)
        if name not in {"translation", "prob"} or name in found:
            how = "twice" if name in found else "but means nothing"
            _fail(
                f"the attribute {name} is there {how}", line, column, "attributes are translation and prob, once each"
            )
        found[name] = value
    if "translation" not in found:
        if "prob" in found:
            _fail("there is a prob but no translation", line, column, "attributes are translation and prob")
        return ()
    texts = [plain(text) for text in found["translation"].split(_BETWEEN)]
    if not all(text.strip() for text in texts):
        _fail("a translation is empty", line, column, "give each at least one word")
    if "prob" not in found:
        return tuple((text, 0.0) for text in texts)
    values = found["prob"].split(_BETWEEN)
    if len(values) != len(texts):
        _fail(f"there are {len(texts)} translations and {len(values)} of prob", line, column, "give one for each")
    return tuple((text, _weight(value, line, column)) for text, value in zip(texts, values, strict=True))


def _weight(value: str, line: int | None, column: int) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        _fail(f"the prob {value!r} is not a number above 0", line, column, "write a number like 0.8")
    return math.log(number)


def plain(text: str) -> str:
    """A text with the signs that its entities stand for; `&lt; &gt; &amp; &quot; &apos;` and those of the tokeniser.

    Example:
        >>> plain("a &lt; b &nbsp;")
        'a < b &nbsp;'
    """
    return _ENTITY.sub(lambda match: _ENTITIES[match.group(1)], text) if "&" in text else text


def _fail(what: str, line: int | None, column: int, hint: str) -> NoReturn:
    raise FormatError(f"column {column + 1}: {what}", line=line, hint=hint)
