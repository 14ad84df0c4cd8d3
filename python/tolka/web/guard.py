"""What stands before every page: the host asked for, sizes, rates, and the headers every answer carries."""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from tolka.web.sessions import Sessions

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # The invitation is in an address: it must not travel to other hosts.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "x-robots-tag": "noindex, nofollow",
}
_MOST_KNOWN = 10_000
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?")
_SAFE = {"GET", "HEAD", "OPTIONS"}


class Rate:
    """So many requests a minute for each name, with bursts up to a quarter of that (token bucket).

    Args:
        per_minute: How many.
        clock: Seconds; for tests.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_second = per_minute / 60
        self.burst = max(per_minute / 4, 5.0)
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def allows(self, name: str) -> bool:
        """Count a request; False if it is one too many."""
        now = self._clock()
        with self._lock:
            left, last = self._left.pop(name, (self.burst, now))
            left = min(self.burst, left + (now - last) * self.per_second)
            allowed = left >= 1
            self._left[name] = (left - 1 if allowed else left, now)
            if len(self._left) > _MOST_KNOWN:  # the one not seen for longest has long been full again
                self._left.popitem(last=False)
        return allowed


class Guard:
    """Refuses what should not come in, and marks what goes out.

    Args:
        app: What is guarded.
        sessions: To tell visitors apart.
        hosts: The host names under which the page may be asked for.
        body_bytes: How large a request may be.
        rate: Of a visitor with a session.
        join_rate: Of an address whose visitors have none.
        secure: Whether the page is reached by HTTPS.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        sessions: Sessions,
        hosts: Iterable[str],
        body_bytes: int,
        rate: Rate,
        join_rate: Rate,
        secure: bool,
    ) -> None:
        self.app = app
        self.sessions = sessions
        self.hosts = frozenset(host.lower() for host in hosts)
        self.body_bytes = body_bytes
        self.rate = rate
        self.join_rate = join_rate
        self.headers = HEADERS | ({"strict-transport-security": "max-age=31536000"} if secure else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request and pass it on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await refusal(scope, receive, marked)
            return
        if scope["method"] in _SAFE:
            await self.app(scope, receive, marked)
            return
        body = await _body(receive, self.body_bytes)
        if body is None:
            await _say(413, "This is larger than anything the page sends.")(scope, receive, marked)
            return
        await self.app(scope, _replay(body), marked)

    def _refusal(self, scope: Scope, headers: Headers) -> PlainTextResponse | None:
        if _host(headers.get("host", "")) not in self.hosts:
            return _say(421, "This server does not answer under that name.")
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length[:20]) > self.body_bytes:
            return _say(413, "This is larger than anything the page sends.")
        if scope["method"] not in _SAFE and not _is_from_here(headers):
            return _say(403, "This form was sent from another site.")
        session = self.sessions.read(_cookie(headers, self.sessions.cookie))
        scope.setdefault("state", {})["session"] = session
        if scope["path"].startswith("/static/"):
            return None
        known = session is not None and session.account
        client = scope.get("client")
        rate, name = (
            (self.rate, session.account) if session and known else (self.join_rate, client[0] if client else "")
        )
        if not rate.allows(name):
            refusal = _say(429, "That was too quick; wait a moment and try again.")
            refusal.headers["retry-after"] = "5"
            return refusal
        return None


def _say(status: int, sentence: str) -> PlainTextResponse:
    return PlainTextResponse(f"{sentence}\n", status_code=status)


def _host(value: str) -> str:
    """The host's name without its port."""
    found = _HOST.fullmatch(value)
    return found[1].lower() if found else ""


def _is_from_here(headers: Headers) -> bool:
    """Whether the browser says that our own page sent the form; silence is left to the form's token."""
    if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return False
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2].lower() == headers.get("host", "").lower()


def _cookie(headers: Headers, name: str) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")[:8000]).get(name)
    except CookieError:
        return None
    return found.value if found is not None else None


async def _body(receive: Receive, most: int) -> bytes | None:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b""
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            return None
        if not message.get("more_body", False):
            return b"".join(parts)


def _replay(body: bytes) -> Receive:
    sent = False

    async def receive() -> Message:
        nonlocal sent
        if sent:
            return {"type": "http.disconnect"}
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive
