"""A log of evaluations: what a function gave at each point, kept so that a stopped search asks nothing twice."""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tolka.errors import FileError, FormatError, InputError
from tolka.files.atomic import disk_error, sync_directory

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

_FORMAT = 1


class EvaluationLog:
    """Values by point, in memory and, with a path, in a file that survives the process at any moment.

    The file has a line of JSON for the problem and one for each value, with what else was found at its point, written
    whole and forced to disk before the search goes on. A line that was cut off by the end of its writer is dropped.

    Args:
        path: The file; none keeps values in memory only.
        problem: What the values depend on, as JSON: a log of another problem is refused.

    Attributes:
        path: The file, if there is one.

    Raises:
        InputError: The file is a log of another problem, or no log.
        FormatError: A line of it is damaged.
        FileError: It cannot be written, or another process is writing it.

    Example:
        >>> with EvaluationLog(None, {}) as log:
        ...     log.add({"a": 0.5}, 31.0)
        ...     log.get({"a": 0.5}), log.get({"a": 0.6})
        (31.0, None)
    """

    def __init__(self, path: str | PathLike[str] | None, problem: Mapping[str, Any]) -> None:
        self._values: dict[str, float] = {}
        self._beside: dict[str, str] = {}
        self.path = None if path is None else Path(path)
        self._file = -1
        if self.path is not None:
            try:
                self._open(self.path, problem)
            except BaseException as error:
                self.close()
                if isinstance(error, OSError):
                    raise disk_error(error, self.path) from error
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._values)

    def close(self) -> None:
        """Close the file; what was added is in it already."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def get(self, point: object) -> float | None:
        """The value at a point; none if it is not known."""
        return self._values.get(_canonical(point))

    def beside(self, point: object) -> str | None:
        """What else was found at a point; none if nothing is known."""
        return self._beside.get(_canonical(point))

    def add(self, point: object, value: float, beside: str | None = None) -> None:
        """Keep the value at a point, and what else was found there; it is on disk when this returns."""
        self._values[_canonical(point)] = value
        more = {} if beside is None else {"beside": beside}
        self._beside |= {_canonical(point): one for one in more.values()}
        if self.path is not None:
            try:
                self._append(_line({"point": point, "value": value, **more}))
            except OSError as error:
                raise disk_error(error, self.path) from error

    def _open(self, path: Path, problem: Mapping[str, Any]) -> None:
        if path.exists() and not path.is_file():
            raise FileError("is not a regular file", path=path)
        if not path.parent.is_dir():
            raise FileError(f"the directory {path.parent} does not exist", path=path, hint="create it first")
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FileError("another process is writing this log", path=path, hint="wait for it") from None
        content = path.read_bytes()
        key = hashlib.sha256(_canonical(problem).encode()).hexdigest()
        header = _line({"tolka": "evaluations", "format": _FORMAT, "key": key, "problem": problem})
        first, ended, rest = content.partition(b"\n")
        if not ended:
            # Nothing there yet, or the first line was cut off.
            if not header.startswith(first):
                raise _no_log(path)
            os.ftruncate(self._file, 0)
            self._append(header)
            sync_directory(path.parent)
            return
        _check_header(path, first, header)
        whole = rest[: rest.rfind(b"\n") + 1]
        self._read(path, whole)
        os.ftruncate(self._file, len(first) + 1 + len(whole))

    def _read(self, path: Path, lines: bytes) -> None:
        for number, line in enumerate(lines.splitlines(), 2):
            try:
                entry = json.loads(line)
                point, value = _canonical(entry["point"]), float(entry["value"])
                beside = entry.get("beside", "")
            except (ValueError, KeyError, TypeError):
                value, beside = math.nan, None
            if not math.isfinite(value) or not isinstance(beside, str):
                raise FormatError("not an evaluation", path=path, line=number, hint="remove the log, and begin again")
            # Whatever came first stays, so that every run sees the same.
            if point not in self._values and beside:
                self._beside[point] = beside
            self._values.setdefault(point, value)

    def _append(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._file, data) :]
        os.fsync(self._file)


def _check_header(path: Path, found: bytes, wanted: bytes) -> None:
    if found == wanted[:-1]:
        return
    try:
        ours = json.loads(found).get("tolka") == "evaluations"
    except (ValueError, AttributeError):
        ours = False
    if not ours:
        raise _no_log(path)
    raise InputError("the log is of another problem", path=path, hint="name another file, or remove this one")


def _no_log(path: Path) -> InputError:
    return InputError("the file is no log of evaluations", path=path, hint="name another file")


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, allow_nan=False).encode() + b"\n"
