"""`tolka judge report`: a ranking and what it rests on, as one web page."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.cli.conventions import JsonFlag, SeedOption, print_json
from tolka.cli.judge.campaign import opened
from tolka.cli.judge.settings import (
    ActivationOption,
    AllJudgesOption,
    ClusterOption,
    JudgesOption,
    LeastAgreementOption,
    LeastCorrectOption,
    LeastSecondsOption,
    LeastTestsOption,
    LevelOption,
    MostOneSidedOption,
    PosteriorOption,
    PriorOption,
    RoundsOption,
    TiesOption,
    WithoutJudgeOption,
    ranker_of,
    rules_of,
)
from tolka.cli.judge.sources import (
    AnswersArgument,
    AskedOption,
    CriterionOption,
    FormatOption,
    PairOption,
    design_of,
    read_all,
    spent_on,
)

if TYPE_CHECKING:
    from tolka.judge.report import About


def report(
    answers: AnswersArgument,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the page goes.")] = Path("report.html"),
    title: Annotated[str | None, typer.Option("--title", help="The page's title; the name of what is ranked.")] = None,
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Call judges judge 1, judge 2 and so on.")] = False,
    format: FormatOption = "jsonl",  # noqa: A002
    pair: PairOption = None,
    criterion: CriterionOption = None,
    asked: AskedOption = None,
    activation: ActivationOption = "logistic",
    prior: PriorOption = 0.25,
    posterior: PosteriorOption = "laplace",
    cluster: ClusterOption = "auto",
    judges: JudgesOption = "equal",
    level: LevelOption = 0.95,
    ties: TiesOption = "half",
    without_judge: WithoutJudgeOption = None,
    all_judges: AllJudgesOption = False,
    least_correct: LeastCorrectOption = None,
    least_tests: LeastTestsOption = None,
    least_seconds: LeastSecondsOption = None,
    least_agreement: LeastAgreementOption = None,
    most_one_sided: MostOneSidedOption = None,
    rounds: RoundsOption = 1000,
    seed: SeedOption = 1,
    json: JsonFlag = False,
) -> None:
    """Write the ranking of a campaign, or of files of answers, as a page that works offline and can be cited.

    Example: `tolka judge report campaign/ -o report.html`
    """
    from tolka.files import write_atomic
    from tolka.judge.accounting import account
    from tolka.judge.rank import Rules, exclude
    from tolka.judge.report import anonymised, render

    rules = rules_of(
        answers,
        least_correct=least_correct,
        least_tests=least_tests,
        least_seconds=least_seconds,
        least_agreement=least_agreement,
        most_one_sided=most_one_sided,
        without_judge=without_judge,
        all_judges=all_judges,
    )
    given = list(read_all(answers, format, pair=pair, criterion=criterion))
    if anonymous:
        # Rules name judges: they are left out before names go.
        given, rules = list(anonymised(exclude(given, rules)[0])), Rules()
    ranker = ranker_of(
        activation=activation,
        prior=prior,
        posterior=posterior,
        cluster=cluster,
        judges=judges,
        level=level,
        ties=ties,
        rules=rules,
        rounds=rounds,
        seed=seed,
        design=design_of(answers, asked),
    )
    ranking = ranker.fit(given)
    for warning in ranking.warnings:
        print(f"tolka: warning: {warning}", file=sys.stderr)
    spent = spent_on(answers) or account(given)
    name = title or pair or ", ".join(path.resolve().name for path in answers)
    with write_atomic(output) as file:
        file.write(render(ranking, given, title=name, spent=spent, about=_about(answers)))
    if json:
        print_json({"page": str(output), **ranking.as_json(), "spent": asdict(spent)})


def _about(paths: list[Path]) -> About | None:
    """What was asked, if the answers are those of one campaign."""
    from tolka.judge.report import About

    if len(paths) != 1 or not paths[0].is_dir():
        return None
    with opened(paths[0]) as campaign:
        return About.of_settings(campaign.settings)
