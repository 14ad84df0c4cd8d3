"""What stands before every page: the host asked for, sizes, rates, and the headers every answer carries."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections import OrderedDict
from http.cookies import CookieError, SimpleCookie
from ipaddress import IPv6Address, ip_address, ip_network
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
_BODY_SECONDS = 20.0
_MOST_PROXIES = 10  # one behind another
_SHARED_BITS = 64  # of an IPv6 address: who has one has all that begin alike
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?")
_SAFE = {"GET", "HEAD", "OPTIONS"}
_WRONG = {401, 403, 404}


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
            left = self._now(name, now)
            self._left.pop(name, None)
            self._left[name] = (left - 1 if left >= 1 else left, now)
            if len(self._left) > _MOST_KNOWN:  # the one not seen for longest has long been full again
                self._left.popitem(last=False)
        return left >= 1

    def would_allow(self, name: str) -> bool:
        """Whether a request would be one too many, which is not counted."""
        with self._lock:
            return self._now(name, self._clock()) >= 1

    def _now(self, name: str, now: float) -> float:
        left, last = self._left.get(name, (self.burst, now))
        return min(self.burst, left + (now - last) * self.per_second)


class Guard:
    """Refuses what should not come in, and marks what goes out.

    Args:
        app: What is guarded.
        sessions: To tell visitors apart.
        hosts: The host names under which the page may be asked for.
        body_bytes: How large a request may be.
        rate: Of a visitor with a session.
        join_rate: Of wrong tries of one link from an address. A crowd behind one address comes in by many right ones.
        visit_rate: Of an address whose visitors have no session.
        secure: Whether the page is reached by HTTPS.
        proxies: Addresses and networks of proxies that are believed to say for whom they ask (X-Forwarded-For).
        body_seconds: How long the body of a request may take.
        say: Puts a sentence that ordinary visitors may see into their language.
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
        visit_rate: Rate,
        secure: bool,
        proxies: Iterable[str] = (),
        body_seconds: float = _BODY_SECONDS,
        say: Callable[[str], str] = str,
    ) -> None:
        self.app = app
        self.sessions = sessions
        self.hosts = frozenset(host.lower() for host in hosts)
        self.body_bytes = body_bytes
        self.rate = rate
        self.join_rate = join_rate
        self.visit_rate = visit_rate
        self.proxies = tuple(ip_network(one, strict=False) for one in proxies)
        self.body_seconds = body_seconds
        self.say = say
        self.headers = HEADERS | ({"strict-transport-security": "max-age=31536000"} if secure else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request and pass it on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        headers = Headers(scope=scope)
        # A link is tried by whoever has no account yet; what it is and where it is tried from.
        trial = f"{self._address(scope, headers)} {scope['path'][:200]}" if scope["path"].startswith("/join") else ""

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                if trial and message["status"] in _WRONG:
                    self.join_rate.allows(trial)
                marks = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    marks[name] = value
                marks.setdefault("cache-control", "no-store")
            await send(message)

        refusal = self._refusal(scope, headers, trial)
        if refusal is not None:
            await refusal(scope, receive, marked)
            return
        if scope["method"] in _SAFE:
            await self.app(scope, receive, marked)
            return
        try:
            async with asyncio.timeout(self.body_seconds):
                body = await _body(receive, self.body_bytes)
        except TimeoutError:
            slow = _say(408, self.say("This came too slowly; please send it again."))
            slow.headers["connection"] = "close"
            await slow(scope, receive, marked)
            return
        if body is None:
            await _say(413, "This is larger than anything the page sends.")(scope, receive, marked)
            return
        await self.app(scope, _replay(body), marked)

    def _refusal(self, scope: Scope, headers: Headers, trial: str) -> PlainTextResponse | None:
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
        if session is not None and session.account:
            allowed = self.rate.allows(session.account)
        else:
            allowed = self.visit_rate.allows(self._address(scope, headers))
        if not allowed or (trial and not self.join_rate.would_allow(trial)):
            refusal = _say(429, self.say("That was too quick; wait a moment and try again."))
            refusal.headers["retry-after"] = "5"
            return refusal
        return None

    def _address(self, scope: Scope, headers: Headers) -> str:
        """Who asks: the peer, or whoever a trusted proxy asks for.

        Every proxy appends who asked it, so the last address that is no trusted proxy's own is the one to believe;
        what stands before it anyone could have written.
        """
        client = scope.get("client")
        address = client[0] if client else ""
        if self.proxies and self._is_proxy(address):
            asked = [one.strip() for line in headers.getlist("x-forwarded-for") for one in line.split(",")]
            for one in asked[: -_MOST_PROXIES - 1 : -1]:
                try:
                    address = str(ip_address(one))
                except ValueError:  # "unknown", or nonsense: the proxy itself is to answer for it
                    break
                if not self._is_proxy(address):
                    break
        return _network(address)

    def _is_proxy(self, address: str) -> bool:
        try:
            found = ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in self.proxies)


def _network(address: str) -> str:
    """An address, and for IPv6 the network of one customer, who could change the rest at will."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ip_network((found, _SHARED_BITS), strict=False))


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
