"""The `tolka` command: its sub-commands, and how errors leave it."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

import tolka
from tolka.cli import align, corpus, grammar, judge, lm, parse, reorder, rerank
from tolka.cli.compare import compare
from tolka.cli.demo import demo
from tolka.cli.evaluate import evaluate
from tolka.cli.run import run
from tolka.cli.tokenise import detokenise, tokenise
from tolka.cli.train import train
from tolka.cli.translate import translate
from tolka.cli.tune import tune
from tolka.cli.update import update
from tolka.errors import TolkaError

app = typer.Typer(
    name="tolka",
    help="Build, combine, train and judge machine translation systems from the data you have.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tolka {tolka.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Build, combine, train and judge machine translation systems from the data you have."""


# In the order in which data walks through the rooms; --help shows them so.
app.command()(demo)
app.add_typer(corpus.app)
app.command()(tokenise)
app.command()(detokenise)
app.add_typer(parse.app)
app.add_typer(align.app)
app.add_typer(lm.app)
app.add_typer(grammar.app)
app.add_typer(reorder.app)
app.command(no_args_is_help=True)(train)
app.command(no_args_is_help=True)(tune)
app.command(no_args_is_help=True)(translate)
app.command(no_args_is_help=True)(update)
app.add_typer(rerank.app)
app.command(no_args_is_help=True)(evaluate)
app.command(no_args_is_help=True)(compare)
app.add_typer(judge.app)
app.command()(run)


def main() -> None:
    """Run the command line; a user's mistake becomes one sentence on standard error and an exit code."""
    try:
        app()
    except TolkaError as error:
        print(f"tolka: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output left (`tolka … | head`): stop without noise, and keep the interpreter's
        # own flush at exit from failing on the same pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        print("tolka: interrupted", file=sys.stderr)
        sys.exit(130)
