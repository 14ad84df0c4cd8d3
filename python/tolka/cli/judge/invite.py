"""`tolka judge invite`: links for judges."""

from __future__ import annotations

from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, print_json
from tolka.cli.judge.campaign import CampaignArgument, opened
from tolka.errors import SettingsError


def invite(
    campaign: CampaignArgument,
    names: Annotated[list[str], typer.Argument(metavar="NAME…", help="The judges' names.")],
    *,
    url: Annotated[str, typer.Option("--url", help="How judges reach the page.")] = "http://127.0.0.1:8080",
    revoke: Annotated[bool, typer.Option("--revoke", help="Shut them out instead; their answers stay.")] = False,
    leave_out: Annotated[
        bool, typer.Option("--leave-out", help="With --revoke: their answers do not count any more, either.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Print a link for each judge; a name that was invited before gets a new link, and the old one ends.

    Example: `tolka judge invite campaign/ anna björn --url https://judge.example.org`
    """
    if leave_out and not revoke:
        raise SettingsError("--leave-out goes with --revoke", hint="or use: tolka judge leave-out")
    with opened(campaign) as held:
        if revoke:
            for name in names:
                held.block(name, leave_out=leave_out)
            if json:
                print_json({"revoked": names})
            return
        links = {name: f"{url.rstrip('/')}/join/{held.invite(name)}" for name in names}
    if json:
        print_json({"invitations": links})
        return
    for name, link in links.items():
        print(f"{name}: {link}")
