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
    equal: Annotated[
        bool,
        typer.Option(
            "--equal", help="Count answers that equal one already there too, as of other judges who are not named."
        ),
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Add the answers of a file to a campaign; an answer that is there already counts once, whatever file it is in.

    Example: `tolka judge import campaign/ wmt.csv --format wmt`
    """
    from tolka.files import sha256

    with opened(campaign) as held:
        answers = read_all([file], format, pair=pair, criterion=criterion)
        # The same file read otherwise holds other answers.
        read_as = ":".join([sha256(file), format, pair or "", criterion or ""])
        done = held.import_answers(answers, read_as, equal=equal)
    if json:
        print_json({"file": str(file), "imported": done.new, "known": done.known})
        return
    print(f"{done.new} answers imported" + (f"; {done.known} were there already" if done.known else ""))
