"""What all commands share: the option types, standard streams, progress bars and JSON output."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from tolka.cli.bars import Bars, progress

__all__ = ["Bars", "JsonFlag", "QuietFlag", "SeedOption", "ThreadsOption", "print_json", "progress"]

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output, for machines.")]
QuietFlag = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bars on standard error.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of everything random; same seed, same bytes.")]
ThreadsOption = Annotated[
    int, typer.Option("--threads", min=0, help="Threads to use; 0 means all cores. The result does not depend on it.")
]


def print_json(value: Any) -> None:
    """Print a result for machines: one JSON object, on one line, in a stable key order."""
    print(json.dumps(value, ensure_ascii=False, allow_nan=False))
