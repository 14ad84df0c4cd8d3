"""What `tolka parse` does with constituency trees."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tolka.cli.conventions import progress

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KIND = "constituents"


def has_brackets(trees: str) -> bool:
    """Whether a file has trees in Penn brackets; standard input is not looked at."""
    from tolka.corpus import read_lines

    if trees == "-":
        return False
    first = next((line for line in read_lines(trees) if line.strip()), "")
    return first.lstrip().startswith("(")


def is_constituents(model: Path) -> bool:
    """Whether a model is one of tolka's own constituency parsers."""
    from tolka import _engine
    from tolka.errors import TolkaError
    from tolka.limits import DEFAULT

    try:
        return _engine.Container.open(model, None, full=False, most_bytes=DEFAULT.model_bytes).kind == KIND
    except TolkaError:
        return False


def parse_constituents(
    model: Path, sentences: Iterator[list[str]], output: str, *, n_best: int, threads: int, quiet: bool
) -> None:
    """Write trees in brackets, one a line; or so many a sentence, with their numbers and scores."""
    from itertools import tee

    from tolka.corpus import write_lines
    from tolka.syntax import ConstituencyParser, format_penn, penn_words, with_words

    parser = ConstituencyParser.load(model)
    flat_trees = 0

    def best() -> Iterator[str]:
        nonlocal flat_trees
        tokens, words = tee(sentences)
        with progress(quiet).task("parsing", unit="sentences") as advance:
            parsed = parser.parse_stream(map(penn_words, words), threads=threads)
            for sentence, (tree, flat) in zip(tokens, parsed, strict=True):
                flat_trees += flat
                advance(1)
                yield format_penn(with_words(tree, sentence))

    def several() -> Iterator[str]:
        with progress(quiet).task("parsing", unit="sentences") as advance:
            for number, sentence in enumerate(sentences):
                for found in parser.nbest(penn_words(sentence), n_best):
                    tree = format_penn(with_words(found.tree, sentence))
                    yield f"{number} ||| {tree} ||| {found.log_probability:.6f}"
                advance(1)

    write_lines(output, several() if n_best else best())
    if flat_trees and not quiet:
        print(f"{flat_trees:,} sentences have only a flat tree: the grammar has none for them", file=sys.stderr)
