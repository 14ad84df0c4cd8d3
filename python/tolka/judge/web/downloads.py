"""What whoever runs the campaign takes away from its page: answers, judges, a report."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response

from tolka.errors import TolkaError
from tolka.judge.campaign.overview import overview
from tolka.judge.web.codes import completion_code
from tolka.web.site import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.judge.answers import Answer
    from tolka.judge.campaign import Campaign
    from tolka.web.site import Site

_TYPES = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8", "html": "text/html; charset=utf-8"}
# A cell that begins so is a formula to a spreadsheet.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


class Downloads:
    """Files made when they are asked for."""

    def __init__(self, site: Site, campaign: Campaign) -> None:
        self.site = site
        self.campaign = campaign

    def routes(self) -> APIRouter:
        """Where they are."""
        routes = APIRouter()
        routes.add_api_route("/admin/answers.jsonl", self.jsonl, methods=["GET"])
        routes.add_api_route("/admin/answers.csv", self.csv, methods=["GET"])
        routes.add_api_route("/admin/judges.csv", self.judges, methods=["GET"])
        routes.add_api_route("/admin/report.html", self.report, methods=["GET"])
        return routes

    def jsonl(self, request: Request, names: str = "") -> Response:
        """All answers, one JSON object a line."""
        self.site.visitor(request, "admin")
        return self._answers("jsonl", anonymous=names == "no")

    def csv(self, request: Request, names: str = "") -> Response:
        """All answers as a table."""
        self.site.visitor(request, "admin")
        return self._answers("csv", anonymous=names == "no")

    def judges(self, request: Request) -> Response:
        """What each judge did, with their completion codes, to be compared with what a platform says."""
        self.site.visitor(request, "admin")
        out = io.StringIO()
        table = csv.writer(out)
        table.writerow(["judge", "answers", "tests", "passed", "median_seconds", "last", "completion_code"])
        for row in overview(self.campaign).judges:
            account = self.campaign.named(row.name) if row.role == "judge" else None
            code = completion_code(self.campaign, account) if account is not None and row.answers else ""
            name = f"'{row.name}" if row.name.startswith(_FORMULAS) else row.name
            seconds = "" if row.seconds is None else row.seconds
            table.writerow([name, row.answers, row.tests, row.passed, seconds, row.last, code])
        return _file(out.getvalue().encode(), "judges.csv")

    def report(self, request: Request, names: str = "") -> Response:
        """The report, as a file that works offline."""
        from tolka.judge.campaign.planning import design_of  # noqa: PLC0415 (scipy takes its time)
        from tolka.judge.rank import Ranker, Rules, exclude  # noqa: PLC0415 (as above)
        from tolka.judge.report import About, anonymised, render  # noqa: PLC0415 (as above)

        self.site.visitor(request, "admin")
        own = list(self.campaign.answers())
        rules = self.campaign.rules()
        given = own
        if names == "no":
            # Rules name judges: they are left out before names go.
            given, rules = list(anonymised(exclude(own, rules)[0])), Rules()
        about = About.of_settings(self.campaign.settings)
        try:
            ranking = Ranker(design=design_of(self.campaign), rules=rules).fit(given)
            title = self.campaign.settings.title
            page = render(ranking, given, title=title, spent=self.campaign.spent(), about=about)
        except TolkaError as error:
            raise RefusedError(409, "There is no report yet", f"{error}.") from None
        return _file(page.encode(), "report.html")

    def _given(self, *, anonymous: bool) -> Iterable[Answer]:
        from tolka.judge.report import anonymised  # noqa: PLC0415 (as above)

        return anonymised(self.campaign.answers()) if anonymous else self.campaign.answers()

    def _answers(self, kind: str, *, anonymous: bool) -> Response:
        from tolka.judge.exchange import write_answers  # noqa: PLC0415 (as above)

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"answers.{kind}"
            write_answers(path, self._given(anonymous=anonymous), kind)
            return _file(path.read_bytes(), path.name)


def _file(data: bytes, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type=_TYPES[name.rpartition(".")[2]], headers=headers)
