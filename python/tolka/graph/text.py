"""Plain text, and the profiles of what stands in it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from tolka import _engine
from tolka.errors import InputError, SettingsError
from tolka.graph.checks import check_whole
from tolka.graph.profiles import Profiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

_LINES = 10_000
"""Lines that are handed to the engine at a time."""


class Text:
    """Tokenised text of one language, kept as numbers: 4 bytes a word.

    Example:
        >>> text = Text.of(["the cat drinks milk", "the dog drinks water"])
        >>> text.tokens, text.count("drinks"), "milk" in text
        (8, 2, True)
        >>> profiles = text.profiles(window=1)
        >>> {profiles.contexts[column]: int(count) for column, count in zip(*profiles.row(profiles.id("cat")))}
        {'the': 1, 'drinks': 1}
    """

    def __init__(self) -> None:
        self._native = _engine.GraphText()

    @classmethod
    def of(cls, lines: Iterable[str]) -> Text:
        """The text of these lines, which may come from a file: `Text.of(read_lines(path))`."""
        text = cls()
        text.add(lines)
        return text

    def add(self, lines: Iterable[str]) -> None:
        """Add tokenised lines, each a sentence. They may be a stream.

        Raises:
            SettingsError: One string instead of lines.
            InputError: A line that is no string.
            LimitError: More than 2³² words in all.
        """
        if isinstance(lines, str):
            raise SettingsError("a text is made of lines, not of one string", hint="give [line] or read_lines(path)")
        rest = iter(lines)
        while some := list(islice(rest, _LINES)):
            for line in some:
                if not isinstance(line, str):
                    raise InputError(f"a line of a text is {line!r}", hint="give strings")
            self._native.add(some)

    @property
    def words(self) -> list[str]:
        """The different words, in the order in which they came."""
        return self._native.words()

    @property
    def counts(self) -> NDArray[np.uint64]:
        """How often each of them came."""
        return self._native.counts()

    @property
    def tokens(self) -> int:
        """How many words came."""
        return self._native.tokens

    @property
    def lines(self) -> int:
        """How many lines were added, empty ones included."""
        return self._native.lines

    def count(self, word: str) -> int:
        """How often a word came."""
        return self._native.count(word)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._native.count(word) > 0

    def __repr__(self) -> str:
        return f"Text({self.lines} lines, {self.tokens} tokens, {self._native.types} words)"

    def profiles(
        self,
        nodes: Sequence[str] | None = None,
        order: int = 1,
        window: int = 4,
        positional: bool = False,
        min_count: int = 1,
        contexts: int = 0,
        min_context: int = 1,
        threads: int = 0,
    ) -> Profiles:
        """Count the words around phrases; windows end where sentences do.

        Args:
            nodes: The phrases, of one to four words with blanks between them. One that never comes has an empty row. All
                phrases of the text if None.
            order: Of all phrases those of up to so many words.
            window: So many words before the first word of a phrase, and after its last, are counted.
            positional: Whether it matters how far from the phrase, and on which side, a word stands.
            min_count: Of all phrases those that come at least so often.
            contexts: Only so many words are counted, the most frequent; 0 for all.
            min_context: Only words that come at least so often are counted.
            threads: Threads to use; 0 means all cores.

        Raises:
            InputError: The text has no words, or a phrase has none or too many, or is wanted twice.
            SettingsError: A window or an order that makes no sense.
        """
        if isinstance(nodes, str):
            raise SettingsError("nodes are a list of phrases, not one string")
        wanted = None if nodes is None else list(nodes)
        native = self._native.profiles(
            wanted,
            order=check_whole("order", order),
            window=check_whole("window", window),
            positional=positional,
            min_count=check_whole("min_count", min_count),
            contexts=check_whole("contexts", contexts),
            min_context=check_whole("min_context", min_context),
            threads=check_whole("threads", threads),
        )
        return Profiles(native)

    def frames(self, words: Iterable[str], longest: int = 2) -> dict[str, list[str]]:
        """For each word the phrases that stand, somewhere, between the same two words as it does.

        These are the candidates for paraphrases of Marton, Callison-Burch & Resnik (2009). The end of a sentence may be one of
        the two; a word that never comes has none.

        Args:
            words: Words, each once.
            longest: Words that a phrase may have, up to four.

        Returns:
            Phrases in the order of how often they stand so.

        Example:
            >>> text = Text.of(["the cat drinks milk", "the big dog drinks water", "a feline drinks milk", "the fox drinks"])
            >>> text.frames(["cat"])
            {'cat': ['big dog', 'fox']}
        """
        if isinstance(words, str):
            raise SettingsError("words are a list, not one string")
        wanted = list(dict.fromkeys(words))
        found = self._native.frames(wanted, check_whole("longest", longest))
        return {word: [phrase for phrase, _ in phrases] for word, phrases in zip(wanted, found, strict=True)}
