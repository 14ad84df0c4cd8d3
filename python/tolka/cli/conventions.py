"""What all commands share: the option types, standard streams, progress bars and JSON output."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tolka.cli.bars import Bars, progress
from tolka.errors import TolkaError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Bars", "JsonFlag", "QuietFlag", "SeedOption", "ThreadsOption", "at_line", "print_json", "progress"]

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output, for machines.")]
QuietFlag = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bars on standard error.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of everything random; same seed, same bytes.")]
ThreadsOption = Annotated[
    int, typer.Option("--threads", min=0, help="Threads to use; 0 means all cores. The result does not depend on it.")
]


def print_json(value: Any) -> None:
    """Print a result for machines: one JSON object, on one line, in a stable key order."""
    print(json.dumps(value, ensure_ascii=False, allow_nan=False))


@contextmanager
def at_line(number: int) -> Iterator[None]:
    """Say of what goes wrong with a sentence which line it is in, counted from 1.

    Example:
        >>> with at_line(3):
        ...     raise TolkaError("the sentence is too long")
        Traceback (most recent call last):
        tolka.errors.TolkaError: line 3: the sentence is too long
    """
    try:
        yield
    except TolkaError as error:
        if error.line is None:
            error.line = number
        raise
