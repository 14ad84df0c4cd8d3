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
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    to: Annotated[str, typer.Option("--to", help="jsonl or csv.")] = "jsonl",
    json: JsonFlag = False,
) -> None:
    """Save every answer that is still on disk from a campaign whose database is damaged; the campaign is only read.

    Afterwards make the campaign anew from the same files with `tolka judge init`, and add the answers with
    `tolka judge import`.

    Example: `tolka judge salvage campaign/ -o answers.jsonl`
    """
    from tolka.errors import FileError
    from tolka.files import write_atomic
    from tolka.judge.campaign.salvage import salvage as find
    from tolka.judge.exchange import write_answers

    found = find(campaign)
    if not found.answers and not found.unresolved:
        raise FileError("no answer can be found in it", path=campaign, hint="restore it from a copy")
    write_answers(output, found.answers, to)
    beside = output.with_name(f"{output.name}.unresolved.jsonl")
    if found.unresolved:
        with write_atomic(beside) as out:
            out.writelines(json_.dumps(one, ensure_ascii=False) + "\n" for one in found.unresolved)
    if json:
        counts = {"answers": len(found.answers), "unresolved": len(found.unresolved), "undone": found.undone}
        print_json({"file": str(output), **counts, "lost": found.lost, "unnamed": found.unnamed})
        return
    print(f"{len(found.answers)} answers written, {found.undone} taken back; {found.lost} entries of the log are lost")
    if found.unresolved:
        print(f"{len(found.unresolved)} more answers are in {beside}: what they were about is lost")
    if found.unnamed:
        print(f"lost names, replaced by made-up ones: {', '.join(found.unnamed)}")
    print(f"next: tolka judge init NEW … with the same files, then: tolka judge import NEW {output}")
