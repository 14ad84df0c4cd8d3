"""Lines in, lines out: what `tolka translate` does whatever its options."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from tolka.cli.bars import progress
from tolka.corpus.lines import read_batches
from tolka.corpus.sniff import READ, sniff, sniff_file
from tolka.errors import InputError
from tolka.translate.stream import paced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tolka.corpus.sniff import Document

    Shown = Callable[[int, list[str]], Iterable[str]]
    """What is printed for lines of which the first has this number, counted from 0."""


def stream(inputs: Sequence[Path], show: Shown, *, quiet: bool, plain: bool = True) -> None:
    """Print what there is to show of each line of the inputs, or of standard input, as the lines come.

    `plain` refuses documents, of which a translation line by line would leave nothing.
    """
    if plain:
        for path in inputs:
            if path.is_file():
                _refuse(sniff_file(path), path)
    done = 0
    with ExitStack() as bars:
        advance = None
        for lines in _pieces(inputs or [Path("-")], plain=plain):
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


def _pieces(inputs: Sequence[Path], *, plain: bool) -> Iterator[list[str]]:
    for path in inputs:
        batches = read_batches(path)
        yield from paced(batches if not plain or path.is_file() else _watched(batches))


def _watched(batches: Iterator[list[str]]) -> Iterator[list[str]]:
    """What comes through a pipe, once its first lines are no document."""
    for number, batch in enumerate(batches):
        if not number:
            _refuse(sniff(batch), Path("-"))
        yield batch


def _refuse(document: Document | None, path: Path) -> None:
    """Refuse a document; what may be text with marks in it is spoken of."""
    if document is None:
        return
    name = "standard input" if str(path) == "-" else path.name
    if not document.sure:
        what = f"{name} looks like {document.kind}, whose marks are translated as if they were text"
        print(f"tolka: note: {what}", file=sys.stderr, flush=True)
        return
    taken = f"take its text out first (tolka corpus convert {path.name} -o text)"
    raise InputError(
        f"{name} is {document.kind}, which would be broken if it was translated line by line",
        hint=f"{taken if document.kind in READ else 'take its text out first'}, or add --force",
    )


def translate_plainly(model: str, inputs: Sequence[str], *, quiet: bool) -> None:
    """`tolka translate` without options."""
    from tolka.cli.trees import is_tree_model, translate_trees
    from tolka.translate import Translator
    from tolka.translate.translator import best_words

    if is_tree_model(model):
        translate_trees(Path(model), [Path(one) for one in inputs], {}, quiet=quiet)
        return
    translator = Translator.load(model)

    def show(first: int, lines: list[str]) -> list[str]:
        return translator.translate_by(best_words, lines, first=first + 1)

    stream([Path(one) for one in inputs], show, quiet=quiet)
