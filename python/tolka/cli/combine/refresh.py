"""`tolka combine refresh`: the parts of an ensemble as they are now."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tolka.cli.combine.notes import print_notes
from tolka.cli.conventions import JsonFlag, print_json
from tolka.errors import SettingsError


def refresh(
    model: Annotated[Path, typer.Argument(help="The ensemble.", show_default=False)],
    *,
    part: Annotated[
        list[str] | None,
        typer.Option("--part", help="Where a part is now, if it was moved: NAME=DIRECTORY. Can be repeated."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Go on although the parts write different alphabets.")] = False,
    json: JsonFlag = False,
) -> None:
    """Take the parts of an ensemble as they are now: updated, tuned again, or moved.

    Example: `tolka combine refresh both --part law=models/de-en-law`
    """
    from tolka.combine import refresh_ensemble

    places: dict[str, Path] = {}
    for one in part or []:
        name, sign, place = one.partition("=")
        if not sign or not name or not place:
            raise SettingsError(f"{one!r} does not say where a part is", hint="write --part NAME=DIRECTORY")
        places[name] = Path(place)
    made = refresh_ensemble(model, parts=places, force=force)
    print_notes(made.notes)
    if json:
        print_json({"model": str(model), "changed": list(made.changed), "preparation": made.preparation.kind})
        return
    print(f"changed: {', '.join(made.changed)}" if made.changed else "nothing has changed")
