"""Links in files: Pharaoh lines, `i-j` for a sure link, `i?j` (or `ipj`) for a possible one, `i-j:p` with a probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka._engine import parse_links
from tolka.corpus import read_lines
from tolka.errors import FormatError, InputError, SettingsError
from tolka.files import write_atomic
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from os import PathLike

    from tolka.limits import Limits

Link = tuple[int, int]
"""Source position, target position, both from 0."""

FARTHEST = 65535


@dataclass(frozen=True)
class GoldLinks:
    """What people linked in one sentence pair.

    Attributes:
        sure: Links an aligner must find.
        possible: Further links it may find.
    """

    sure: tuple[Link, ...]
    possible: tuple[Link, ...] = ()


def _read(path: str | PathLike[str], base: int, limits: Limits) -> Iterator[list[tuple[int, int, bool, float | None]]]:
    if base not in {0, 1}:
        raise SettingsError(f"positions count from 0 or from 1, not from {base}")
    for number, line in enumerate(read_lines(path, limits=limits), 1):
        try:
            yield parse_links(line, base)
        except FormatError as error:
            raise FormatError(error.what, path=path, line=number, byte=error.byte, hint=error.hint) from error


def read_links(path: str | PathLike[str], *, base: int = 0, limits: Limits = DEFAULT) -> list[list[Link]]:
    """Read one list of links for each line; possible links count like sure ones.

    Args:
        path: The file; plain or compressed, "-" for standard input.
        base: Whether positions in the file count from 0 or from 1.
        limits: Caps on lines and files.

    Raises:
        FormatError: A line has something that is not a link.
    """
    return [[(i, j) for i, j, _, _ in links] for links in _read(path, base, limits)]


def read_gold(path: str | PathLike[str], *, base: int = 0, limits: Limits = DEFAULT) -> list[GoldLinks]:
    """Read gold links, sure and possible ones apart; arguments as for `read_links`."""
    return [
        GoldLinks(
            sure=tuple((i, j) for i, j, sure, _ in links if sure),
            possible=tuple((i, j) for i, j, sure, _ in links if not sure),
        )
        for links in _read(path, base, limits)
    ]


def format_links(links: Iterable[Link]) -> str:
    """One line of Pharaoh links, sorted.

    Example:
        >>> format_links([(1, 0), (0, 2)])
        '0-2 1-0'
    """
    return " ".join(f"{i}-{j}" for i, j in sorted(set(links)))


def write_links(path: str | PathLike[str], alignments: Iterable[Sequence[Link]]) -> None:
    """Write one line for each sentence pair; the file is there whole or not at all."""
    with write_atomic(str(path)) as out:
        for links in alignments:
            out.write(format_links(links) + "\n")


def read_weighted_links(
    path: str | PathLike[str], *, base: int = 0, limits: Limits = DEFAULT
) -> list[dict[Link, float]]:
    """Read links with their probabilities, `0-1:0.83`; a link without one has 1. Arguments as for `read_links`.

    Probabilities are read to six digits.
    """
    return [
        {(i, j): 1.0 if weight is None else float(f"{weight:.6g}") for i, j, _, weight in links}
        for links in _read(path, base, limits)
    ]


def write_weighted_links(path: str | PathLike[str], alignments: Iterable[Mapping[Link, float]]) -> None:
    r"""Write links with their probabilities, to six digits, one line a sentence pair; whole or not at all.

    Raises:
        InputError: A probability is not between 0 and 1.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "links"
        >>> write_weighted_links(path, [{(1, 0): 1.0, (0, 1): 0.83}, {}])
        >>> path.read_text(), read_weighted_links(path)
        ('0-1:0.83 1-0:1\n\n', [{(0, 1): 0.83, (1, 0): 1.0}, {}])
    """
    with write_atomic(str(path)) as out:
        for weights in alignments:
            for (i, j), weight in weights.items():
                if not 0 <= weight <= 1:
                    raise InputError(f"the probability {weight} of the link {i}-{j} is not between 0 and 1")
            out.write(" ".join(f"{i}-{j}:{weight:.6g}" for (i, j), weight in sorted(weights.items())) + "\n")
