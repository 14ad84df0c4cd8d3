"""`tolka judge import`: add answers given elsewhere to a campaign."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer looks at it)
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, print_json
from tolka.cli.judge.campaign import CampaignArgument, opened


def import_(
    campaign: CampaignArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of answers.")],
    *,
    format: Annotated[  # noqa: A002
        str, typer.Option("--format", "-f", help="wmt, preferences, appraise, mqm, battles or jsonl.")
    ] = "jsonl",
    pair: Annotated[
        str | None,
        typer.Option("--pair", help="The language pair to take, in the file's own words, if it holds several."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Add the answers of a file to a campaign; the same file counts once, however often it is imported.

    Example: `tolka judge import campaign/ wmt.csv --format wmt`
    """
    from tolka.files import sha256
    from tolka.judge.exchange import read_answers

    with opened(campaign) as held:
        new = held.import_answers(read_answers(file, format, pair=pair), f"{sha256(file)}:{format}:{pair or ''}")
    if json:
        print_json({"file": str(file), "imported": new})
        return
    print(f"{new} answers imported")
