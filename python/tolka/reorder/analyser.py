"""Who gives sentences their trees: a parser, or word classes where a language has no treebank."""

from __future__ import annotations

from collections import Counter
from html import unescape
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, Protocol

from tolka.files import write_atomic
from tolka.lm import cluster_words, read_classes
from tolka.syntax import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike
    from typing import Self

AnalyserKind = Literal["udpipe", "classes"]
"""A parser of `tolka parse train`, or word classes."""

CLASSES = 60
"""Word classes that are made unless it is said how many: about as many as a tag set has tags."""

ITSELF = 50
"""So many of the most frequent words are classes of their own; they are the ones that move differently from others."""


class Analyser(Protocol):
    """Gives tokenised sentences their trees."""

    def parse(self, sentences: Sequence[Sequence[str]], *, threads: int = 1) -> list[Tree]:
        """A tree for each sentence, of the same words; no sentence is empty."""
        ...


class ClassAnalyser:
    """Tags words with classes learnt from text, and leaves them side by side without any tree.

    A pre-orderer that learns from such trees sees which kinds of words follow each other, and how far they move. That is
    less than a parser tells, and needs nothing but text.

    Example:
        >>> analyser = ClassAnalyser({"das": "c1", "haus": "c2"})
        >>> tree = analyser.parse([["das", "Haus", "!"]])[0]
        >>> tree.xpos, tree.heads
        (('c1', 'c2', '_'), (0, 0, 0))
    """

    def __init__(self, classes: dict[str, str]) -> None:
        self.classes = classes

    @classmethod
    def train(cls, lines: Iterable[str], *, classes: int = CLASSES, itself: int = ITSELF) -> Self:
        """Learn classes from lines of words, whatever their case."""
        text = [line.lower() for line in lines]
        known = cluster_words(text, classes)
        counts = Counter(word for line in text for word in line.split())
        frequent = sorted(counts, key=lambda word: (-counts[word], word))[:itself]
        return cls({**known, **{word: f"w{at}" for at, word in enumerate(frequent)}})

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a file that `save` wrote."""
        return cls(read_classes(path))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the classes, a word and its class on each line."""
        with write_atomic(Path(path)) as out:
            out.writelines(f"{word}\t{own}\n" for word, own in sorted(self.classes.items()))

    def parse(self, sentences: Sequence[Sequence[str]], *, threads: int = 1) -> list[Tree]:  # noqa: ARG002
        """A forest of single words for each sentence."""
        return [
            Tree(
                forms=tuple(words),
                heads=(0,) * len(words),
                xpos=tuple(self.classes.get(word.lower(), "_") for word in words),
            )
            for words in sentences
        ]


def plain(words: Sequence[str]) -> list[str]:
    """Words as people write them, for a parser that was trained on such: without the tokeniser's escapes.

    Example:
        >>> plain(["Peter", "&apos;s"])
        ['Peter', "'s"]
    """
    return [unescape(word) if word.startswith("&") else word for word in words]


def _udpipe(path: str | PathLike[str]) -> Analyser:
    from tolka.syntax import Parser  # noqa: PLC0415 - needs an extra that not everyone has

    return Parser.load(path)


ANALYSERS: Mapping[AnalyserKind, Callable[[str | PathLike[str]], Analyser]] = MappingProxyType(
    {"udpipe": _udpipe, "classes": ClassAnalyser.load}
)
"""Who can read an analyser's file, by its kind."""
