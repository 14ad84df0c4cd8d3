"""What the commands about a directory of tasks share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

TasksArgument = Annotated[Path, typer.Argument(metavar="TASKS", help="A directory of tasks.")]
