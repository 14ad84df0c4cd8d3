"""A page of one's own for questions of every kind: invited people get one after another from a queue."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response  # noqa: TC002 (FastAPI looks at it)

import tolka
from tolka.errors import InputError
from tolka.judge.platform.layout import answer_of_form, question_html
from tolka.web.accounts import Accounts
from tolka.web.app import LOOPBACK, create_app
from tolka.web.joining import Joining
from tolka.web.leases import UnknownTaskError
from tolka.web.site import Fields, RefusedError, Site, one, see
from tolka.web.tables import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.web.accounts import Account
    from tolka.web.guard import Guard
    from tolka.web.tasks import Queue

ROLE = "helper"


def create_page(
    queue: Queue,
    *,
    key: bytes,
    name: str = "questions",
    title: str = "Questions",
    language: str = "",
    hosts: Iterable[str] = LOOPBACK,
    secure: bool = False,
) -> Guard:
    """The web application of a queue made with `queue_kinds()`; people are invited with the role `helper`.

    Args:
        queue: The queue; its store stays open as long as the application runs.
        key: The secret that signs sessions, see `tolka.web.keys`.
        name: Sessions of several pages on one host are kept apart by it.
        title: What the page is called.
        language: In which people are spoken to.
        hosts: The names under which the page may be asked for.
        secure: Whether it is reached by HTTPS.
    """
    accounts = Accounts(queue.account)

    def find(identity: str) -> Account | None:
        with queue.store.reading() as connection:
            return accounts.find(connection, identity)

    def admit(invitation: str) -> Account | None:
        with queue.store.reading() as connection:
            return accounts.admit(connection, invitation)

    def join(account: Account) -> None:
        with queue.store.writing() as connection:
            accounts.join(connection, account, stamp(queue.clock()))

    site = Site(title, name=name, key=key, folder=Path(__file__).parent, account=find, secure=secure)
    joining = Joining(site, admit=admit, join=join, homes={ROLE: "/"})
    return create_app(site, [joining.routes(), Helping(site, queue, language).routes()], hosts=hosts)


class Helping:
    """The page of a helper: a question, and where its answer goes."""

    def __init__(self, site: Site, queue: Queue, language: str) -> None:
        self.site = site
        self.queue = queue
        self.language = language

    def routes(self) -> APIRouter:
        """Where they are."""
        routes = APIRouter()
        routes.add_api_route("/", self.question, methods=["GET"])
        routes.add_api_route("/answer", self.answer, methods=["POST"])
        return routes

    def question(self, request: Request) -> Response:
        """The question to answer now."""
        visitor = self.site.visitor(request, ROLE)
        task = self.queue.next(visitor.account)
        if task is None:
            return self.site.page("rest.html", session=visitor.session)
        # Everything in it is escaped where it is made.
        shown = Markup(question_html(task.body.body, self.language))  # noqa: S704
        return self.site.page("task.html", session=visitor.session, task=task.id, question=shown)

    def answer(self, request: Request, fields: Fields) -> Response:
        """Take an answer; sent twice, it is taken once."""
        visitor = self.site.visitor(request, ROLE)
        self.site.check_form(visitor.session, fields)
        identity = one(fields, "task")[:64]
        now = self.queue.next(visitor.account)
        try:
            # A task that was answered before may come again; what it says then changes nothing.
            given = answer_of_form(now.body.body, {name: one(fields, name) for name in fields}) if now else {}
            self.queue.answer(visitor.account, identity, given, version=f"page {tolka.__version__}")
        except UnknownTaskError:
            sentence = "It may have been someone else's. Nothing was changed."
            raise RefusedError(404, "There is no such question for you", sentence) from None
        except InputError as error:
            raise RefusedError(400, "This is not an answer", f"{error}.") from None
        return see("/")
