"""Runs a page on this machine."""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tolka.errors import FileError, SettingsError
from tolka.web.app import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Protocol

    from starlette.types import ASGIApp

    class Making(Protocol):
        """Makes an application."""

        def __call__(self, *, hosts: Iterable[str], secure: bool, base: str) -> ASGIApp:
            """For the names it may be asked for under, for HTTPS or not, and the address that links begin with."""


_QUEUE = 512


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve(
    make: Making,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    public: bool = False,
    url: str = "",
    ready: Callable[[str], None],
) -> None:
    """Serve the page until the process is told to stop.

    Args:
        make: Makes the application, knowing the names under which it may be asked for, whether by HTTPS, and the
            address that whole links begin with.
        host: The address to listen on.
        port: The port; 0 takes a free one.
        public: Allow an address that others can reach.
        url: How others reach the page, as in https://judge.example.org, if a proxy stands before it.
        ready: Called with the page's address once it can be reached.

    Raises:
        SettingsError: Others could reach the address, and nobody said they may.
        FileError: The port cannot be used.
    """
    import uvicorn  # noqa: PLC0415 (it takes its time)

    from tolka.web.connections import connection_class, most_connections  # noqa: PLC0415 (as above)

    if not is_loopback(host) and not public:
        hint = "add --public if that is meant, and put a proxy with HTTPS before it"
        raise SettingsError(f"others could reach the page at {host}", hint=hint)
    outside = _outside(url)
    shown = f"[{host}]" if ":" in host else host
    hosts = {*LOOPBACK, shown, *([urlsplit(outside).hostname or ""] if outside else [])} - {"0.0.0.0", "[::]", ""}  # noqa: S104 (not bound to: taken out)
    with _listen(host, port) as listening:
        base = outside or f"http://{shown}:{listening.getsockname()[1]}"
        # Addresses hold invitations, so they are not logged; a room's audit log says who did what.
        config = uvicorn.Config(
            make(hosts=hosts, secure=base.startswith("https:"), base=base),
            http=connection_class(most=most_connections()),
            ws="none",
            log_level="error",  # what others send that is no HTTP is not ours to report
            access_log=False,
            server_header=False,
            date_header=True,
            proxy_headers=False,
            timeout_keep_alive=15,
            h11_max_incomplete_event_size=32 << 10,
        )
        ready(base)
        uvicorn.Server(config).run(sockets=[listening])


def _outside(url: str) -> str:
    if not url:
        return ""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path not in {"", "/"} or parts.query:
        raise SettingsError(f"{url!r} is not the address of a site", hint="write it as https://judge.example.org")
    return url.rstrip("/")


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_QUEUE)
    except OSError as error:
        listening.close()
        what = f"cannot listen on {host}, port {port}: {error.strerror}"
        raise FileError(what, hint="choose another with --port") from error
    listening.setblocking(False)
    return listening
