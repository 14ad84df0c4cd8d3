"""What all commands share: the option types, standard streams, progress bars and JSON output."""

from __future__ import annotations

import json
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress as RichProgress

    from tolka.progress import Progress

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output, for machines.")]
QuietFlag = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bars on standard error.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of everything random; same seed, same bytes.")]
ThreadsOption = Annotated[
    int, typer.Option("--threads", min=0, help="Threads to use; 0 means all cores. The result does not depend on it.")
]


class Bars:
    """Draws each task as a bar with its rate and the time left, on standard error.

    Tasks may overlap, in one thread or in several: all bars share one display.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._display: RichProgress | None = None
        self._open = 0

    @contextmanager
    def task(self, name: str, *, total: int | None = None, unit: str = "") -> Iterator[Callable[[int], None]]:
        """Show a bar while the task runs."""
        with self._lock:
            if self._display is None:
                self._display = _rich_progress()
                self._display.start()
            self._open += 1
            bars = self._display
            handle = bars.add_task(name, total=total, unit=unit)
        try:
            yield lambda units: bars.advance(handle, units)
        finally:
            with self._lock:
                bars.remove_task(handle)
                self._open -= 1
                if not self._open:
                    bars.stop()
                    self._display = None


def _rich_progress() -> RichProgress:
    from rich import progress as rich
    from rich.console import Console

    class Rate(rich.ProgressColumn):
        def render(self, task: rich.Task) -> str:
            return f"{task.speed:,.0f} {task.fields['unit']}/s" if task.speed else ""

    return rich.Progress(
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.TaskProgressColumn(),
        Rate(),
        rich.TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def progress(quiet: bool) -> Progress:
    """Bars where a person is watching; silence under --quiet or when standard error is not a terminal."""
    return SILENT if quiet or not sys.stderr.isatty() else Bars()


def print_json(value: Any) -> None:
    """Print a result for machines: one JSON object, on one line, in a stable key order."""
    print(json.dumps(value, ensure_ascii=False, allow_nan=False))
