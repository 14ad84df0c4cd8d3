"""How answers become a ranking: the options that `rank` and `report` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tolka.cli.judge.campaign import opened

if TYPE_CHECKING:
    from pathlib import Path

    from tolka.judge.ask import Design
    from tolka.judge.rank import Ranker, Rules

# The names are written out, because the room that knows them takes long to import.
Posterior = Literal["laplace", "importance", "bootstrap"]
Cluster = Literal["auto", "none", "segment", "judge", "both"]
Judges = Literal["equal", "modelled"]
Ties = Literal["half", "drop", "error"]
Gauge = Literal["mean", "min", "elo"]
Model = Literal["bradley-terry", "davidson", "plackett-luce"]

ModelOption = Annotated[
    Model,
    typer.Option(
        "--model",
        help="bradley-terry; davidson, where a tie is an answer of its own; or plackett-luce for whole rankings.",
    ),
]
ActivationOption = Annotated[
    str, typer.Option("--activation", help="logistic, tanh (the thesis's units), probit, student-t or laplace.")
]
PriorOption = Annotated[float, typer.Option("--prior", min=0, help="Precision of the prior in logits; 0 is none.")]
PosteriorOption = Annotated[
    Posterior, typer.Option("--posterior", help="laplace; importance for few items and answers; or bootstrap.")
]
ClusterOption = Annotated[
    Cluster,
    typer.Option(
        "--cluster",
        help="Intervals respect that answers share a segment, a judge, both or none; auto is by segment if it can.",
    ),
]
JudgesOption = Annotated[
    Judges, typer.Option("--judges", help="Judges are equal, or modelled: reliability, side bias, guessing.")
]
LevelOption = Annotated[float, typer.Option("--level", help="The probability that intervals hold.")]
TiesOption = Annotated[Ties, typer.Option("--ties", help="A tie is half a win for each, or drop it, or an error.")]
LeastCorrectOption = Annotated[
    float | None,
    typer.Option("--least-correct", help="Leave out judges with a smaller share of test questions right."),
]
LeastTestsOption = Annotated[
    int | None,
    typer.Option("--least-tests", min=1, help="Test questions a judge must have had before --least-correct holds: 1."),
]
WithoutJudgeOption = Annotated[
    list[str] | None, typer.Option("--without-judge", metavar="NAME", help="Leave this judge out; may be repeated.")
]
AllJudgesOption = Annotated[
    bool, typer.Option("--all-judges", help="Count those too whom the campaign itself leaves out.")
]
LeastSecondsOption = Annotated[
    float | None, typer.Option("--least-seconds", help="Leave out answers that took less time.")
]
LeastAgreementOption = Annotated[
    float | None,
    typer.Option("--least-agreement", help="Leave out judges who agree with themselves on repeats less often."),
]
MostOneSidedOption = Annotated[
    float | None, typer.Option("--most-one-sided", help="Leave out judges who choose one side more often.")
]
RoundsOption = Annotated[int, typer.Option("--rounds", min=1, help="Resamples of the bootstrap.")]


def ranker_of(
    *,
    activation: str,
    prior: float,
    posterior: Posterior,
    cluster: Cluster,
    judges: Judges,
    level: float,
    ties: Ties,
    rules: Rules,
    rounds: int,
    seed: int,
    model: Model = "bradley-terry",
    design: Design | None = None,
) -> Ranker:
    """The ranker that the options ask for; it checks all names itself."""
    from tolka.judge.rank import DavidsonRanker, PlackettLuceRanker, Ranker

    kinds = {"bradley-terry": Ranker, "davidson": DavidsonRanker, "plackett-luce": PlackettLuceRanker}
    return kinds[model](
        activation,
        prior=prior,
        posterior=posterior,
        level=level,
        ties=ties,
        cluster=cluster,
        judges=judges,
        rules=rules,
        rounds=rounds,
        seed=seed,
        design=design,
    )


def rules_of(
    sources: list[Path],
    *,
    least_correct: float | None = None,
    least_tests: int | None = None,
    least_seconds: float | None = None,
    least_agreement: float | None = None,
    most_one_sided: float | None = None,
    without_judge: list[str] | None = None,
    all_judges: bool = False,
) -> Rules:
    """The rules that the options ask for, and those of the campaigns among the sources where the options say nothing."""
    from tolka.judge.rank import Rules

    without = set(without_judge or [])
    for path in sources if not all_judges else []:
        if path.is_dir():
            with opened(path) as campaign:
                own = campaign.rules()
            without |= set(own.without)
            if least_correct is None and own.least_correct is not None:
                least_correct, least_tests = own.least_correct, least_tests or own.least_tests
    return Rules(
        without=tuple(sorted(without)),
        least_correct=least_correct,
        least_tests=least_tests or 1,
        least_seconds=least_seconds,
        least_agreement=least_agreement,
        most_one_sided=most_one_sided,
    )
