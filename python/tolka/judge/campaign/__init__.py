"""Campaigns: who is asked which question, and what they answered, kept so that nothing is lost or counted twice."""

from tolka.errors import MissingExtraError

try:
    import tolka.web  # noqa: F401 (first of all, since it knows which packages there must be)
    from tolka.judge.campaign.campaign import Campaign, Imported, Shown, open_campaign
    from tolka.judge.campaign.creation import create_campaign
    from tolka.judge.campaign.extension import Extension, extend
    from tolka.judge.campaign.material import BlankTest, ChoiceTest, Lines, Material, Rows, Segment, read_tests
    from tolka.judge.campaign.settings import CampaignSettings
    from tolka.judge.campaign.tasks import Given, Task
except MissingExtraError:
    raise MissingExtraError("a judging campaign", "judge") from None

__all__ = [
    "BlankTest",
    "Campaign",
    "CampaignSettings",
    "ChoiceTest",
    "Extension",
    "Given",
    "Imported",
    "Lines",
    "Material",
    "Rows",
    "Segment",
    "Shown",
    "Task",
    "create_campaign",
    "extend",
    "open_campaign",
    "read_tests",
]
