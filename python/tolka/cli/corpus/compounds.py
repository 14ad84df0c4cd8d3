"""`tolka corpus learn-compounds` and `split-compounds`: words made of words."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, ThreadsOption, print_json
from tolka.cli.corpus.truecase import OutputOption, TextArgument  # noqa: TC001 (Typer reads the annotations)

_STANDARD = Path("-")


def learn_compounds(
    text: TextArgument = _STANDARD,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model to write.")],
    lang: Annotated[str, typer.Option(help="Only Turkish (tr) and Azerbaijani (az) have rules of their own.")] = "",
    min_length: Annotated[int, typer.Option(min=1, help="Letters of a part, at least.")] = 4,
    min_count: Annotated[int, typer.Option(min=1, help="Occurrences of a part, at least.")] = 5,
    json: JsonFlag = False,
) -> None:
    """Learn from tokenised text which words compounds may be made of.

    Example: `tolka corpus learn-compounds train.de -o de.compounds`
    """
    from tolka.corpus import CompoundSplitter, read_lines

    splitter = CompoundSplitter(language=lang, min_length=min_length, min_count=min_count).train(read_lines(text))
    splitter.save(output)
    if json:
        print_json({"words": len(splitter)})
    else:
        print(f"learned {len(splitter):,} words")


def split_compounds(
    text: TextArgument = _STANDARD,
    *,
    model: Annotated[Path, typer.Option("--model", "-m", help="What `tolka corpus learn-compounds` wrote.")],
    output: OutputOption = _STANDARD,
    threads: ThreadsOption = 0,
) -> None:
    """Split the compounds of tokenised text.

    Example: `tolka corpus split-compounds test.de --model de.compounds > test.parts.de`
    """
    from tolka.corpus import CompoundSplitter, read_batches, write_lines

    splitter = CompoundSplitter.load(model)
    write_lines(
        output, chain.from_iterable(splitter.split_lines(batch, threads=threads) for batch in read_batches(text))
    )
