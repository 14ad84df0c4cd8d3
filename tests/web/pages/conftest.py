"""Every page there is, in turn."""

import pytest
from tests.web.pages.people import HOSTILE, TestClient, Visitor, hidden_fields
from tests.web.pages.worlds import WORLDS

from tolka.judge.campaign import BlankTest


@pytest.fixture(params=sorted(WORLDS))
def world(request):
    return WORLDS[request.param]


@pytest.fixture
def make(world, tmp_path):
    """Makes the data of a page."""
    made = []

    def make(texts=("plain",), **settings):
        made.append(world.make(tmp_path / f"page{len(made)}", list(texts), **settings))
        return made[-1]

    yield make
    for host in made:
        host.close()


@pytest.fixture
def visit(world):
    """Lets people come in."""
    opened = []

    def visit(host, name="anna", *, app=None):
        client = TestClient(app or world.app(host), base_url="http://127.0.0.1", raise_server_exceptions=True)
        client.__enter__()
        opened.append(client)
        visitor = Visitor(client, host, name, world)
        fields = hidden_fields(visitor.get(f"/join/{host.invite(name)}").text, "/join")
        assert visitor.post("/join", fields).status_code == 303
        return visitor

    yield visit
    for client in opened:
        client.__exit__(None, None, None)


@pytest.fixture
def blank():
    return BlankTest("I ___ the supplier to divert the shipment.", ("wanted", "know", "saw", "seemed"), (0,))


@pytest.fixture
def hostile():
    return list(HOSTILE)
