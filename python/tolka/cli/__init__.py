"""The command line: one file per command, shared conventions in `tolka.cli.conventions`."""

from tolka.cli.main import app, main

__all__ = ["app", "main"]
