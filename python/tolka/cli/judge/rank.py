"""`tolka judge rank`: scores, intervals and ranks from answers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.cli.conventions import JsonFlag, SeedOption, print_json
from tolka.cli.judge.settings import (
    ActivationOption,
    AllJudgesOption,
    ClusterOption,
    Gauge,
    JudgesOption,
    LeastAgreementOption,
    LeastCorrectOption,
    LeastSecondsOption,
    LeastTestsOption,
    LevelOption,
    ModelOption,
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
    read_all_rankings,
)
from tolka.cli.tables import console as new_console
from tolka.cli.tables import print_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from tolka.judge import Answer
    from tolka.judge.rank import Ranking, Rating, Suspicion, Tally


def rank(
    answers: AnswersArgument,
    *,
    format: FormatOption = "jsonl",  # noqa: A002
    pair: PairOption = None,
    criterion: CriterionOption = None,
    asked: AskedOption = None,
    model: ModelOption = "bradley-terry",
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
    gauge: Annotated[Gauge, typer.Option("--gauge", help="Scores with mean 0, min 0, or in elo points.")] = "mean",
    pin: Annotated[
        str | None, typer.Option("--pin", help="Hold this item at 0, and give the others as differences to it.")
    ] = None,
    rounds: RoundsOption = 1000,
    ratings: Annotated[
        bool,
        typer.Option("--ratings", help="Add what others would say: win rate, Elo, TrueSkill, rank centrality."),
    ] = False,
    shuffles: Annotated[
        int,
        typer.Option(
            "--shuffles",
            min=0,
            help="With --ratings, Elo and TrueSkill as means over so many random orders; 0 keeps the answers' order.",
        ),
    ] = 0,
    guessing: Annotated[
        bool, typer.Option("--guessing", help="Say of each judge how much the answers look like guesses.")
    ] = False,
    tally: Annotated[
        bool, typer.Option("--tally", help="Add how often each beat each other one, with a sign test.")
    ] = False,
    tables: Annotated[bool, typer.Option("--tables", help="With --json, add the tables of every pair.")] = False,
    seed: SeedOption = 1,
    json: JsonFlag = False,
) -> None:
    """Rank systems by people's choices between two of them, given in files or in a campaign's directory.

    Example: `tolka judge rank answers.csv --format wmt --json`

    With ties as answers of their own, and other ratings beside: `tolka judge rank votes.json -f battles --model davidson --ratings`

    Rankings of five fitted as such: `tolka judge rank rankings.csv --format wmt --model plackett-luce`
    """
    from tolka.judge.rank import PlackettLuceRanker, exclude, regauge, suspicions
    from tolka.judge.rank import tally as tallied

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
        model=model,
        design=design_of(answers, asked),
    )
    given: Iterable[Answer]
    if isinstance(ranker, PlackettLuceRanker):
        rankings = list(read_all_rankings(answers, format, pair=pair, criterion=criterion))
        ranking = ranker.fit_rankings(rankings)
        given = [answer for ranked in rankings for answer in ranked.answers()]
    else:
        given = read_all(answers, format, pair=pair, criterion=criterion)
        if ratings or guessing or tally:
            given = list(given)
        ranking = ranker.fit(given)
    rated = _rated(ranking, exclude(given, ranker.rules)[0], shuffles, seed) if ratings else []
    judged = suspicions(given) if guessing else ()
    counted = tallied(exclude(given, ranker.rules)[0]) if tally else ()
    if gauge != "mean" or pin is not None:
        ranking = regauge(ranking, gauge, pin=pin)
    for warning in ranking.warnings:
        print(f"tolka: warning: {warning}", file=sys.stderr)
    if json:
        more = {"ratings": [one.as_json() for one in rated]} if ratings else {}
        more |= {"guessing": [one.as_json() for one in judged]} if guessing else {}
        more |= {"tally": [one.as_json() for one in counted]} if tally else {}
        print_json({**ranking.as_json(tables=tables), **more})
    else:
        _print_table(ranking, rated, judged)
        _print_tally(counted)


_RATINGS = {
    "win rate": "win_rate",
    "Elo": "elo",
    "TrueSkill": "trueskill",
    "rank centrality": "rank_centrality",
}


def _rated(ranking: Ranking, given: Iterable[Answer], shuffles: int, seed: int) -> list[Rating]:
    """The other ratings of the items of a ranking, in its order."""
    from tolka.judge.rank import ratings

    found = {one.item: one for one in ratings(given, shuffles=shuffles, seed=seed)}
    return [found[item] for item in ranking.items]


def _print_table(ranking: Ranking, rated: Sequence[Rating], judged: Sequence[Suspicion]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("rank", justify="right", no_wrap=True)
    table.add_column("item")
    for name in ("score", f"{ranking.settings['level']:.0%}", "ranks", "expected wins", "answers"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in _RATINGS if rated else ():
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
            *(_rating(rated[i]) if rated else ()),
            end_section=last,
        )
    # Names of systems are long, and a file has no edge to wrap at.
    console = new_console(width=None if sys.stdout.isatty() else 240)
    print_table(table, console)
    told = "" if ranking.tied == ranking.undecided == 0 else f", {ranking.tied:g} ties, {ranking.undecided:g} undecided"
    what = "rankings" if ranking.settings.get("model") == "plackett-luce" else "answers"
    console.print(f"{ranking.answers:g} {what} counted{told}; lines part items that can be told apart.")
    console.print(ranking.assumption)
    _print_more(console, ranking, rated, judged)
    for one in ranking.excluded:
        kept = f"kept: {one.judge}: {one.reason}" if one.judge else f"kept, as {one.reason}"
        out = f"left out: {one.answers:g} answers of {one.judge or '?'} ({one.reason})"
        console.print(Text(kept if one.kept else out), soft_wrap=True)
    for judge in ranking.judges:
        console.print(
            Text(
                f"judge {judge.name or '?'}: reliability {judge.reliability:.2f}, bias {judge.bias:+.2f}, "
                f"guesses {judge.lapse:.0%}, {judge.answers:g} answers"
            )
        )
    console.print(Text(ranking.signature()), style="dim", soft_wrap=True)


def _print_tally(counted: Sequence[Tally]) -> None:
    """Who beat whom how often."""
    from rich.text import Text

    from tolka.cli.tables import new_table
    from tolka.evaluate import p_text

    if not counted:
        return
    table = new_table()
    for name in ("item", "other"):
        table.add_column(name, no_wrap=True)
    for name in ("won", "lost", "ties", "p (sign test)"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in counted:
        numbers = (str(number) for number in (one.wins, one.losses, one.ties))
        table.add_row(Text(one.item), Text(one.other), *numbers, p_text(one.p, name=""))
    print_table(table, new_console(width=None if sys.stdout.isatty() else 240))


def _print_more(console: Console, ranking: Ranking, rated: Sequence[Rating], judged: Sequence[Suspicion]) -> None:
    """What the model, the other ratings and a look at the judges say beside the table."""
    from rich.text import Text

    from tolka.judge.rank import TiedRanking

    if isinstance(ranking, TiedRanking):
        told = f"{ranking.equals_tie:.0%} (nu {ranking.nu:.3g}, {ranking.nu_low:.3g} to {ranking.nu_high:.3g})"
        console.print(f"two that are equally good tie with chance {told}")
    if rated:
        console.print(_alike(ranking, rated))
    for one in judged:
        if one.doubted:
            console.print(Text(str(one)), soft_wrap=True)
    if judged:
        console.print(f"{sum(one.doubted for one in judged)} of {len(judged)} judges look like guessing")


def _rating(one: Rating) -> tuple[str, ...]:
    walk = "" if one.rank_centrality is None else f"{one.rank_centrality:.3f}"
    return f"{one.win_rate:.3f}", f"{one.elo:.0f}", f"{one.trueskill:.2f} ± {one.trueskill_sigma:.2f}", walk


def _alike(ranking: Ranking, rated: Sequence[Rating]) -> str:
    """How far the other ratings agree with the scores."""
    from tolka.judge.experiment import agreement

    told = []
    for name, field in _RATINGS.items():
        values = [getattr(one, field) for one in rated]
        if None not in values and len(set(values)) > 1:
            told.append(f"{name} {agreement(values, ranking.scores.tolist()).kendall:.3f}")
    return "Kendall's tau with the scores: " + (", ".join(told) or "none")
