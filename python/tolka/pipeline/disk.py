"""Directory trees on disk: their files in a fixed order, made durable, and removed."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


def content_hash(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole, as it was, or not at all."""
    temporary = path.with_name(f".{path.name}.tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync(path.parent)


def tree(path: Path) -> Iterator[str]:
    """The names below a path: "" for a plain file; for a directory its files and, with a slash, its empty directories.

    Raises:
        InputError: There is something other than files and directories.
    """
    mode = path.lstat().st_mode
    if stat.S_ISREG(mode):
        yield ""
        return
    if not stat.S_ISDIR(mode):
        raise InputError("neither a file nor a directory", path=path)
    for child in sorted(path.iterdir()):
        empty = child.is_dir() and not child.is_symlink() and not any(child.iterdir())
        if empty:
            yield f"{child.name}/"
            continue
        for below in tree(child):
            yield f"{child.name}/{below}" if below else child.name


def sync(path: Path) -> None:
    """Ask that a file's content, or a directory's list of names, survives a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def seal(path: Path) -> None:
    """Make a tree durable and its files read-only."""
    for folder, _, names in os.walk(path, topdown=False):
        for name in names:
            _seal_file(Path(folder, name))
        sync(Path(folder))
    if path.is_file():
        _seal_file(path)


def _seal_file(path: Path) -> None:
    path.chmod(0o444)
    sync(path)


def bytes_of(path: Path) -> int:
    """The bytes of all files below a path."""
    return sum((path / name).lstat().st_size for name in tree(path) if not name.endswith("/"))


def remove(path: Path) -> None:
    """Remove a tree, which may be gone already."""
    shutil.rmtree(path, ignore_errors=True)
