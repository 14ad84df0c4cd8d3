"""Campaigns whose texts are hostile, visitors of the page, a server of its own and a real browser."""

import pytest
from tests.web.pages.people import HOSTILE, TestClient, Visitor
from tests.web.pages.worlds import WORLDS, Judging

from tolka.judge.campaign import BlankTest, Campaign, CampaignSettings, create_campaign
from tolka.judge.web import create_app


@pytest.fixture
def make(tmp_path):
    """Makes campaigns."""
    made: list[Campaign] = []

    def make(texts=("plain",) * 1, *, tests_asked=(), **settings) -> Campaign:
        folder = tmp_path / f"campaign{len(made)}"
        made.append(
            create_campaign(folder, Judging.material(list(texts), tests_asked), CampaignSettings.from_values(settings))
        )
        return made[-1]

    yield make
    for campaign in made:
        campaign.close()


@pytest.fixture
def visit():
    """Lets people come in."""
    opened = []

    def visit(campaign, name="anna", role="judge", *, app=None) -> Visitor:
        app = app or create_app(campaign)
        client = TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=True)
        client.__enter__()
        opened.append(client)
        visitor = Visitor(client, campaign, name)
        invitation = campaign.invite(name, role)
        fields = visitor.fields(f"/join/{invitation}", "/join")
        assert visitor.post("/join", fields).status_code == 303
        return visitor

    yield visit
    for client in opened:
        client.__exit__(None, None, None)


@pytest.fixture(scope="session")
def serve():
    """Starts servers."""
    return WORLDS["judge"].serve


BLANK = BlankTest("I ___ the supplier to divert the shipment.", ("wanted", "know", "saw", "seemed"), (0,))


@pytest.fixture
def blank():
    return BLANK


@pytest.fixture
def hostile():
    return list(HOSTILE)
