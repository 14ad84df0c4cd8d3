"""The pages of a judge: questions and instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import Response  # noqa: TC002 (FastAPI looks at it)

import tolka
from tolka.errors import InputError
from tolka.judge.answers import Choice
from tolka.judge.campaign import Given
from tolka.judge.web.codes import completion_code
from tolka.judge.web.differences import marked
from tolka.web.leases import UnknownTaskError
from tolka.web.site import Fields, RefusedError, is_long, one, see

if TYPE_CHECKING:
    from tolka.judge.campaign import Campaign, Shown
    from tolka.web.site import Site

VERSION = f"web {tolka.__version__}"
_NOTES = {
    "already": "That question had your answer already; the first one stands.",
    "closed": "That question is no longer open. Here is the next one.",
    "undone": "Your last answer is taken back. Here is the question again.",
    "undecided": "Your last answer is taken back. You had said that you cannot tell.",
    "tie": "Your last answer is taken back. You had said that both are equally good.",
    "bad": "Your last answer is taken back. You had said that both are bad.",
}
_NEITHER = (Choice.TIE, Choice.UNDECIDED)


class Judging:
    """The judge's pages."""

    def __init__(self, site: Site, campaign: Campaign) -> None:
        self.site = site
        self.campaign = campaign

    def routes(self) -> APIRouter:
        """Where they are."""
        routes = APIRouter()
        routes.add_api_route("/", self.question, methods=["GET"])
        routes.add_api_route("/answer", self.answer, methods=["POST"])
        routes.add_api_route("/undo", self.undo, methods=["POST"])
        routes.add_api_route("/instructions", self.instructions, methods=["GET"])
        return routes

    def question(self, request: Request, note: str = "") -> Response:
        """The question to answer now."""
        visitor = self.site.visitor(request, "judge")
        view, pause = self.campaign.view(visitor.account), self.campaign.settings.show.pause_every
        before = view.before
        if before is not None and before.choice in _NEITHER:
            note = "bad" if before.bad else before.choice.value
        values: dict[str, Any] = {
            "note": self.site.wording(_NOTES.get(note, "")),
            "answered": view.answered,
            "undoable": view.undoable,
            "session": visitor.session,
        }
        shown = view.shown
        if shown is None:
            state = self.campaign.state
            done = state != "paused" and view.answered > 0
            code = completion_code(self.campaign, visitor.account) if done else ""
            onward = self.campaign.settings.finish.url.replace("{code}", quote(code, safe="")) if done else ""
            return self.site.page("rest.html", state=state, code=code, onward=onward, **values)
        values |= {
            "shown": shown,
            "goal": self.campaign.settings.ask.per_judge,
            "pause": bool(pause and view.answered and view.answered % pause == 0),
        }
        if shown.kind == "blank":
            first, _, second = shown.text.partition("___")
            ticked = (before.ticked or ()) if before is not None else ()
            return self.site.page("blank.html", first=first, second=second, ticked=ticked, **values)
        values |= {
            "before": "" if before is None or before.choice is None else before.choice.value,
            "long": any(is_long(text) for text in (shown.source, shown.reference) if text),
        }
        return self.site.page("question.html", sides=self._sides(shown), **values)

    def answer(self, request: Request, fields: Fields) -> Response:
        """Take an answer; sent twice, it is taken once."""
        visitor = self.site.visitor(request, "judge")
        self.site.check_form(visitor.session, fields)
        try:
            receipt = self.campaign.answer(visitor.account, one(fields, "task")[:64], _given(fields))
        except UnknownTaskError:
            raise _unknown() from None
        except InputError as error:
            raise RefusedError(400, "This is not an answer", f"{error}.") from None
        return see("/" if receipt == "stored" else f"/?note={receipt}")

    def undo(self, request: Request, fields: Fields) -> Response:
        """Take the last answer back."""
        visitor = self.site.visitor(request, "judge")
        self.site.check_form(visitor.session, fields)
        try:
            receipt = self.campaign.undo(visitor.account, one(fields, "task")[:64], version=VERSION)
        except UnknownTaskError:
            raise _unknown() from None
        return see("/?note=undone" if receipt == "stored" else "/")

    def instructions(self, request: Request) -> Response:
        """The instructions, to read again."""
        visitor = self.site.visitor(request, "judge")
        return self.site.page("instructions.html", session=visitor.session)

    def _sides(self, shown: Shown) -> list[dict[str, object]]:
        pieces = marked(shown.left, shown.right) if self.campaign.settings.show.differences else ((), ())
        return [
            {"choice": "left", "key": "1", "text": shown.left, "pieces": pieces[0]},
            {"choice": "right", "key": "2", "text": shown.right, "pieces": pieces[1]},
        ]


def _unknown() -> RefusedError:
    sentence = "It may have been someone else's. Nothing was changed."
    return RefusedError(404, "There is no such question for you", sentence)


def _given(fields: dict[str, list[str]]) -> Given:
    """The answer in a form.

    Raises:
        InputError: There is none.
    """
    try:
        seconds = int(one(fields, "milliseconds")[:12]) / 1000 if one(fields, "milliseconds") else None
        if one(fields, "kind") == "blank":
            ticked = tuple(sorted({int(value[:4]) for value in fields.get("option", [])}))
            return Given(ticked=ticked, seconds=seconds, version=VERSION)
        if one(fields, "choice") == "bad":
            return Given(choice=Choice.TIE, bad=True, seconds=seconds, version=VERSION)
        return Given(choice=Choice(one(fields, "choice")), seconds=seconds, version=VERSION)
    except ValueError:
        raise InputError("choose one of the two") from None
