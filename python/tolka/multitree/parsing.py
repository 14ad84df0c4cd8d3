"""Trees for sentences as the models of translation have them: tokens of the house's tokeniser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.corpus import read_lines
from tolka.errors import FormatError
from tolka.progress import SILENT
from tolka.syntax import parse_penn, penn_words, with_words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tolka.progress import Progress
    from tolka.syntax import ConstituencyParser, Constituent


def parse_tokens(
    parser: ConstituencyParser, sentences: Sequence[Sequence[str]], *, threads: int = 0, progress: Progress = SILENT
) -> tuple[list[Constituent | None], int]:
    """A tree for each sentence that has words, and how many trees are flat because the parser had no better one.

    Example:
        >>> from tolka.syntax import ConstituencyParser, parse_penn
        >>> bank = [parse_penn("(S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN man))))")]
        >>> trees, flat = parse_tokens(ConstituencyParser(rounds=0).train(bank), [["I", "saw", "the", "&quot;"], []])
        >>> print(trees[0], trees[1], flat)
        (S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN &quot;)))) None 0
    """
    trees: list[Constituent | None] = [None] * len(sentences)
    places = [place for place, words in enumerate(sentences) if words]
    parsed = parser.parse_stream((penn_words(sentences[place]) for place in places), threads=threads)
    flat = 0
    with progress.task("parsing", total=len(places), unit="sentences") as advance:
        for place, (tree, poor) in zip(places, parsed, strict=True):
            trees[place] = with_words(tree, sentences[place])
            flat += poor
            advance(1)
    return trees, flat


def read_trees(path: str | PathLike[str]) -> list[Constituent | None]:
    r"""Read a tree a line, in Penn brackets; None for an empty line.

    Raises:
        FormatError: A line is no tree; says which.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "trees.penn"
        >>> _ = path.write_text("(NN yes)\n\n")
        >>> print(*read_trees(path))
        (NN yes) None
    """
    found: list[Constituent | None] = []
    for number, line in enumerate(read_lines(path), 1):
        try:
            found.append(parse_penn(line) if line.strip() else None)
        except FormatError as error:
            raise FormatError(error.what, path=path, line=number, byte=error.byte, hint=error.hint) from error
    return found
