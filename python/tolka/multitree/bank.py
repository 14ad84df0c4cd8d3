"""Multitreebanks: for each sentence pair its multitree, or the trees that cover it best, one pair a line.

A line is `source words ||| target words ||| trees`; see `format_tree` for the trees. A tree that does not begin with the
first words has its place before it, `@3,5`: its first source word and first target word, from 0. Line n belongs to line n
of the bitext; an empty line is a pair without words.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from tolka.corpus import read_lines, write_lines
from tolka.errors import FormatError, InputError, LimitError, TolkaError
from tolka.limits import DEFAULT
from tolka.multitree.notation import parse_trees, parse_words
from tolka.multitree.tree import check_words, format_tree, format_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike

    from tolka.limits import Limits
    from tolka.multitree.tree import Inference, Multitree, Span, Spans

BAR = "|||"


@dataclass(frozen=True, slots=True)
class Multitrees:
    """A sentence pair with its trees: one that covers it, or several that do not overlap (a cover), or none.

    Attributes:
        source: The source words.
        target: The target words.
        trees: The trees, in the order of the source.

    Example:
        >>> pair = parse_multitrees("joint debate . ||| discussion commune ||| <NP [X joint | commune] [X debate | discussion]>")
        >>> pair.complete, pair.uncovered
        (False, ((2,), ()))
        >>> pair.links()
        [(0, 1), (1, 0)]
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    trees: tuple[Multitree, ...] = ()

    def __post_init__(self) -> None:
        check_words((*self.source, *self.target))
        object.__setattr__(self, "trees", tuple(sorted(self.trees, key=lambda tree: tree.source)))
        for side, words in enumerate((self.source, self.target)):
            spans = sorted(tree.spans[side] for tree in self.trees)
            for before, after in pairwise(spans):
                if before[1] > after[0]:
                    raise InputError(f"two trees overlap at {'source' if side == 0 else 'target'} word {after[0]}")
            if spans and spans[-1][1] > len(words):
                raise InputError(f"a tree ends at word {spans[-1][1]} of a sentence of {len(words)}")
        for tree in self.trees:
            for leaf in tree.leaves():
                found = (self.source[slice(*leaf.source)], self.target[slice(*leaf.target)])
                if found != leaf.words:
                    raise InputError(
                        f"a leaf says {_said(leaf.words)} where the sentences have {_said(found)}",
                        hint="does the tree belong to this pair?",
                    )

    @property
    def complete(self) -> bool:
        """Whether one tree covers both sentences."""
        return len(self.trees) == 1 and self.trees[0].spans == ((0, len(self.source)), (0, len(self.target)))

    @property
    def uncovered(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Positions of source words and of target words that are in no tree."""
        return (
            _rest(len(self.source), (tree.source for tree in self.trees)),
            _rest(len(self.target), (tree.target for tree in self.trees)),
        )

    def leaves(self) -> list[Multitree]:
        """The leaves of all trees, in the order of the source."""
        return [leaf for tree in self.trees for leaf in tree.leaves()]

    def links(self) -> list[tuple[int, int]]:
        """The links of all trees, sorted."""
        return sorted(link for tree in self.trees for link in tree.links())

    def inferences(self, *, monolingual: bool = False) -> list[Inference]:
        """The derivations of all trees, one after the other."""
        return [step for tree in self.trees for step in tree.inferences(monolingual=monolingual)]

    def pretty(self, costs: Mapping[Spans, float] | None = None) -> str:
        """The trees with a node a line, and what they leave out."""
        lines = [tree.pretty(costs) for tree in self.trees]
        for name, words, rest in zip(("source", "target"), (self.source, self.target), self.uncovered, strict=True):
            if rest:
                lines.append(f"not covered in the {name}: {' '.join(words[at] for at in rest)}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return format_multitrees(self)


def format_multitrees(pair: Multitrees) -> str:
    """A pair on one line.

    Example:
        >>> from tolka.multitree import leaf
        >>> print(Multitrees(("yes", "!"), ("oui",), (leaf("!", "oui", at=(1, 0)),)))
        yes ! ||| oui ||| @1,0 [X ! | oui]
    """
    if not pair.source and not pair.target:
        return ""
    pieces = [*_field(pair.source), BAR, *_field(pair.target), BAR]
    for tree in pair.trees:
        at = (tree.source[0], tree.target[0])
        if at != (0, 0):
            pieces.append(f"@{at[0]},{at[1]}")
        pieces.append(format_tree(tree))
    return " ".join(pieces)


def parse_multitrees(line: str, *, limits: Limits = DEFAULT) -> Multitrees:
    """Read a pair from its line.

    Raises:
        FormatError: The line is malformed, or trees do not belong to the sentences.
        LimitError: A sentence is too long or a tree too deep.
    """
    if not line.strip(" \t\f\r\n"):
        return Multitrees((), ())
    sides, trees, byte = parse_words(line)
    for words in sides:
        if len(words) > limits.sentence_tokens:
            raise LimitError(f"a sentence has {len(words)} words, and the limit is {limits.sentence_tokens}")
    try:
        return Multitrees(sides[0], sides[1], tuple(parse_trees(trees, byte)))
    except InputError as error:
        raise FormatError(error.what, hint=error.hint) from error


def read_multitrees(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Iterator[Multitrees]:
    """Read a multitreebank pair by pair; plain or compressed, "-" for standard input.

    Raises:
        FormatError: A line is malformed; says which.
        LimitError: A line, a sentence or a tree is larger than allowed.
    """
    lines = read_lines(path, limits=limits)
    for number, line in enumerate(lines, 1):
        try:
            yield parse_multitrees(line, limits=limits)
        except TolkaError as error:
            raise type(error)(error.what, path=lines.name, line=number, byte=error.byte, hint=error.hint) from None


def write_multitrees(path: str | PathLike[str], pairs: Iterable[Multitrees]) -> int:
    """Write a multitreebank, to a file that appears whole or not at all; returns how many pairs.

    The name decides the compression (.gz, .xz, .zst); "-" is standard output.
    """
    return write_lines(path, map(format_multitrees, pairs))


def _field(words: tuple[str, ...]) -> list[str]:
    return [format_words(words)] if words else []


def _said(words: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
    return repr(" | ".join(" ".join(side) for side in words))


def _rest(length: int, spans: Iterable[Span]) -> tuple[int, ...]:
    covered = {at for span in spans for at in range(*span)}
    return tuple(at for at in range(length) if at not in covered)
