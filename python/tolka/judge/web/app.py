"""The application: pages, their guard, and the thread that thinks about the next questions."""

from __future__ import annotations

import hashlib
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from tolka.errors import MissingExtraError

try:
    from fastapi import FastAPI, Request
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from starlette.exceptions import HTTPException
    from starlette.responses import HTMLResponse, RedirectResponse, Response

    from tolka.judge.web.guard import Guard, Rate
    from tolka.judge.web.sessions import Session, Sessions
except ModuleNotFoundError as error:
    if error.name not in {"fastapi", "starlette", "jinja2", "itsdangerous"}:
        raise
    raise MissingExtraError("the judging page", "judge") from None

from tolka.judge.campaign.planning import Planner

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from tolka.judge.campaign import Account, Campaign

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_MOST_FIELDS = 40
_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


class RefusedError(Exception):
    """A request that is answered by a page saying why not."""

    def __init__(self, status: int, title: str, sentence: str) -> None:
        super().__init__(title)
        self.status = status
        self.title = title
        self.sentence = sentence


@dataclass(frozen=True)
class Visitor:
    """Who sent a request."""

    session: Session
    account: Account


class Site:
    """What all pages share.

    Args:
        campaign: The campaign they are about.
        secure: Whether they are reached by HTTPS.
    """

    def __init__(self, campaign: Campaign, *, secure: bool) -> None:
        self.campaign = campaign
        web = campaign.settings.web
        self.sessions = Sessions(campaign.key(), campaign.id, hours=web.session_hours, secure=secure)
        self.planner = Planner(campaign)
        self.static = {one.name: one.read_bytes() for one in (files(__package__) / "static").iterdir() if one.is_file()}
        # A changed file has a changed address, so that browsers may keep what they have.
        self.version = hashlib.sha256(b"".join(self.static[name] for name in sorted(self.static))).hexdigest()[:12]
        self.pages = Environment(
            loader=PackageLoader("tolka.judge.web"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.pages.globals.update(settings=campaign.settings, version=self.version)
        self.pages.filters["paragraphs"] = paragraphs

    def page(self, template: str, *, status: int = 200, session: Session | None = None, **values: Any) -> HTMLResponse:
        """A page; its forms carry the session's token."""
        token = self.sessions.form_token(session) if session is not None else ""
        return HTMLResponse(self.pages.get_template(template).render(form_token=token, **values), status_code=status)

    def visitor(self, request: Request, *roles: str) -> Visitor:
        """Who sent a request.

        Raises:
            RefusedError: Nobody who may.
        """
        session: Session | None = request.state.session
        account = self.campaign.account(session.account) if session is not None and session.account else None
        if session is None or account is None or account.blocked or account.stamp != session.stamp:
            sentence = "Open the link of your invitation once more. If it no longer works, ask for a new one."
            raise RefusedError(401, "We do not know you yet", sentence)
        if account.role not in roles:
            raise RefusedError(403, "This page is not for you", "Your invitation is for another page.")
        return Visitor(session, account)

    def check_form(self, session: Session | None, fields: dict[str, list[str]]) -> Session:
        """The session of a form that was made for it.

        Raises:
            RefusedError: It was not.
        """
        if session is None or not self.sessions.owns_form(session, one(fields, "form_token")):
            sentence = "Go back, load the page again and send the form once more. Nothing was changed."
            raise RefusedError(403, "This form is too old", sentence)
        return session


def one(fields: dict[str, list[str]], name: str) -> str:
    """The value of a form's field; empty if it was not sent."""
    return fields.get(name, [""])[0]


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, which blank lines separate."""
    return [part.strip() for part in text.split("\n\n") if part.strip()]


def see(path: str) -> RedirectResponse:
    """Send the browser to a page after a form."""
    return RedirectResponse(path, status_code=303)


async def form(request: Request) -> dict[str, list[str]]:
    """The fields of a form, as browsers send it without files."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise RefusedError(415, "This is not a form", "The page sends its forms in another way.")
    try:
        text = (await request.body()).decode("utf-8")
        return parse_qs(
            text, keep_blank_values=True, strict_parsing=bool(text), max_num_fields=_MOST_FIELDS, errors="strict"
        )
    except ValueError:
        raise RefusedError(400, "This is not a form", "The page sends its forms in another way.") from None


def create_app(campaign: Campaign, *, hosts: Iterable[str] = LOOPBACK, secure: bool = False) -> Guard:
    """The web application of a campaign.

    Args:
        campaign: The campaign; it stays open as long as the application runs.
        hosts: The names under which the page may be asked for.
        secure: Whether it is reached by HTTPS (through a proxy), so that cookies are sent over HTTPS alone.
    """
    from tolka.judge.web.admin import Admin  # noqa: PLC0415 (they use what is above)
    from tolka.judge.web.judging import Judging  # noqa: PLC0415

    site = Site(campaign, secure=secure)

    @asynccontextmanager
    async def running(_: FastAPI) -> AsyncIterator[None]:
        with site.planner:
            yield

    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, lifespan=running)
    app.include_router(Judging(site).routes())
    app.include_router(Admin(site).routes())

    @app.get("/static/{name}")
    async def static(name: str) -> Response:
        data, kind = site.static.get(name), _TYPES.get(name.rpartition(".")[2])
        if data is None or kind is None:
            raise RefusedError(404, "There is no such page", "The address may be mistyped.")
        return Response(data, media_type=kind, headers={"cache-control": "public, max-age=31536000, immutable"})

    @app.get("/health")
    async def health() -> Response:
        return Response("ok\n", media_type="text/plain")

    @app.exception_handler(RefusedError)
    async def refused(_: Request, error: RefusedError) -> Response:
        return site.page("refused.html", status=error.status, title=error.title, sentence=error.sentence)

    @app.exception_handler(HTTPException)
    async def missing(_: Request, error: HTTPException) -> Response:
        title = {404: "There is no such page", 405: "This page does not take that"}.get(
            error.status_code, "Not possible"
        )
        return site.page("refused.html", status=error.status_code, title=title, sentence="The address may be mistyped.")

    @app.exception_handler(Exception)
    async def failed(_: Request, _error: Exception) -> Response:
        sentence = "Nothing of what you answered before is lost. Please try again in a moment."
        return site.page("refused.html", status=500, title="Something went wrong here", sentence=sentence)

    web = campaign.settings.web
    # Outermost, so that even the page that says something went wrong carries the headers.
    return Guard(
        app,
        sessions=site.sessions,
        hosts=tuple(hosts),
        body_bytes=web.body_bytes,
        rate=Rate(web.requests_per_minute),
        join_rate=Rate(web.joins_per_minute),
        secure=secure,
    )
