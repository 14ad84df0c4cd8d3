"""Directory trees on disk: their files in a fixed order, made durable and read-only, measured, removed."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from tolka.errors import InputError
from tolka.files.atomic import sync_directory

if TYPE_CHECKING:
    from collections.abc import Iterator


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


def seal(folder: Path) -> None:
    """Make a directory tree durable and its files read-only."""
    for below, _, names in os.walk(folder, topdown=False):
        for name in names:
            file = Path(below, name)
            with file.open("rb") as opened:
                os.fchmod(opened.fileno(), 0o444)
                os.fsync(opened.fileno())
        sync_directory(Path(below))


def bytes_of(path: Path) -> int:
    """The bytes of all files below a path."""
    return sum((path / name).lstat().st_size for name in tree(path) if not name.endswith("/"))


def remove(path: Path) -> None:
    """Remove a tree, which may be gone already."""
    shutil.rmtree(path, ignore_errors=True)


def forget(path: Path) -> None:
    """Remove a file or a tree, which may be gone already."""
    if path.is_dir() and not path.is_symlink():
        remove(path)
    else:
        path.unlink(missing_ok=True)
