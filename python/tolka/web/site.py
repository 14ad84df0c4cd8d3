"""What all pages of a site share: templates, files, who is there, and forms."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from unicodedata import east_asian_width
from urllib.parse import parse_qs

from fastapi import Depends, Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse

from tolka.web.sessions import Session, Sessions
from tolka.web.settings import WebSettings
from tolka.web.wording import Wording

if TYPE_CHECKING:
    from collections.abc import Callable

    from tolka.web.accounts import Account

_HERE = Path(__file__).parent
_MOST_FIELDS = 40
_LONG = 240  # letters
_MOST_LINES = 4


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
    """A site's pages.

    Templates and files of the room come before those of the foundation: `base.html`, `refused.html` and
    `goodbye.html`; `page.css`, `asking.css`, `page.js` and `icon.svg`. Style sheets of the room are linked after those.

    Args:
        title: What the site is called, on every page.
        name: Random: sessions of several sites on one host are kept apart by it.
        key: The secret that signs sessions.
        folder: Where the room has its `templates` and `static`.
        account: Finds an account by its id.
        settings: Limits.
        secure: Whether the site is reached by HTTPS.
        wording: What its pages say, in the visitors' language; English if it is not given.
    """

    def __init__(
        self,
        title: str,
        *,
        name: str,
        key: bytes,
        folder: Path,
        account: Callable[[str], Account | None],
        settings: WebSettings | None = None,
        secure: bool = False,
        wording: Wording | None = None,
    ) -> None:
        self.settings = settings or WebSettings()
        self.secure = secure
        self.account = account
        self.sessions = Sessions(key, name, hours=self.settings.session_hours, secure=secure)
        own, common = _files(folder / "static"), _files(_HERE / "static")
        self.static = common | own
        # A changed file has a changed address, so that browsers may keep what they have.
        self.version = hashlib.sha256(b"".join(self.static[one] for one in sorted(self.static))).hexdigest()[:12]
        self.pages = Environment(
            loader=FileSystemLoader([folder / "templates", _HERE / "templates"]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        # Those of the room come last, so that they may change what all have.
        styles = sorted((one for one in self.static if one.endswith(".css")), key=lambda one: (one in own, one))
        styles = ["page.css", *(one for one in styles if one != "page.css")]
        self.pages.globals.update(styles=styles, version=self.version, key=_key)
        self.pages.filters["paragraphs"] = paragraphs
        self.tell(title, wording or Wording())

    def tell(self, title: str, wording: Wording) -> None:
        """Have pages say this from now on."""
        self.wording = wording
        self.pages.globals.update(brand=wording(title), say=wording)

    def say(self, text: str) -> str:
        """A sentence in the visitors' language, as it is now."""
        return self.wording(text)

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
        account = self.account(session.account) if session is not None and session.account else None
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


def _key(name: str) -> Markup:
    """A key of the keyboard, as a page shows it."""
    return Markup("<kbd>{}</kbd>").format(name)


def _files(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()} if folder.is_dir() else {}


def one(fields: dict[str, list[str]], name: str) -> str:
    """The value of a form's field; empty if it was not sent."""
    return fields.get(name, [""])[0]


def paragraphs(text: str) -> list[str]:
    r"""The paragraphs of a text, which blank lines separate.

    Example:
        >>> paragraphs("one\n\ntwo\n")
        ['one', 'two']
    """
    return [part.strip() for part in text.split("\n\n") if part.strip()]


def is_long(text: str) -> bool:
    """Whether a text takes more than a few lines of a phone, where it is folded; wide letters count twice.

    Example:
        >>> is_long("short"), is_long("word " * 100)
        (False, True)
    """
    width = sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text[:_LONG])
    return len(text) > _LONG or width > _LONG or text.count("\n") >= _MOST_LINES


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


Fields = Annotated[dict[str, list[str]], Depends(form)]
"""What a route that takes a form has as an argument."""
