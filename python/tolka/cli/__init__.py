"""The command line: one file per command, shared conventions in `tolka.cli.conventions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tolka.cli.main import app

__all__ = ["app"]


def __getattr__(name: str) -> Any:
    # Imported when they are asked for: most commands need one of all the others' modules.
    if name == "app":
        from tolka.cli.main import app

        return app
    if name == "main":
        from tolka.cli.start import main

        return main
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
