"""What the commands about campaigns share."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.errors import FileError, TolkaError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tolka.judge.campaign import Campaign

CampaignArgument = Annotated[Path, typer.Argument(metavar="CAMPAIGN", help="A campaign's directory.")]


@contextmanager
def opened(directory: Path) -> Iterator[Campaign]:
    """The campaign in a directory, for a block.

    Raises:
        FileError: There is none, or its database is damaged, whatever came to light of it in the block.
    """
    from tolka.judge.campaign import open_campaign

    with open_campaign(directory) as campaign:
        try:
            yield campaign
        except TolkaError:
            raise
        except Exception as error:
            # A damaged page may well read as rows that make no sense.
            from tolka.judge.campaign.salvage import is_damaged

            path = campaign.store.path
            if path is None or not is_damaged(path):
                raise
            raise FileError("the database is damaged", path=path, hint=campaign.store.rescue) from error


def named_file(text: str) -> tuple[str, Path]:
    """The system and the file in `name=file`, or in `file` alone."""
    name, equals, path = text.partition("=")
    if equals and name and not Path(text).exists():
        return name, Path(path)
    name = Path(text).name
    for suffix in (".gz", ".xz", ".zst"):
        name = name.removesuffix(suffix)
    return Path(name).stem or name, Path(text)
