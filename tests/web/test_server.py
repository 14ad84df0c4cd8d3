"""Where a server listens, and where it does not."""

import socket

import pytest

from tolka.errors import FileError, SettingsError
from tolka.web.server import is_loopback, serve


def never(*, hosts, secure):
    raise AssertionError(f"no application is wanted for {hosts}, {secure}")


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

    def make(*, hosts, secure):
        told.update(hosts=set(hosts), secure=secure)
        raise Stop

    with pytest.raises(Stop):
        serve(make, port=0, url=url, ready=print)
    assert told == {"hosts": {"127.0.0.1", "localhost", "[::1]"} | wanted, "secure": secure}
