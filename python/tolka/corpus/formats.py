"""All formats of parallel text under one door: told from the file, or named."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import PurePath
from typing import TYPE_CHECKING, cast, get_args

from tolka._engine import ByteReader
from tolka.corpus.delimited import read_bars, read_tsv, write_bars, write_tsv
from tolka.corpus.output import write_side_by_side
from tolka.corpus.pairs import read_side_by_side
from tolka.corpus.po import read_po, write_po
from tolka.corpus.rows import Format, Pair, Rows
from tolka.corpus.tmx import read_tmx, write_tmx
from tolka.errors import InputError, SettingsError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tolka.limits import Limits

FORMATS: tuple[Format, ...] = get_args(Format)
COMPRESSIONS = (".gz", ".xz", ".zst")

_BY_NAME: dict[str, Format] = {".tmx": "tmx", ".po": "po", ".pot": "po", ".tsv": "tsv", ".tab": "tsv"}
_PO_START = re.compile(r'(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*msg(?:id|ctxt)[ \t]*"')
_PEEK = 1 << 16

Paths = str | PathLike[str] | Sequence[str | PathLike[str]]


def detect_format(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Format:
    """Tell a file's format from its name, and if that says nothing, from its first lines.

    A first line with a TAB means "tsv", one with `|||` means "bars"; anything else that is neither TMX nor PO is "text".

    Example:
        >>> detect_format("memory.tmx.gz")
        'tmx'
    """
    if named := format_of_name(path):
        return named
    if fspath(path) == "-":
        raise SettingsError("the format of standard input is not known", hint="name it with --from")
    start = ByteReader(path, file_bytes=limits.file_bytes, expansion=limits.expansion).read()[:_PEEK]
    encoding = "utf-16" if start[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    text = start.decode(encoding, errors="ignore")
    if text.lstrip().startswith(("<?xml", "<tmx", "<!DOCTYPE tmx")):
        return "tmx"
    if _PO_START.match(text):
        return "po"
    first = text.split("\n", 1)[0]
    if "\t" in first:
        return "tsv"
    return "bars" if "|||" in first else "text"


def format_of_name(path: str | PathLike[str]) -> Format | None:
    """The format that a file name tells, if it tells one."""
    name = PurePath(path)
    if name.suffix in COMPRESSIONS:
        name = name.with_suffix("")
    return _BY_NAME.get(name.suffix.lower())


def read_corpus(
    paths: Paths,
    *,
    format: Format | None = None,  # noqa: A002
    langs: tuple[str, str] | None = None,
    columns: Sequence[int] | None = None,
    fuzzy: bool = False,
    required: bool = False,
    limits: Limits = DEFAULT,
    repair: bool = False,
) -> Rows[tuple[str, ...]]:
    r"""Read a corpus in any format, plain or compressed.

    Args:
        paths: One file, or one text file per language.
        format: "text", "tsv", "bars", "tmx" or "po"; without, `detect_format` tells. Several files are "text".
        langs: For TMX, the languages of source and target.
        columns: For TSV, the columns to read, counted from 1.
        fuzzy: For PO, keep doubtful translations.
        required: Fail if the corpus is empty.
        limits: Caps on lines and files.
        repair: Replace what is not UTF-8 with U+FFFD and count it, instead of failing; not for TMX.

    Returns:
        An iterator over rows: tuples of one text (a single text file) or of several that translate each other.

    Raises:
        SettingsError: An option does not fit the format.
        InputError: The corpus is empty though required, or not what its format asks for.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "pairs.txt"
        >>> _ = path.write_text("ein Haus\ta house\n", encoding="utf-8")
        >>> rows = read_corpus(path)
        >>> rows.format, list(rows)
        ('tsv', [('ein Haus', 'a house')])
    """
    files = as_list(paths)
    if format is None:
        format = "text" if len(files) > 1 else detect_format(files[0], limits=limits)  # noqa: A001
    check_format(format, len(files))
    if columns is not None and format != "tsv":
        raise SettingsError(f"columns are for TSV, but the format is {format}")
    if fuzzy and format != "po":
        raise SettingsError(f"fuzzy is for PO, but the format is {format}")
    if repair and format == "tmx":
        raise SettingsError("TMX cannot be repaired", hint="XML says its own encoding; correct the file")
    rows: Rows[tuple[str, ...]]
    match format:
        case "text":
            rows = read_side_by_side(files, limits=limits, repair=repair)
        case "tsv":
            rows = read_tsv(files[0], columns=columns, limits=limits, repair=repair)
        case "bars":
            rows = read_bars(files[0], limits=limits, repair=repair)
        case "tmx":
            rows = read_tmx(files[0], langs=langs, limits=limits)
        case "po":
            rows = read_po(files[0], fuzzy=fuzzy, limits=limits, repair=repair)
    return rows.required(files[0]) if required else rows


def write_pairs(
    paths: Paths,
    rows: Iterable[tuple[str, ...]],
    *,
    format: Format | None = None,  # noqa: A002
    langs: tuple[str, str] | None = None,
) -> int:
    r"""Write a corpus in any format; each file appears whole or not at all, and what could not be read back is an error.

    Args:
        paths: One file, or one text file per language; a name in .gz, .xz or .zst is compressed.
        rows: Pairs of texts; "text" and "tsv" take rows of any width.
        format: "text", "tsv", "bars", "tmx" or "po"; without, the name tells. Several files are "text".
        langs: The languages of source and target; TMX needs them, PO notes the target.

    Returns:
        The number of rows.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "pairs.tsv.gz"
        >>> write_pairs(path, [("ein Haus", "a house")])
        1
        >>> list(read_corpus(path))
        [('ein Haus', 'a house')]
    """
    files = as_list(paths)
    if format is None:
        format = "text" if len(files) > 1 else format_of_name(files[0])  # noqa: A001
    if format is None:
        raise SettingsError(
            f"the name {fspath(files[0])} does not tell the format to write",
            hint="name it (--to), or give one output file per language",
        )
    check_format(format, len(files))
    if format == "tmx" and langs is None:
        raise SettingsError("TMX needs the languages", hint="name them with --langs")
    match format:
        case "text":
            return write_side_by_side(files, rows)
        case "tsv":
            return write_tsv(files[0], rows)
        case "bars":
            return write_bars(files[0], _pairs_only(rows, format))
        case "tmx":
            return write_tmx(files[0], _pairs_only(rows, format), langs=cast("tuple[str, str]", langs))
        case "po":
            return write_po(files[0], _pairs_only(rows, format), lang=langs[1] if langs else "")


def _pairs_only(rows: Iterable[tuple[str, ...]], format: Format) -> Iterator[Pair]:  # noqa: A002
    for row in rows:
        if len(row) != 2:  # noqa: PLR2004
            raise InputError(f"{format} holds pairs, but a row has {len(row)} texts")
        yield row


def as_list(paths: Paths) -> list[str | PathLike[str]]:
    """One path or several, as a list."""
    files = [paths] if isinstance(paths, (str, PathLike)) else list(paths)
    if not files:
        raise SettingsError("no file is given")
    return files


def as_format(name: str | None) -> Format | None:
    """A format's name as one of the known ones."""
    if name is not None and name not in FORMATS:
        raise SettingsError(f"the format {name!r} is unknown", hint=f"use one of {', '.join(FORMATS)}")
    return name


def check_format(format: str, files: int) -> None:  # noqa: A002
    """Refuse a format that is unknown or cannot have that many files."""
    as_format(format)
    if files > 1 and format != "text":
        raise SettingsError(f"{format} is one file, but {files} are given")
