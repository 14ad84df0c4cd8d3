"""`tolka corpus synth`: make a parallel corpus whose links and trees are known."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, print_json, progress


def synth(
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Directory to write.", show_default=False)],
    pairs: Annotated[int, typer.Option("--pairs", min=0, help="Sentences of training text.")] = 5000,
    dev: Annotated[int, typer.Option("--dev", min=0, help="Sentences of development text.")] = 500,
    test: Annotated[int, typer.Option("--test", min=0, help="Sentences of test text.")] = 500,
    mono: Annotated[
        int | None, typer.Option("--mono", min=0, help="Lines of monolingual text per language. Default: as --pairs.")
    ] = None,
    domain: Annotated[
        str | None, typer.Option("--domain", help="home or tech, the domain of dev and test text. Default: both.")
    ] = None,
    in_domain: Annotated[
        float, typer.Option("--in-domain", min=0, max=1, help="Share of training text from --domain.")
    ] = 1.0,
    rare: Annotated[
        float, typer.Option("--rare", min=0, max=1, help="How often test and monolingual text use unseen twins.")
    ] = 0.3,
    multitrees: Annotated[
        bool,
        typer.Option("--multitrees", help="Also the gold multitrees of English and French, TEXT.en-fr.multitrees."),
    ] = False,
    seed: SeedOption = 1,
    force: Annotated[bool, typer.Option("--force", help="Write into a directory that is not empty.")] = False,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Make a German-English-French corpus with gold word links and trees.

    Example: tolka corpus synth --pairs 5000 --seed 1 -o synth
    """
    from tolka.corpus.synthetic import write

    written = write(
        output,
        pairs=pairs,
        dev=dev,
        test=test,
        mono=mono,
        seed=seed,
        domain=domain,
        in_domain=in_domain,
        rare=rare,
        force=force,
        progress=progress(quiet),
    )
    banks = {}
    if multitrees:
        from tolka.multitree import write_gold

        banks = write_gold(output, progress=progress(quiet))
    if json:
        trees = {"multitrees": {split: asdict(bank) for split, bank in banks.items()}} if multitrees else {}
        print_json(asdict(written) | trees)
        return
    for split in ("train", "dev", "test"):
        facts = written.splits[split]
        tokens = ", ".join(f"{count:,} {language}" for language, count in facts["tokens"].items())
        print(f"{split}: {facts['examples']:,} sentences ({tokens or 'no'} tokens)")
    print(f"mono: {written.settings['mono']:,} lines per language")
    for bank in banks.values():
        print(
            f"{bank.path}: {bank.complete:,} of {bank.pairs:,} pairs have a whole multitree, {bank.short:,} with short leaves"
        )
