"""`tolka judge rank`: scores, intervals and ranks from answers."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 - Typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.cli.conventions import JsonFlag, SeedOption, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tolka.judge import Answer
    from tolka.judge.rank import Ranking

FormatOption = Annotated[
    str,
    typer.Option("--format", "-f", help="wmt, preferences, appraise, mqm, battles or jsonl."),
]
PairOption = Annotated[
    str | None, typer.Option("--pair", help="The language pair to take, in the file's own words, if it holds several.")
]


def rank(
    answers: Annotated[list[Path], typer.Argument(metavar="ANSWERS…", help="Files of answers; - is stdin.")],
    *,
    format: FormatOption = "jsonl",  # noqa: A002
    pair: PairOption = None,
    activation: Annotated[
        str, typer.Option("--activation", help="logistic, tanh (the thesis's units), probit, student-t or laplace.")
    ] = "logistic",
    prior: Annotated[float, typer.Option("--prior", min=0, help="Precision of the prior in logits; 0 is none.")] = 0.25,
    posterior: Annotated[str, typer.Option("--posterior", help="laplace, or importance for few items.")] = "laplace",
    level: Annotated[float, typer.Option("--level", help="The probability that intervals hold.")] = 0.95,
    ties: Annotated[
        str, typer.Option("--ties", help="A tie is half a win for each, or drop it, or an error.")
    ] = "half",
    tables: Annotated[bool, typer.Option("--tables", help="With --json, add the tables of every pair.")] = False,
    seed: SeedOption = 1,
    json: JsonFlag = False,
) -> None:
    """Rank systems by people's choices between two of them.

    Example: `tolka judge rank answers.csv --format wmt --json`
    """
    from tolka.judge.rank import Ranker

    ranker = Ranker(activation, prior=prior, posterior=posterior, level=level, ties=ties, seed=seed)  # type: ignore[arg-type] # checked there
    ranking = ranker.fit(read_all(answers, format, pair))
    for warning in ranking.warnings:
        print(f"tolka: warning: {warning}", file=sys.stderr)
    if json:
        print_json(ranking.as_json(tables=tables))
    else:
        _print_table(ranking)


def read_all(paths: list[Path], format: str, pair: str | None) -> Iterator[Answer]:  # noqa: A002
    """The answers of several files, one after another."""
    from tolka.judge.exchange import read_answers

    for path in paths:
        yield from read_answers(path, format, pair=pair)


def _print_table(ranking: Ranking) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("rank", justify="right", no_wrap=True)
    table.add_column("item")
    for name in ("score", f"{ranking.settings['level']:.0%}", "ranks", "expected wins", "answers"):
        table.add_column(name, justify="right", no_wrap=True)
    group_of = {item: number for number, group in enumerate(ranking.groups) for item in group}
    for i, item in enumerate(ranking.items):
        last = i + 1 == len(ranking.items) or group_of[item] != group_of[ranking.items[i + 1]]
        wins = ranking.expected_wins[i]
        table.add_row(
            str(ranking.rank[i]),
            Text(item),
            f"{ranking.scores[i]:.3f}",
            f"{ranking.low[i]:.3f} to {ranking.high[i]:.3f}",
            f"{ranking.rank_low[i]}-{ranking.rank_high[i]}",
            f"{wins:.3f}" if wins == wins else "",  # noqa: PLR0124 - NaN
            f"{ranking.comparisons[i]:g}",
            end_section=last,
        )
    # Names of systems are long, and a file has no edge to wrap at.
    console = Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else 240)
    console.print(table)
    console.print(f"{ranking.answers:g} answers; lines part items that can be told apart.")
    console.print(Text(ranking.signature()), style="dim", soft_wrap=True)
