"""Lines in, lines out: what `tolka translate` does whatever its options."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from tolka.cli.bars import progress
from tolka.corpus.lines import read_batches
from tolka.translate.stream import paced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Shown = Callable[[int, list[str]], Iterable[str]]
    """What is printed for lines of which the first has this number, counted from 0."""


def stream(inputs: Sequence[Path], show: Shown, *, quiet: bool) -> None:
    """Print what there is to show of each line of the inputs, or of standard input, as the lines come."""
    done = 0
    with ExitStack() as bars:
        advance = None
        for lines in _pieces(inputs or [Path("-")]):
            # A bar takes longer to load than a few lines take to translate.
            if done and advance is None:
                advance = bars.enter_context(progress(quiet).task("translating", unit="lines"))
                advance(done)
            sys.stdout.buffer.write("".join(f"{line}\n" for line in show(done, lines)).encode())
            # Whoever waits for these lines gets them before the next are begun.
            sys.stdout.buffer.flush()
            done += len(lines)
            if advance is not None:
                advance(len(lines))


def _pieces(inputs: Sequence[Path]) -> Iterator[list[str]]:
    for path in inputs:
        yield from paced(read_batches(path))


def translate_plainly(model: str, inputs: Sequence[str], *, quiet: bool) -> None:
    """`tolka translate` without options."""
    from tolka.decode import Decoder
    from tolka.translate import Translator

    translator = Translator.load(model)

    def show(first: int, lines: list[str]) -> list[str]:
        return translator.translate_by(Decoder.translate, lines, first=first + 1)

    stream([Path(one) for one in inputs], show, quiet=quiet)
