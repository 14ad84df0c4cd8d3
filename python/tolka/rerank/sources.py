"""The sentences that were translated: their words, and their dependencies where they are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka.corpus import read_lines
from tolka.errors import InputError
from tolka.limits import DEFAULT
from tolka.syntax import Tree, read_conllu, read_conllx

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from tolka.limits import Limits

_TREES = {".conllu": read_conllu, ".conllx": read_conllx, ".conll": read_conllx}
_COMPRESSED = (".gz", ".xz", ".zst")


@dataclass(frozen=True, slots=True)
class Source:
    """A sentence that was translated.

    Attributes:
        words: Its words, as the decoder saw them.
        heads: For each word its head's number, counted from 1, 0 for a root; if it is known.
    """

    words: tuple[str, ...]
    heads: tuple[int, ...] | None = None

    @classmethod
    def of(cls, sentence: str | Tree | Source) -> Source:
        """From words with blanks between them, or from a tree.

        Example:
            >>> Source.of("das Haus")
            Source(words=('das', 'Haus'), heads=None)
        """
        if isinstance(sentence, Source):
            return sentence
        if isinstance(sentence, Tree):
            return cls(sentence.forms, sentence.heads)
        if not isinstance(sentence, str):
            raise InputError(f"a source is a line of words or a tree, not {type(sentence).__name__}")
        return cls(tuple(sentence.split()))


def read_sources(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Iterator[Source]:
    """Read sentences: trees if the name ends in .conllu, or in .conllx or .conll, else words; compressed or not."""
    name = str(path)
    for suffix in _COMPRESSED:
        name = name.removesuffix(suffix)
    reader = next((reader for suffix, reader in _TREES.items() if name.endswith(suffix)), None)
    sentences: Iterable[str | Tree] = read_lines(path, limits=limits) if reader is None else reader(path, limits=limits)
    return map(Source.of, sentences)
