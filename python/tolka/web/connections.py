"""Connections that keep nobody else waiting: whoever is slow to ask, to send or to read loses theirs first.

The server underneath waits for the head of a request as long as it takes, so that a thousand sockets that say nothing
would be all it can hold. Here a head has seconds to arrive, an answer seconds to move on, and when all places are taken
the connection that has waited longest makes room. A person's browser asks as soon as it is connected, so it is not theirs.
"""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

MOST = 1000
HEAD_SECONDS = 10.0
STALL_SECONDS = 30.0
_SPARE_FILES = 100  # for databases, static files and the like
_READING, _AT_WORK = 1, 3


def connection_class(
    *, most: int = MOST, head_seconds: float = HEAD_SECONDS, stall_seconds: float = STALL_SECONDS
) -> type[Connection]:
    """What uvicorn is to make of every connection.

    Args:
        most: Connections at a time.
        head_seconds: How long the head of a request may take.
        stall_seconds: How long an answer may lie unread.
    """
    limits = {"most": most, "head_seconds": head_seconds, "stall_seconds": stall_seconds}
    return type("Connection", (Connection,), limits)


class Connection(H11Protocol):
    """One browser's connection."""

    most: ClassVar[int]
    head_seconds: ClassVar[float]
    stall_seconds: ClassVar[float]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self.opened = self.loop.time()
        self._head: asyncio.TimerHandle | None = None
        self._stall: asyncio.TimerHandle | None = None
        self._wait_for_head()
        if len(self.connections) > self.most:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        """Take what came; wait no longer than allowed for what has not."""
        super().data_received(data)
        if self.use in {_READING, _AT_WORK}:
            self._stop_waiting_for_head()
        elif self._head is None and not self.transport.is_closing():
            self._wait_for_head()

    def on_response_complete(self) -> None:
        """Wait for another request, as long as connections are kept."""
        self._stop_waiting_for_head()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """What was sent lies unread."""
        super().pause_writing()
        if self._stall is None:
            self._stall = self.loop.call_later(self.stall_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """It is read again."""
        super().resume_writing()
        self._stop_stalling()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._stop_waiting_for_head()
        self._stop_stalling()
        super().connection_lost(exc)

    @property
    def use(self) -> int:
        """How little it can be spared."""
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None:
            return 0  # it never asked for anything
        if cycle.response_complete:
            return 2  # a browser that may ask again
        return _READING if cycle.more_body else _AT_WORK

    def _make_room(self) -> None:
        """Close the connection that can best be spared; this one, if all others are at work."""
        others = [one for one in self.connections if isinstance(one, Connection) and one is not self]
        chosen = min(others, key=lambda one: (one.use, one.opened), default=self)
        if chosen.use == _AT_WORK:
            chosen = self
        self.connections.discard(chosen)
        chosen.transport.abort()

    def _wait_for_head(self) -> None:
        self._head = self.loop.call_later(self.head_seconds, self.transport.abort)

    def _stop_waiting_for_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _stop_stalling(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None


def most_connections() -> int:
    """How many connections there may be: as many files as the system lets this process have open, up to a bound."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST + _SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MOST if soft == resource.RLIM_INFINITY else max(min(MOST, soft - _SPARE_FILES), 20)
