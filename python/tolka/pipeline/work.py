"""The work directory: what is in it, and the lock that keeps two runs apart."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from tolka.errors import FileError
from tolka.files import write_atomic
from tolka.pipeline.disk import forget, remove
from tolka.pipeline.keys import Parts
from tolka.pipeline.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

LOCK = "tolka.lock"


class WorkDirectory:
    """A directory that holds everything a recipe's runs produce.

    Attributes:
        store: Outputs of stages (`store/`), unfinished ones in `partial/`.
        runs: The logs (`runs/<n>.jsonl`).
        notes: What stages have noted that can go on after a stop (`notes/`), named as their outputs are.
        latest: A link per stage of the recipe to its newest outputs (`latest/<stage>`).
        hashes: What is remembered of file contents (`hashes.json`).
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.store = Store(path / "store", path / "partial")
        self.runs = path / "runs"
        self.notes = path / "notes"
        self.latest = path / "latest"
        self.hashes = path / "hashes.json"
        self._last = path / "last.json"

    def open(self) -> Lock:
        """Create the directory if need be, lock it, and clear away what a killed run left.

        Raises:
            FileError: It cannot be written, is in use, or holds something else.
        """
        with os_errors(f"cannot use the work directory {self.path}"):
            self.path.mkdir(parents=True, exist_ok=True)
            # `partial/` is emptied below: never do that in a directory that merely happens to have one.
            if not (self.path / LOCK).exists() and any(self.path.iterdir()):
                raise FileError("not a work directory of tolka", path=self.path, hint="name a new or empty directory")
            lock = Lock(self.path / LOCK)
            remove(self.store.partial)
            for leftover in self.path.glob(".tolka-*.tmp"):
                leftover.unlink()
            for folder in (self.store.partial, self.store.root, self.runs, self.notes, self.latest):
                folder.mkdir(exist_ok=True)
        return lock

    def forget_notes(self) -> None:
        """Remove the notes of stages that no recipe asks for any more."""
        for note in self.notes.iterdir():
            forget(note)

    def read_last(self) -> dict[str, Parts]:
        """What each stage was last run with."""
        try:
            return {name: Parts.from_json(parts) for name, parts in json.loads(self._last.read_bytes()).items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    def write_last(self, last: Mapping[str, Parts]) -> None:
        """Remember what each stage was run with, to explain the next run."""
        with write_atomic(self._last) as out:
            json.dump({name: parts.to_json() for name, parts in last.items()}, out)

    def link(self, entries: Mapping[str, Path]) -> None:
        """Point `latest/` at these entries and at nothing else."""
        for old in self.latest.iterdir():
            if old.name not in entries:
                old.unlink()
        for name, entry in entries.items():
            fresh = self.store.partial / f"{name}.link"
            with suppress(FileNotFoundError):
                fresh.unlink()
            fresh.symlink_to(os.path.relpath(entry, self.latest))
            fresh.replace(self.latest / name)


class Lock:
    """An exclusive lock on a file; the system lets go of it when its holder dies, however it dies."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._file, 20).decode("ascii", "replace").strip()
            os.close(self._file)
            raise FileError(
                f"another run is using this work directory (process {holder or 'unknown'})",
                path=path.parent,
                hint="wait for it, or give this run another --work",
            ) from None
        os.ftruncate(self._file, 0)
        os.write(self._file, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Let the next run in."""
        os.close(self._file)


@contextmanager
def os_errors(what: str) -> Iterator[None]:
    """Turn what the operating system refuses into a sentence that starts with `what`."""
    try:
        yield
    except OSError as error:
        raise FileError(f"{what}: {os_sentence(error)}") from error


def os_sentence(error: OSError) -> str:
    """An operating system's error with its file, without numbers and quotes."""
    return f"{error.strerror or error}{f' ({error.filename})' if error.filename else ''}"
