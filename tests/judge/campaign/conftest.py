"""Campaigns in SQLite and in a real PostgreSQL."""

import pytest

from tolka.judge.campaign import Campaign, CampaignSettings, Material, create_campaign, open_campaign

ROWS = [
    {"item": item, "segment": str(segment), "source": f"quelle {segment}", "text": f"{item} says {segment}"}
    for item in "abcd"
    for segment in range(6)
]


@pytest.fixture
def rows() -> list[dict[str, str]]:
    return [dict(row) for row in ROWS]


@pytest.fixture
def make(tmp_path, clock):
    """Makes campaigns, and closes them in the end."""
    made: list[Campaign] = []

    def make(rows=ROWS, *, test_questions=(), **settings) -> Campaign:
        folder = tmp_path / f"campaign{len(made)}"
        material = Material.of_rows(rows, where="rows", tests=test_questions)
        create_campaign(folder, material, CampaignSettings.from_values(settings)).close()
        made.append(open_campaign(folder, clock=clock))
        return made[-1]

    yield make
    for campaign in made:
        campaign.close()


@pytest.fixture
def campaign(make, database) -> Campaign:
    return make(database=database)


@pytest.fixture
def anna(campaign):
    campaign.invite("anna")
    return campaign.named("anna")


@pytest.fixture
def bert(campaign):
    campaign.invite("bert")
    return campaign.named("bert")
