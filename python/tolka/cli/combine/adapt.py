"""`tolka combine adapt`: all ways to adapt to a domain, compared."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tolka.cli.bars import tell_stage
from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, ThreadsOption, print_json, progress
from tolka.cli.interrupts import PATIENCE, stopped_politely
from tolka.cli.tables import console, new_table, print_table
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.combine import Adaptation
    from tolka.corpus import CorpusFiles


def adapt(
    targets: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[OUT_TARGET]...", help="The second file of each --out.", show_default=False),
    ] = None,
    *,
    inside: Annotated[
        tuple[Path, Path], typer.Option("--in", help="Text of the domain and its translation.", show_default=False)
    ],
    outside: Annotated[
        list[str] | None,
        typer.Option(
            "--out",
            metavar="SOURCE TARGET",
            help="Text of another domain and its translation, alone or with a name: law=o.de o.en. Can be repeated.",
        ),
    ] = None,
    dev: Annotated[
        tuple[Path, Path],
        typer.Option("--dev", help="Development set of the domain, to tune and choose on.", show_default=False),
    ],
    test: Annotated[tuple[Path, Path], typer.Option("--test", help="Test set of the domain.", show_default=False)],
    langs: Annotated[
        tuple[str, str], typer.Option("--langs", "-l", help="Languages of source and target.", show_default=False)
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The best model's directory.", show_default=False)],
    only: Annotated[
        str | None,
        typer.Option("--only", help="Rows to make, with commas: concatenation,linear,wsum-tuned. Default: all."),
    ] = None,
    parts: Annotated[
        str | None,
        typer.Option("--parts", help="Rows that ensembles are made of: in,concatenation. Default: each text alone."),
    ] = None,
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
        str,
        typer.Option(
            "--lm", help="all (one of all target sides), mixed (one of each, interpolated on --dev), or a file."
        ),
    ] = "all",
    order: Annotated[
        int | None, typer.Option("--order", min=1, max=8, help="Longest n-grams of the language model. Default: 5.")
    ] = None,
    share: Annotated[
        float | None,
        typer.Option("--share", help="How much of --out is selected, above 0 up to 1. Default: what suits --dev best."),
    ] = None,
    scheme: Annotated[
        Literal["auto", "joint", "pairwise", "expected"],
        typer.Option("--scheme", help="How lambdas of ensembles are tuned; see `tolka combine ensemble`."),
    ] = "auto",
    starts: Annotated[
        int, typer.Option("--starts", min=1, help="Starts of that search, all but the first random.")
    ] = 3,
    evaluations: Annotated[
        int | None, typer.Option("--evaluations", min=1, help="Decodings of each start, at most.")
    ] = None,
    scale: Annotated[
        Literal["auto", "l1", "lm", "none"],
        typer.Option("--scale", help="What the weights of an ensemble's parts are divided by."),
    ] = "auto",
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
    """Compare all ways to adapt to a domain with little text beside others with much, and keep the best.

    What is needed is trained once. A run that was stopped, killed even, goes on where it was when the same command is given
    again.

    Example: `tolka combine adapt --in i.de i.en --out o.de o.en --dev d.de d.en --test t.de t.en -l de en -o model`
    """
    from tolka.combine import AdaptSettings
    from tolka.combine import adapt as compare
    from tolka.corpus import CorpusFiles

    given: dict[str, Any] = {"tuner": tuner, "order": order}
    asked = AdaptSettings(
        inside=CorpusFiles("in", *inside),
        outside=tuple(_outside(outside or [], targets or [], langs)),
        dev=dev,
        test=test,
        langs=langs,
        only=_listed(only),
        parts=_listed(parts),
        tunings=tunings,
        kind=kind,
        strategy=strategy,
        tokenised=tokenised,
        lm=lm if lm in {"all", "mixed"} else Path(lm),  # type: ignore[arg-type]
        share=share,
        scheme=scheme,
        starts=starts,
        evaluations=evaluations,
        scale=scale,
        seed=seed,
        threads=threads,
        overrides=tuple(settings or ()),
        force=force,
        **{name: value for name, value in given.items() if value is not None},
    )
    with stopped_politely():
        result = compare(
            asked,
            output,
            work=work,
            page=page,
            progress=progress(quiet),
            patience=PATIENCE,
            tell=_tell,
            stage_done=None if quiet or sys.stderr.isatty() else tell_stage,
        )
    if json:
        print_json(result.to_json())
    else:
        _show(result)


def _listed(text: str | None) -> tuple[str, ...]:
    return () if text is None else tuple(one.strip() for one in text.split(",") if one.strip())


def _outside(given: Sequence[str], targets: Sequence[Path], langs: tuple[str, str]) -> list[CorpusFiles]:
    """The texts of other domains: each option has a file, and the other one stands behind it."""
    from tolka.corpus import CorpusFiles
    from tolka.corpus.several import named

    # Files with both sides need no others.
    if targets and len(given) != len(targets):
        what = f"there are {len(given)} --out and {len(targets)} files behind them"
        raise SettingsError(what, hint="give each --out a source and a target")
    named_ones: list[str | None] = []
    groups: list[tuple[Path, ...]] = []
    for at, one in enumerate(given):
        before, sign, after = one.partition("=")
        has_name = bool(sign) and not Path(one).exists()
        named_ones.append(before if has_name else None)
        groups.append((Path(after if has_name else one), *targets[at : at + 1]))
    if len(groups) == 1:
        return [CorpusFiles(named_ones[0] or "out", *groups[0])]
    called = named(groups, langs)
    return [
        CorpusFiles(name or (f"{own.name}-1" if own.name in {"in", "out"} else own.name), *group)
        for name, own, group in zip(named_ones, called, groups, strict=True)
    ]


def _tell(note: str) -> None:
    print(f"tolka: note: {note}", file=sys.stderr, flush=True)


def _show(result: Adaptation) -> None:
    from tolka.combine.page import spread
    from tolka.evaluate import p_text

    baselines = [name for name in ("concatenation", "linear") if any(row.name == name for row in result.rows)]
    table = new_table()
    for head in ("", "dev", "test", *(f"p to {name}" for name in baselines), "rules"):
        table.add_column(head, justify="right" if head else "left")
    for row in result.rows:
        table.add_row(
            f"{row.name} *" if row.name == result.best else row.name,
            spread(row.dev.scores, row.dev.mean, row.dev.deviation),
            spread(row.test.scores, row.test.mean, row.test.deviation),
            *(p_text(row.p[name], name="") if name in row.p else "" for name in baselines),
            f"{row.rules:,}",
        )
    print_table(table, console())
    print(f"best on dev: {result.best}, saved to {result.model}: test BLEU {result.test:.2f}, dev {result.dev:.2f}")
    print(f"page {result.page}")
