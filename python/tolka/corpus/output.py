"""Text files under way: whole and in their place when all went well, gone when it did not."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from tolka._engine import TextWriter
from tolka.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike
    from types import TracebackType

_BATCH = 1024


class Output:
    """A text file being written, as a context manager.

    The name decides the compression (.gz, .xz, .zst). The file takes its name when the block ends without an
    exception, and disappears otherwise. "-" is standard output.

    Attributes:
        name: What errors call the file.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.name = "<stdout>" if str(path) == "-" else path
        if self.name == "<stdout>":
            sys.stdout.flush()
        self._writer = TextWriter(path)
        self._lines: list[str] = []

    def write_line(self, line: str) -> None:
        """Write a text that is one line; what could not be read back as that line is an error."""
        self._lines.append(line)
        if len(self._lines) == _BATCH:
            self._pass_on()

    def write_text(self, text: str) -> None:
        """Write text as it is."""
        self._pass_on()
        self._writer.write_text(text)

    def _pass_on(self) -> None:
        lines, self._lines = self._lines, []
        self._writer.write_lines(lines)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            self._writer.abandon()
            return
        try:
            self._pass_on()
        except BaseException:
            self._writer.abandon()
            raise
        self._writer.finish()


def write_lines(path: str | PathLike[str], lines: Iterable[str]) -> int:
    r"""Write a text line by line, to a file that appears whole or not at all.

    Args:
        path: The file; a name in .gz, .xz or .zst is compressed; "-" is standard output.
        lines: Texts without line ends. A line break, a NUL or a final CR in one is an error, as it could not be read
            back.

    Returns:
        The number of lines.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.de.xz"
        >>> write_lines(path, ["ein Haus", "ein Hund"])
        2
        >>> from tolka.corpus import read_lines
        >>> list(read_lines(path))
        ['ein Haus', 'ein Hund']
    """
    return write_side_by_side([path], ((line,) for line in lines))


def write_side_by_side(paths: list[str | PathLike[str]], rows: Iterable[tuple[str, ...]]) -> int:
    """Write the texts of each row to the files of the same number."""
    if len({str(path) for path in paths}) < len(paths):
        raise SettingsError("two outputs are the same file", hint="give each its own name")
    count = 0
    with ExitStack() as stack:
        outputs = [stack.enter_context(Output(path)) for path in paths]
        for row in rows:
            if len(row) != len(outputs):
                raise InputError(f"row {count + 1} has {len(row)} texts for {len(outputs)} files")
            for output, text in zip(outputs, row, strict=True):
                output.write_line(text)
            count += 1
    return count
