"""How long work tells of itself, without knowing who listens.

A function that may take long has a parameter `progress: Progress = SILENT` and reports like this:

    >>> from tolka.progress import SILENT
    >>> with SILENT.task("counting", total=3, unit="lines") as advance:
    ...     for _ in range(3):
    ...         advance(1)

The command line passes a reporter that draws bars on standard error; a pipeline writes to its log.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager


class Progress(Protocol):
    """Receives the progress of named tasks."""

    def task(
        self, name: str, *, total: int | None = None, unit: str = ""
    ) -> AbstractContextManager[Callable[[int], None]]:
        """Begin a task of `total` units (unknown if None); call what it gives with the units done since the last call."""


class Silent:
    """Reports to nobody."""

    @contextmanager
    def task(self, name: str, *, total: int | None = None, unit: str = "") -> Iterator[Callable[[int], None]]:  # noqa: ARG002
        """Accept a task and say nothing."""
        yield lambda _units: None


SILENT: Progress = Silent()
