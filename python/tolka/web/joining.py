"""Coming in by invitation, and leaving."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response  # noqa: TC002 (FastAPI looks at it)

from tolka.web.sessions import Session, new_nonce
from tolka.web.site import Fields, RefusedError, one, see

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tolka.web.accounts import Account
    from tolka.web.site import Site


class Joining:
    """The pages of whoever comes and goes; the room has a template `welcome.html`.

    Args:
        site: The site.
        admit: Finds the account an invitation lets in.
        join: Notes that someone came in.
        homes: Where each role goes then.
    """

    def __init__(
        self,
        site: Site,
        *,
        admit: Callable[[str], Account | None],
        join: Callable[[Account], None],
        homes: Mapping[str, str],
    ) -> None:
        self.site = site
        self.admit = admit
        self.joined = join
        self.homes = homes

    def routes(self) -> APIRouter:
        """Where they are."""
        routes = APIRouter()
        routes.add_api_route("/join/{invitation}", self.welcome, methods=["GET"])
        routes.add_api_route("/join", self.join, methods=["POST"])
        routes.add_api_route("/leave", self.leave, methods=["POST"])
        return routes

    def welcome(self, request: Request, invitation: str) -> Response:
        """What someone sees who follows an invitation: what it is about, and what to agree to.

        The browser does not send a strict cookie along when a link in a letter was followed, so this page is shown
        without one, and coming in is a step of its own; that also keeps letters' link checkers out.
        """
        account = self._admitted(invitation)
        session = request.state.session or Session(new_nonce())
        response = self.site.page("welcome.html", session=session, account=account, invitation=invitation)
        self.site.sessions.write(response, session)
        return response

    def join(self, request: Request, fields: Fields) -> Response:
        """Come in."""
        self.site.check_form(request.state.session, fields)
        account = self._admitted(one(fields, "invitation"))
        self.joined(account)
        response = see(self.homes[account.role])
        self.site.sessions.write(response, Session(new_nonce(), account.id, account.stamp))
        return response

    def leave(self, request: Request, fields: Fields) -> Response:
        """Forget who this was."""
        self.site.check_form(request.state.session, fields)
        response = self.site.page("goodbye.html")
        self.site.sessions.end(response)
        return response

    def _admitted(self, invitation: str) -> Account:
        account = self.admit(invitation[:200])
        if account is None or account.role not in self.homes:
            sentence = (
                "It may be mistyped, or a newer one may have replaced it. Ask whoever invited you for a new link."
            )
            raise RefusedError(403, "This invitation does not work", sentence)
        return account
