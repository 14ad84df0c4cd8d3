"""What the commands share that read a corpus of pairs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from tolka.errors import SettingsError

if TYPE_CHECKING:
    from tolka.corpus import Pair, Rows

PairArguments = Annotated[
    list[Path],
    typer.Argument(
        help="The two sides, or one file of pairs (TSV, |||, TMX, PO); plain or compressed.", show_default=False
    ),
]
LangsOption = Annotated[
    tuple[str, str] | None,
    typer.Option("--langs", help="The languages of source and target. Default: the ends of the files' names."),
]

_COMPRESSED = {".gz", ".xz", ".zst"}
_SIDES = 2


def languages_of(inputs: list[Path], langs: tuple[str, str] | None) -> tuple[str, str]:
    """The languages that were given, or the ends of the two files' names."""
    if langs is not None:
        return langs
    names = [path.with_suffix("") if path.suffix in _COMPRESSED else path for path in inputs]
    ends = [name.suffix.removeprefix(".") for name in names]
    if len(ends) != _SIDES or not all(ends) or ends[0] == ends[1]:
        raise SettingsError("the files' names do not tell the two languages", hint="name them: --langs de en")
    return ends[0], ends[1]


def read_pairs_of(inputs: list[Path], langs: tuple[str, str] | None) -> Rows[Pair]:
    """The pairs of a corpus in any format."""
    from tolka.corpus import read_corpus

    rows = read_corpus(inputs, langs=langs, required=True)
    if rows.width != _SIDES:
        raise SettingsError(
            f"a corpus has two sides, but this {rows.format} has {rows.width}",
            hint="give two text files, or one file of pairs",
        )
    return cast("Rows[Pair]", rows)
