"""Text of one language as a model sees it, and how it uses words: how often, and with which case inside of sentences."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from tolka.corpus import read_batches, write_lines
from tolka.decode import words_of
from tolka.errors import InputError
from tolka.limits import DEFAULT
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from os import PathLike
    from pathlib import Path

    from tolka.limits import Limits
    from tolka.progress import Progress
    from tolka.translate import Translator

# What a capital says nothing after.
_BEFORE_CAPITALS = {
    *(".", "!", "?", ":", ";", "(", "[", "*", "-", '"', "'", "&#91;", "&quot;", "&apos;"),
    *"\u2013\u2014\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u2022\u2026\u00a1\u00bf",
}


@dataclass
class Usage:
    """How often words come, at the beginning of sentences and inside of them.

    Attributes:
        begins: Counts of words where any word may have a capital.
        inside: Counts elsewhere.

    Example:
        >>> usage = Usage()
        >>> usage.add(["Das Haus von Anna .", "das Haus"])
        >>> usage.count("Haus"), usage.begins["Das"], usage.inside["Das"]
        (2, 1, 0)
    """

    begins: Counter[str] = field(default_factory=Counter)
    inside: Counter[str] = field(default_factory=Counter)

    def add(self, lines: Iterable[str]) -> None:
        """Count the words of further lines."""
        for line in lines:
            words = words_of(line)
            if not words:
                continue
            self.begins[words[0]] += 1
            self.inside.update(words[1:])
            for before, word in pairwise(words):
                if before in _BEFORE_CAPITALS:
                    self.inside[word] -= 1
                    self.begins[word] += 1

    def count(self, word: str) -> int:
        """How often a word comes."""
        return self.begins[word] + self.inside[word]

    def words(self) -> list[str]:
        """All words, in alphabetical order."""
        return sorted({word for counts in (self.begins, self.inside) for word, count in counts.items() if count})

    def total(self) -> int:
        """How many words the text has."""
        return self.begins.total() + self.inside.total()

    def is_name(self, word: str) -> bool:
        """Whether most uses inside of sentences have a capital (Razmara 2013, section 5.4.2).

        Example:
            >>> usage = Usage()
            >>> usage.add(["er sah Anna", "er sah Rot", "er sah rot und rot"])
            >>> usage.is_name("Anna"), usage.is_name("Rot")
            (True, False)
        """
        small = uncapitalised(word)
        return small != word and self.inside[word] > self.inside[small]

    def small(self, translates: Callable[[Sequence[str]], list[bool]]) -> dict[str, str]:
        """Words that have their capital from the beginning of a sentence alone, with what they are elsewhere.

        Truecasers leave words that they do not know as they are.

        Args:
            translates: Says which words a model knows, which stay as they are.
        """
        capital = [
            word
            for word in sorted(self.begins)
            if (small := uncapitalised(word)) != word and self.inside[small] > self.inside[word]
        ]
        known = translates(capital) if capital else []
        return {word: uncapitalised(word) for word, is_known in zip(capital, known, strict=True) if not is_known}


def uncapitalised(word: str) -> str:
    """A word without its first capital.

    Example:
        >>> uncapitalised("Haus"), uncapitalised("NATO"), uncapitalised("haus")
        ('haus', 'NATO', 'haus')
    """
    return word[:1].lower() + word[1:] if word[1:] == word[1:].lower() else word


def capitalised(word: str) -> str:
    """A word with a capital, as it begins a sentence.

    Example:
        >>> capitalised("haus"), capitalised("Haus")
        ('Haus', 'Haus')
    """
    return word[:1].upper() + word[1:]


@dataclass(frozen=True)
class Prepared:
    """A text that was prepared.

    Attributes:
        path: Its lines of words.
        lines: How many they are.
        usage: What words it uses.
        small: Words that begin sentences, with what they are elsewhere.
    """

    path: Path
    lines: int
    usage: Usage
    small: dict[str, str]

    def batches(self) -> Iterator[list[str]]:
        """The lines in lists, words that begin them in the case that they have elsewhere."""
        for batch in read_batches(self.path):
            yield [self._lowered(line) for line in batch]

    def _lowered(self, line: str) -> str:
        first, space, rest = line.partition(" ")
        return f"{self.small.get(first, first)}{space}{rest}"


def prepare_text(
    translator: Translator,
    paths: Sequence[str | PathLike[str]],
    out: Path,
    *,
    limits: Limits = DEFAULT,
    threads: int = 0,
    progress: Progress = SILENT,
) -> Prepared:
    """Prepare text as a model prepares what it translates, but for an order of words that it makes.

    Args:
        translator: The model.
        paths: Files, plain or compressed; what is not UTF-8 is an error.
        out: Where prepared lines go.
        limits: Caps on files.
        threads: How many; 0 for one per core.
        progress: Who is told.

    Raises:
        InputError: A file is no text or has no words.
    """
    usage, lines = Usage(), 0

    def prepared() -> Iterator[str]:
        nonlocal lines
        with progress.task("preparing", unit="lines") as advance:
            for path in paths:
                before = usage.total()
                for batch in read_batches(path, limits=limits):
                    words = translator.source.prepare(batch, threads=threads)
                    usage.add(words)
                    lines += len(words)
                    advance(len(words))
                    yield from words
                if usage.total() == before:
                    raise InputError("the text is empty", path=path, hint="give text of the source language")

    write_lines(out, prepared())
    return Prepared(out, lines, usage, usage.small(translator.decoder.translates))


def share_known(usage: Usage, known: Collection[str]) -> float:
    """How much of a text's words, those that have letters, are known; 0 if there are none.

    Example:
        >>> usage = Usage()
        >>> usage.add(["das Haus , 1"])
        >>> share_known(usage, {"das", ","})
        0.5
    """
    counts = {word: usage.count(word) for word in usage.words() if any(letter.isalpha() for letter in word)}
    whole = sum(counts.values())
    return sum(count for word, count in counts.items() if word in known) / whole if whole else 0.0
