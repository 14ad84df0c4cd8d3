"""`tolka judge simulate`: what a way of asking is worth, on made-up items or on real answers."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path  # noqa: TC003 - Typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, print_json, progress
from tolka.cli.judge.sources import FormatOption, PairOption  # noqa: TC001 - Typer reads the annotations
from tolka.cli.tables import console as new_console
from tolka.cli.tables import print_table

if TYPE_CHECKING:
    from tolka.judge.ask import Saving, Simulation

_TARGETS = (0.6, 0.7, 0.8, 0.9)
_BASELINE = "random"


# Click knows no option with a varying number of values: those after the first arrive as arguments.
def simulate(
    more: Annotated[list[str] | None, typer.Argument(metavar="[STRATEGY…]", help="More values of --strategy.")] = None,
    *,
    items: Annotated[int, typer.Option("--items", min=2, help="How many items there are.")] = 7,
    spread: Annotated[
        float, typer.Option("--spread", min=0, help="Standard deviation of their true scores, in logits.")
    ] = 0.5,
    answers: Annotated[int | None, typer.Option("--answers", min=1, help="Answers in each run.")] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            "--strategy",
            metavar="NAME [NAME…]",
            help="information, order, random, uniform, adjacent, trueskill; several are compared.",
        ),
    ] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", help="A file of answers: ask the people in it instead of made-up ones.")
    ] = None,
    format: FormatOption = "jsonl",  # noqa: A002
    pair: PairOption = None,
    runs: Annotated[int, typer.Option("--runs", min=1, help="How often to begin again.")] = 20,
    batch: Annotated[
        int | None, typer.Option("--batch", min=1, help="Questions chosen at once: 1, or 10 in a replay.")
    ] = None,
    explore: Annotated[
        float, typer.Option("--explore", min=0, max=1, help="The share of questions chosen at random.")
    ] = 0.0,
    prior: Annotated[float, typer.Option("--prior", min=0, help="Precision of the prior in logits; 0 is none.")] = 0.25,
    lapse: Annotated[
        float, typer.Option("--lapse", min=0, max=1, help="The share of made-up answers that are a coin's.")
    ] = 0.0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Draw the curves on a page of this name.")
    ] = None,
    seed: SeedOption = 1,
    quiet: QuietFlag = False,
    json: JsonFlag = False,
) -> None:
    """Draw learning curves: how right and how sure a ranking is after so many answers, by the way of asking.

    Example: `tolka judge simulate --items 7 --spread 0.5 --answers 500 --strategy information random --json`

    Example: `tolka judge simulate --replay answers.csv --format wmt --strategy order random -o curves.html`
    """
    from tolka.errors import SettingsError
    from tolka.judge import ask

    if more and not strategy:
        raise SettingsError(f"unexpected {' '.join(more)!r}", hint="strategies come after --strategy")
    names = list(dict.fromkeys([*(strategy or ["order", "information", _BASELINE]), *(more or [])]))
    for name in names:
        ask.strategy_named(name)
    if replay is None:
        found = ask.simulate(
            items,
            spread,
            answers or 500,
            names,
            runs=runs,
            batch=batch or 1,
            explore=explore,
            prior=prior,
            lapse=lapse,
            seed=seed,
            progress=progress(quiet),
        )
        title = f"{items} items with spread {spread:g}"
    else:
        from tolka.judge.ask.replay import BATCH
        from tolka.judge.exchange import read_answers

        found = ask.replay(
            read_answers(replay, format, pair=pair),
            names,
            budget=answers,
            runs=runs,
            batch=batch or BATCH,
            prior=prior,
            explore=explore,
            seed=seed,
            progress=progress(quiet),
        )
        title = f"Replay of {replay.name}"
    savings = _savings(found, seed)
    if output is not None:
        from tolka.files import write_atomic
        from tolka.judge.report import render_curves

        with write_atomic(output) as file:
            file.write(render_curves(found, savings, title=title))
    if json:
        print_json({**found.as_json(), "savings": [asdict(one) for one in savings]})
    else:
        _print(found, savings)


def _savings(found: Simulation, seed: int) -> list[Saving]:
    """Every strategy against random questions, where both are there, at every tau that random questions reach."""
    from tolka.judge.ask import saving

    baseline = next((curve for curve in found.curves if curve.strategy == _BASELINE), None)
    if baseline is None:
        return []
    others = [curve for curve in found.curves if curve is not baseline]
    compared = [saving([curve], [baseline], target, seed=seed) for curve in others for target in _TARGETS]
    return [one for one in compared if one is not None]


def _print(found: Simulation, savings: list[Saving]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    console = new_console(width=None if sys.stdout.isatty() else 120)
    for title, column in (("Kendall's tau", "tau"), ("width of the 95 % intervals", "width")):
        table = Table(box=SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
        table.add_column("answers", justify="right")
        for curve in found.curves:
            table.add_column(curve.strategy, justify="right")
        for at, answers in enumerate(found.curves[0].answers):
            table.add_row(f"{answers:,}", *(f"{getattr(curve, column).mean(axis=0)[at]:.3f}" for curve in found.curves))
        print_table(table, console)
    for one in savings:
        share = f"{one.ratio:.2f} ({one.low:.2f} to {one.high:.2f})"
        console.print(f"{one.strategy} needs {share} of the answers of {one.baseline} for tau {one.tau:g}")
