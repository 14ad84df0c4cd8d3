"""`tolka learn`: what systems that learn to search have learnt."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.cli.conventions import JsonFlag, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from tolka.multitree.analysis import Analysis, Mass

app = typer.Typer(name="learn", help="Look into systems that learn to search.", no_args_is_help=True)


@app.callback()
def learn() -> None:
    """Look into systems that learn to search."""


@app.command(no_args_is_help=True)
def analyse(
    model: Annotated[Path, typer.Argument(help="A model of `tolka train --kind multitree`, or one saved from Python.")],
    *,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with charts, too.")] = None,
    features: Annotated[int, typer.Option("--features", min=1, help="Features to print of each kind.")] = 12,
    json: JsonFlag = False,
) -> None:
    """Print what a multitree system learnt: weights, curves, feature mass, confidence, complete multitrees by brackets.

    Example: `tolka learn analyse en-fr`

    Example: `tolka learn analyse en-fr --html en-fr.html --json`
    """
    from tolka.files import Bundle, write_atomic
    from tolka.multitree.analysis import Analysis
    from tolka.multitree.translator import KIND, MultitreeTranslator
    from tolka.translate.multitree import KIND as TREES
    from tolka.translate.multitree import TreeDescription

    bundle = Bundle.open(model, kind=(TREES, KIND))
    settings = bundle.settings
    if bundle.kind == TREES:
        settings = TreeDescription.of_manifest(settings, bundle.path).multitree
    found = Analysis.of(MultitreeTranslator.read(bundle, settings))
    if html is not None:
        with write_atomic(html) as out:
            out.write(found.page(model.resolve().name))
    if json:
        print_json(found.to_dict())
    else:
        _show(found, features)


def _show(found: Analysis, features: int) -> None:
    from tolka.cli.tables import console as new_console

    console = new_console()
    record = found.record
    if record.account is not None:
        account = record.account
        console.print(
            f"{account.pairs:,} pairs, {account.complete:.1%} with a complete multitree; "
            f"{account.lexicon[2]:,} pairs of phrases, {account.lexicon[0]:,} and {account.lexicon[1]:,} fuses"
        )
        for reason, count in account.reasons().items():
            console.print(f"left out: {count:,} because {reason}")
    if found.weights:
        _weights(found, console)
    _curves(found, console)
    _figures(found, console)
    for name, mass in (("pairs of phrases", found.pairs), ("joins", found.joins)):
        if mass:
            _mass(name, mass[:features], console)


def _weights(found: Analysis, console: Console) -> None:
    from tolka.cli.tables import new_table, print_table

    console.print("weights of statistics", soft_wrap=True)
    table = new_table()
    for head in ("statistic", "weight"):
        table.add_column(head, justify="left" if head == "statistic" else "right")
    for name, weight in found.weights.items():
        table.add_row(name, f"{weight:.4f}")
    print_table(table, console)


def _curves(found: Analysis, console: Console) -> None:
    from tolka.cli.tables import new_table, print_table
    from tolka.multitree.analysis import EXAMPLES, MEANS

    if found.record.curve:
        # Where links alone tell what is right, nothing is searched.
        searched = all("seen" in row for row in found.record.curve)
        watched = any("score" in row for row in found.record.curve)
        means = "means of a pair, and " if searched else ""
        console.print(f"iterations: {means}examples so far", soft_wrap=True)
        table = new_table()
        heads = ("iteration", "epoch", *(("explored", "complete", *MEANS) if searched else ()), *EXAMPLES)
        for head in (*heads, "classifiers", *(("score",) if watched else ())):
            table.add_column(head, justify="right")
        for row in found.record.curve:
            first = [str(row["iteration"]), str(row["epoch"])]
            if searched:
                first += [str(row["limit"]), f"{row['complete']:.1%}", *(f"{row[name]:.1f}" for name in MEANS)]
            examples = [f"{count:,}" for count in row["examples"]]
            last = [f"{row['score']:.2f}" if "score" in row else ""] if watched else []
            table.add_row(*first, *examples, f"{row.get('classifiers', 0):,}", *last)
        print_table(table, console)
    tuning = found.record.tuning
    if tuning is not None:
        console.print(f"{tuning.metric.upper()} of the tuning set", soft_wrap=True)
        table = new_table()
        for head in ("penalty", "score", ""):
            table.add_column(head, justify="right")
        for penalty, score in tuning.curve:
            table.add_row(f"{penalty:.6f}", f"{score:.2f}", "chosen" if penalty == tuning.penalty else "")
        print_table(table, console)


def _figures(found: Analysis, console: Console) -> None:
    from tolka.cli.tables import new_table, print_table

    if found.record.completeness:
        console.print("complete multitrees by brackets that a step may cross", soft_wrap=True)
        table = new_table()
        for head in ("brackets", "complete", ""):
            table.add_column(head, justify="left" if not head else "right")
        for allowed, part in found.record.completeness:
            table.add_row(str(allowed), f"{part:.1%}", "█" * round(part * 40))
        print_table(table, console)
    if found.record.sureness:
        console.print(
            "confidence in examples: mean without sign, where a step is believed right and where not", soft_wrap=True
        )
        table = new_table()
        for head in ("step", "right", "wrong", "believed right", "believed wrong", "correct", "unknown"):
            table.add_column(head, justify="left" if head == "step" else "right")
        for one in found.record.sureness:
            means, counts = (f"{mean:.3f}" for mean in one.mean), (f"{count:,}" for count in one.believed)
            table.add_row(one.kind, *means, *counts, f"{one.right:.1%}", f"{one.unknown:,}")
        print_table(table, console)


def _mass(name: str, mass: Mass, console: Console) -> None:
    from tolka.cli.tables import new_table, print_table

    console.print(f"features of {name}: share of the weight where they hold, and where not", soft_wrap=True)
    table = new_table()
    for head in ("feature", "holds", "fails"):
        table.add_column(head, justify="left" if head == "feature" else "right")
    for feature, yes, no in mass:
        table.add_row(feature, f"{yes:.4f}", f"{no:.4f}")
    print_table(table, console)
