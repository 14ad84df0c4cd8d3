"""What the commands about campaigns share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tolka.judge.campaign import Campaign

CampaignArgument = Annotated[Path, typer.Argument(metavar="CAMPAIGN", help="A campaign's directory.")]


def opened(directory: Path) -> Campaign:
    """The campaign in a directory; close it, or use it as a block."""
    from tolka.judge.campaign import open_campaign

    return open_campaign(directory)
