"""Where the text of the corpus commands comes from and goes to."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.corpus import Pair

PairArguments = Annotated[
    list[Path], typer.Argument(help="The two sides, plain or compressed; - is standard input.", show_default=False)
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


def read_pairs_of(inputs: list[Path]) -> Iterable[Pair]:
    """The pairs of a corpus."""
    from tolka.corpus import read_pairs

    if len(inputs) != _SIDES:
        raise SettingsError(f"a corpus has two sides, not {len(inputs)}", hint="give two files")
    return read_pairs(*inputs)


def write_text(lines: Iterable[list[str]], output: Path | None) -> None:
    """Write lists of lines to a file that appears when all is done, or to standard output as they come."""
    from tolka.files import write_atomic

    with write_atomic(output, binary=True) if output is not None else nullcontext(sys.stdout.buffer) as out:
        for batch in lines:
            out.write("".join(f"{line}\n" for line in batch).encode())
        out.flush()
