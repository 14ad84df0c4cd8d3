"""Progress as bars on standard error, where a person is watching."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress as RichProgress

    from tolka.pipeline import StageResult
    from tolka.progress import Progress


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

    from tolka.cli.tables import console

    class Rate(rich.ProgressColumn):
        def render(self, task: rich.Task) -> str:
            return f"{task.speed:,.0f} {task.fields['unit']}/s" if task.speed else ""

    return rich.Progress(
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.TaskProgressColumn(),
        Rate(),
        rich.TimeRemainingColumn(),
        console=console(stderr=True),
        transient=True,
    )


def progress(quiet: bool) -> Progress:
    """Bars where a person is watching; silence under --quiet or when standard error is not a terminal."""
    return SILENT if quiet or not sys.stderr.isatty() else Bars()


def tell_stage(stage: StageResult) -> None:
    """A line for whoever reads a log: where nobody watches, there are no bars."""
    from tolka.pipeline.training_page import duration

    time = "kept from before" if stage.cached else f"done in {duration(stage.usage.seconds)}"
    print(f"tolka: {stage.name}: {time}", file=sys.stderr, flush=True)
