"""The application: a site's pages behind their guard."""

from __future__ import annotations

from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from tolka.web.guard import Guard, Rate
from tolka.web.site import RefusedError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from fastapi import APIRouter

    from tolka.web.site import Site

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


def create_app(
    site: Site,
    pages: Iterable[APIRouter],
    *,
    hosts: Iterable[str] = LOOPBACK,
    beside: AbstractContextManager[object] | None = None,
) -> Guard:
    """The web application of a site.

    Args:
        site: The site.
        pages: Its pages; `/static/…` and `/health` are there already.
        hosts: The names under which the pages may be asked for.
        beside: What runs as long as the application does.
    """

    @asynccontextmanager
    async def running(_: FastAPI) -> AsyncIterator[None]:
        with beside or nullcontext():
            yield

    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, lifespan=running)
    for routes in pages:
        app.include_router(routes)

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
        return site.page(
            "refused.html", status=error.status, title=site.say(error.title), sentence=site.say(error.sentence)
        )

    @app.exception_handler(HTTPException)
    async def missing(_: Request, error: HTTPException) -> Response:
        title = {404: "There is no such page", 405: "This page does not take that"}.get(
            error.status_code, "Not possible"
        )
        sentence = site.say("The address may be mistyped.")
        return site.page("refused.html", status=error.status_code, title=site.say(title), sentence=sentence)

    @app.exception_handler(Exception)
    async def failed(_: Request, _error: Exception) -> Response:
        sentence = site.say("Nothing of what you answered before is lost. Please try again in a moment.")
        return site.page("refused.html", status=500, title=site.say("Something went wrong here"), sentence=sentence)

    limits = site.settings
    # Outermost, so that even the page that says something went wrong carries the headers.
    return Guard(
        app,
        sessions=site.sessions,
        hosts=tuple(hosts),
        body_bytes=limits.body_bytes,
        rate=Rate(limits.requests_per_minute),
        join_rate=Rate(limits.joins_per_minute),
        visit_rate=Rate(limits.visits_per_minute),
        proxies=limits.trusted_proxies,
        secure=site.secure,
        say=site.say,
    )
