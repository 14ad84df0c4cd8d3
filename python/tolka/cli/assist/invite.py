"""`tolka assist invite`: links for people."""

from __future__ import annotations

from typing import Annotated

import typer

from tolka.cli.assist.opened import TasksArgument  # noqa: TC001 (Typer looks at it)
from tolka.cli.conventions import JsonFlag, print_json


def invite(
    tasks: TasksArgument,
    names: Annotated[list[str], typer.Argument(metavar="NAME…", help="The people's names.")],
    *,
    url: Annotated[str, typer.Option("--url", help="How they reach the page.")] = "http://127.0.0.1:8080",
    revoke: Annotated[bool, typer.Option("--revoke", help="Shut them out instead; their answers stay.")] = False,
    json: JsonFlag = False,
) -> None:
    """Print a link for each; a name that was invited before gets a new link, and the old one ends.

    Example: `tolka assist invite tasks/ anna björn --url https://help.example.org`
    """
    from tolka.assist.tasks import open_tasks

    with open_tasks(tasks) as held:
        if revoke:
            for name in names:
                held.block(name)
            if json:
                print_json({"revoked": names})
            return
        links = {name: f"{url.rstrip('/')}/join/{held.invite(name)}" for name in names}
    if json:
        print_json({"invitations": links})
        return
    for name, link in links.items():
        print(f"{name}: {link}")
