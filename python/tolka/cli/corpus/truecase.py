"""`tolka corpus learn-case`, `truecase`, `recase` and `lowercase`: the case of words."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, ThreadsOption, print_json

TextArgument = Annotated[Path, typer.Argument(help="Tokenised text; - is standard input.")]
ModelOption = Annotated[Path, typer.Option("--model", "-m", help="What `tolka corpus learn-case` wrote.")]
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="The file to write; - is standard output.")]
_STANDARD = Path("-")


def learn_case(
    text: TextArgument = _STANDARD,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model to write.")],
    lang: Annotated[str, typer.Option(help="Only Turkish (tr) and Azerbaijani (az) have rules of their own.")] = "",
    json: JsonFlag = False,
) -> None:
    """Learn the usual case of words from tokenised text.

    Example: `tolka corpus learn-case train.de -o de.case`
    """
    from tolka.corpus import Truecaser, read_lines

    truecaser = Truecaser(language=lang).train(read_lines(text))
    truecaser.save(output)
    if json:
        print_json({"words": len(truecaser)})
    else:
        print(f"learned the case of {len(truecaser):,} words")


def truecase(
    text: TextArgument = _STANDARD, *, model: ModelOption, output: OutputOption = _STANDARD, threads: ThreadsOption = 0
) -> None:
    """Give each word of tokenised text its usual case, at the start of sentences too.

    Example: `tolka corpus truecase test.de --model de.case > test.true.de`
    """
    from tolka.corpus import Truecaser, read_batches, write_lines

    truecaser = Truecaser.load(model)
    write_lines(
        output, chain.from_iterable(truecaser.truecase_lines(batch, threads=threads) for batch in read_batches(text))
    )


def recase(
    text: TextArgument = _STANDARD, *, model: ModelOption, output: OutputOption = _STANDARD, threads: ThreadsOption = 0
) -> None:
    """Begin each sentence of tokenised text with a capital; undoes truecase.

    Example: `tolka corpus recase translation.de --model de.case`
    """
    from tolka.corpus import Truecaser, read_batches, write_lines

    truecaser = Truecaser.load(model)
    write_lines(
        output, chain.from_iterable(truecaser.recase_lines(batch, threads=threads) for batch in read_batches(text))
    )


def lowercase(
    text: TextArgument = _STANDARD,
    *,
    lang: Annotated[str, typer.Option(help="Only Turkish (tr) and Azerbaijani (az) have rules of their own.")] = "",
    output: OutputOption = _STANDARD,
    threads: ThreadsOption = 0,
) -> None:
    """Put text in lower case.

    Example: `tolka corpus lowercase train.de -o train.lower.de`
    """
    from tolka.corpus import lowercase_lines, read_batches, write_lines

    write_lines(
        output,
        chain.from_iterable(lowercase_lines(batch, language=lang, threads=threads) for batch in read_batches(text)),
    )
