"""`tolka reorder`: pre-ordering on the command line."""

from __future__ import annotations

import typer

from tolka.cli.reorder.analyse import analyse
from tolka.cli.reorder.apply import apply
from tolka.cli.reorder.score import score
from tolka.cli.reorder.train import train

app = typer.Typer(name="reorder", help="Put source words into the order of the target language.", no_args_is_help=True)


@app.callback()
def reorder() -> None:
    """Put source words into the order of the target language."""


app.command(no_args_is_help=True)(analyse)
app.command(no_args_is_help=True)(train)
app.command(no_args_is_help=True)(apply)
app.command(no_args_is_help=True)(score)
