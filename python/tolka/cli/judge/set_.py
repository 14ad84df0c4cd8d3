"""`tolka judge set`: change settings of a campaign."""

from __future__ import annotations

import tomllib
from typing import Annotated, Any

import typer

from tolka.cli.conventions import JsonFlag, print_json
from tolka.cli.judge.campaign import CampaignArgument  # noqa: TC001 (Typer looks at it)
from tolka.errors import SettingsError


def set_(
    campaign: CampaignArgument,
    changes: Annotated[
        list[str], typer.Argument(metavar="KEY=VALUE…", help="Settings as campaign.toml names them, as ask.target=300.")
    ],
    *,
    json: JsonFlag = False,
) -> None:
    """Change settings in `campaign.toml`; comments and everything else in it stay. A server reads them when it starts.

    Example: `tolka judge set campaign/ ask.target=300 cost.per_answer=0.05 "title=Spring test"`
    """
    from tolka.judge.campaign.creation import write_settings
    from tolka.judge.campaign.settings import FILE, CampaignSettings, read_text
    from tolka.judge.campaign.toml_text import changed

    text = read_text(campaign)
    before = CampaignSettings.from_text(text, path=campaign / FILE)
    values: dict[str, Any] = dict(_setting(change, before) for change in changes)
    if values.get("database", before.database) != before.database:
        raise SettingsError(
            "a campaign cannot move to another database", hint="export it, and import it into a new one"
        )
    write_settings(campaign, changed(text, values))
    if json:
        print_json(values)


def _setting(change: str, before: Any) -> tuple[str, Any]:
    name, equals, text = change.partition("=")
    name = name.strip()
    if not equals or not name:
        raise SettingsError(f"{change!r} is not KEY=VALUE", hint="write it as ask.target=300")
    held = before
    for part in name.split("."):
        held = getattr(held, part, None)
    if isinstance(held, str):  # words need no quotes
        return name, text
    try:
        value = tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return name, text
    return name, float(value) if isinstance(held, float) and type(value) is int else value
