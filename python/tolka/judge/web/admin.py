"""The page of whoever runs the campaign: ranking, judges, answers, stop and pause."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fastapi import APIRouter, Request
from starlette.responses import Response  # noqa: TC002 (FastAPI looks at it)

from tolka.errors import TolkaError
from tolka.judge.campaign.overview import answer_log, audit_log, overview
from tolka.web.site import Fields, RefusedError, one, see

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.judge.campaign import Campaign
    from tolka.judge.campaign.overview import Overview
    from tolka.judge.rank import Ranking
    from tolka.judge.rank.guessing import Suspicion
    from tolka.web.site import Site, Visitor

_FRESH_SECONDS = 2.0
_LINES = 100
_MOST_DIGITS = 19  # what a database's number may have
_MOST_INVITED = 300  # at once: each takes some milliseconds to hash
_MOST_HEAT = 30  # items whose pairs are drawn as a table
_STATES: dict[str, Literal["running", "paused", "stopped"]] = {
    "run": "running",
    "pause": "paused",
    "stop": "stopped",
}


@dataclass(frozen=True)
class Standing:
    """What the page tells, worked out at one time."""

    overview: Overview
    ranking: Ranking | None
    plot: str
    doubts: dict[str, Suspicion]
    made: float
    took: float


class Watch:
    """Works out how the campaign stands, not more often than it is worth."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self._lock = threading.Lock()
        self._last: Standing | None = None

    def standing(self) -> Standing:
        """How the campaign stands, a few seconds ago at most (longer if it takes long to work out)."""
        with self._lock:
            last = self._last
            if last is None or time.monotonic() - last.made > max(_FRESH_SECONDS, 10 * last.took):
                last = self._last = self._work_out()
            return last

    def forget(self) -> None:
        """Work it out anew the next time."""
        with self._lock:
            self._last = None

    def _work_out(self) -> Standing:
        from tolka.judge.web.ranked import doubted, ranked  # noqa: PLC0415 (scipy takes its time)

        start = time.monotonic()
        found = overview(self.campaign)
        ranking, plot = ranked(self.campaign)
        doubts = doubted(self.campaign, found.answers)
        now = time.monotonic()
        return Standing(found, ranking, plot, doubts, now, now - start)


class Admin:
    """The pages of whoever runs the campaign."""

    def __init__(self, site: Site, campaign: Campaign, *, base: str = "") -> None:
        self.site = site
        self.campaign = campaign
        self.base = base
        self.watch = Watch(campaign)

    def routes(self) -> APIRouter:
        """Where they are."""
        routes = APIRouter()
        routes.add_api_route("/admin", self.whole, methods=["GET"])
        routes.add_api_route("/admin/live", self.live, methods=["GET"])
        routes.add_api_route("/admin/answers", self.answers, methods=["GET"])
        routes.add_api_route("/admin/state", self.turn, methods=["POST"])
        routes.add_api_route("/admin/judge", self.judge, methods=["POST"])
        routes.add_api_route("/admin/invite", self.invite, methods=["POST"])
        return routes

    def whole(self, request: Request) -> Response:
        """How the campaign stands."""
        return self._whole(self.site.visitor(request, "admin"))

    def live(self, request: Request) -> Response:
        """The part of it that changes."""
        visitor = self.site.visitor(request, "admin")
        return self.site.page("live.html", session=visitor.session, **self._values())

    def answers(self, request: Request, before: str = "") -> Response:
        """Who answered what, page by page."""
        visitor = self.site.visitor(request, "admin")
        # Read here and not by the framework, which would complain before it is known who asks.
        if before and not (before.isascii() and before.isdigit() and len(before) < _MOST_DIGITS):
            raise RefusedError(400, "There is no such page", "The address may be mistyped.")
        lines = answer_log(self.campaign, before=int(before) if before else None, size=_LINES)
        more = lines[-1].number if len(lines) == _LINES else None
        return self.site.page("answers.html", session=visitor.session, lines=lines, more=more)

    def turn(self, request: Request, fields: Fields) -> Response:
        """Run, pause or stop."""
        visitor = self._admitted(request, fields)
        state = _STATES.get(one(fields, "state"))
        if state is None:
            raise RefusedError(400, "This is not possible", "A campaign runs, pauses or stops.")
        self.campaign.turn(state, actor=visitor.account.name)
        self.watch.forget()
        return see("/admin")

    def judge(self, request: Request, fields: Fields) -> Response:
        """Shut a judge out, or let one in again."""
        visitor = self._admitted(request, fields)
        blocked = one(fields, "blocked") == "yes"
        try:
            self.campaign.block(one(fields, "name"), blocked=blocked, actor=visitor.account.name)
        except TolkaError as error:
            raise RefusedError(400, "This is not possible", f"{error}.") from None
        self.watch.forget()
        return see("/admin")

    def invite(self, request: Request, fields: Fields) -> Response:
        """Make links, and show them once: only their hashes are kept."""
        visitor = self._admitted(request, fields)
        names = list(dict.fromkeys(line.strip() for line in one(fields, "name").splitlines() if line.strip()))
        if not names or len(names) > _MOST_INVITED:
            raise RefusedError(400, "This is not possible", f"Name 1 to {_MOST_INVITED} judges, one on each line.")
        # A request's host is not to be believed, so the address is the one that the server was started with.
        base, links = f"{self.base}/join/", []
        try:
            for name in names:
                invitation = self.campaign.invite(name, actor=visitor.account.name)
                links.append((name, base + invitation))
        except TolkaError as error:
            done = f" {len(links)} before it were invited; invite them again for new links." if links else ""
            raise RefusedError(400, "This is not possible", f"{error}.{done}") from None
        self.watch.forget()
        return self._whole(visitor, links=links)

    def _admitted(self, request: Request, fields: dict[str, list[str]]) -> Visitor:
        visitor = self.site.visitor(request, "admin")
        self.site.check_form(visitor.session, fields)
        return visitor

    def _whole(self, visitor: Visitor, *, links: Sequence[tuple[str, str]] = ()) -> Response:
        return self.site.page("admin.html", session=visitor.session, links=links, **self._values())

    def _values(self) -> dict[str, Any]:
        standing = self.watch.standing()
        return {
            "overview": standing.overview,
            "ranking": standing.ranking,
            "plot": standing.plot,
            "doubts": standing.doubts,
            "heat": _heat(self.campaign, standing),
            "answers": answer_log(self.campaign, size=12),
            "audit": audit_log(self.campaign, size=12),
        }


def _heat(campaign: Campaign, standing: Standing) -> list[tuple[str, list[tuple[int, int, bool]]]]:
    """Per item, best first: how often it met each other one, as a number and a step of a scale of five."""
    if standing.ranking is None or len(standing.ranking.items) > _MOST_HEAT:
        return []
    pairs = standing.overview.pairs
    most = max(pairs.values(), default=1)
    order = [campaign.items.index(item) for item in standing.ranking.items]

    def cell(row: int, column: int) -> tuple[int, int, bool]:
        number = pairs.get((min(row, column), max(row, column)), 0)
        return number, 1 + round(3 * number / most) if number else 0, row == column

    return [(campaign.items[row], [cell(row, column) for column in order]) for row in order]
