"""The judging page: a site about a campaign, and the thread that thinks about the next questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tolka.judge.campaign.planning import Planner
from tolka.judge.web.admin import Admin
from tolka.judge.web.downloads import Downloads
from tolka.judge.web.judging import Judging
from tolka.judge.web.labels import instructions, wording_of
from tolka.judge.web.setup import Setup
from tolka.web.app import LOOPBACK
from tolka.web.app import create_app as create
from tolka.web.joining import Joining
from tolka.web.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.judge.campaign import Campaign
    from tolka.web.guard import Guard

_HOMES = {"judge": "/", "admin": "/admin"}


def create_app(campaign: Campaign, *, hosts: Iterable[str] = LOOPBACK, secure: bool = False, base: str = "") -> Guard:
    """The web application of a campaign.

    Args:
        campaign: The campaign; it stays open as long as the application runs.
        hosts: The names under which the page may be asked for.
        secure: Whether it is reached by HTTPS (through a proxy), so that cookies are sent over HTTPS alone.
        base: How judges reach it, as https://judge.example.org; links on the admin page begin with it.
    """
    site = Site(
        campaign.settings.title,
        name=campaign.id,
        key=campaign.key(),
        folder=Path(__file__).parent,
        account=campaign.account,
        settings=campaign.settings.web,
        secure=secure,
        wording=wording_of(campaign),
    )
    site.pages.globals.update(settings=campaign.settings, told=lambda settings: instructions(settings, site.wording))
    joining = Joining(site, admit=campaign.admit, join=campaign.join, homes=_HOMES)
    admin = Admin(site, campaign, base=base)
    setup = Setup(site, campaign, changed=admin.watch.forget)
    pages = [one.routes() for one in (joining, Judging(site, campaign), admin, setup, Downloads(site, campaign))]
    return create(site, pages, hosts=hosts, beside=Planner(campaign))
