"""`tolka combine stack`: more from the same text."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tolka.cli.bars import tell_stage
from tolka.cli.combine.notes import print_notes
from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, ThreadsOption, print_json, progress
from tolka.cli.interrupts import PATIENCE, stopped_politely
from tolka.cli.tables import console, new_table, print_table
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from tolka.combine import Stacking

_SIDES = 2


def stack(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[SOURCE TARGET]",
            help="Training text and its translation, or a file with both. Without it, --dev is all there is.",
            show_default=False,
        ),
    ] = None,
    *,
    dev: Annotated[tuple[Path, Path], typer.Option("--dev", help="Development set.", show_default=False)],
    langs: Annotated[
        tuple[str, str], typer.Option("--langs", "-l", help="Languages of source and target.", show_default=False)
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The ensemble's directory.", show_default=False)],
    test: Annotated[
        tuple[Path, Path] | None, typer.Option("--test", help="Test set, to be translated and scored in the end.")
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option("--folds", "-f", help="Folds. Default: of about 2,000 pairs; 8 of little text, 4 of very little."),
    ] = None,
    every: Annotated[
        int | None,
        typer.Option("--every", help="Every so-manieth fold makes a model. Default: all of --folds, else 11 at most."),
    ] = None,
    contiguous: Annotated[
        bool, typer.Option("--contiguous", help="Folds are runs of sentences, and not shuffled.")
    ] = False,
    operation: Annotated[
        Literal["wsum", "wmax", "prod", "switch:max", "switch:sum"],
        typer.Option("--operation", help="How models are mixed; see `tolka combine ensemble`."),
    ] = "wsum",
    scale: Annotated[
        Literal["auto", "l1", "lm", "none"], typer.Option("--scale", help="What weights of models are divided by.")
    ] = "auto",
    shared_lm: Annotated[
        bool,
        typer.Option("--shared-lm", help="Tune with the language model of all text, which has seen what is tuned on."),
    ] = False,
    most: Annotated[
        int, typer.Option("--most", min=1, help="Pairs of its fold that a model is tuned on, at most.")
    ] = 2000,
    compare: Annotated[
        bool, typer.Option("--compare", help="Make and score other ways to use the same text, too.")
    ] = False,
    only: Annotated[
        str | None, typer.Option("--only", help="Rows to compare, with commas: conventional,retrained,wsum.")
    ] = None,
    share: Annotated[
        float, typer.Option("--share", help="How much of the training text samples have, in a comparison.")
    ] = 0.8,
    tunings: Annotated[
        int, typer.Option("--tunings", min=1, max=100, help="How often everything is tuned, with other seeds.")
    ] = 1,
    kind: Annotated[Literal["hiero", "phrase"], typer.Option("--kind", "-k", help="Rules with gaps, or phrases.")] = (
        "hiero"
    ),
    strategy: Annotated[
        Literal["chart", "phrase"] | None,
        typer.Option("--strategy", help="How models search. Default: the usual way of their kind."),
    ] = None,
    tokenised: Annotated[
        bool, typer.Option("--tokenised", help="The text is tokenised (and cased as it should be): leave it as it is.")
    ] = False,
    tuner: Annotated[
        str | None, typer.Option("--tuner", help="mira (the default), pro, mert, forest-mira or forest-mert.")
    ] = None,
    lm: Annotated[
        Path | None, typer.Option("--lm", help="A language model to use as it is. Default: of the target sides.")
    ] = None,
    order: Annotated[
        int | None, typer.Option("--order", min=1, max=8, help="Longest n-grams of the language model. Default: 5.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Any stage's setting: tune.iterations=5. Can be repeated.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--page", help="The page about it. Default: the model's name with .html.")
    ] = None,
    work: Annotated[
        Path | None, typer.Option("--work", help="Directory of what stages make. Default: the model's name with .work.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Go on although the text looks wrong: swapped, the same, seen before.")
    ] = False,
    seed: SeedOption = 1,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Make several models of one text, each without a fold of it that it is tuned on, and let them translate together.

    No text is spared for tuning, and each model is tuned on other text. A run that was stopped, killed even, goes on where
    it was when the same command is given again.

    Example: `tolka combine stack train.de train.en --dev dev.de dev.en --langs de en -o model`
    """
    from tolka.combine import StackSettings
    from tolka.combine import stack as make
    from tolka.corpus import CorpusFiles

    if files and len(files) > _SIDES:
        raise SettingsError(f"{len(files)} files are more than a text and its translation", hint="put texts into one")
    given: dict[str, Any] = {"tuner": tuner, "order": order}
    asked = StackSettings(
        dev=dev,
        langs=langs,
        train=CorpusFiles("train", *files) if files else None,
        test=test,
        folds=folds,
        every=every,
        contiguous=contiguous,
        operation=operation,
        scale=scale,
        held_lm=not shared_lm,
        most=most,
        compare=compare,
        only=() if only is None else tuple(one.strip() for one in only.split(",") if one.strip()),
        share=share,
        tunings=tunings,
        kind=kind,
        strategy=strategy,
        tokenised=tokenised,
        lm=lm,
        seed=seed,
        threads=threads,
        overrides=tuple(settings or ()),
        force=force,
        **{name: value for name, value in given.items() if value is not None},
    )
    with stopped_politely():
        result = make(
            asked,
            output,
            work=work,
            page=page,
            progress=progress(quiet),
            patience=PATIENCE,
            tell=lambda note: print_notes([note]),
            stage_done=None if quiet or sys.stderr.isatty() else tell_stage,
        )
    if json:
        print_json(result.to_json())
    else:
        _show(result)


def _show(result: Stacking) -> None:
    from tolka.combine.page import spread
    from tolka.evaluate import p_text

    if len(result.rows) > 1:
        baselines = [name for name in ("conventional", "retrained") if any(row.name == name for row in result.rows)]
        table = new_table()
        for head in ("", "test", *(f"to {name}" for name in baselines), "models"):
            table.add_column(head, justify="right" if head else "left")
        for row in result.rows:
            table.add_row(
                f"{row.name} *" if row.name == result.settings.operation else row.name,
                spread(row.test.scores, row.test.mean, row.test.deviation),
                *(
                    f"{row.differences[name]:+.2f} ({p_text(row.p[name])})" if name in row.p else ""
                    for name in baselines
                ),
                f"{row.models}",
            )
        print_table(table, console())
    scored = "" if result.test is None else f": test BLEU {result.test:.2f}"
    print(f"{len(result.folds)} models of {result.settings.folds} folds, held-out BLEU {result.held_out:.2f}")
    print(f"saved their {result.settings.operation} to {result.model}{scored}")
    print(f"page {result.page}")
