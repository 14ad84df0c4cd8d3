"""Content hashes: what a file or directory holds, as one short string."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from tolka.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator


def sha256(path: Path | str) -> str:
    """The SHA-256 of a file's contents, as 64 hexadecimal digits; reads it piece by piece.

    Raises:
        FileError: The file cannot be read, or is not a regular file.
    """
    path = Path(path)
    try:
        if path.exists() and not path.is_file():
            raise FileError("is not a regular file", path=path)
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FileError(error.strerror or str(error), path=path) from error


def content_hash(path: Path | str) -> str:
    """A hash of what is in a file or directory: equal contents, equal hash, wherever and whenever they were written.

    For a file it is its SHA-256. For a directory it is the SHA-256 of a listing of everything below it in the byte
    order of the relative paths: `file`, path and hash, or `directory` and path, each ended by a zero byte. Names and
    contents count; times, permissions and owners do not. Symbolic links count as the file they point to; links to
    directories, which might lead in a circle, are refused.

    Raises:
        FileError: Something cannot be read, or is neither file nor directory.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     _ = Path(directory, "empty").write_bytes(b"")
        ...     content_hash(Path(directory, "empty"))[:16], content_hash(directory)[:16]
        ('e3b0c44298fc1c14', '8a66bea3595c2b31')
    """
    path = Path(path)
    if not path.is_dir():
        return sha256(path)
    listing = hashlib.sha256(b"tolka directory 1\0")
    for relative, found in sorted(_walk(path)):
        if found.is_dir():
            listing.update(b"directory\0" + relative + b"\0")
        else:
            listing.update(b"file\0" + relative + b"\0" + sha256(found).encode() + b"\0")
    return listing.hexdigest()


def _walk(root: Path) -> Iterator[tuple[bytes, Path]]:
    waiting = [root]
    while waiting:
        directory = waiting.pop()
        try:
            entries = list(os.scandir(directory))
        except OSError as error:
            raise FileError(error.strerror or str(error), path=directory) from error
        for entry in entries:
            path = Path(entry.path)
            if entry.is_dir():
                if entry.is_symlink():
                    raise FileError("is a link to a directory", path=path, hint="put the directory itself there")
                waiting.append(path)
            yield os.fsencode(path.relative_to(root)), path
