"""The progress a stage reports to: named after the stage, and the place where an interrupted run stops it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator

    from tolka.progress import Progress


class Cancelled(Exception):  # noqa: N818 (it is no error)
    """Raised inside a stage's report of progress once the run is interrupted."""


class Watched:
    """Passes progress on under the stage's name."""

    def __init__(self, progress: Progress, name: str, cancelled: threading.Event) -> None:
        self._progress = progress
        self._name = name
        self._cancelled = cancelled

    @contextmanager
    def task(self, name: str, *, total: int | None = None, unit: str = "") -> Iterator[Callable[[int], None]]:
        """Begin a task of the stage."""
        if self._cancelled.is_set():
            raise Cancelled
        with self._progress.task(f"{self._name}: {name}", total=total, unit=unit) as advance:

            def step(units: int) -> None:
                if self._cancelled.is_set():
                    raise Cancelled
                advance(units)

            yield step
