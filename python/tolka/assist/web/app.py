"""The page of a directory of tasks: a site, and the pages of whoever helps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tolka.assist.tasks.folder import ROLE
from tolka.assist.web.helping import Helping
from tolka.assist.web.labels import wording_of
from tolka.page.svg import readable
from tolka.web.app import LOOPBACK
from tolka.web.app import create_app as create
from tolka.web.joining import Joining
from tolka.web.site import Site, paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.assist.tasks import TaskFolder
    from tolka.web.guard import Guard


def create_app(tasks: TaskFolder, *, hosts: Iterable[str] = LOOPBACK, secure: bool = False, base: str = "") -> Guard:
    """The web application of a directory of tasks.

    Args:
        tasks: The tasks; they stay open as long as the application runs.
        hosts: The names under which the page may be asked for.
        secure: Whether it is reached by HTTPS (through a proxy), so that cookies are sent over HTTPS alone.
        base: How people reach it; no link of this page needs it.
    """
    site = Site(
        tasks.settings.title,
        name=tasks.id,
        key=tasks.key(),
        folder=Path(__file__).parent,
        account=tasks.account,
        settings=tasks.settings.web,
        secure=secure,
        wording=wording_of(tasks),
    )
    site.pages.filters["readable"] = readable
    site.pages.globals.update(
        settings=tasks.settings, told=lambda settings: paragraphs(site.wording(settings.instructions)), base=base
    )
    joining = Joining(site, admit=tasks.admit, join=tasks.join, homes={ROLE: "/"})
    return create(site, [joining.routes(), Helping(site, tasks).routes()], hosts=hosts)
