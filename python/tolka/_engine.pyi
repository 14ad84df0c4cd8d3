"""The native engine as Python sees it. CI checks this stub against the built module (mypy stubtest)."""

from collections.abc import Sequence
from os import PathLike
from typing import final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ByteReader",
    "Container",
    "LineReader",
    "LmModel",
    "LmReport",
    "LmState",
    "LmTrainer",
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
class LmModel:
    """A language model: n-grams as lists, or compiled for queries, or both."""

    @staticmethod
    def open(path: str | PathLike[str], *, verify: bool, most_bytes: int) -> LmModel:
        """Open a compiled model."""

    @staticmethod
    def read_arpa(path: str | PathLike[str], *, line_bytes: int, file_bytes: int, expansion: int) -> LmModel:
        """Read an ARPA file."""

    def write_arpa(self, path: str | PathLike[str]) -> None:
        """Write an ARPA file, compressed as its name says."""

    def write_compiled(self, path: str | PathLike[str], *, form: str, bits: int | None = None) -> None:
        """Write a compiled model."""

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""

    @property
    def counts(self) -> list[int]:
        """The number of n-grams of each order."""

    @property
    def form(self) -> str:
        """The form: "ngrams", or what it was compiled to: "fast" or "small"."""

    def words(self) -> list[str]:
        """The words it knows, by id."""

    def knows(self, word: str) -> bool:
        """Whether it knows a word."""

    def scores(
        self, lines: Sequence[str], *, threads: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint64], NDArray[np.uint64]]:
        """Per line: log10 of its probability, the part of unknown words in it, and the numbers of words and unknown words."""

    def word_scores(self, line: str, *, begin: bool, end: bool) -> list[tuple[float, int, bool]]:
        """Per word of a line: log10 of its probability, the length of the longest n-gram, whether it is unknown."""

    def state(self, begin: bool) -> LmState:
        """The state at the start of a sentence, or the empty one."""

    def score_word(self, state: LmState, word: str) -> tuple[float, LmState]:
        """log10 of the probability of a word after a state (`</s>` is the end of the sentence), and the state after it."""

@final
class LmReport:
    """What training found out beside the model."""

    @property
    def sentences(self) -> int: ...
    @property
    def tokens(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def counted(self) -> list[int]: ...
    @property
    def kept(self) -> list[int]: ...
    @property
    def discounts(self) -> list[tuple[float, float, float]]: ...
    @property
    def fallback(self) -> list[int]: ...

@final
class LmState:
    """A language model's memory of the words so far."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class LmTrainer:
    """Takes in a corpus and estimates a language model of it."""

    def __new__(cls, *, order: int, smoothing: str, prune: Sequence[int], fallback: Sequence[float]) -> LmTrainer: ...
    def add(self, lines: Sequence[str]) -> None:
        """Take in lines."""

    def add_file(self, path: str | PathLike[str], *, line_bytes: int, file_bytes: int, expansion: int) -> None:
        """Take in a file."""

    def finish(self, *, threads: int) -> tuple[LmModel, LmReport]:
        """Estimate the model; gives it with a report."""

def write_container(
    path: str | PathLike[str],
    kind: str,
    kind_version: int,
    sections: Sequence[tuple[str, str, int, NDArray[np.uint8]]],
) -> None:
    """Write a container of sections given as name, element type, bytes per element, and bytes."""
