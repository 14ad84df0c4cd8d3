"""Sessions and forms that cannot be forged: signed cookies, and a token in every form that is bound to its session."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from itsdangerous import BadSignature, URLSafeSerializer, URLSafeTimedSerializer

if TYPE_CHECKING:
    from starlette.responses import Response


@dataclass(frozen=True)
class Session:
    """What a visitor's cookie says.

    Attributes:
        nonce: Random; the session's forms are bound to it.
        account: Who it is; empty before an invitation was accepted.
        stamp: Of the account's secret, so that a new invitation ends old sessions.
    """

    nonce: str
    account: str = ""
    stamp: str = ""


class Sessions:
    """Signs and checks sessions.

    Args:
        key: The site's secret.
        site: Its random name: several sites on one host do not share cookies.
        hours: How long a session lasts.
        secure: Whether the page is reached by HTTPS.
    """

    def __init__(self, key: bytes, site: str, *, hours: float, secure: bool) -> None:
        self.seconds = int(hours * 3600)
        self.secure = secure
        # The prefix makes browsers refuse the cookie from anyone but this very host.
        self.cookie = f"__Host-tolka-{site[:8]}" if secure else f"tolka-{site[:8]}"
        self._sessions = URLSafeTimedSerializer(key, salt=f"session:{site}")
        self._forms = URLSafeSerializer(key, salt=f"form:{site}")

    def read(self, cookie: str | None) -> Session | None:
        """The session in a cookie; None if it is missing, forged or too old."""
        if not cookie or len(cookie) > 1000:  # noqa: PLR2004 (ours are shorter)
            return None
        try:
            value: Any = self._sessions.loads(cookie, max_age=self.seconds)
            return Session(*value)
        except (BadSignature, TypeError):
            return None

    def write(self, response: Response, session: Session) -> None:
        """Send a session to the browser."""
        response.set_cookie(
            self.cookie,
            str(self._sessions.dumps([session.nonce, session.account, session.stamp])),
            max_age=self.seconds,
            path="/",
            httponly=True,
            samesite="strict",
            secure=self.secure,
        )

    def end(self, response: Response) -> None:
        """Make the browser forget its session."""
        response.delete_cookie(self.cookie, path="/", httponly=True, samesite="strict", secure=self.secure)

    def form_token(self, session: Session) -> str:
        """What every form of this session carries."""
        return str(self._forms.dumps(session.nonce))

    def owns_form(self, session: Session, token: str) -> bool:
        """Whether a form was made for this session."""
        try:
            nonce: Any = self._forms.loads(token[:1000])
        except BadSignature:
            return False
        return isinstance(nonce, str) and hmac.compare_digest(nonce.encode(), session.nonce.encode())


def new_nonce() -> str:
    """A random name for a session."""
    return secrets.token_urlsafe(18)
