"""The page on which whoever runs the campaign changes its settings.

What could take the campaign elsewhere or lock everyone out (the database, the page's own limits) is changed in the file
alone. The file is read anew before it is written, so that what was changed there by hand meanwhile stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fastapi import APIRouter, Request
from starlette.responses import Response  # noqa: TC002 (FastAPI looks at it)

from tolka.errors import FileError, SettingsError, TolkaError
from tolka.files import write_atomic
from tolka.judge.campaign.settings import FILE, CampaignSettings
from tolka.judge.campaign.toml_text import changed as rewrite
from tolka.judge.web.labels import languages, wording_of
from tolka.web.site import Fields, RefusedError, one, see

if TYPE_CHECKING:
    from collections.abc import Callable

    from tolka.judge.campaign import Campaign
    from tolka.web.sessions import Session
    from tolka.web.site import Site

Kind = Literal["line", "text", "yes", "count", "number", "choice"]


@dataclass(frozen=True)
class Entry:
    """A setting on the page: its place, what it is called there, and what one enters."""

    place: str
    label: str
    kind: Kind
    note: str = ""
    options: tuple[tuple[str, str], ...] = ()


STRATEGIES = ("order", "information", "uniform", "adjacent", "trueskill", "random")
TIES = (("none", "no"), ("equal", "both are equally good"), ("equal-bad", "equally good, or both are bad"))
ENTRIES: dict[str, tuple[Entry, ...]] = {
    "What judges read": (
        Entry("title", "Title", "line"),
        Entry("question", "Question", "line"),
        Entry("instructions", "Instructions", "text", "Blank lines separate paragraphs."),
        Entry("consent", "What they agree to before they start", "text"),
        Entry("thanks", "Thanks at the end", "text"),
        Entry(
            "labels",
            "Language of buttons and notes",
            "line",
            f"Empty for English; {', '.join(languages())}, or a file.",
        ),
        Entry("language", "Language of the outputs", "line", "A tag such as de or pt-BR."),
        Entry("source_language", "Language of the originals", "line"),
    ),
    "What they see": (
        Entry("show.source", "Show the original", "yes"),
        Entry("show.reference", "Show the reference", "yes", "Outputs that equal it are not asked about then."),
        Entry("show.differences", "Mark the words that differ", "yes"),
        Entry("show.undecided", "Offer \u201cI cannot tell\u201d", "yes"),
        Entry("show.ties", "Offer a tie", "choice", options=TIES),
        Entry("show.pause_every", "Remind of a pause after so many answers", "count", "0 is never."),
    ),
    "What is asked": (
        Entry("ask.strategy", "How pairs are chosen", "choice", options=tuple((name, name) for name in STRATEGIES)),
        Entry("ask.per_judge", "Answers wanted of each judge", "count", "0 is no end."),
        Entry("ask.target", "Answers wanted in all", "count", "0 is no end."),
        Entry("ask.explore", "Share of pairs drawn at random", "number"),
        Entry("ask.overlap", "Share of questions that another judge has had", "number"),
        Entry("tests.rate", "Share of test questions", "number"),
    ),
    "When they are done": (
        Entry("finish.code", "Completion code", "line"),
        Entry("finish.own_code", "A code of their own for each judge", "yes"),
        Entry("finish.url", "Address to go on to", "line", "{code} stands for the code."),
    ),
    "Cost": (
        Entry("cost.per_answer", "Of one answer", "number"),
        Entry("cost.currency", "Currency", "line"),
    ),
}


class Setup:
    """The settings, shown and changed."""

    def __init__(self, site: Site, campaign: Campaign, *, changed: Callable[[], None]) -> None:
        self.site = site
        self.campaign = campaign
        self.changed = changed

    def routes(self) -> APIRouter:
        """Where they are."""
        routes = APIRouter()
        routes.add_api_route("/admin/settings", self.show, methods=["GET"])
        routes.add_api_route("/admin/settings", self.change, methods=["POST"])
        return routes

    def show(self, request: Request) -> Response:
        """The settings as the file has them."""
        visitor = self.site.visitor(request, "admin")
        return self._page(visitor.session, _entered(self._load().model_dump()))

    def change(self, request: Request, fields: Fields) -> Response:
        """Check what was entered, write it and go on with it."""
        visitor = self.site.visitor(request, "admin")
        self.site.check_form(visitor.session, fields)
        before = self._load()
        entered = {entry.place: one(fields, entry.place).replace("\r\n", "\n") for entry in _entries()}
        try:
            values = before.model_dump()
            for entry in _entries():
                _put(values, entry, entered[entry.place])
            after = CampaignSettings.from_values(values)
            wording = wording_of(self.campaign, after)
        except TolkaError as error:
            return self._page(visitor.session, entered, complaint=f"{str(error)[:1].upper()}{str(error)[1:]}.")
        changed = {
            entry.place: _at(values, entry.place)
            for entry in _entries()
            if _at(before.model_dump(), entry.place) != _at(values, entry.place)
        }
        try:
            rewritten = rewrite((self.campaign.directory / FILE).read_text(encoding="utf-8"), changed)
        except TolkaError as error:
            return self._page(visitor.session, entered, complaint=f"{str(error)[:1].upper()}{str(error)[1:]}.")
        with write_atomic(self.campaign.directory / FILE) as out:
            out.write(rewritten)
        (self.campaign.directory / FILE).chmod(0o600)
        self.campaign.adopt(after)
        self.campaign.note(visitor.account.name, "settings", ", ".join(changed))
        self.site.tell(after.title, wording)
        self.site.pages.globals["settings"] = after
        self.changed()
        return see("/admin")

    def _load(self) -> CampaignSettings:
        try:
            return CampaignSettings.load(self.campaign.directory)
        except (FileError, SettingsError, TolkaError) as error:
            raise RefusedError(409, "The settings cannot be read", f"{error}.") from None

    def _page(self, session: Session, entered: dict[str, str], *, complaint: str = "") -> Response:
        status = 400 if complaint else 200
        return self.site.page(
            "settings.html", status=status, session=session, parts=ENTRIES, entered=entered, complaint=complaint
        )


def _entries() -> list[Entry]:
    return [entry for part in ENTRIES.values() for entry in part]


def _at(values: dict[str, Any], place: str) -> Any:
    for name in place.split("."):
        values = values[name]
    return values


def _entered(values: dict[str, Any]) -> dict[str, str]:
    """Settings as a form has them."""
    found = {entry.place: _at(values, entry.place) for entry in _entries()}
    return {place: "yes" if value is True else "" if value is False else str(value) for place, value in found.items()}


def _put(values: dict[str, Any], entry: Entry, entered: str) -> None:
    table, _, name = entry.place.rpartition(".")
    holder = values[table] if table else values
    if entry.kind == "yes":
        holder[name] = entered == "yes"
    elif entry.kind in {"count", "number"}:
        try:
            holder[name] = int(entered) if entry.kind == "count" else float(entered)
        except ValueError:
            raise SettingsError(f"{entry.label}: {entered[:40]!r} is not a number") from None
    else:
        if entry.options and entered not in dict(entry.options):
            raise SettingsError(f"{entry.label}: there is no {entered[:40]!r}")
        holder[name] = entered.strip()
