"""Translation memories: TMX 1.4b (and its elders), read as a stream in constant memory.

XML from outside is read with everything off that makes XML dangerous: entity declarations and references to
external ones are errors, a DOCTYPE is tolerated but nothing is ever fetched, and nesting and sizes are capped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.parsers import expat

import tolka
from tolka._engine import ByteReader
from tolka.corpus.output import Output
from tolka.corpus.rows import Account, Pair, Rows
from tolka.corpus.segments import one_line
from tolka.errors import FormatError, InputError, LimitError, SettingsError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from tolka.limits import Limits

# Inline elements that hold codes of the original format (TMX 1.4b, section 3.4); <hi> holds text.
_CODES = frozenset({"bpt", "ept", "it", "ph", "ut"})
_INLINE_TEXT = frozenset({"hi", "sub"})
_PLACES = {
    "tu": ["tmx", "body", "tu"],
    "tuv": ["tmx", "body", "tu", "tuv"],
    "seg": ["tmx", "body", "tu", "tuv", "seg"],
}
_MOST_DEPTH = 100
# A unit has a segment in each of a few languages.
_SEGMENTS_PER_UNIT = 50
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

Unit = list[tuple[str, str]]


def read_tmx(
    path: str | PathLike[str], *, langs: tuple[str, str] | None = None, limits: Limits = DEFAULT
) -> Rows[Pair]:
    r"""Read the pairs of a translation memory, plain or compressed.

    Codes of the original format inside a segment (`<bpt>`, `<ept>`, `<it>`, `<ph>`, `<ut>`) are dropped, text inside
    `<hi>` and unknown elements is kept. A segment wrapped over lines is brought onto one. What is left out is counted
    in `Rows.skipped`: units that lack a language, and further segments in the same language.

    Args:
        path: The file; "-" is standard input.
        langs: The languages of source and target. "en" also means "en-GB", in any case. Without, the first unit with
            two languages decides, the header's source language first.
        limits: Caps on segments and files.

    Returns:
        An iterator over pairs.

    Raises:
        FormatError: The file is not well-formed XML, not TMX, or declares entities.
        SettingsError: `langs` is needed, as the memory has more than two languages.
        LimitError: A segment is larger than a line may be.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "memory.tmx"
        >>> write_tmx(path, [("ein <b>Haus</b>", "a <b>house</b>")], langs=("de", "en"))
        1
        >>> list(read_tmx(path, langs=("en", "de")))
        [('a <b>house</b>', 'ein <b>Haus</b>')]
    """
    if langs is not None and _subtags(langs[0]) == _subtags(langs[1]):
        raise SettingsError(f"source and target are both {langs[0]!r}", hint="give two different languages")
    account = Account()
    stream = _Stream(path, limits, account)
    return Rows(_pairs(stream, langs, account), format="tmx", width=2, account=account)


def _pairs(stream: _Stream, langs: tuple[str, str] | None, account: Account) -> Iterator[Pair]:
    for unit in stream.units():
        langs = langs or _guess_languages(unit, stream.source_language)
        if langs is None:
            account.skipped["unit lacks a language"] += 1
            continue
        account.langs = langs
        sides = [_segments_in(unit, lang) for lang in langs]
        if not all(sides):
            account.skipped["unit lacks a language"] += 1
            continue
        further = sum(len(side) - 1 for side in sides)
        if further:
            account.skipped["further segment in the same language"] += further
        yield sides[0][0], sides[1][0]


def _subtags(lang: str) -> list[str]:
    return lang.lower().replace("_", "-").split("-")


def _segments_in(unit: Unit, lang: str) -> list[str]:
    """The segments whose language is `lang` or a variety of it; those of exactly `lang` first."""
    wanted = _subtags(lang)
    exact = [text for code, text in unit if _subtags(code) == wanted]
    wider = [text for code, text in unit if _subtags(code)[: len(wanted)] == wanted and _subtags(code) != wanted]
    return exact + wider


def _guess_languages(unit: Unit, source: str) -> tuple[str, str] | None:
    codes = list(dict.fromkeys(code for code, _ in unit))
    if len(codes) < 2:  # noqa: PLR2004
        return None
    if len(codes) > 2:  # noqa: PLR2004
        raise SettingsError(
            f"the memory has more than two languages ({', '.join(codes)})", hint="choose two with --langs"
        )
    if _segments_in([(codes[1], "")], source):
        codes.reverse()
    # The plain language serves better: a later unit may have another variety of it.
    plain = [_subtags(code)[0] for code in codes]
    first, second = plain if plain[0] != plain[1] else codes
    return first, second


class _Stream:
    """The units of a memory as the parser meets them."""

    def __init__(self, path: str | PathLike[str], limits: Limits, account: Account) -> None:
        self.name = "<stdin>" if str(path) == "-" else path
        self.source_language = ""
        self._limits = limits
        self._skipped = account.skipped
        self._reader = ByteReader(path, file_bytes=limits.file_bytes, expansion=limits.expansion)
        self._parser = self._make_parser()
        self._open: list[str] = []
        self._units: list[Unit] = []
        self._unit: Unit = []
        self._unit_size = 0
        self._lang = ""
        self._text: list[str] | None = None  # of the segment we are in
        self._text_size = 0
        self._codes = 0  # how many code elements we are in

    def units(self) -> Iterator[Unit]:
        """Parse block by block and give each unit when it is complete."""
        fed = 0
        while True:
            block = self._reader.read()
            fed += len(block)
            try:
                self._parser.Parse(block, not block)
            except expat.ExpatError as error:
                what = expat.ErrorString(error.code)
                raise self._malformed(what if block else f"it ends too early ({what})", error.lineno) from None
            yield from self._units
            self._units.clear()
            if not block:
                return
            # The parser holds a tag or comment as a whole until it ends.
            if fed - max(self._parser.CurrentByteIndex, 0) > 4 * self._limits.line_bytes + len(block):
                raise self._too_much(f"an XML tag or comment is longer than {4 * self._limits.line_bytes} bytes")

    def _make_parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.EntityDeclHandler = self._refuse_entity
        parser.ExternalEntityRefHandler = self._refuse_entity
        parser.SkippedEntityHandler = self._refuse_entity
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        return parser

    def _refuse_entity(self, *_: object) -> int:
        raise self._malformed("it declares or uses an XML entity, which TMX does not need and tolka never expands")

    def _malformed(self, what: str, line: int | None = None) -> FormatError:
        line = line or self._parser.CurrentLineNumber
        return FormatError(f"the TMX file cannot be read: {what}", path=self.name, line=line)

    def _too_much(self, what: str) -> LimitError:
        return LimitError(
            what, path=self.name, line=self._parser.CurrentLineNumber, hint="raise the limit: TOLKA_LINE_BYTES"
        )

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._open and name != "tmx":
            raise self._malformed(f"its root element is <{name}> instead of <tmx>")
        if len(self._open) == _MOST_DEPTH:
            raise self._malformed(f"elements are nested more than {_MOST_DEPTH} deep")
        self._open.append(name)
        if self._text is not None:
            self._start_inline(name)
        elif name == "header":
            self.source_language = attributes.get("srclang", "")
        elif name in _PLACES and self._open != _PLACES[name]:
            raise self._malformed(f"<{name}> is out of place")
        elif name == "tu":
            self._unit = []
            self._unit_size = 0
        elif name == "tuv":
            self._lang = attributes.get("xml:lang") or attributes.get("lang", "")
            if not self._lang:
                raise self._malformed("a <tuv> does not say its language")
        elif name == "seg":
            self._text = []
            self._text_size = 0
            self._grow(1)

    def _start_inline(self, name: str) -> None:
        if name == "seg":
            raise self._malformed("<seg> is out of place")
        if name in _CODES:
            self._codes += 1
            self._skipped["inline code"] += self._codes == 1
        elif name not in _INLINE_TEXT and not self._codes:
            self._skipped["unknown inline tag (its text is kept)"] += 1

    def _characters(self, text: str) -> None:
        if self._text is not None and not self._codes:
            self._text.append(text)
            self._grow(len(text))

    def _grow(self, size: int) -> None:
        self._text_size += size
        self._unit_size += size
        if self._text_size > self._limits.line_bytes:
            raise self._too_much(f"a segment is longer than {self._limits.line_bytes} characters")
        if self._unit_size > _SEGMENTS_PER_UNIT * self._limits.line_bytes:
            raise self._too_much(
                f"a unit is longer than {_SEGMENTS_PER_UNIT} segments of {self._limits.line_bytes} characters"
            )

    def _end(self, name: str) -> None:
        self._open.pop()
        if self._text is not None:
            if name == "seg":
                self._unit.append((self._lang, one_line("".join(self._text))))
                self._text = None
            elif name in _CODES:
                self._codes -= 1
        elif name == "tu":
            self._units.append(self._unit)


def write_tmx(path: str | PathLike[str], pairs: Iterable[Pair], *, langs: tuple[str, str]) -> int:
    r"""Write a translation memory (TMX 1.4), to a file that appears whole or not at all.

    Args:
        path: The file; a name in .gz, .xz or .zst is compressed.
        pairs: Texts without line breaks. What XML cannot hold (most control characters) is an error.
        langs: The languages of source and target, such as "de" and "en-GB".

    Returns:
        The number of pairs.
    """
    codes = []
    for lang in langs:
        if not _LANGUAGE.fullmatch(lang):
            raise SettingsError(f"{lang!r} is not a language code", hint="give one such as de, en-GB or zh-Hant")
        codes.append(lang.replace("_", "-"))
    if codes[0].lower() == codes[1].lower():
        raise SettingsError(f"source and target are both {codes[0]!r}", hint="give two different languages")
    number = 0
    with Output(path) as output:
        output.write_text(
            '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
            f'<header creationtool="tolka" creationtoolversion="{tolka.__version__}" segtype="sentence" o-tmf="tolka" '
            f'adminlang="en" srclang="{codes[0]}" datatype="plaintext"/>\n<body>\n'
        )
        for number, pair in enumerate(pairs, 1):
            variants = [
                f'<tuv xml:lang="{code}"><seg>{_escape(text, output.name, number)}</seg></tuv>'
                for code, text in zip(codes, pair, strict=True)
            ]
            output.write_line(f"<tu>{''.join(variants)}</tu>")
        output.write_text("</body>\n</tmx>\n")
    return number


def _escape(text: str, path: str | PathLike[str], number: int) -> str:
    if (bad := _NOT_XML.search(text)) or "\n" in text:
        name = f"U+{ord(bad[0]):04X}, which XML cannot hold" if bad else "a line break"
        raise InputError(f"the text of pair {number} contains {name}", path=path, hint="replace or remove it")
    # XML readers turn a bare CR into LF.
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
