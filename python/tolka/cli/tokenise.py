"""`tolka tokenise` and `tolka detokenise`: lines in, lines out, in batches that bound the memory."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.cli.conventions import QuietFlag, ThreadsOption, progress

if TYPE_CHECKING:
    from collections.abc import Callable

LangOption = Annotated[str, typer.Option("--lang", "-l", help="Language code, as in en, de or hin_Deva.")]
Inputs = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Files, plain or compressed, read one after the other; standard input if none.", metavar="FILE"
    ),
]


def tokenise(
    lang: LangOption,
    inputs: Inputs = None,
    escape: Annotated[
        bool, typer.Option("--escape/--no-escape", help="Write | as &#124; and so on, as Moses does.")
    ] = True,
    protect: Annotated[
        bool, typer.Option("--protect", help="Leave web and e-mail addresses and numbers like 12:30 whole.")
    ] = False,
    notation: Annotated[
        bool,
        typer.Option(
            "--notation/--no-notation",
            help="Leave text that is not words whole: %s, ${name}, tags, addresses, paths, Super+L; or cut it as Moses does.",
        ),
    ] = True,
    threads: ThreadsOption = 0,
    quiet: QuietFlag = False,
) -> None:
    """Cut each line into tokens, by the rules of Moses.

    Example: tolka tokenise --lang de < raw.de > tok.de
    """
    from tolka.corpus import Tokeniser

    tokeniser = Tokeniser(lang, escape=escape, protect=protect, notation=notation)
    _rewrite("tokenising", inputs, lambda lines: tokeniser.lines(lines, threads), quiet)


def detokenise(
    lang: LangOption,
    inputs: Inputs = None,
    threads: ThreadsOption = 0,
    quiet: QuietFlag = False,
) -> None:
    """Join the tokens of each line into text as people write it.

    Example: tolka detokenise --lang en < tok.en > raw.en
    """
    from tolka.corpus import Detokeniser

    detokeniser = Detokeniser(lang)
    _rewrite("detokenising", inputs, lambda lines: detokeniser.lines(lines, threads), quiet)


def _rewrite(name: str, inputs: list[Path] | None, work: Callable[[list[str]], list[str]], quiet: bool) -> None:
    from tolka.corpus import read_batches

    with progress(quiet).task(name, unit="lines") as advance:
        for path in inputs or [Path("-")]:
            for lines in read_batches(path):
                sys.stdout.buffer.write("".join(f"{line}\n" for line in work(lines)).encode())
                advance(len(lines))
    sys.stdout.buffer.flush()
