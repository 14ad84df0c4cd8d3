"""The record of a table of unknown words: how each was translated, and who voted for what."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from tolka.corpus import Output, read_lines
from tolka.errors import FormatError, InputError, LimitError
from tolka.limits import DEFAULT
from tolka.translate.bundle import open_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike

    from tolka.limits import Limits

Kind = Literal["context", "spelling"]
"""Why two words are neighbours: they are used alike, or written alike."""

Role = Literal["labelled", "bridge", "unknown"]
"""What a neighbour is: a word whose translations are known, one between, or another unknown word."""

Origin = Literal["graph", "lexicon"]
"""Where translations come from: neighbours alone, or a lexicon that has the word itself."""

Weighed = tuple[tuple[str, float], ...]

_FORMAT, _VERSION = "tolka-oov", 1
_AGAIN = "copy or make the model again"
_MOST = 20_000_000
"""Words of a record, at most."""
_FIELDS, _OF_NEIGHBOUR = 6, 5


@dataclass(frozen=True)
class Neighbour:
    """A node of the graph beside an unknown word.

    Attributes:
        text: Its words.
        similarity: The weight of the edge between them.
        kind: What the edge is.
        role: What the neighbour is.
        labels: What it votes for, most probable first: its translations, or what reached it if it has none.
    """

    text: str
    similarity: float
    kind: Kind = "context"
    role: Role = "labelled"
    labels: Weighed = ()


@dataclass(frozen=True)
class Entry:
    """An unknown word with the translations that were found for it.

    Attributes:
        word: As the model sees it.
        translations: Most probable first. Probabilities sum to 1, but for words that a table translates already, less what it says.
        count: How often the text has the word.
        dummy: How much of what reached it says that nothing is known (the label ⊥), from 0 to 1.
        origin: Where its translations come from.
        neighbours: Who voted, most similar first.
    """

    word: str
    translations: Weighed
    count: int = 0
    dummy: float = 0.0
    origin: Origin = "graph"
    neighbours: tuple[Neighbour, ...] = field(default=())

    @property
    def confidence(self) -> float:
        """How much of what reached the word are translations."""
        return 1.0 - self.dummy

    def line(self) -> str:
        """As a line of a record."""
        neighbours = [[one.text, one.similarity, one.kind, one.role, one.labels] for one in self.neighbours]
        row = [self.word, self.count, self.dummy, self.origin, self.translations, neighbours]
        return json.dumps(row, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def of_line(cls, line: str) -> Entry:
        """What `line` wrote.

        Raises:
            ValueError: It did not.

        Example:
            >>> entry = Entry("kater", (("tomcat", 1.0),), 3, 0.25, neighbours=(Neighbour("katze", 0.5),))
            >>> Entry.of_line(entry.line()) == entry
            True
        """
        row = _list(json.loads(line), _FIELDS)
        word, count, dummy, origin, translations, neighbours = row
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise ValueError("not a count")
        if origin not in get_args(Origin):
            raise ValueError("not an origin")
        found = []
        for one in _list(neighbours):
            text, similarity, kind, role, labels = _list(one, _OF_NEIGHBOUR)
            if kind not in get_args(Kind) or role not in get_args(Role):
                raise ValueError("not a neighbour")
            found.append(Neighbour(_word(text), _number(similarity), kind, role, _weighed(labels)))
        said = _weighed(translations)
        if not said or not all(0 < p <= 1 for _, p in said) or not 0 <= _number(dummy) <= 1:
            raise ValueError("not probabilities")
        return cls(_word(word), said, count, _number(dummy), origin, tuple(found))


def _list(value: Any, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise ValueError("not a list, or one of another length")
    return value


def _word(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("not a word")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("not a number")
    return float(value)


def _weighed(value: Any) -> Weighed:
    pairs = [_list(one, 2) for one in _list(value)]
    return tuple((_word(text), _number(weight)) for text, weight in pairs)


def write_record(path: str | PathLike[str], entries: Sequence[Entry]) -> None:
    """Write a record: a line that says what it is, then a line for each word.

    Args:
        path: The file; a name in .zst is compressed.
        entries: In the order in which they are to be read.
    """
    with Output(path) as out:
        out.write_line(json.dumps({"format": _FORMAT, "version": _VERSION, "words": len(entries)}))
        for entry in entries:
            out.write_line(entry.line())


class Record:
    """A record as it is read: one word, or all of them.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "oov.jsonl.zst"
        >>> write_record(path, [Entry("kater", (("tomcat", 1.0),), 3)])
        >>> record = Record(path)
        >>> len(record), record.find("kater").translations, [entry.word for entry in record]
        (1, (('tomcat', 1.0),), ['kater'])
    """

    def __init__(self, path: str | PathLike[str], *, limits: Limits = DEFAULT) -> None:
        """Open a record.

        Args:
            path: Its file.
            limits: Caps on the file.

        Raises:
            FormatError: It is none, or one of a newer kind.
        """
        self.path, self._limits = Path(path), limits
        first = next(iter(read_lines(path, limits=limits)), "")
        try:
            version, self._words = _head(first)
        except (ValueError, RecursionError) as error:
            raise FormatError("this is no record of unknown words", path=path, line=1, hint=_AGAIN) from error
        if version != _VERSION:
            what = f"the record is of version {version}, and {_VERSION} is known"
            raise FormatError(what, path=path, line=1, hint="upgrade tolka")
        if not 0 <= self._words <= _MOST:
            raise LimitError(f"a record of {self._words} words, more than {_MOST}", path=path)

    def __len__(self) -> int:
        """How many words it has."""
        return self._words

    def __iter__(self) -> Iterator[Entry]:
        """All entries, in order.

        Raises:
            FormatError: A line is no entry, or there are more or fewer than the first line says.
        """
        for number, line in self._lines():
            yield self._entry(line, number)

    def _lines(self) -> Iterator[tuple[int, str]]:
        number = 1
        for number, line in enumerate(islice(read_lines(self.path, limits=self._limits), 1, None), 2):
            yield number, line
        if number - 1 != self._words:
            what = f"the record has {number - 1} words, and should have {self._words}"
            raise FormatError(what, path=self.path, hint=_AGAIN)

    def _entry(self, line: str, number: int) -> Entry:
        try:
            return Entry.of_line(line)
        except (ValueError, RecursionError) as error:
            raise FormatError("not an unknown word", path=self.path, line=number, hint=_AGAIN) from error

    def find(self, word: str) -> Entry | None:
        """The entry of a word, if it has one.

        Raises:
            FormatError: The record is damaged.
        """
        begin = json.dumps([word], ensure_ascii=False)[:-1] + ","
        # Only the line of the word is looked into.
        found = [self._entry(line, number) for number, line in self._lines() if line.startswith(begin)]
        return found[0] if found else None

    def entry(self, word: str) -> Entry:
        """The entry of a word.

        Raises:
            InputError: There is none; it says which words are written alike.
        """
        found = self.find(word)
        if found is None:
            near = _near(word, (one.word for one in self))
            hint = f"did you mean {', '.join(near)}" if near else "name one of the words that the model was extended by"
            raise InputError(f"nothing was found for {word!r}", hint=hint)
        return found


def _head(line: str) -> tuple[int, int]:
    """The version and the number of words that the first line says."""
    head = json.loads(line)
    if not isinstance(head, dict) or head.get("format") != _FORMAT:
        raise ValueError("of another kind")
    return int(_number(head.get("version"))), int(_number(head.get("words")))


def _near(word: str, words: Iterable[str]) -> list[str]:
    every = list(words)
    same = [one for one in every if one.lower() == word.lower()]
    return list(dict.fromkeys([*same, *get_close_matches(word, every, n=3, cutoff=0.7)]))[:3]


def open_record(model: str | PathLike[str], *, limits: Limits = DEFAULT) -> Record:
    """The record of a model that was extended by unknown words.

    Args:
        model: The model's directory.
        limits: Caps on the file.

    Raises:
        InputError: The model has no table of unknown words.
        FormatError: The model or its record is damaged.
    """
    opened = open_model(model)
    if opened.files.oov is None or opened.description.oov is None:
        what = "the model has no table of unknown words"
        raise InputError(what, path=model, hint="make one with tolka combine oov")
    record = Record(opened.files.oov, limits=limits)
    if len(record) != opened.description.oov.words:
        what = f"the record has {len(record)} words, and the model says {opened.description.oov.words}"
        raise FormatError(what, path=record.path, hint=_AGAIN)
    return record
