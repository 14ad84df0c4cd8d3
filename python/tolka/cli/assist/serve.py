"""`tolka assist serve`: the page on which people answer."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated

import typer

from tolka.cli.assist.opened import TasksArgument  # noqa: TC001 (Typer looks at it)


def serve(
    tasks: TasksArgument,
    *,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")] = 8080,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    public: Annotated[
        bool, typer.Option("--public", help="Allow an address that others can reach; put HTTPS before it.")
    ] = False,
    url: Annotated[str, typer.Option("--url", help="How people reach the page, as https://help.example.org.")] = "",
    invite: Annotated[
        list[str] | None, typer.Option("--invite", metavar="NAME", help="Invite somebody; may be repeated.")
    ] = None,
) -> None:
    """Serve the page, and print an invitation.

    Links are printed when they are made, since only their hashes are kept; the first start invites a helper if nobody is
    invited yet.

    Example: `tolka assist serve tasks/ --port 8080`
    """
    from tolka.assist.tasks import open_tasks
    from tolka.assist.tasks.outcome import overview
    from tolka.assist.web import create_app
    from tolka.web.server import serve as run

    with open_tasks(tasks) as held:
        known = overview(held).people
        names = list(invite or []) or ([] if known else ["helper-1"])
        links = [(f"helper {name}", held.invite(name)) for name in names]

        def ready(base: str) -> None:
            for label, invitation in links:
                print(f"{label}: {base}/join/{invitation}")
            if not links:
                print(f"{len(known)} people have links; for a new one: tolka assist invite {tasks} NAME --url {base}")
            print(f"serving: {base}")
            sys.stdout.flush()

        run(partial(create_app, held), host=host, port=port, public=public, url=url, ready=ready)
