"""`tolka combine oov gold`: right translations of unknown words, from text that has them."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, ThreadsOption, print_json, progress


def gold(
    model: Annotated[Path, typer.Argument(help="The model that does not know the words.", show_default=False)],
    source: Annotated[Path, typer.Argument(help="Text that has them, as people write it.", show_default=False)],
    target: Annotated[Path, typer.Argument(help="Its translation, line by line.", show_default=False)],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the gold standard goes.", show_default=False)],
    links: Annotated[
        Path | None,
        typer.Option("--links", help="Links of the words as the model sees them (i-j). Default: aligned here."),
    ] = None,
    text: Annotated[
        Path | None, typer.Option("--text", help="A text whose unknown words are wanted. Default: SOURCE itself.")
    ] = None,
    least: Annotated[int, typer.Option("--least", min=1, help="How often a translation must come.")] = 1,
    names: Annotated[bool, typer.Option("--names", help="Names are wanted, too.")] = False,
    seed: SeedOption = 1,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Read off aligned text what words that a model does not know are linked with: a gold standard that is nobody's work.

    The larger the text, the better its links.

    Example: `tolka combine oov gold de-en large.de large.en --text dev.de -o gold.tsv`
    """
    from tolka.combine.oov import make_gold, write_gold

    found = make_gold(
        model,
        source,
        target,
        links=links,
        text=text,
        least=least,
        names=names,
        seed=seed,
        threads=threads,
        progress=progress(quiet),
    )
    lines = write_gold(output, found)
    if json:
        print_json({"gold": str(output), "words": len(found), "translations": lines})
    else:
        print(f"{len(found):,} words with {lines:,} translations: {output}")
