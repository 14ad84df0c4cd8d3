"""Campaigns: who is asked which question, and what they answered, kept so that nothing is lost or counted twice."""

from tolka.errors import MissingExtraError

try:
    from tolka.judge.campaign.accounts import Account
    from tolka.judge.campaign.campaign import Campaign, Shown, open_campaign
    from tolka.judge.campaign.creation import create_campaign
    from tolka.judge.campaign.material import BlankTest, ChoiceTest, Material, Segment, read_tests
    from tolka.judge.campaign.settings import CampaignSettings
    from tolka.judge.campaign.tasks import Given, Task, UnknownTaskError
except ModuleNotFoundError as error:
    if error.name not in {"argon2", "sqlalchemy"}:
        raise
    raise MissingExtraError("a judging campaign", "judge") from None

__all__ = [
    "Account",
    "BlankTest",
    "Campaign",
    "CampaignSettings",
    "ChoiceTest",
    "Given",
    "Material",
    "Segment",
    "Shown",
    "Task",
    "UnknownTaskError",
    "create_campaign",
    "open_campaign",
    "read_tests",
]
