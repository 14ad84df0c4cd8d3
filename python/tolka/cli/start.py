"""Where the `tolka` command starts, and how errors leave it."""

from __future__ import annotations

import os
import sys

from tolka.errors import TolkaError


def main() -> None:
    """Run the command line; a user's mistake becomes one sentence on standard error and an exit code."""
    try:
        _run(sys.argv[1:])
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


def _run(arguments: list[str]) -> None:
    """Do what is asked without loading more than it takes; options are Typer's, which takes longer than a sentence does."""
    if arguments == ["--version"]:
        from tolka import __version__

        print(f"tolka {__version__}")
        return
    if arguments[:1] == ["translate"] and (plain := _without_options(arguments[1:])) is not None:
        from tolka.cli.streaming import translate_plainly

        model, inputs, quiet = plain
        translate_plainly(model, inputs, quiet=quiet)
        return
    from tolka.cli.commands import COMMANDS, commands

    commands([name for name in arguments[:1] if name in COMMANDS] or COMMANDS)()


def _without_options(arguments: list[str]) -> tuple[str, list[str], bool] | None:
    """A model, inputs and whether to be quiet, if that is all that is said."""
    paths = [one for one in arguments if one not in {"-q", "--quiet"}]
    if not paths or any(one.startswith("-") and one != "-" for one in paths):
        return None
    return paths[0], paths[1:], len(paths) < len(arguments)
