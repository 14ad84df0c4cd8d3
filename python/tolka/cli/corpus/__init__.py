"""`tolka corpus`: commands that look at, convert and prepare text."""

from __future__ import annotations

import typer

from tolka.cli.corpus.synth import synth

app = typer.Typer(
    name="corpus", help="Read, convert and prepare text.", no_args_is_help=True, rich_markup_mode="markdown"
)


@app.callback()
def corpus() -> None:
    """Read, convert and prepare text."""


app.command()(synth)
