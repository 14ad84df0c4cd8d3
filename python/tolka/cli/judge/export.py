"""`tolka judge export`: answers in another format."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, print_json
from tolka.cli.judge.sources import AnswersArgument, CriterionOption, FormatOption, PairOption, read_all


def export(
    answers: AnswersArgument,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    to: Annotated[
        str, typer.Option("--to", help="jsonl or csv, which hold all of an answer, or preferences.")
    ] = "jsonl",
    format: FormatOption = "jsonl",  # noqa: A002
    pair: PairOption = None,
    criterion: CriterionOption = None,
    json: JsonFlag = False,
) -> None:
    """Write the answers of files or campaigns into one file of another format.

    Example: `tolka judge export rankings.csv --format wmt --pair Czech-English -o answers.jsonl`
    """
    from tolka.judge.exchange import write_answers

    written = write_answers(output, read_all(answers, format, pair=pair, criterion=criterion), to)
    if json:
        print_json({"file": str(output), "answers": written})
    else:
        print(f"{written} answers written")
