"""Parallel text in files that are read line by line side by side."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, cast

from tolka.corpus.lines import Lines
from tolka.corpus.rows import Account, Pair, Rows
from tolka.errors import InputError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from tolka.limits import Limits


def read_pairs(
    source: str | PathLike[str], target: str | PathLike[str], *, limits: Limits = DEFAULT, repair: bool = False
) -> Rows[Pair]:
    r"""Read two files whose lines translate each other.

    Args:
        source: One side; plain or compressed.
        target: The other side, with as many lines.
        limits: Caps on lines and files.
        repair: Replace what is not UTF-8 with U+FFFD and count it, instead of failing.

    Returns:
        An iterator over pairs of lines.

    Raises:
        InputError: The files differ in their numbers of lines, or `read_lines` says why.

    Example:
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "a.de").write_text("ein Haus\nein Hund\n", encoding="utf-8")
        >>> _ = (folder / "a.en").write_text("a house\na dog\n", encoding="utf-8")
        >>> list(read_pairs(folder / "a.de", folder / "a.en"))
        [('ein Haus', 'a house'), ('ein Hund', 'a dog')]
    """
    return cast("Rows[Pair]", read_side_by_side([source, target], limits=limits, repair=repair))


def read_side_by_side(
    paths: Sequence[str | PathLike[str]], *, limits: Limits = DEFAULT, repair: bool = False
) -> Rows[tuple[str, ...]]:
    """Read any number of files whose lines translate each other; see `read_pairs`."""
    if sum(str(path) == "-" for path in paths) > 1:
        raise InputError("standard input can be only one side of a corpus", hint="give the other side as a file")
    sides = [Lines(path, limits=limits, repair=repair) for path in paths]
    account = Account()
    account.repairs = lambda: sum(side.repairs for side in sides)
    return Rows(_zip(sides), format="text", width=len(sides), account=account)


def _zip(sides: list[Lines]) -> Iterator[tuple[str, ...]]:
    for count, row in enumerate(zip_longest(*sides)):
        if None in row:
            totals = [
                count if text is None else count + 1 + side.count_rest() for text, side in zip(row, sides, strict=True)
            ]
            counted = " and ".join(f"{side.name} has {total}" for side, total in zip(sides, totals, strict=True))
            raise InputError(
                f"the files differ in their numbers of lines: {counted}",
                hint="they must be translations of each other line by line; find where they drift apart",
            )
        yield row
