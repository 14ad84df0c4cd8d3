"""What the commands share: their arguments, and reading parsed, aligned text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from tolka.align.links import Link
    from tolka.syntax import Tree

SourceArgument = Annotated[
    Path, typer.Argument(metavar="SOURCE", help="Parsed source text, CoNLL-U or CoNLL-X; - is stdin.")
]
LinksArgument = Annotated[Path, typer.Argument(metavar="LINKS", help="Word alignment, a line of `i-j` per sentence.")]
PolicyOption = Annotated[
    Literal["previous", "following", "begin"],
    typer.Option("--policy", help="Where words without a link go: with the previous or following word, or first."),
]


def read_aligned(source: Path, links: Path) -> tuple[list[Tree], list[list[Link]]]:
    """Trees and links of the same sentences."""
    from tolka.align import read_links
    from tolka.errors import InputError
    from tolka.syntax import read_conll

    trees, found = list(read_conll(source)), read_links(links)
    if len(trees) != len(found):
        raise InputError(
            f"there are {len(trees)} sentences and {len(found)} lines of links",
            path=links,
            hint="parse and align the same text",
        )
    if not trees:
        raise InputError("there is no sentence", path=source)
    return trees, found
