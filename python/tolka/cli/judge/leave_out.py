"""`tolka judge leave-out`: whose answers count."""

from __future__ import annotations

from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, print_json
from tolka.cli.judge.campaign import CampaignArgument, opened


def leave_out(
    campaign: CampaignArgument,
    names: Annotated[list[str], typer.Argument(metavar="NAME…", help="Judges, programs, or judges of imported files.")],
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Count them again.")] = False,
    json: JsonFlag = False,
) -> None:
    """Leave judges out of a campaign's ranking, of its reports and of what is asked next; their answers are kept.

    They may go on answering; to shut them out as well: `tolka judge invite campaign/ NAME --revoke --leave-out`.

    Example: `tolka judge leave-out campaign/ bert`
    """
    with opened(campaign) as held:
        for name in names:
            held.leave_out(name, out=not undo)
        out = held.left_out()
    if json:
        print_json({"left_out": out})
        return
    for name, reason in out.items():
        print(f"left out: {name} ({reason})")
    if not out:
        print("everyone counts")
