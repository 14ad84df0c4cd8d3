"""Sentences, trees and words as the engine has them: numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from tolka.errors import FormatError, InputError
from tolka.syntax.heads import HeadRules, Lexicalised

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tolka.syntax import Constituent

Encoded = tuple[list[int], list[int], list[tuple[int, int, int, int]]]
"""Words, tags, and constituents: label, from, to, head."""
FLAT = "S"
UNTAGGED = "X"
_ROOTS = {"ROOT", "TOP", ""}


class Symbols:
    """Numbers for strings, from 1 on: words of both languages, tags and labels.

    Example:
        >>> symbols = Symbols(["the", "house"])
        >>> symbols.number("house"), symbols.text(1), len(symbols)
        (2, 'the', 2)
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._texts = list(known)
        self._numbers = {text: number for number, text in enumerate(self._texts, start=1)}
        if len(self._numbers) != len(self._texts):
            raise InputError("a symbol has two numbers", hint="train the model again")

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def number(self, text: str) -> int:
        """The number of a string, which gets one if it has none.

        Raises:
            InputError: It cannot be a word.
        """
        number = self._numbers.get(text)
        if number is None:
            if not text or "\n" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
                raise InputError(f"{text!r} is no word", hint="words have signs, no line ends, and are valid Unicode")
            self._texts.append(text)
            number = self._numbers[text] = len(self._texts)
        return number

    def text(self, number: int) -> str:
        """The string of a number.

        Raises:
            FormatError: There is none: the parts of a model do not fit each other.
        """
        if not 1 <= number <= len(self._texts):
            raise FormatError(f"the model speaks of symbol {number}, which it does not have", hint="train it again")
        return self._texts[number - 1]

    def copy(self) -> Self:
        """The same symbols, to which others can be added without changing these."""
        return type(self)(self._texts)


class SentenceEncoder:
    """Turns sentences with their trees into numbers.

    Without a tree a sentence is one flat constituent, in which any two neighbours may be joined first; `classes` then stand
    in for tags.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> encoder = SentenceEncoder(Symbols())
        >>> encoder.encode(["joint", "debate"], parse_penn("(ROOT (NP (JJ joint) (NN debate)))"))
        ([1, 2], [3, 4], [(5, 0, 2, 1)])
    """

    def __init__(self, symbols: Symbols, rules: HeadRules | None = None, classes: dict[str, str] | None = None) -> None:
        self.symbols = symbols
        self._rules = rules or HeadRules.collins()
        self._classes = classes or {}

    def encode(self, words: Sequence[str], tree: Constituent | None = None) -> Encoded:
        """A sentence in numbers.

        Raises:
            InputError: The tree has other words.
        """
        number = self.symbols.number
        numbers = [number(word) for word in words]
        if tree is None:
            tags = [number(self._classes.get(word, UNTAGGED)) for word in words]
            # The last word heads it; which one does not matter to a flat tree.
            return numbers, tags, [(number(FLAT), 0, len(words), len(words) - 1)] if words else []
        found = Lexicalised(tree, self._rules)
        if list(found.words) != list(words):
            raise InputError(
                f"a tree has other words than its sentence: {' '.join(found.words[:8])}",
                hint="parse the very text that is translated",
            )
        tags = [number(phrase.node.category) for phrase in found.phrases if phrase.node.word]
        nodes = [
            (number(phrase.node.category), phrase.begin, phrase.end, phrase.head)
            for phrase in found.phrases
            if not phrase.node.word and phrase.node.category not in _ROOTS
        ]
        return numbers, tags, nodes
