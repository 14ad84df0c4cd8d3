"""Parallel text with all texts of a row on one line: columns between TABs, or `source ||| target`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tolka.corpus.lines import Lines
from tolka.corpus.output import Output
from tolka.corpus.rows import Account, Format, Pair, Rows
from tolka.errors import InputError, SettingsError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike

    from tolka.limits import Limits

_BARS = "|||"


def read_tsv(
    path: str | PathLike[str],
    *,
    columns: Sequence[int] | None = None,
    limits: Limits = DEFAULT,
    repair: bool = False,
) -> Rows[tuple[str, ...]]:
    r"""Read columns between TABs; nothing is quoted or escaped.

    Args:
        path: The file, plain or compressed.
        columns: The columns to read, counted from 1; without, the file must have exactly two.
        limits: Caps on lines and files.
        repair: Replace what is not UTF-8 with U+FFFD and count it, instead of failing.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "pairs.tsv"
        >>> _ = path.write_text("0.9\tein Haus\ta house\n", encoding="utf-8")
        >>> list(read_tsv(path, columns=[2, 3]))
        [('ein Haus', 'a house')]
    """
    if columns is not None and (not columns or min(columns) < 1):
        raise SettingsError(f"columns are counted from 1, not {list(columns)}")
    lines = Lines(path, limits=limits, repair=repair)
    rows = _pairs_of_columns(lines) if columns is None else _chosen_columns(lines, [column - 1 for column in columns])
    return _rows(lines, rows, "tsv", 2 if columns is None else len(columns))


def read_bars(path: str | PathLike[str], *, limits: Limits = DEFAULT, repair: bool = False) -> Rows[Pair]:
    r"""Read `source ||| target` lines, as fast_align and cdec have them.

    One space on either side of the bars belongs to them; the arguments are those of `read_tsv`.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "pairs"
        >>> _ = path.write_text("ein Haus ||| a house\n", encoding="utf-8")
        >>> list(read_bars(path))
        [('ein Haus', 'a house')]
    """
    lines = Lines(path, limits=limits, repair=repair)
    return cast("Rows[Pair]", _rows(lines, _sides_of_bars(lines), "bars", 2))


def _rows(lines: Lines, rows: Iterator[tuple[str, ...]], format: Format, width: int) -> Rows[tuple[str, ...]]:  # noqa: A002
    account = Account()
    account.repairs = lambda: lines.repairs
    return Rows(rows, format=format, width=width, account=account)


def _pairs_of_columns(lines: Lines) -> Iterator[tuple[str, ...]]:
    for number, line in enumerate(lines, 1):
        row = tuple(line.split("\t"))
        if len(row) != 2:  # noqa: PLR2004
            found = "1 column" if len(row) == 1 else f"{len(row)} columns"
            raise InputError(
                f"{found} where 2 are expected", path=lines.name, line=number, hint="choose two with --columns"
            )
        yield row


def _chosen_columns(lines: Lines, columns: list[int]) -> Iterator[tuple[str, ...]]:
    last = max(columns)
    for number, line in enumerate(lines, 1):
        row = line.split("\t")
        if len(row) <= last:
            raise InputError(
                f"column {last + 1} is asked for, but there are only {len(row)}", path=lines.name, line=number
            )
        yield tuple([row[column] for column in columns])


def _sides_of_bars(lines: Lines) -> Iterator[tuple[str, ...]]:
    for number, line in enumerate(lines, 1):
        source, bars, target = line.partition(_BARS)
        if not bars or _BARS in target:
            raise InputError(
                "not of the form `source ||| target`",
                path=lines.name,
                line=number,
                hint="each line needs the three bars exactly once",
            )
        yield source.removesuffix(" "), target.removeprefix(" ")


def write_tsv(path: str | PathLike[str], rows: Iterable[tuple[str, ...]]) -> int:
    """Write columns between TABs; a TAB in a text is an error. Returns the number of rows."""
    return _write(path, rows, "\t", "\t", "a TAB")


def write_bars(path: str | PathLike[str], rows: Iterable[tuple[str, ...]]) -> int:
    """Write `source ||| target` lines; three bars in a text are an error. Returns the number of rows."""
    return _write(path, rows, f" {_BARS} ", _BARS, "the separator |||")


def _write(path: str | PathLike[str], rows: Iterable[tuple[str, ...]], join: str, forbidden: str, name: str) -> int:
    number = 0
    with Output(path) as output:
        for number, row in enumerate(rows, 1):
            if any(forbidden in text for text in row):
                raise InputError(
                    f"a text contains {name}, which would end its column",
                    path=output.name,
                    line=number,
                    hint="replace it first (tolka corpus convert --flatten does so for TABs), or write another format",
                )
            output.write_line(join.join(row))
    return number
