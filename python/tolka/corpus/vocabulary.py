"""Words as numbers: the vocabulary that models share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka import _engine
from tolka.corpus.batches import in_batches
from tolka.errors import InputError, SettingsError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    import numpy as np
    from numpy.typing import NDArray

    from tolka.limits import Limits

UNK, BOS, EOS = 0, 1, 2
"""The ids of `<unk>`, `<s>` and `</s>`, in every vocabulary."""


class Vocabulary:
    """An immutable map between words and ids.

    The ids 0, 1 and 2 are `<unk>`, `<s>` and `</s>`. The others follow by descending count and, where counts are equal,
    by the words' UTF-8 bytes: the same text gives the same ids.

    Example:
        >>> vocabulary = Vocabulary.from_lines(["das Haus", "das Dach"])
        >>> list(vocabulary)
        ['<unk>', '<s>', '</s>', 'das', 'Dach', 'Haus']
        >>> vocabulary.encode("das rote Haus")
        array([3, 0, 5], dtype=uint32)
        >>> vocabulary.decode([3, 5])
        'das Haus'
    """

    def __init__(self, native: _engine.Vocabulary) -> None:
        self.native = native

    @classmethod
    def from_lines(cls, lines: Iterable[str], *, min_count: int = 1, max_size: int | None = None) -> Vocabulary:
        """The vocabulary of the words of some lines.

        A word that is merely spelled `<s>` or `</s>` counts as `<unk>`, so that text cannot bring in a sentence boundary.

        Args:
            lines: Lines of words with spaces between.
            min_count: How often a word must occur to be in it.
            max_size: Most ids, the three special ones included; the most frequent words are in it.

        Raises:
            SettingsError: No vocabulary is that small.
        """
        _check_sizes(min_count, max_size)
        builder = _engine.VocabularyBuilder()
        for batch in in_batches(lines):
            builder.add_lines(batch)
        return cls(builder.finish(min_count=min_count, max_size=max_size))

    @classmethod
    def from_words(cls, words: Iterable[str]) -> Vocabulary:
        """The vocabulary of these words in this order, after the special ones; each word once."""
        return cls(_engine.Vocabulary.from_words(list(words)))

    @classmethod
    def load(cls, path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Vocabulary:
        """Open a saved vocabulary; it stays in the file and is mapped into memory."""
        return cls(_engine.Vocabulary.open(path, most_bytes=limits.model_bytes))

    def save(self, path: str | PathLike[str]) -> None:
        """Save to a container of kind "vocabulary"; the file appears whole or not at all."""
        self.native.save(path)

    def __len__(self) -> int:
        return len(self.native)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word in self.native

    def __iter__(self) -> Iterator[str]:
        return map(self.native.word, range(len(self)))

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self)} words>"

    def id(self, word: str) -> int:
        """The id of a word; 0 if it has none."""
        return self.native.id(word)

    def word(self, word_id: int) -> str:
        """The word of an id; `InputError` if there is none."""
        self._check(word_id)
        return self.native.word(word_id)

    def count(self, word_id: int) -> int:
        """How often the word of an id was seen; `<unk>` has the count of all words that were left out."""
        self._check(word_id)
        return self.native.count(word_id)

    def encode(self, line: str) -> NDArray[np.uint32]:
        """The ids of a line's words; words that have none, and such as are spelled `<s>` or `</s>`, get 0."""
        return self.native.encode_lines([line], 1)[0]

    def encode_lines(self, lines: Iterable[str], *, threads: int = 0) -> list[NDArray[np.uint32]]:
        """The ids of each line's words; the arrays of some thousand lines share their memory."""
        encoded: list[NDArray[np.uint32]] = []
        for batch in in_batches(lines):
            ids, ends = self.native.encode_lines(batch, threads)
            start = 0
            for end in ends.tolist():
                encoded.append(ids[start:end])
                start = end
        return encoded

    def decode(self, ids: Iterable[int] | NDArray[np.uint32]) -> str:
        """The words of ids with single spaces between them; `InputError` for an id that has no word."""
        import numpy as np  # noqa: PLC0415 - it takes longer to import than many commands run

        listed = np.asarray(ids if isinstance(ids, np.ndarray) else list(ids))
        if listed.size == 0:
            return ""
        if listed.ndim != 1 or not np.issubdtype(listed.dtype, np.integer):
            raise InputError("ids must be a list of whole numbers")
        for extreme in (listed.min(), listed.max()):
            self._check(int(extreme))
        return self.native.decode(listed.astype(np.uint32))

    def _check(self, word_id: int) -> None:
        if not 0 <= word_id < len(self):
            raise InputError(f"{word_id} is not an id of this vocabulary of {len(self)} words")


def _check_sizes(min_count: int, max_size: int | None) -> None:
    if not 0 <= min_count < 1 << 63:
        raise SettingsError(f"min_count must be a whole number from 0, not {min_count}")
    if max_size is not None and not EOS < max_size < 1 << 63:
        raise SettingsError(f"max_size must be at least 3, not {max_size}", hint="<unk>, <s> and </s> have ids too")
