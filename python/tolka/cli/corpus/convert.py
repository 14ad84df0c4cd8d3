"""`tolka corpus convert`: parallel text from one format to another."""

from __future__ import annotations

import re
import sys
from itertools import chain
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, print_json, progress
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tolka.progress import Progress

_REPORT_EVERY = 10_000


def convert(
    inputs: Annotated[
        list[str],
        typer.Argument(help="One file, or one text file per language; - is standard input.", metavar="INPUT…"),
    ],
    output: Annotated[
        list[str],
        typer.Option(
            "--output", "-o", help="The file to write, or several (one -o each); - is standard output.", metavar="FILE"
        ),
    ],
    read_as: Annotated[
        str | None,
        typer.Option("--from", help="text, tsv, bars, tmx or po; else told from the file.", metavar="FORMAT"),
    ] = None,
    write_as: Annotated[
        str | None, typer.Option("--to", help="text, tsv, bars, tmx or po; else told from the name.", metavar="FORMAT")
    ] = None,
    langs: Annotated[
        tuple[str, str] | None, typer.Option("--langs", help="Languages of source and target.", metavar="SOURCE TARGET")
    ] = None,
    columns: Annotated[
        str | None, typer.Option("--columns", help="Columns of a TSV to read, from 1, such as 2,3.", metavar="LIST")
    ] = None,
    fuzzy: Annotated[bool, typer.Option("--fuzzy", help="Keep PO translations that are marked as doubtful.")] = False,
    flatten: Annotated[
        bool, typer.Option("--flatten", help="Replace TABs and line breaks inside texts with a space.")
    ] = False,
    repair: Annotated[bool, typer.Option("--repair", help="Replace what is not UTF-8 with U+FFFD.")] = False,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Convert parallel text between formats, any of them also compressed (.gz, .xz, .zst).

    Formats are text (one file per language), tsv, bars (`source ||| target`), tmx and po. What is left out is counted
    and said.

    Example: `tolka corpus convert memory.tmx --langs de en -o train` writes train.de and train.en;
    `tolka corpus convert a.de a.en -o pairs.tsv.gz` joins two files.
    """
    from tolka.corpus.formats import as_format, format_of_name, read_corpus, write_pairs

    if json and "-" in output:
        raise SettingsError("--json and -o - both want standard output", hint="write to a file")
    rows = read_corpus(
        inputs,
        format=as_format(read_as),
        langs=langs,
        columns=_numbers(columns),
        fuzzy=fuzzy,
        required=True,
        repair=repair,
    )
    first = next(rows)
    langs = langs or _two(rows.langs) or _two(tuple(PurePath(_bare(path)).suffix[1:] for path in inputs))
    files = _files(output, write_as, rows.width, langs)
    counted = _Counted(chain([first], rows), flatten, progress(quiet))
    write_as = write_as or format_of_name(files[0]) or ("text" if rows.width == len(files) else None)
    written = write_pairs(files, counted.rows(), format=as_format(write_as), langs=langs)
    report = {
        "files": files,
        "read_as": rows.format,
        "rows": written,
        "skipped": rows.skipped,
        "repairs": rows.repairs,
        "flattened": counted.flattened,
    }
    if json:
        print_json(report)
    else:
        asides = {**rows.skipped, "places repaired": rows.repairs, "texts flattened": counted.flattened}
        notes = "".join(f"\n  {count:,} {what}" for what, count in asides.items() if count)
        what = "lines" if rows.width == 1 else "pairs"
        print(f"{written:,} {what} in {', '.join(files)}{notes}", file=sys.stderr if "-" in files else sys.stdout)


class _Counted:
    """Rows on their way from reader to writer."""

    def __init__(self, rows: Iterable[tuple[str, ...]], flatten: bool, progress: Progress) -> None:
        self.flattened = 0
        self._rows = rows
        self._flatten = flatten
        self._progress = progress

    def rows(self) -> Iterator[tuple[str, ...]]:
        with self._progress.task("converting", unit="rows") as advance:
            for number, row in enumerate(self._rows, 1):
                yield self._flat(row) if self._flatten else row
                if number % _REPORT_EVERY == 0:
                    advance(_REPORT_EVERY)

    def _flat(self, row: tuple[str, ...]) -> tuple[str, ...]:
        from tolka.corpus.segments import flatten

        flat = tuple(flatten(text) for text in row)
        self.flattened += sum(before != after for before, after in zip(row, flat, strict=True))
        return flat


def _numbers(columns: str | None) -> list[int] | None:
    if columns is None:
        return None
    if not re.fullmatch(r"[0-9]{1,6}(,[0-9]{1,6})*", columns):
        raise SettingsError(f"--columns is a list of numbers, not {columns!r}", hint="write it as in --columns 2,3")
    return [int(column) for column in columns.split(",")]


def _two(langs: tuple[str, ...]) -> tuple[str, str] | None:
    match langs:
        case (source, target) if source and target and source != target:
            return source, target
        case _:
            return None


def _bare(path: str) -> str:
    return re.sub(r"\.(gz|xz|zst)$", "", path)


def _files(output: list[str], write_as: str | None, width: int, langs: tuple[str, str] | None) -> list[str]:
    """The files to write: `-o train` with two languages means train.de and train.en."""
    from tolka.corpus.formats import format_of_name

    if len(output) > 1 or output == ["-"] or (write_as or format_of_name(output[0]) or "text") != "text":
        return output
    if width == 1:
        return output
    if langs is None or width != len(langs):
        raise SettingsError(
            f"the languages to name the files {output[0]}.* after are not known",
            hint="give --langs, or each file with its own -o, or another format with --to",
        )
    stem = _bare(output[0])
    return [f"{stem}.{lang}{output[0][len(stem) :]}" for lang in langs]
