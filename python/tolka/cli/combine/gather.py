"""`tolka combine gather`: all sources in one translator."""

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

if TYPE_CHECKING:
    from tolka.combine import Gathering


def gather(
    sources: Annotated[
        Path, typer.Argument(metavar="SOURCES.toml", help="What there is; see the example.", show_default=False)
    ],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model's directory.", show_default=False)],
    without: Annotated[
        str | None, typer.Option("--without", help="Steps to leave out, with commas: stack,through,unknown.")
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Make and score the same with fewer steps, too (an ablation).")
    ] = False,
    tunings: Annotated[
        int, typer.Option("--tunings", min=1, max=100, help="How often everything is tuned, with other seeds.")
    ] = 1,
    kind: Annotated[Literal["hiero", "phrase"], typer.Option("--kind", "-k", help="Rules with gaps, or phrases.")] = (
        "hiero"
    ),
    tuner: Annotated[
        str | None, typer.Option("--tuner", help="mira (the default), pro, mert, forest-mira or forest-mert.")
    ] = None,
    order: Annotated[
        int | None, typer.Option("--order", min=1, max=8, help="Longest n-grams of language models. Default: 5.")
    ] = None,
    how: Annotated[
        Literal["dynamic", "dynamic-sum", "sum", "max"],
        typer.Option("--how", help="How ways through other languages are composed; see `tolka combine triangulate`."),
    ] = "dynamic",
    operation: Annotated[
        Literal["wsum", "wmax", "prod", "switch:max", "switch:sum"],
        typer.Option("--operation", help="How parts are mixed; see `tolka combine ensemble`."),
    ] = "wsum",
    scheme: Annotated[
        Literal["auto", "joint", "pairwise", "expected", "uniform"],
        typer.Option("--scheme", help="How it is found what each part counts; see `tolka combine ensemble`."),
    ] = "auto",
    folds: Annotated[
        int | None, typer.Option("--folds", "-f", help="Folds of a direct text. Default: see `tolka combine stack`.")
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
    """Make one translator of all there is: direct texts, texts with other languages, monolingual text, dictionaries.

    SOURCES.toml has langs = ["de", "fr"], dev = ["dev.de", "dev.fr"] and test (may be missing); tables [[direct]] with
    files = ["web.de", "web.fr"]; [[through]] with pivots = ["en"] and legs = [["a.de", "a.en"], ["b.en", "b.fr"]]; and
    [unknown] with mono = ["more.de"] and lexicon = ["words.tsv"]. Paths start from its directory.

    A run that was stopped, killed even, goes on where it was when the same command is given again.

    Example: `tolka combine gather sources.toml -o model --compare`
    """
    from tolka.combine import GatherSettings, Sources
    from tolka.combine import gather as make

    given: dict[str, Any] = {"tuner": tuner, "order": order}
    asked = GatherSettings(
        sources=Sources.load(sources),
        without=() if without is None else tuple(map(str.strip, without.split(","))),
        compare=compare,
        tunings=tunings,
        kind=kind,
        how=how,
        operation=operation,
        scheme=scheme,
        folds=folds,
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


def _show(result: Gathering) -> None:
    from tolka.combine.page import spread
    from tolka.evaluate import p_text

    if len(result.rows) > 1:
        table = new_table()
        first = result.rows[0].name
        for head in ("", "test", f"to {first}", "unknown words"):
            table.add_column(head, justify="right" if head else "left")
        for row in result.rows:
            table.add_row(
                f"{row.name} *" if row.name == result.settings.whole.name else row.name,
                spread(row.test.scores, row.test.mean, row.test.deviation),
                f"{row.differences[first]:+.2f} ({p_text(row.p[first])})" if first in row.p else "",
                f"{row.covered.unknown_types:,}",
            )
        print_table(table, console())
    scored = "" if result.test is None else f": test BLEU {result.test:.2f}"
    print(", ".join(f"{name} {weight:.3g}" for name, weight in result.parts.items()))
    print(f"saved to {result.model}{scored}")
    print(f"page {result.page}")
