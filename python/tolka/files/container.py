"""Containers from Python: named arrays in one checked file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka import _engine
from tolka.errors import SettingsError
from tolka.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

_DTYPES = {
    **{f"u{8 * size}": np.dtype(f"<u{size}") for size in (1, 2, 4, 8)},
    **{f"i{8 * size}": np.dtype(f"<i{size}") for size in (1, 2, 4, 8)},
    **{f"f{8 * size}": np.dtype(f"<f{size}") for size in (4, 8)},
}
_ELEMENTS = {dtype: name for name, dtype in _DTYPES.items()}


@dataclass(frozen=True)
class SectionInfo:
    """What a container says of one of its sections.

    Attributes:
        name: Its name.
        dtype: What its elements are; records whose fields only the engine knows are plain bytes (`V8`).
        length: How many elements it has.
    """

    name: str
    dtype: np.dtype[Any]
    length: int

    @property
    def nbytes(self) -> int:
        """How many bytes it has."""
        return self.length * self.dtype.itemsize


class Container:
    """An open container: memory-mapped by the engine, read-only.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     path = Path(directory, "counts.tlk")
        ...     write_container(path, "counts", {"words": np.array([3, 1, 4], np.uint32), "note": b"hello"})
        ...     container = Container.open(path, "counts")
        >>> container
        Container(kind='counts', version=1, sections=['words', 'note'])
        >>> container.array("words")
        array([3, 1, 4], dtype=uint32)
        >>> container.bytes("note")
        b'hello'
    """

    def __init__(self, opened: _engine.Container) -> None:
        self._opened = opened
        self._sections = {
            name: SectionInfo(name, _DTYPES.get(element, np.dtype((np.void, size))), nbytes // size)
            for name, element, size, nbytes in opened.sections()
        }

    @classmethod
    def open(
        cls, path: Path | str, kind: str | None = None, *, verify: bool = True, limits: Limits = DEFAULT
    ) -> Container:
        """Map a file and check it.

        Args:
            path: The file.
            kind: What it must hold; anything if None.
            verify: Compare every section with its checksum, which reads the whole file once. Its structure is checked
                in any case.
            limits: Its `model_bytes` caps the file's size.

        Raises:
            FormatError: The file is damaged, or not a container of this kind.
            FileError: The file cannot be read.
        """
        return cls(_engine.Container.open(Path(path), kind, full=verify, most_bytes=limits.model_bytes))

    @property
    def kind(self) -> str:
        """What it holds."""
        return self._opened.kind

    @property
    def version(self) -> int:
        """The version of what it holds."""
        return self._opened.kind_version

    @property
    def sections(self) -> tuple[SectionInfo, ...]:
        """Its sections in the order they were written."""
        return tuple(self._sections.values())

    def array(self, name: str) -> NDArray[Any]:
        """A copy of a section as a read-only array."""
        data = self._opened.read(name)
        return np.frombuffer(data, self._sections[name].dtype)

    def bytes(self, name: str) -> bytes:
        """A copy of a section's bytes, whatever its elements are."""
        return self._opened.read(name)

    def verify(self) -> None:
        """Compare every section with its checksum; raises `FormatError` if one does not fit."""
        self._opened.verify()

    def __contains__(self, name: object) -> bool:
        return name in self._sections

    def __repr__(self) -> str:
        return f"Container(kind={self.kind!r}, version={self.version}, sections={list(self._sections)})"


def write_container(
    path: Path | str, kind: str, sections: Mapping[str, NDArray[Any] | bytes], *, version: int = 1
) -> None:
    """Write named arrays as one container, atomically.

    Args:
        path: The file.
        kind: What it holds: at most 16 lower-case letters, digits and `-_.`.
        sections: One-dimensional arrays of 8- to 64-bit whole numbers, 32- or 64-bit floats, or records; or bytes.
            Names have at most 24 characters.
        version: The version of what it holds.

    Raises:
        SettingsError: A name or array cannot be stored.
        FileError: The file cannot be written.
    """
    encoded = [(name, *_encode(name, value)) for name, value in sections.items()]
    _engine.write_container(Path(path), kind, version, encoded)


def _encode(name: str, value: NDArray[Any] | bytes) -> tuple[str, int, NDArray[np.uint8]]:
    if isinstance(value, bytes):
        return "u8", 1, np.frombuffer(value, np.uint8)
    if value.ndim != 1:
        raise SettingsError(f"section {name}: an array of {value.ndim} dimensions", hint="reshape it to one dimension")
    if value.dtype.hasobject or not value.dtype.itemsize:
        raise SettingsError(f"section {name}: elements of type {value.dtype} cannot be stored")
    value = np.ascontiguousarray(value.astype(value.dtype.newbyteorder("<"), copy=False))
    element = "record" if value.dtype.kind == "V" else _ELEMENTS.get(value.dtype)
    if element is None:
        hint = f"convert it to one of {', '.join(_DTYPES)}"
        raise SettingsError(f"section {name}: elements of type {value.dtype} cannot be stored", hint=hint)
    return element, value.dtype.itemsize, value.view(np.uint8)
