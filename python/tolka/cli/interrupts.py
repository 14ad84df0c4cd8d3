"""How long work on the command line is stopped: Ctrl-C and SIGTERM, once, and in a sentence."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

# Seconds a stage gets to stop after an interrupt; the store is safe whether it does or not.
PATIENCE = 2.0


class Terminated(KeyboardInterrupt):
    """SIGTERM arrived; handled like Ctrl-C, with its own exit code."""


@contextmanager
def stopped_politely() -> Iterator[None]:
    """Run a pipeline so that an interrupt ends the process and says how to go on."""
    with _signals():
        try:
            yield
        except KeyboardInterrupt as interrupt:
            word, code = ("terminated", 143) if isinstance(interrupt, Terminated) else ("interrupted", 130)
            print(f"tolka: {word}; finished stages are kept, the same command goes on from there", file=sys.stderr)
            sys.stderr.flush()
            # Not sys.exit: a stage may still be inside the engine, and the interpreter cannot end under it.
            os._exit(code)


@contextmanager
def _signals() -> Iterator[None]:
    """SIGTERM like Ctrl-C; only the first of either counts, so that ending is not itself interrupted."""

    def interrupt(number: int, _frame: Any) -> None:
        for each in previous:
            signal.signal(each, signal.SIG_IGN)
        raise Terminated if number == signal.SIGTERM else KeyboardInterrupt

    previous = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
