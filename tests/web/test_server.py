"""Where a server listens, and where it does not."""

import resource
import socket
import threading
import time
from contextlib import contextmanager, suppress

import httpx
import pytest
import uvicorn

from tolka.errors import FileError, SettingsError
from tolka.web.connections import MOST, connection_class, most_connections
from tolka.web.server import is_loopback, serve


def never(*, hosts, secure, base):
    raise AssertionError(f"no application is wanted for {hosts}, {secure}, {base}")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])  # noqa: S104 (refused)
def test_only_loopback_unless_it_is_said(host):
    with pytest.raises(SettingsError, match="add --public"):
        serve(never, host=host, port=0, ready=print)


def test_loopback():
    hosts = ("127.0.0.1", "::1", "localhost", "127.9.9.9", "10.0.0.1", "x")
    assert [is_loopback(host) for host in hosts] == [True] * 4 + [False] * 2


@pytest.mark.parametrize("url", ["ftp://x", "https://", "x", "https://x/path", "https://x?y"])
def test_addresses(url):
    with pytest.raises(SettingsError, match="not the address of a site"):
        serve(never, port=0, url=url, ready=print)


def test_a_port_in_use_is_an_error():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(FileError, match="cannot listen"):
            serve(never, port=taken.getsockname()[1], ready=print)


@pytest.mark.parametrize(
    ("url", "wanted", "secure"), [("", set(), False), ("https://help.example.org/", {"help.example.org"}, True)]
)
def test_the_application_knows_its_names(url, wanted, secure):
    class Stop(Exception):  # noqa: N818 (it is none)
        pass

    told = {}

    def make(*, hosts, secure, base):
        told.update(hosts=set(hosts), secure=secure)
        assert base == url.rstrip("/") or base.startswith("http://127.0.0.1:")
        raise Stop

    with pytest.raises(Stop):
        serve(make, port=0, url=url, ready=print)
    assert told == {"hosts": {"127.0.0.1", "localhost", "[::1]"} | wanted, "secure": secure}


async def big(scope, receive, send):
    """Answers with more than the kernel keeps for a reader who does not read."""
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    size = 64 << 20 if scope["path"] == "/big" else 2
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(max(size >> 20, 1)):
        await send({"type": "http.response.body", "body": b"x" * min(size, 1 << 20), "more_body": True})
    await send({"type": "http.response.body", "body": b""})


@contextmanager
def served(**limits):
    """A server in a thread, and its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(big, http=connection_class(**limits), ws="none", lifespan="off", log_level="critical")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield listening.getsockname()[1], server
        finally:
            server.should_exit = server.force_exit = True
            thread.join()


def until(true, seconds=20):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(
    "begun", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx"]
)
def test_half_open_connections_make_room(begun):
    with served(most=20, head_seconds=600) as (port, server):
        slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(60)]
        for one in slow:
            with resets():
                one.sendall(begun)
        until(lambda: len(server.server_state.connections) >= 20)
        for _ in range(5):
            assert httpx.get(f"http://127.0.0.1:{port}/", timeout=20).status_code == 200
        assert len(server.server_state.connections) <= 21
        for one in slow:
            one.close()


@contextmanager
def resets():
    with suppress(ConnectionResetError, BrokenPipeError):
        yield


def test_a_head_that_does_not_come_is_not_waited_for():
    with served(head_seconds=0.3) as (port, server):
        with socket.create_connection(("127.0.0.1", port)) as slow:
            slow.sendall(b"GET / HTTP/1.1\r\n")
            slow.settimeout(20)
            with resets():
                assert slow.recv(10) == b""
        # Nor on a connection that has asked before.
        with socket.create_connection(("127.0.0.1", port)) as slow:
            slow.settimeout(20)
            slow.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b"200" in slow.recv(1000)
            slow.sendall(b"GET / HT")
            with resets():
                while slow.recv(1000):
                    pass
        until(lambda: not server.server_state.connections)


def test_who_does_not_read_is_let_go():
    with served(stall_seconds=0.3) as (port, server):
        with socket.create_connection(("127.0.0.1", port)) as slow:
            slow.sendall(b"GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
            until(lambda: server.server_state.connections)
            until(lambda: not server.server_state.connections)
        # Who reads, however much, is not.
        assert len(httpx.get(f"http://127.0.0.1:{port}/big", timeout=60).content) == 64 << 20


def test_as_many_connections_as_files_may_be_open():
    assert 20 <= most_connections() <= MOST
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > most_connections()
