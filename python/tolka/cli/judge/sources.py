"""Where `tolka judge` gets answers from: files in many formats, or campaigns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.cli.judge.campaign import opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tolka.judge import Answer
    from tolka.judge.accounting import Accounting
    from tolka.judge.ask import Design
    from tolka.judge.rankings import Ranked

AnswersArgument = Annotated[
    list[Path], typer.Argument(metavar="ANSWERS…", help="Files of answers (- is stdin), or campaigns' directories.")
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        help="What the files are: wmt, preferences, appraise, mqm, battles, parity, rankings, jsonl or csv.",
    ),
]
PairOption = Annotated[
    str | None, typer.Option("--pair", help="The language pair to take, in the file's own words, if it holds several.")
]
CriterionOption = Annotated[
    str | None, typer.Option("--criterion", help="The criterion to take, if a parity file holds several.")
]
AskedOption = Annotated[
    str | None,
    typer.Option(
        "--asked",
        help="How pairs were chosen, if by earlier answers: order,explore=0.15 say; campaigns know it themselves.",
    ),
]


def design_of(paths: list[Path], asked: str | None) -> Design | None:
    """How the pairs of answers were chosen: as the option says, or as a campaign among the sources does it."""
    from tolka.judge.ask import Design

    if asked is not None:
        return Design.named(asked)
    for path in paths:
        if path.is_dir():
            from tolka.judge.campaign.planning import design_of as campaigns

            with opened(path) as campaign:
                return campaigns(campaign)
    return None


def spent_on(paths: list[Path]) -> Accounting | None:
    """What the answers of a campaign cost, if that is what is read; only a campaign knows its prices."""
    if len(paths) != 1 or not paths[0].is_dir():
        return None
    with opened(paths[0]) as campaign:
        return campaign.spent()


def read_all(
    paths: list[Path],
    format: str,  # noqa: A002
    *,
    pair: str | None = None,
    criterion: str | None = None,
) -> Iterator[Answer]:
    """The answers of files and campaigns, one after another."""
    from tolka.judge.exchange import read_answers

    for path in paths:
        if path.is_dir():
            with opened(path) as campaign:
                yield from campaign.answers()
        else:
            yield from read_answers(path, format, pair=pair, criterion=criterion)


def read_all_rankings(
    paths: list[Path],
    format: str,  # noqa: A002
    *,
    pair: str | None = None,
    criterion: str | None = None,
) -> Iterator[Ranked]:
    """The whole rankings of files, and the answers of files and campaigns as rankings of two."""
    from tolka.judge.exchange import read_rankings
    from tolka.judge.rankings import ranked_pair

    for path in paths:
        if path.is_dir():
            with opened(path) as campaign:
                yield from filter(None, map(ranked_pair, campaign.answers()))
        else:
            yield from read_rankings(path, format, pair=pair, criterion=criterion)
