"""What the judging page says in the judges' language.

The catalogues lie beside this file; `en.toml` has every sentence there is, to be translated.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tolka.errors import SettingsError
from tolka.judge.campaign.settings import INSTRUCTIONS
from tolka.web.site import paragraphs
from tolka.web.wording import Wording

if TYPE_CHECKING:
    from tolka.judge.campaign import Campaign, CampaignSettings

FOLDER = Path(__file__).parent / "catalogues"


@cache
def sentences() -> tuple[str, ...]:
    """Every sentence that the page may say, in English."""
    return tuple(tomllib.loads((FOLDER / "en.toml").read_text("utf-8"))["words"])


def languages() -> list[str]:
    """The languages tolka has catalogues of.

    Example:
        >>> "de" in languages()
        True
    """
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def instructions(settings: CampaignSettings, wording: Wording) -> list[str]:
    """The paragraphs that judges read first; of the usual ones, those that are true of this campaign."""
    found = paragraphs(wording(settings.instructions))
    if settings.instructions == INSTRUCTIONS and settings.show.ties != "none":
        del found[1]  # it says that there is no button for a tie
    return found


def wording_of(campaign: Campaign, settings: CampaignSettings | None = None) -> Wording:
    """The wording that a campaign's settings ask for.

    Args:
        campaign: The campaign.
        settings: Settings it does not have yet; its own if they are not given.

    Raises:
        SettingsError: There is no such catalogue.
        FormatError: It is none.
    """
    wanted = (settings or campaign.settings).labels
    if wanted in {"", "en"}:
        return Wording()
    if wanted in languages():
        return Wording.load(FOLDER / f"{wanted}.toml", known=sentences())
    if Path(wanted).name != wanted or not wanted.endswith(".toml"):
        hint = f"use one of {', '.join(languages())}, or the name of a .toml file in the campaign's directory"
        raise SettingsError(f"there is no catalogue of labels {wanted!r}", hint=hint)
    return Wording.load(campaign.directory / wanted, known=sentences())
