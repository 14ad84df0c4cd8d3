"""The sub-commands of `tolka` by name: each is imported when it is asked for, and all of them for --help."""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import typer

import tolka

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# In the order in which data walks through the rooms; --help shows them so. Modules with an `app` have commands of their
# own; the others are what they are called, and some print their help where nothing is given.
COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "demo": "demo",
        "corpus": "corpus",
        "tokenise": "tokenise",
        "detokenise": "tokenise",
        "parse": "parse",
        "align": "align",
        "lm": "lm",
        "grammar": "grammar",
        "reorder": "reorder",
        "train": "train",
        "tune": "tune",
        "translate": "translate",
        "update": "update",
        "learn": "learn",
        "combine": "combine",
        "rerank": "rerank",
        "evaluate": "evaluate",
        "compare": "compare",
        "judge": "judge",
        "assist": "assist",
        "run": "run",
    }
)
"""The module of each command."""

_HELP_IF_NOTHING_IS_GIVEN = {"train", "tune", "translate", "update", "evaluate", "compare"}


def commands(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The `tolka` command with these sub-commands."""
    app = typer.Typer(
        name="tolka",
        help="Build, combine, train and judge machine translation systems from the data you have.",
        no_args_is_help=True,
        add_completion=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_root)
    for name in names:
        module = import_module(f"tolka.cli.{COMMANDS[name]}")
        if hasattr(module, "app"):
            app.add_typer(module.app)
        else:
            app.command(no_args_is_help=name in _HELP_IF_NOTHING_IS_GIVEN)(getattr(module, name))
    return app


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tolka {tolka.__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", help="Where an error is told, say also where in the program; anywhere in a command."),
    ] = False,
) -> None:
    """Build, combine, train and judge machine translation systems from the data you have."""
