"""The native engine as Python sees it. CI checks this stub against the built module (mypy stubtest)."""

from collections.abc import Sequence
from os import PathLike
from typing import final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Container",
    "__version__",
    "write_container",
]

__version__: str

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

def write_container(
    path: str | PathLike[str],
    kind: str,
    kind_version: int,
    sections: Sequence[tuple[str, str, int, NDArray[np.uint8]]],
) -> None:
    """Write a container of sections given as name, element type, bytes per element, and bytes."""
