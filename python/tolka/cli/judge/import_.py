"""`tolka judge import`: add answers given elsewhere to a campaign."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer looks at it)
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, print_json
from tolka.cli.judge.campaign import CampaignArgument, opened
from tolka.cli.judge.sources import CriterionOption, FormatOption, PairOption, read_all


def import_(
    campaign: CampaignArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of answers.")],
    *,
    format: FormatOption = "jsonl",  # noqa: A002
    pair: PairOption = None,
    criterion: CriterionOption = None,
    json: JsonFlag = False,
) -> None:
    """Add the answers of a file to a campaign; the same file counts once, however often it is imported.

    Example: `tolka judge import campaign/ wmt.csv --format wmt`
    """
    from tolka.files import sha256

    with opened(campaign) as held:
        answers = read_all([file], format, pair=pair, criterion=criterion)
        # The same file read otherwise holds other answers.
        read_as = ":".join([sha256(file), format, pair or "", criterion or ""])
        new = held.import_answers(answers, read_as)
    if json:
        print_json({"file": str(file), "imported": new})
        return
    print(f"{new} answers imported")
