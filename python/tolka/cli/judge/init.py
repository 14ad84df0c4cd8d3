"""`tolka judge init`: make a campaign."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer looks at it)
from typing import Annotated, Any

import typer

from tolka.cli.conventions import JsonFlag, print_json
from tolka.cli.judge.campaign import named_file
from tolka.errors import FileError, SettingsError


def init(
    directory: Annotated[Path, typer.Argument(metavar="CAMPAIGN", help="The directory to make.")],
    *,
    source: Annotated[Path | None, typer.Option("--source", help="What was translated, a segment a line.")] = None,
    reference: Annotated[
        Path | None, typer.Option("--reference", help="A reference translation, line by line.")
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option("--system", metavar="[NAME=]FILE", help="A system's output, line by line; once per system."),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(
            "--items",
            help="Instead of files per system: CSV, JSON or JSON lines with item, text, segment, source, reference.",
        ),
    ] = None,
    tests: Annotated[Path | None, typer.Option("--tests", help="Test questions, as JSON or JSON lines.")] = None,
    settings: Annotated[
        Path | None,
        typer.Option("--settings", help="A campaign.toml to begin with; what it says, and its comments, are kept."),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="What judges see on top of the page.")] = None,
    database: Annotated[
        str | None, typer.Option("--database", help="postgresql://… instead of a SQLite file in the directory.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of sides, segments and pairs.")] = None,
    json: JsonFlag = False,
) -> None:
    """Make a campaign from systems' outputs, or from any items; `campaign.toml` in it has the settings.

    Example: `tolka judge init campaign/ --source src.txt --reference ref.txt --system a.txt --system b.txt`
    """
    from tolka.judge.campaign import CampaignSettings, Material, create_campaign, read_tests
    from tolka.judge.campaign.toml_text import changed

    if bool(system) == (items is not None):
        raise SettingsError("give either --system files or --items", hint="see: tolka judge init --help")
    if items is not None and (source is not None or reference is not None):
        raise SettingsError("--items has its own source and reference", hint="put them into its columns")
    asked = read_tests(tests) if tests is not None else []
    if items is not None:
        material = Material.of_table(items, tests=asked)
    else:
        material = Material.of_files(
            [named_file(one) for one in system or []], source=source, reference=reference, tests=asked
        )
    given: dict[str, Any] = {"database": database, "seed": seed, "title": title}
    values = {name: value for name, value in given.items() if value is not None}
    text = None
    if settings is not None:
        text = changed(_read(settings), values)
        chosen = CampaignSettings.from_text(text, path=settings)
    else:
        chosen = CampaignSettings.from_values(values)
    with create_campaign(directory, material, chosen, text=text) as campaign:
        told = {
            "campaign": str(directory),
            "items": len(campaign.items),
            "segments": len(campaign.segments),
            "questions": material.questions(reference=campaign.settings.show.reference),
            "tests": campaign.tests,
        }
    if json:
        print_json(told)
        return
    print(f"{directory}: {told['items']} items, {told['segments']} segments, {told['questions']} questions")
    print(f"next: tolka judge serve {directory}")


def _read(path: Path) -> str:
    from tolka.judge.campaign import CampaignSettings

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not valid UTF-8"
        raise FileError(f"cannot read the settings: {reason}", path=path) from error
    CampaignSettings.from_text(text, path=path)  # its own mistakes are told with its name
    return text
