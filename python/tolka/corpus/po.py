"""Message catalogues of gettext (.po): a source of clean, short, parallel text.

The syntax is that of the GNU gettext manual, "The Format of PO Files".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tolka.corpus.lines import Lines
from tolka.corpus.output import Output
from tolka.corpus.rows import Account, Pair, Rows
from tolka.corpus.segments import one_line
from tolka.errors import FormatError, InputError, LimitError, SettingsError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from tolka.limits import Limits

_KEYWORD = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr|domain)(?:\[([0-9]{1,3})\])?[ \t]*(?=")')
_STRING = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"[ \t]*')
_ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9A-Fa-f]{1,2}|.)")
_OBSOLETE_MESSAGE = re.compile(r"#~[ \t]*msgid[ \t\"]")
_CHARSET = re.compile(r"^Content-Type:.*?charset=([^\s;]+)", re.IGNORECASE | re.MULTILINE)
_LANGUAGE = re.compile(r"^Language:[ \t]*([A-Za-z0-9_@.-]+)", re.IGNORECASE | re.MULTILINE)
_LANGUAGE_CODE = re.compile(r"[A-Za-z]{2,8}(?:[-_@][A-Za-z0-9]{1,8})*")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "\\": "\\", '"': '"', "'": "'"}
_UNESCAPES = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f", "\v": "\\v", "\a": "\\a"}
_TO_ESCAPE = str.maketrans({chr(code): f"\\{code:03o}" for code in range(1, 32)} | _UNESCAPES)


@dataclass(frozen=True)
class Message:
    """One message of a catalogue, as it stands there.

    Attributes:
        source: The original (msgid).
        translations: The translation (msgstr), or one per plural form (msgstr[0], msgstr[1], …).
        plural: The original's plural (msgid_plural), if it has one.
        context: What tells it from messages with the same original (msgctxt), if anything.
        flags: Its flags, such as "fuzzy" and "c-format".
        line: The line it begins on.
    """

    source: str
    translations: tuple[str, ...]
    plural: str | None = None
    context: str | None = None
    flags: frozenset[str] = frozenset()
    line: int = 0


def read_po(
    path: str | PathLike[str], *, fuzzy: bool = False, limits: Limits = DEFAULT, repair: bool = False
) -> Rows[Pair]:
    r"""Read the pairs of original and translation of a message catalogue, plain or compressed.

    A message with plural forms gives the pair of singulars and a pair of the plural with each further form; in a
    language with one form only, the pair of the plural with it. Texts over several lines are brought onto one;
    placeholders are kept. What is left out is counted in `Rows.skipped`: "fuzzy", "obsolete" and "untranslated".

    Args:
        path: The file; "-" is standard input.
        fuzzy: Keep translations that are marked as doubtful.
        limits: Caps on lines and files; a message may be as long as a line.
        repair: Replace what is not UTF-8 with U+FFFD and count it, instead of failing.

    Returns:
        An iterator over pairs.

    Raises:
        FormatError: The syntax is wrong.
        InputError: The catalogue is not UTF-8.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "sv.po"
        >>> _ = path.write_text('msgid "%d files\\n"\nmsgstr "%d filer\\n"\n\n#, fuzzy\nmsgid "a"\nmsgstr "b"\n')
        >>> pairs = read_po(path)
        >>> list(pairs), pairs.skipped
        ([('%d files', '%d filer')], {'fuzzy': 1})
    """
    lines = Lines(path, limits=limits, repair=repair)
    account = Account()
    account.repairs = lambda: lines.repairs
    return Rows(_pairs(_Parser(lines, limits, account), fuzzy, account), format="po", width=2, account=account)


def read_messages(path: str | PathLike[str], *, limits: Limits = DEFAULT, repair: bool = False) -> Iterator[Message]:
    """Read all messages of a catalogue as they stand, header included, obsolete ones not."""
    return _Parser(Lines(path, limits=limits, repair=repair), limits, Account()).messages()


def _pairs(parser: _Parser, fuzzy: bool, account: Account) -> Iterator[Pair]:
    for message in parser.messages():
        if not message.source and message.context is None:
            continue  # the header
        if "fuzzy" in message.flags and not fuzzy:
            account.skipped["fuzzy"] += 1
            continue
        for source, translation in _sides(message):
            if source and translation:
                yield one_line(source), one_line(translation)
            else:
                account.skipped["untranslated"] += 1


def _sides(message: Message) -> Iterator[Pair]:
    singular, *plurals = message.translations
    if message.plural is None:
        yield message.source, singular
    elif not plurals:
        yield message.plural, singular
    else:
        yield message.source, singular
        for form in plurals:
            yield message.plural, form


@dataclass
class _Draft:
    """A message under way; each text is the list of its strings."""

    line: int
    flags: set[str] = field(default_factory=set)
    context: list[str] | None = None
    source: list[str] | None = None
    plural: list[str] | None = None
    translations: list[list[str]] = field(default_factory=list)
    size: int = 0

    def finished(self) -> Message:
        return Message(
            source="".join(self.source or ()),
            translations=tuple("".join(parts) for parts in self.translations),
            plural=None if self.plural is None else "".join(self.plural),
            context=None if self.context is None else "".join(self.context),
            flags=frozenset(self.flags),
            line=self.line,
        )


class _Parser:
    """Goes through a catalogue line by line."""

    def __init__(self, lines: Lines, limits: Limits, account: Account) -> None:
        self._lines = lines
        self._limits = limits
        self._account = account
        self._number = 0
        self._draft: _Draft | None = None
        self._strings: list[str] | None = None  # of the text that the next string continues
        self._flags: set[str] = set()

    def messages(self) -> Iterator[Message]:
        for line in self._lines:
            self._number += 1
            stripped = line.strip(" \t\r\f\v")
            if not stripped:
                continue
            if stripped[0] == '"':
                if self._strings is None:
                    raise self._malformed("a string that continues nothing")
                self._read_strings(stripped, self._strings)
                continue
            begins = stripped[0] == "#" or stripped.startswith(("msgctxt", "domain")) or self._is_next_source(stripped)
            if begins and self._draft is not None and self._draft.translations:
                yield self._take()
            if stripped[0] == "#":
                self._read_comment(stripped)
            else:
                self._read_keyword(stripped)
        if self._draft is not None:
            yield self._take()

    def _is_next_source(self, line: str) -> bool:
        return line.startswith("msgid") and not line.startswith("msgid_plural")

    def _take(self) -> Message:
        draft, self._draft, self._strings = self._draft, None, None
        if draft is None or not draft.translations:
            raise self._malformed(f"the message of line {draft.line if draft else self._number} has no msgstr")
        message = draft.finished()
        if not message.source and message.context is None:
            self._check_header(message)
        return message

    def _check_header(self, message: Message) -> None:
        header = message.translations[0]
        if language := _LANGUAGE.search(header):
            self._account.langs = ("", language[1])
        charset = _CHARSET.search(header)
        if charset and charset[1].upper() not in {"UTF-8", "UTF8", "US-ASCII", "ASCII", "CHARSET"}:
            raise InputError(
                f"the catalogue is in {charset[1]}, not UTF-8",
                path=self._lines.name,
                line=message.line,
                hint="convert it: msgconv --to-code=UTF-8 OLD > NEW",
            )

    def _read_comment(self, line: str) -> None:
        if line.startswith("#~"):
            if _OBSOLETE_MESSAGE.match(line):
                self._account.skipped["obsolete"] += 1
            self._flags = set()
        elif line.startswith(("#,", "#=")):
            self._flags.update(flag.strip() for flag in line[2:].split(","))

    def _read_keyword(self, line: str) -> None:
        match = _KEYWORD.match(line)
        if not match:
            raise self._malformed("neither a comment, a keyword with a string, nor a string")
        keyword, index = match[1], match[2]
        if index is not None and keyword != "msgstr":
            raise self._malformed(f"{keyword} takes no number")
        self._strings = self._place(keyword, index)
        self._read_strings(line[match.end() :], self._strings)

    def _place(self, keyword: str, index: str | None) -> list[str]:
        """Where the strings after this keyword go."""
        draft = self._draft
        if draft is None and keyword in {"msgctxt", "msgid"}:
            draft = self._draft = _Draft(self._number, self._flags)
            self._flags = set()
        strings: list[str] = []
        match keyword:
            case "domain" if draft is None:
                pass
            case "msgctxt" if draft and draft.context is None and draft.source is None:
                draft.context = strings
            case "msgid" if draft and draft.source is None:
                draft.source = strings
            case "msgid_plural" if draft and draft.source is not None and not draft.plural and not draft.translations:
                draft.plural = strings
            case "msgstr" if draft and draft.source is not None and self._fits(draft, index):
                draft.translations.append(strings)
            case _:
                raise self._malformed(f"{keyword} is out of place")
        return strings

    def _fits(self, draft: _Draft, index: str | None) -> bool:
        if draft.plural is None:
            return index is None and not draft.translations
        return index is not None and int(index) == len(draft.translations)

    def _read_strings(self, rest: str, strings: list[str]) -> None:
        place = 0
        while place < len(rest):
            match = _STRING.match(rest, place)
            if not match:
                raise self._malformed("a string is not closed, or something follows it")
            text = self._unescape(match[1])
            strings.append(text)
            if self._draft is not None:
                self._draft.size += len(text) + 1
                if self._draft.size > self._limits.line_bytes:
                    raise LimitError(
                        f"a message is longer than {self._limits.line_bytes} characters",
                        path=self._lines.name,
                        line=self._number,
                        hint="raise the limit: TOLKA_LINE_BYTES",
                    )
            place = match.end()

    def _unescape(self, text: str) -> str:
        if "\\" not in text:
            return text
        # Numbers are bytes (\303\244 is ä), so that the text is put together as bytes.
        parts = bytearray()
        place = 0
        for match in _ESCAPE.finditer(text):
            parts += text[place : match.start()].encode()
            code = match[1]
            if code in _LETTERS:
                parts += _LETTERS[code].encode()
            elif code[0] in "01234567x":
                value = int(code[1:], 16) if code[0] == "x" else int(code, 8)
                if not 0 < value < 256:  # noqa: PLR2004
                    raise self._malformed(f"the escape \\{code} is no character")
                parts.append(value)
            else:
                raise self._malformed(f"the escape \\{code} is unknown")
            place = match.end()
        parts += text[place:].encode()
        try:
            return parts.decode()
        except UnicodeDecodeError:
            raise self._malformed("the escaped bytes of a string are not UTF-8") from None

    def _malformed(self, what: str) -> FormatError:
        return FormatError(f"not a message catalogue here: {what}", path=self._lines.name, line=self._number or None)


def write_po(path: str | PathLike[str], pairs: Iterable[Pair], *, lang: str = "") -> int:
    """Write a message catalogue, to a file that appears whole or not at all.

    An original that was written before gets its count as context (msgctxt), because a catalogue may not contain the
    same message twice.

    Args:
        path: The file; a name in .gz, .xz or .zst is compressed.
        pairs: Texts without line breaks; neither side may be empty, as that means a header or an untranslated message.
        lang: The language of the translations, for the header.

    Returns:
        The number of pairs.
    """
    if lang and not _LANGUAGE_CODE.fullmatch(lang):
        raise SettingsError(f"{lang!r} is not a language code", hint="give one such as de, pt_BR or sr@latin")
    seen: dict[str, int] = {}
    number = 0
    with Output(path) as output:
        headers = ["MIME-Version: 1.0", "Content-Type: text/plain; charset=UTF-8", "Content-Transfer-Encoding: 8bit"]
        headers += [f"Language: {lang}"] if lang else []
        output.write_text('msgid ""\nmsgstr ""\n' + "".join(f'"{header}\\n"\n' for header in headers))
        for number, (source, target) in enumerate(pairs, 1):
            for text in (source, target):
                if not text or "\n" in text or "\0" in text:
                    what = "is empty" if not text else "contains a line break or NUL"
                    raise InputError(
                        f"a text of pair {number} {what}", path=output.name, hint="remove or repair the pair"
                    )
            seen[source] = seen.get(source, 0) + 1
            context = f'msgctxt "{seen[source]}"\n' if seen[source] > 1 else ""
            output.write_text(f'\n{context}msgid "{_quote(source)}"\nmsgstr "{_quote(target)}"\n')
    return number


def _quote(text: str) -> str:
    return text.translate(_TO_ESCAPE)
