"""The `tolka` command with all of its sub-commands."""

from __future__ import annotations

from tolka.cli.commands import commands

app = commands()
