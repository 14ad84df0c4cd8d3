"""Content hashes of files, remembered by what the file system says of them.

A remembered hash is believed only if device, inode, size, modification time and change time are all as they were. The
change time cannot be set by programs, so an edit that keeps the size and restores the modification time is still
noticed. An edit within one tick of the file system's clock could leave all of them equal; therefore the hash of a file
that was touched less than `SETTLED` before it was read is not remembered at all (Git calls such files "racily clean").
What remains undetected is a change beneath the file system (a failing disk) and a network drive with a wrong clock:
for those there is `trust=False`, which reads everything again.
"""

from __future__ import annotations

import json
import os
import stat
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tolka.errors import FileError, InputError
from tolka.files import sha256, write_atomic

if TYPE_CHECKING:
    from pathlib import Path

# Longer than a tick of any file system in use (FAT has the longest, two seconds).
SETTLED = 3_000_000_000
_TRIES = 3


class Mark(NamedTuple):
    """What changes when a file changes."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int

    @classmethod
    def of(cls, path: Path) -> Mark:
        """The mark of a regular file (symbolic links are followed)."""
        try:
            seen = path.stat()
        except OSError as error:
            raise FileError(f"cannot read: {error.strerror}", path=path) from error
        if not stat.S_ISREG(seen.st_mode):
            raise FileError("not a regular file", path=path)
        return cls(seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)


@dataclass(frozen=True)
class Fingerprint:
    """A file's content hash and the mark it had while it was read."""

    hash: str
    mark: Mark


class Hashes:
    """Remembers hashes in a file; losing or damaging that file costs time only."""

    def __init__(self, path: Path, *, trust: bool = True) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._known: dict[str, Fingerprint] = _load(path) if trust else {}
        self._fresh = False

    def of(self, path: Path) -> Fingerprint:
        """The fingerprint of a file, from memory or by reading it.

        Raises:
            FileError: The file cannot be read.
            InputError: The file keeps changing while it is read.
        """
        name = os.path.abspath(path)  # noqa: PTH100 (`resolve` would follow links, and a link may be turned)
        before = Mark.of(path)
        with self._lock:
            known = self._known.get(name)
        if known is not None and known.mark == before:
            return known
        for _ in range(_TRIES):
            now = time.time_ns()
            found = Fingerprint(sha256(path), before)
            after = Mark.of(path)
            if after == before:
                if max(before.modified, before.changed) < now - SETTLED:
                    with self._lock:
                        self._known[name] = found
                        self._fresh = True
                return found
            before = after
        raise InputError("the file keeps changing", path=path, hint="wait until whatever writes it is done")

    def save(self) -> None:
        """Write what is remembered of files that still exist."""
        with self._lock:
            if not self._fresh:
                return
            files = {name: [*one.mark, one.hash] for name, one in sorted(self._known.items()) if os.path.exists(name)}  # noqa: PTH110
            self._fresh = False
        with write_atomic(self._path) as out:
            json.dump(files, out)


def _load(path: Path) -> dict[str, Fingerprint]:
    try:
        files = json.loads(path.read_bytes())
        return {
            str(name): Fingerprint(str(digest), Mark(*(int(number) for number in mark)))
            for name, (*mark, digest) in files.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
