"""The pages of whoever helps: a question, where its answer goes, and instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import Response  # noqa: TC002 (FastAPI looks at it)

import tolka
from tolka.assist.dialogue import GoneError
from tolka.assist.tasks.folder import ROLE
from tolka.assist.tasks.shown import Given, Shown
from tolka.errors import InputError
from tolka.web.leases import UnknownTaskError
from tolka.web.site import Fields, RefusedError, is_long, one, see

if TYPE_CHECKING:
    from tolka.assist.tasks import TaskFolder
    from tolka.web.site import Site, Visitor

VERSION = f"web {tolka.__version__}"
GONE = "Other answers came first, and that question is no longer asked. Here is the next one."
_NOTES = {
    "already": "That question had your answer already; the first one stands.",
    "undone": "Your last answer is taken back. Here is the question again.",
}
NEITHER = "Your last answer is taken back. You had said: both or neither."
_SAID = {"yes": True, "no": False, "unknown": None}
_WORDS = {"0": 0, "1": 1, "none": None}


class Helping:
    """A helper's pages."""

    def __init__(self, site: Site, tasks: TaskFolder) -> None:
        self.site = site
        self.tasks = tasks

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
        return self._page(self.site.visitor(request, ROLE), _NOTES.get(note, ""))

    def answer(self, request: Request, fields: Fields) -> Response:
        """Take an answer; sent twice, it is taken once, and one that is too late is told so."""
        visitor = self.site.visitor(request, ROLE)
        self.site.check_form(visitor.session, fields)
        try:
            receipt = self.tasks.answer(visitor.account, one(fields, "task")[:64], _given(fields))
        except UnknownTaskError:
            raise _unknown() from None
        except GoneError:
            receipt = "closed"
        except InputError as error:
            raise RefusedError(400, "This is not an answer", f"{error}.") from None
        if receipt == "closed":
            return self._page(visitor, GONE, status=409)
        return see("/" if receipt == "stored" else f"/?note={receipt}")

    def undo(self, request: Request, fields: Fields) -> Response:
        """Take the last answer back."""
        visitor = self.site.visitor(request, ROLE)
        self.site.check_form(visitor.session, fields)
        try:
            receipt = self.tasks.undo(visitor.account, one(fields, "task")[:64], version=VERSION)
        except UnknownTaskError:
            raise _unknown() from None
        return see("/?note=undone" if receipt == "stored" else "/")

    def instructions(self, request: Request) -> Response:
        """The instructions, to read again."""
        visitor = self.site.visitor(request, ROLE)
        return self.site.page("instructions.html", session=visitor.session)

    def _page(self, visitor: Visitor, note: str, *, status: int = 200) -> Response:
        view, pause = self.tasks.view(visitor.account), self.tasks.settings.ask.pause_every
        shown, before = view.shown, view.before
        if before is not None and shown is not None and shown.kind == "substitute" and before.said is None:
            note = NEITHER
        values: dict[str, Any] = {
            "status": status,
            "note": self.site.say(note) if note else "",
            "answered": view.answered,
            "undoable": view.undoable,
            "session": visitor.session,
        }
        if shown is None:
            return self.site.page("rest.html", **values)
        values |= {
            "shown": shown,
            "goal": self.tasks.settings.ask.per_judge,
            "pause": bool(pause and view.answered and view.answered % pause == 0),
        }
        if shown.kind == "blank":
            first, _, second = shown.text.partition("___")
            ticked = (before.ticked or ()) if before is not None else ()
            return self.site.page("blank.html", first=first, second=second, ticked=ticked, **values)
        values |= {"pieces": pieces(shown), "before": _before(before, shown), "long": is_long(shown.text)}
        return self.site.page(f"{shown.kind}.html", **values)


def pieces(shown: Shown) -> tuple[str, str, str]:
    """A sentence before, in and after what is emphasised.

    Example:
        >>> pieces(Shown("", "substitute", "das ist schwer genug", (2, 3), ("a", "b")))
        ('das ist ', 'schwer', ' genug')
    """
    if shown.focus is None:
        return shown.text, "", ""
    words, (begin, end) = shown.text.split(), shown.focus
    before, after = " ".join(words[:begin]), " ".join(words[end:])
    return before and f"{before} ", " ".join(words[begin:end]), after and f" {after}"


def _before(before: Given | None, shown: Shown) -> list[str]:
    """Of each choice, what was said of it and taken back; nothing if nothing was."""
    if before is None:
        return [""] * len(shown.choices)
    if isinstance(before.said, tuple):
        return [{True: "yes", False: "no", None: "unknown"}[one] for one in before.said]
    return ["yes" if at == before.said else "" for at in range(len(shown.choices))]


def _unknown() -> RefusedError:
    sentence = "It may have been someone else's. Nothing was changed."
    return RefusedError(404, "There is no such question for you", sentence)


def _given(fields: dict[str, list[str]]) -> Given:
    """The answer in a form.

    Raises:
        InputError: There is none.
    """
    kind = one(fields, "kind")
    try:
        seconds = int(one(fields, "milliseconds")[:12]) / 1000 if one(fields, "milliseconds") else None
        if kind == "blank":
            ticked = tuple(sorted({int(value[:4]) for value in fields.get("option", [])}))
            return Given(ticked=ticked, seconds=seconds, version=VERSION)
        if kind == "substitute":
            return Given(_WORDS[one(fields, "choice")], seconds=seconds, version=VERSION)
        number = sum(name.startswith("said_") for name in fields)
        said = tuple(_SAID[one(fields, f"said_{at}")] for at in range(number))
        return Given(said, seconds=seconds, version=VERSION)
    except (ValueError, KeyError):
        raise InputError("say of each whether it means the same" if kind == "rewrite" else "choose one") from None
