"""`tolka judge serve`: the page on which judges answer."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated

import typer

from tolka.cli.judge.campaign import CampaignArgument, opened


def serve(
    campaign: CampaignArgument,
    *,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")] = 8080,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    public: Annotated[
        bool, typer.Option("--public", help="Allow an address that others can reach; put HTTPS before it.")
    ] = False,
    url: Annotated[str, typer.Option("--url", help="How judges reach the page, as https://judge.example.org.")] = "",
    invite: Annotated[
        list[str] | None, typer.Option("--invite", metavar="NAME", help="Invite a judge; may be repeated.")
    ] = None,
) -> None:
    """Serve the judging page, and print an invitation and the link of the admin page.

    Links are printed when they are made, since only their hashes are kept: every start makes a new admin link, and the
    first start invites a judge if nobody is invited yet.

    Example: `tolka judge serve campaign/ --port 8080`
    """
    from tolka.judge.campaign.overview import overview
    from tolka.judge.web import create_app
    from tolka.web.server import serve as run

    with opened(campaign) as held:
        names = list(invite or [])
        known = [row.name for row in overview(held).judges if row.role == "judge"]
        if not names and not known:
            names = ["judge-1"]
        links = [(f"judge {name}", held.invite(name)) for name in names]
        admin = held.invite("admin", "admin")

        def ready(base: str) -> None:
            for label, invitation in [*links, ("admin", admin)]:
                print(f"{label}: {base}/join/{invitation}")
            if not links:
                print(f"{len(known)} judges have links; for a new one: tolka judge invite {campaign} NAME --url {base}")
            sys.stdout.flush()

        run(partial(create_app, held), host=host, port=port, public=public, url=url, ready=ready)
