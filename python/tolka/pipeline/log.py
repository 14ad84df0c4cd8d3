"""The log of a run: one JSON object per line, written whole, so that it can be read after any end of the run."""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class RunLog:
    """Appends events to `<runs>/<n>.jsonl`, n counting the runs of this work directory from 1.

    The caller holds the work directory's lock, so no two runs choose the same number.
    """

    def __init__(self, runs: Path) -> None:
        runs.mkdir(exist_ok=True)
        self.number = 1 + max((int(path.stem) for path in runs.glob("*.jsonl") if path.stem.isdecimal()), default=0)
        self.path = runs / f"{self.number}.jsonl"
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        self._lock = threading.Lock()
        self._open = True

    def event(self, event: str, **fields: Any) -> None:
        """Write an event with the time; nothing is held back in memory."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"event": event, "time": now, **fields}, ensure_ascii=False, allow_nan=False)
        data = line.encode("utf-8", "backslashreplace") + b"\n"
        with self._lock:
            try:
                while self._open and data:
                    data = data[os.write(self._file, data) :]
            except OSError:
                self._open = False  # nothing may follow half a line
                os.close(self._file)
                raise

    def close(self) -> None:
        """Close the file; later events (of a stage that could not be stopped) are dropped."""
        with self._lock:
            if self._open:
                self._open = False
                with suppress(OSError):
                    os.fsync(self._file)
                os.close(self._file)


def read_log(path: Path) -> Iterator[dict[str, Any]]:
    """The events of a log, up to the last whole line."""
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                return
            yield json.loads(line)
