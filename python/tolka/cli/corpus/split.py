"""`tolka corpus split`: train, development and test sets chosen by content."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, ThreadsOption, print_json, progress
from tolka.cli.corpus.inputs import LangsOption, PairArguments, languages_of, read_pairs_of


def split(
    inputs: PairArguments,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Path and beginning of the names of what is written.")],
    langs: LangsOption = None,
    dev: Annotated[str, typer.Option(help="Pairs of the development set, or a share such as 2%.")] = "1000",
    test: Annotated[str, typer.Option(help="Pairs of the test set, or a share such as 2%.")] = "1000",
    by: Annotated[
        str,
        typer.Option(
            help="Keep together what has the same pair, source or target, or sources near to each other (near)."
        ),
    ] = "pair",
    seed: SeedOption = 1,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Split a corpus into train, dev and test sets by a hash of each pair's text.

    Writes `OUTPUT.train.<source>`, `OUTPUT.train.<target>` and likewise dev and test. When the corpus grows, no pair of
    the training set moves into another; with shares nothing ever moves. What repeats a pair of dev or test is left out.

    Example: `tolka corpus split all.de all.en -o out --dev 500 --test 500 --seed 1`
    """
    from tolka.corpus import SplitSettings, parse_size, split_to_files
    from tolka.errors import SettingsError

    if any(str(path) == "-" for path in inputs):
        raise SettingsError("a split reads its input twice, which standard input does not allow", hint="name files")
    report = split_to_files(
        lambda: read_pairs_of(inputs, langs),
        output,
        languages_of(inputs, langs),
        SplitSettings(dev=parse_size(dev), test=parse_size(test), seed=seed, by=by),
        threads=threads,
        progress=progress(quiet),
    )
    if json:
        print_json(report.to_dict())
    else:
        print(
            f"{report.pairs:,} pairs: {report.train:,} train, {report.dev:,} dev, {report.test:,} test, "
            f"{report.repeats:,} left out because they repeat a pair of dev or test"
        )
        if report.near:
            print(f"{report.near:,} pairs of dev and test are nearly repeated in train: their groups are too large")
