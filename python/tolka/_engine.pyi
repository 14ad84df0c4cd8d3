"""The native engine as Python sees it. CI checks this stub against the built module (mypy stubtest)."""

from collections.abc import Sequence
from os import PathLike
from typing import final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ByteReader",
    "Container",
    "Detokeniser",
    "LineReader",
    "Tokeniser",
    "__version__",
    "write_container",
]

__version__: str

@final
class ByteReader:
    """Reads the bytes of a file or of standard input ("-"), decompressed if they are compressed."""

    def __new__(cls, path: str | PathLike[str], *, file_bytes: int, expansion: int) -> ByteReader: ...
    def read(self) -> bytes:
        """The next bytes; none at the end."""

@final
class Container:
    """An open container."""

    @staticmethod
    def open(path: str | PathLike[str], kind: str | None, *, full: bool, most_bytes: int) -> Container:
        """Map and check a file."""

    @property
    def kind(self) -> str:
        """What it holds."""

    @property
    def kind_version(self) -> int:
        """The version of what it holds."""

    def sections(self) -> list[tuple[str, str, int, int]]:
        """Each section's name, element type, bytes per element, and bytes."""

    def read(self, name: str) -> bytes:
        """A copy of a section's bytes."""

    def verify(self) -> None:
        """Compare every section with its checksum."""

@final
class Detokeniser:
    """Joins tokens of one language into text."""

    def __new__(cls, lang: str) -> Detokeniser: ...
    def line(self, line: str) -> str:
        """The text of one line of tokens."""
    def lines(self, lines: Sequence[str], threads: int) -> list[str]:
        """Each line's text, in order."""

@final
class LineReader:
    """Reads lines of UTF-8 text from a plain or compressed file, or from standard input ("-")."""

    def __new__(
        cls,
        path: str | PathLike[str],
        *,
        line_bytes: int,
        file_bytes: int,
        expansion: int,
        repair: bool = False,
    ) -> LineReader: ...
    def next_batch(self) -> list[str]:
        """The next lines that can be had without waiting for more, at least one; an empty list at the end."""

    def count_rest(self) -> int:
        """Reads what is left and says how many lines it had."""

    @property
    def repairs(self) -> int:
        """How many places were repaired so far."""

@final
class Tokeniser:
    """Cuts lines of one language into tokens."""

    def __new__(cls, lang: str, *, escape: bool, protect: bool, abbreviations: Sequence[str]) -> Tokeniser: ...
    def tokenise(self, text: str) -> list[str]:
        """The tokens of a text."""
    def line(self, text: str) -> str:
        """The tokens of a text, joined by spaces."""
    def lines(self, lines: Sequence[str], threads: int) -> list[str]:
        """Each line tokenised, in order."""
    @property
    def abbreviations(self) -> tuple[list[str], list[str]]:
        """The words that keep their period always, and those that keep it before a digit."""

def write_container(
    path: str | PathLike[str],
    kind: str,
    kind_version: int,
    sections: Sequence[tuple[str, str, int, NDArray[np.uint8]]],
) -> None:
    """Write a container of sections given as name, element type, bytes per element, and bytes."""
