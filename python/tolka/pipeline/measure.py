"""What a stage costs: time, CPU time, peak memory."""

from __future__ import annotations

import re
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Usage:
    """The cost so far.

    Attributes:
        seconds: By the clock on the wall.
        cpu_seconds: Over all threads; None if another stage ran meanwhile, as the two cannot be told apart.
        peak_rss_bytes: The process's largest resident memory; None likewise, or where the system does not say.
    """

    seconds: float = 0.0
    cpu_seconds: float | None = None
    peak_rss_bytes: int | None = None


class Meter:
    """Measures stages of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._alone: dict[object, bool] = {}

    @contextmanager
    def measure(self) -> Iterator[Usage]:
        """Fill in the usage of the block."""
        usage, me = Usage(), object()
        with self._lock:
            alone = not self._alone
            self._alone = {**dict.fromkeys(self._alone, False), me: alone}
            if alone:
                _forget_peak()
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            yield usage
        finally:
            usage.seconds = time.perf_counter() - wall
            with self._lock:
                if self._alone.pop(me):
                    usage.cpu_seconds = time.process_time() - cpu
                    usage.peak_rss_bytes = _peak()


def _forget_peak() -> None:
    """Let the kernel count the peak from now on (Linux: proc(5), clear_refs)."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int | None:
    try:
        found = re.search(r"^VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None
