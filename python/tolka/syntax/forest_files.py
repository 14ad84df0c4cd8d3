"""Files of constituency forests, one line of JSON each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tolka.corpus import read_lines, write_lines
from tolka.errors import FormatError, LimitError
from tolka.limits import DEFAULT
from tolka.syntax.forests import ConstituentForest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from tolka.limits import Limits


def read_forests(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Iterator[ConstituentForest]:
    """Read a file of forests, one line of JSON each.

    Raises:
        FormatError: A line is no forest; says which, and why.
        LimitError: A forest is too large.
    """
    lines = read_lines(path, limits=replace(limits, line_bytes=limits.forest_bytes))
    for number, text in enumerate(lines, 1):
        try:
            yield ConstituentForest.from_json(text)
        except (FormatError, LimitError) as error:
            raise type(error)(error.what, path=lines.name, line=number, hint=error.hint) from None


def write_forests(path: str | PathLike[str], forests: Iterable[ConstituentForest]) -> int:
    """Write forests, one line of JSON each, to a file that appears whole or not at all; returns how many."""
    return write_lines(path, (forest.to_json() for forest in forests))
