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


def named_file(text: str) -> tuple[str, Path]:
    """The system and the file in `name=file`, or in `file` alone."""
    name, equals, path = text.partition("=")
    if equals and name and not Path(text).exists():
        return name, Path(path)
    name = Path(text).name
    for suffix in (".gz", ".xz", ".zst"):
        name = name.removesuffix(suffix)
    return Path(name).stem or name, Path(text)
