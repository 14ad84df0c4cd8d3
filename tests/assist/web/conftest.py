"""The assist page, for what only it has; what all pages must withstand is in tests/web/pages."""

import pytest
from tests.web.pages.people import TestClient, Visitor, hidden_fields
from tests.web.pages.worlds import WORLDS

WORLD = WORLDS["assist"]


@pytest.fixture
def visit():
    """Lets people come in."""
    opened = []

    def visit(tasks, name="anna"):
        client = TestClient(WORLD.app(tasks), base_url="http://127.0.0.1")
        client.__enter__()
        opened.append(client)
        visitor = Visitor(client, tasks, name, WORLD)
        fields = hidden_fields(visitor.get(f"/join/{tasks.invite(name)}").text, "/join")
        assert visitor.post("/join", fields).status_code == 303
        return visitor

    yield visit
    for client in opened:
        client.__exit__(None, None, None)
