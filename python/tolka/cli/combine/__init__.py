"""`tolka combine`: models of diverse sources that translate together."""

from __future__ import annotations

import typer

from tolka.cli.combine import oov
from tolka.cli.combine.adapt import adapt
from tolka.cli.combine.cascade import cascade
from tolka.cli.combine.ensemble import ensemble
from tolka.cli.combine.gather import gather
from tolka.cli.combine.refresh import refresh
from tolka.cli.combine.show import show
from tolka.cli.combine.stack import stack
from tolka.cli.combine.triangulate import triangulate

app = typer.Typer(name="combine", help="Let several models translate together.", no_args_is_help=True)


@app.callback()
def combine() -> None:
    """Let several models translate together."""


app.command(no_args_is_help=True)(adapt)
app.command(no_args_is_help=True)(cascade)
app.command(no_args_is_help=True)(ensemble)
app.command(no_args_is_help=True)(gather)
app.command(no_args_is_help=True)(refresh)
app.command(no_args_is_help=True)(show)
app.command(no_args_is_help=True)(stack)
app.command(no_args_is_help=True)(triangulate)
app.add_typer(oov.app)
