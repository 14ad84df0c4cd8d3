"""Where the `tolka` command starts, and how errors leave it."""

from __future__ import annotations

import errno
import os
import sys

from tolka.errors import TolkaError


def main() -> None:
    """Run the command line; a user's mistake becomes one sentence on standard error and an exit code."""
    arguments = [one for one in sys.argv[1:] if one != "--verbose"]
    verbose = len(arguments) < len(sys.argv[1:])
    try:
        try:
            _run(arguments)
        finally:
            # What was printed is out, or the error is said here rather than by the interpreter as it ends.
            sys.stdout.flush()
    except TolkaError as error:
        if verbose:
            _print_traceback(error)
        print(f"tolka: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output left (`tolka … | head`): stop without noise, and keep the interpreter's
        # own flush at exit from failing on the same pipe.
        _leave_output()
        sys.exit(1)
    except OSError as error:
        if verbose:
            _print_traceback(error)
        _leave_output()
        if error.filename is None and error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
            what = "standard output: the disk is full; free some room there, or write to another"
        else:
            where = f"{error.filename}: " if error.filename is not None else ""
            what = f"{where}{error.strerror or error}; see that the file can be read, or the place written to"
        print(f"tolka: {what}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("tolka: interrupted", file=sys.stderr)
        sys.exit(130)


def _leave_output() -> None:
    """Nothing more can be written: keep the interpreter's own flush at exit from failing, too."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_traceback(error: BaseException) -> None:
    import traceback

    traceback.print_exception(error)


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

    commands([name for name in arguments[:1] if name in COMMANDS] or COMMANDS)(arguments)


def _without_options(arguments: list[str]) -> tuple[str, list[str], bool] | None:
    """A model, inputs and whether to be quiet, if that is all that is said."""
    paths = [one for one in arguments if one not in {"-q", "--quiet"}]
    if not paths or any(one.startswith("-") and one != "-" for one in paths):
        return None
    return paths[0], paths[1:], len(paths) < len(arguments)
