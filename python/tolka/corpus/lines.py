"""Reading text line by line: plain, gzip, xz or zstd, from a file or from standard input.

Only LF and CR LF end a line. The file is UTF-8, and what is not is an error with its line and byte, or is repaired on
request and counted. The compression is told from the content, not from the name.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from tolka._engine import LineReader
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from tolka.limits import Limits


class Lines:
    """The lines of a text, in order; iterate over it once.

    Attributes:
        name: What errors call the file.
    """

    def __init__(self, path: str | PathLike[str], *, limits: Limits = DEFAULT, repair: bool = False) -> None:
        self.name = "<stdin>" if str(path) == "-" else path
        self._reader = LineReader(
            path,
            line_bytes=limits.line_bytes,
            file_bytes=limits.file_bytes,
            expansion=limits.expansion,
            repair=repair,
        )
        self._lines = chain.from_iterable(self.batches())

    def __iter__(self) -> Iterator[str]:
        # The chain runs without a Python call per line; this object's own __next__ is for callers of next().
        return self._lines

    def __next__(self) -> str:
        return next(self._lines)

    def batches(self) -> Iterator[list[str]]:
        """The lines in lists as long as they are at hand; do not mix with line-wise iteration."""
        return iter(self._reader.next_batch, [])

    def count_rest(self) -> int:
        """Read what is left and say how many lines it had."""
        at_hand = sum(1 for _ in self._lines)
        return at_hand + self._reader.count_rest()

    @property
    def repairs(self) -> int:
        """How many places were not UTF-8 (or NUL) and are now U+FFFD, in what was read so far."""
        return self._reader.repairs


def read_lines(path: str | PathLike[str], *, limits: Limits = DEFAULT, repair: bool = False) -> Lines:
    r"""Read a text line by line.

    Args:
        path: A file, plain or compressed (gzip, xz, zstd, told from its content); "-" is standard input.
        limits: Caps on lines and files.
        repair: Replace what is not UTF-8 with U+FFFD and count it in `Lines.repairs`, instead of failing.

    Returns:
        An iterator over the lines without their ends.

    Raises:
        InputError: The text is not UTF-8, or is no text.
        LimitError: A line or the file is larger than `limits` allow.
        FormatError: Compressed data is damaged or truncated.
        FileError: The file cannot be read.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.de"
        >>> _ = path.write_bytes(b"ein Haus\r\nein\xe2\x80\xa8Hund")
        >>> list(read_lines(path))
        ['ein Haus', 'ein\u2028Hund']
    """
    return Lines(path, limits=limits, repair=repair)


def read_batches(path: str | PathLike[str], *, limits: Limits = DEFAULT, repair: bool = False) -> Iterator[list[str]]:
    r"""Read a text as lists of some thousand lines, for work that is done a list at a time.

    The arguments and errors are those of `read_lines`.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.de"
        >>> _ = path.write_text("eins\nzwei\n", encoding="utf-8")
        >>> list(read_batches(path))
        [['eins', 'zwei']]
    """
    return Lines(path, limits=limits, repair=repair).batches()
