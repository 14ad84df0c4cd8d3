"""`tolka combine cascade`: one model after the other."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import Annotated

import typer

from tolka.cli.conventions import QuietFlag, ThreadsOption  # noqa: TC001 (Typer reads the annotations)


def cascade(
    first: Annotated[Path, typer.Argument(help="A model of source to pivot.", show_default=False)],
    second: Annotated[Path, typer.Argument(help="A model of pivot to target.", show_default=False)],
    *,
    nbest: Annotated[int, typer.Option("--nbest", min=1, help="Translations into the pivot that are tried.")] = 15,
    threads: ThreadsOption = 0,
    quiet: QuietFlag = False,
) -> None:
    """Translate standard input into a third language and from there: what triangulation is compared with.

    Example: `tolka combine cascade de-en en-fr < text.de > text.fr`
    """
    from tolka.cli.streaming import stream
    from tolka.combine import Cascade
    from tolka.translate import Translator

    both = Cascade(Translator.load(first), Translator.load(second), nbest=nbest)
    stream([], lambda _, lines: both.translate(lines, threads=threads), quiet=quiet)
