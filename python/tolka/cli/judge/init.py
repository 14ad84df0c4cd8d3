"""`tolka judge init`: make a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tolka.cli.conventions import JsonFlag, print_json
from tolka.errors import SettingsError


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
    title: Annotated[str | None, typer.Option("--title", help="What judges see on top of the page.")] = None,
    database: Annotated[
        str, typer.Option("--database", help="postgresql://… instead of a SQLite file in the directory.")
    ] = "",
    seed: Annotated[int, typer.Option("--seed", help="Seed of sides, segments and pairs.")] = 1,
    json: JsonFlag = False,
) -> None:
    """Make a campaign from systems' outputs, or from any items; `campaign.toml` in it has the settings.

    Example: `tolka judge init campaign/ --source src.txt --reference ref.txt --system a.txt --system b.txt`
    """
    from tolka.judge.campaign import CampaignSettings, Material, create_campaign, read_tests

    if bool(system) == (items is not None):
        raise SettingsError("give either --system files or --items", hint="see: tolka judge init --help")
    if items is not None and (source is not None or reference is not None):
        raise SettingsError("--items has its own source and reference", hint="put them into its columns")
    asked = read_tests(tests) if tests is not None else []
    if items is not None:
        material = Material.of_table(items, tests=asked)
    else:
        material = Material.of_files(
            [_named(one) for one in system or []], source=source, reference=reference, tests=asked
        )
    values: dict[str, Any] = {"database": database, "seed": seed} | ({"title": title} if title is not None else {})
    with create_campaign(directory, material, CampaignSettings.from_values(values)) as campaign:
        told = {
            "campaign": str(directory),
            "items": len(campaign.items),
            "segments": len(campaign.segments),
            "questions": material.questions(),
            "tests": campaign.tests,
        }
    if json:
        print_json(told)
        return
    print(f"{directory}: {told['items']} items, {told['segments']} segments, {told['questions']} questions")
    print(f"next: tolka judge serve {directory}")


def _named(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if equals and name and not Path(text).exists():
        return name, Path(path)
    name = Path(text).name
    for suffix in (".gz", ".xz", ".zst"):
        name = name.removesuffix(suffix)
    return Path(name).stem or name, Path(text)
