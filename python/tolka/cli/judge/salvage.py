"""`tolka judge salvage`: what a damaged database still tells."""

from __future__ import annotations

import json as json_
from pathlib import Path  # noqa: TC003 (Typer looks at it)
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, print_json


def salvage(
    campaign: Annotated[
        Path, typer.Argument(metavar="CAMPAIGN", help="A campaign's directory, or its database alone.")
    ],
    *,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file to write the answers into.")] = None,
    to: Annotated[str, typer.Option("--to", help="jsonl or csv.")] = "jsonl",
    into: Annotated[
        Path | None,
        typer.Option("--campaign", help="A directory to make: the campaign anew, in which judges keep their links."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Save every answer that is still on disk from a campaign whose database is damaged; the campaign is only read.

    Give a file for the answers, or a directory for a new campaign made of all that is left, or both. Should too much be
    lost for that, make the campaign anew with `tolka judge init` and add the answers with `tolka judge import`.

    Example: `tolka judge salvage campaign/ -o answers.jsonl --campaign rescued/`
    """
    from tolka.errors import FileError, SettingsError
    from tolka.files import write_atomic
    from tolka.judge.campaign.rebuild import rebuild
    from tolka.judge.campaign.salvage import find
    from tolka.judge.exchange import write_answers

    if output is None and into is None:
        raise SettingsError("where to?", hint="give a file with -o, or a new directory with --campaign")
    rows = find(campaign)
    found = rows.told()
    if not found.answers and not found.unresolved:
        raise FileError("no answer can be found in it", path=campaign, hint="restore it from a copy")
    if output is not None:
        write_answers(output, found.answers, to)
    if into is not None:
        rebuild(rows, campaign, into).close()
    place = output if output is not None else into
    beside = place.with_name(f"{place.name}.unresolved.jsonl") if place is not None else None
    if found.unresolved and beside is not None:
        with write_atomic(beside) as out:
            out.writelines(json_.dumps(one, ensure_ascii=False) + "\n" for one in found.unresolved)
    if json:
        counts = {"answers": len(found.answers), "unresolved": len(found.unresolved), "undone": found.undone}
        print_json({"file": str(output or ""), **counts, "lost": found.lost, "unnamed": found.unnamed})
        return
    print(f"{len(found.answers)} answers found, {found.undone} taken back; {found.lost} entries of the log are lost")
    if found.unresolved:
        print(f"{len(found.unresolved)} more answers are in {beside}: what they were about is lost")
    if found.unnamed:
        print(f"lost names, replaced by made-up ones: {', '.join(found.unnamed)}")
    if into is not None:
        print(f"next: tolka judge serve {into}; it is paused until you say on the admin page that it goes on")
    else:
        print(f"next: tolka judge init NEW … with the same files, then: tolka judge import NEW {output}")
