"""What `tolka parse` does with constituency trees."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tolka.cli.conventions import at_line, progress

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tolka.syntax import ConstituencyParser

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


def constituent_lines(
    model: Path, sentences: Iterator[list[str]], *, nbest: int | None, forest: bool, threads: int, quiet: bool
) -> Iterator[str]:
    """Trees in brackets, one a line; or so many a sentence, with their numbers and scores; or forests as JSON."""
    from tolka.syntax import ConstituencyParser

    parser = ConstituencyParser.load(model)
    if forest:
        return _forests(parser, sentences, nbest, quiet=quiet)
    return _several(parser, sentences, nbest, quiet=quiet) if nbest else _best(parser, sentences, threads, quiet=quiet)


def _best(parser: ConstituencyParser, sentences: Iterator[list[str]], threads: int, *, quiet: bool) -> Iterator[str]:
    from itertools import tee

    from tolka.syntax import format_penn, penn_words, with_words

    flat_trees = 0
    tokens, words = tee(sentences)
    with progress(quiet).task("parsing", unit="sentences") as advance:
        parsed = parser.parse_stream(map(penn_words, words), threads=threads)
        for sentence, (tree, flat) in zip(tokens, parsed, strict=True):
            flat_trees += flat
            advance(1)
            yield format_penn(with_words(tree, sentence))
    if flat_trees and not quiet:
        print(f"{flat_trees:,} sentences have only a flat tree: the grammar has none for them", file=sys.stderr)


def _several(parser: ConstituencyParser, sentences: Iterator[list[str]], nbest: int, *, quiet: bool) -> Iterator[str]:
    from tolka.syntax import format_penn, penn_words, with_words

    with progress(quiet).task("parsing", unit="sentences") as advance:
        for number, sentence in enumerate(sentences):
            for found in parser.nbest(penn_words(sentence), nbest):
                tree = format_penn(with_words(found.tree, sentence))
                yield f"{number} ||| {tree} ||| {found.log_probability:.6f}"
            advance(1)


def _forests(
    parser: ConstituencyParser, sentences: Iterator[list[str]], nbest: int | None, *, quiet: bool
) -> Iterator[str]:
    from tolka.syntax import penn_words

    with progress(quiet).task("parsing", unit="sentences") as advance:
        for number, sentence in enumerate(sentences, 1):
            words = penn_words(sentence)
            with at_line(number):
                found = parser.nbest_forest(words, nbest) if nbest else parser.forest(words)
            yield found.with_words(sentence).to_json()
            advance(1)
