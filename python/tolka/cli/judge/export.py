"""`tolka judge export`: answers in another format."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.cli.conventions import JsonFlag, print_json
from tolka.cli.judge.sources import AnswersArgument, CriterionOption, FormatOption, PairOption, read_all, spent_on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tolka.judge import Answer


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
    """Write the answers of files or campaigns into one file of another format, and say what they cost.

    Example: `tolka judge export rankings.csv --format wmt --pair Czech-English -o answers.jsonl`
    """
    from tolka.judge.accounting import Accounting
    from tolka.judge.exchange import write_answers

    tests = 0
    seconds: list[float] = []

    def passing() -> Iterator[Answer]:
        nonlocal tests
        for one in read_all(answers, format, pair=pair, criterion=criterion):
            tests += one.test is not None
            if one.seconds is not None:
                seconds.append(one.seconds)
            if one.test is None or to != "preferences":  # which are of items alone
                yield one

    written = write_answers(output, passing(), to)
    left_out = tests if to == "preferences" else 0
    spent = spent_on(answers) or Accounting.of(written + left_out - tests, tests, seconds)
    if json:
        counts = {"answers": written, "tests": tests - left_out, "left_out": left_out}
        print_json({"file": str(output), **counts, "spent": asdict(spent)})
        return
    said = "left out, which preferences cannot say" if left_out else "among them"
    print(f"{written} answers written" + (f"; {tests} answers to test questions {said}" if tests else ""))
    for sentence in spent.sentences():
        print(sentence)
