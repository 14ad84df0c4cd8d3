"""What a campaign compares: segments, items and their outputs, read from plain files, CSV or JSON.

Example:
    >>> material = Material.of_rows([{"item": "a", "text": "Hello"}, {"item": "b", "text": "Hi"}], where="rows")
    >>> material.items, material.questions()
    (('a', 'b'), 1)
"""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tolka.corpus import read_lines
from tolka.errors import FormatError, InputError, LimitError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

# A page with longer texts is no quick choice any more; such a file is most likely the wrong one.
MOST_CHARACTERS = 20_000
MOST_ITEMS = 10_000
MOST_OPTIONS = 9  # one key each
COLUMNS = ("item", "text", "segment", "source", "reference")


@dataclass(frozen=True)
class Segment:
    """What was translated: its name, the source and a reference, either of which may be empty."""

    name: str
    source: str = ""
    reference: str = ""


@dataclass(frozen=True)
class BlankTest:
    """A sentence with a blank, of whose options all that fit are to be ticked (Mohammad 2012, section 3.4).

    Attributes:
        text: The sentence, with `___` where the blank is.
        options: What may stand there.
        right: The positions of those that fit, counted from 0.
    """

    text: str
    options: tuple[str, ...]
    right: tuple[int, ...]


@dataclass(frozen=True)
class ChoiceTest:
    """A comparison whose better side is known, shown like any other question."""

    better: str
    worse: str
    source: str = ""
    reference: str = ""


@dataclass(frozen=True)
class Material:
    """Items, segments and what each item has for each segment.

    Attributes:
        items: The items' names.
        segments: The segments.
        outputs: Per segment, per item, the text; None where an item has none.
        tests: Test questions.
    """

    items: tuple[str, ...]
    segments: tuple[Segment, ...]
    outputs: tuple[tuple[str | None, ...], ...]
    tests: tuple[BlankTest | ChoiceTest, ...] = field(default=())

    def __post_init__(self) -> None:
        if len(self.items) < 2:  # noqa: PLR2004 (a pair)
            raise InputError(f"a comparison needs at least two items, and here is {len(self.items)}")
        if len(self.items) > MOST_ITEMS:
            raise LimitError(f"{len(self.items)} items are more than the {MOST_ITEMS} a campaign may have")
        _check_unique(self.items, "item")
        _check_unique([segment.name for segment in self.segments], "segment")
        if not self.questions():
            raise InputError("no two outputs differ anywhere, so there is nothing to ask")

    def questions(self, *, reference: bool = False) -> int:
        """How many different questions there are: pairs of outputs of a segment that differ.

        Args:
            reference: Whether judges see the reference; then what says the same as it is not asked about.
        """
        total = 0
        for segment, outputs in zip(self.segments, self.outputs, strict=True):
            groups = Counter(normal(text) for text in outputs if text is not None)
            if reference and segment.reference:
                groups.pop(normal(segment.reference), None)
            here = sum(groups.values())
            total += (here * (here - 1) - sum(size * (size - 1) for size in groups.values())) // 2
        return total

    @classmethod
    def of_files(
        cls,
        systems: Sequence[tuple[str, Path]],
        *,
        source: Path | None = None,
        reference: Path | None = None,
        tests: Sequence[BlankTest | ChoiceTest] = (),
    ) -> Material:
        """Read one file per system, line by line parallel to the source and the reference.

        Raises:
            InputError: The files do not have the same number of lines, or nothing in them differs.
        """
        lines = Lines.read(systems, source=source, reference=reference)
        return cls(
            items=tuple(lines.outputs),
            segments=tuple(
                Segment(str(i + 1), lines.sources[i], lines.references[i]) for i in range(len(lines.sources))
            ),
            outputs=tuple(zip(*lines.outputs.values(), strict=True)),
            tests=tuple(tests),
        )

    @classmethod
    def of_table(cls, path: Path, *, tests: Sequence[BlankTest | ChoiceTest] = ()) -> Material:
        """Read any items from a CSV, JSON or JSON-lines file (told by its name) with the columns of `of_rows`."""
        return cls.of_rows(read_records(path), where=path, tests=tests)

    @classmethod
    def of_rows(
        cls, rows: Iterable[Mapping[str, Any]], *, where: Path | str, tests: Sequence[BlankTest | ChoiceTest] = ()
    ) -> Material:
        """Make material of rows with `item` and `text`, and optionally `segment`, `source` and `reference`.

        Raises:
            FormatError: A row lacks something, has something unknown, or contradicts another.
        """
        found = Rows.read(rows, where=where)
        return cls(
            items=found.items,
            segments=tuple(found.segments.values()),
            outputs=tuple(tuple(found.texts.get((name, item)) for item in found.items) for name in found.segments),
            tests=tuple(tests),
        )


@dataclass(frozen=True)
class Lines:
    """Files that are parallel line by line.

    Attributes:
        sources: The source of each line; empty texts if there is none.
        references: The reference of each line, likewise.
        outputs: Per system, its output of each line.
    """

    sources: tuple[str, ...]
    references: tuple[str, ...]
    outputs: dict[str, tuple[str, ...]]

    @classmethod
    def read(
        cls, systems: Sequence[tuple[str, Path]], *, source: Path | None = None, reference: Path | None = None
    ) -> Lines:
        """Read them.

        Raises:
            InputError: They do not have the same number of lines, or none, or two systems have one name.
        """
        _check_unique([name for name, _path in systems], "item")
        given = [path for path in (source, reference) if path is not None]
        read = {path: _lines(path) for path in [*given, *(path for _name, path in systems)]}
        counts = {path: len(lines) for path, lines in read.items()}
        if len(set(counts.values())) > 1:
            told = ", ".join(f"{path} has {count}" for path, count in counts.items())
            raise InputError(
                f"the files have different numbers of lines: {told}", hint="line n must be segment n in all"
            )
        number = next(iter(counts.values()), 0)
        if not number:
            raise InputError("the files are empty", path=next(iter(counts), None))
        nothing = ("",) * number
        return cls(
            sources=nothing if source is None else tuple(read[source]),
            references=nothing if reference is None else tuple(read[reference]),
            outputs={name: tuple(read[path]) for name, path in systems},
        )


@dataclass(frozen=True)
class Rows:
    """What a table of items says.

    Attributes:
        items: The items, in the order in which they come.
        segments: The segments by name, likewise.
        texts: By the names of segment and item, the text.
    """

    items: tuple[str, ...]
    segments: dict[str, Segment]
    texts: dict[tuple[str, str], str]

    @classmethod
    def read(cls, rows: Iterable[Mapping[str, Any]], *, where: Path | str) -> Rows:
        """Read them.

        Raises:
            FormatError: A row lacks something, has something unknown, or contradicts another.
        """
        items: dict[str, int] = {}
        segments: dict[str, Segment] = {}
        texts: dict[tuple[str, str], str] = {}
        for number, row in enumerate(rows, start=1):
            _check_row(row, number, where)
            item, name = row["item"], row.get("segment", "")
            items.setdefault(item, len(items))
            segment = Segment(name, row.get("source", ""), row.get("reference", ""))
            if segments.setdefault(name, segment) != segment:
                what = f"row {number}: segment {name!r} had another source or reference before"
                raise FormatError(what, path=where)
            if (name, item) in texts:
                raise FormatError(f"row {number}: item {item!r} has two texts for segment {name!r}", path=where)
            texts[name, item] = _shown(row["text"], where, number)
        return cls(tuple(items), segments, texts)


def normal(text: str) -> str:
    """The form in which two outputs are the same to a reader: composed, with single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def read_tests(path: Path) -> list[BlankTest | ChoiceTest]:
    """Read test questions from JSON or JSON lines.

    An object with `text`, `options` and `right` (a list of options) is a blank to fill; one with `better` and `worse`
    (and optionally `source` and `reference`) is a comparison.

    Raises:
        FormatError: One of them is neither.
    """
    return [read_test(record, number, path) for number, record in enumerate(read_records(path), start=1)]


def read_test(record: Mapping[str, Any], number: int, path: Path) -> BlankTest | ChoiceTest:
    """A test question from one record of a file.

    Raises:
        FormatError: It is none.
    """

    def complain(what: str) -> FormatError:
        return FormatError(f"test {number}: {what}", path=path)

    keys = set(record)
    if {"better", "worse"} <= keys <= {"better", "worse", "source", "reference"}:
        if not all(isinstance(value, str) for value in record.values()):
            raise complain("everything must be text")
        test = ChoiceTest(**{key: _shown(value, path, number) for key, value in record.items()})
        if normal(test.better) == normal(test.worse):
            raise complain("the better and the worse are the same")
        return test
    if keys != {"text", "options", "right"}:
        raise complain("needs either text, options and right, or better and worse")
    text, options, right = record["text"], record["options"], record["right"]
    if not isinstance(text, str) or text.count("___") != 1:
        raise complain("the text must have one blank, written ___")
    if not (_are_texts(options) and _are_texts(right)):
        raise complain("options and right must be lists of texts")
    if not 2 <= len(options) <= MOST_OPTIONS or len(set(options)) < len(options):  # noqa: PLR2004
        raise complain(f"needs 2 to {MOST_OPTIONS} different options")
    if not right or not set(right) <= set(options):
        raise complain("right must name at least one of the options, and nothing else")
    return BlankTest(_shown(text, path, number), tuple(options), tuple(i for i, o in enumerate(options) if o in right))


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def read_records(path: Path) -> list[dict[str, Any]]:
    """Read a CSV with a header, a JSON list of objects, or JSON lines.

    Raises:
        FormatError: It is none of these.
    """
    lines = list(read_lines(path))
    kind = "".join(suffix for suffix in path.suffixes if suffix not in {".gz", ".xz", ".zst"}).lower()
    if kind.endswith(".csv"):
        return _csv(lines, path)
    if kind.endswith((".jsonl", ".ndjson")):
        return [_object(line, path, number) for number, line in enumerate(lines, start=1) if line.strip()]
    if kind.endswith(".json"):
        found = _json("\n".join(lines), path, None)
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise FormatError("not a list of objects", path=path)
        return found
    raise FormatError("cannot tell what kind of file this is", path=path, hint="call it .csv, .json or .jsonl")


def _csv(lines: list[str], path: Path) -> list[dict[str, Any]]:
    reader = csv.DictReader(io.StringIO("\n".join(lines).removeprefix("\ufeff")), strict=True)
    rows: list[dict[str, Any]] = []
    try:
        for row in reader:
            if None in row or None in row.values():
                raise FormatError("the row has more or fewer columns than the header", path=path, line=reader.line_num)
            rows.append(dict(row))
    except csv.Error as error:
        raise FormatError(f"not CSV: {error}", path=path, line=reader.line_num) from error
    return rows


def _object(line: str, path: Path, number: int) -> dict[str, Any]:
    found = _json(line, path, number)
    if not isinstance(found, dict):
        raise FormatError("not a JSON object", path=path, line=number)
    return found


def _json(text: str, path: Path, line: int | None) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}", path=path, line=line) from error


def _check_row(row: Mapping[str, Any], number: int, where: Path | str) -> None:
    for column in ("item", "text"):
        if column not in row:
            hint = f"the columns are {', '.join(COLUMNS)}; the last three may be left out"
            raise FormatError(f"row {number} has no {column!r}", path=where, hint=hint)
    unknown = sorted(set(row) - set(COLUMNS))
    if unknown:
        hint = f"the columns are {', '.join(COLUMNS)}"
        raise FormatError(f"row {number} has an unknown column {unknown[0]!r}", path=where, hint=hint)
    for column, value in row.items():
        if not isinstance(value, str):
            raise FormatError(f"row {number}: {column} must be text", path=where)
    if not row["item"].strip():
        raise FormatError(f"row {number}: the item has no name", path=where)


def _check_unique(names: Sequence[str], what: str) -> None:
    name, count = next(iter(Counter(names).most_common(1)), ("", 0))
    if count > 1:
        hint = "give names, as in --system first=a/out.txt" if what == "item" else ""
        raise InputError(f"two {what}s are called {name!r}", hint=hint)


def _lines(path: Path) -> list[str]:
    return [_shown(line, path, number) for number, line in enumerate(read_lines(path), start=1)]


def _shown(text: str, where: Path | str, number: int) -> str:
    if len(text) > MOST_CHARACTERS:
        what = f"a text has {len(text)} characters; the page shows {MOST_CHARACTERS}"
        raise LimitError(what, path=where, line=number, hint="cut it into shorter segments")
    return text
