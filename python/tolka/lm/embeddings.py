"""Word embeddings: learnt from a text without a download, or read from a file of word2vec's text format."""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from tolka.corpus import read_lines
from tolka.errors import FormatError, InputError, LimitError, SettingsError
from tolka.files import Container, write_atomic, write_container
from tolka.limits import DEFAULT
from tolka.lm.model import pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from tolka.limits import Limits

KIND = "embeddings"
BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"
_SUFFIXES = (".txt", ".vec", ".gz", ".xz", ".zst")
_MOST_DIMENSIONS = 4096
_MOST_WORDS = 50_000
_UNKNOWN_NAMES = (UNKNOWN, "UNK", "*UNKNOWN*", "unk")


class Embeddings:
    """Vectors of words: words that are used alike are near each other.

    Attributes:
        words: The words of the table.
        table: A row for each, in single precision.
        unknown: The row of words that are not in the table, if the table has one.

    Example:
        >>> text = ["a dog sleeps", "the dog sleeps", "a cat sleeps", "the cat sleeps"] * 5
        >>> found = Embeddings.train(text, dimensions=2)
        >>> dog, cat, the = found.vectors(["dog", "cat", "the"])
        >>> bool(abs(dog - cat).sum() < abs(dog - the).sum())
        True
    """

    def __init__(self, words: Sequence[str], table: NDArray[np.floating]) -> None:
        self.words = tuple(words)
        self.table: NDArray[np.float32] = np.ascontiguousarray(table, dtype=np.float32)
        if self.table.ndim != 2 or len(self.words) != len(self.table) or not self.table.size:  # noqa: PLR2004 rows and columns
            raise InputError(f"{len(self.words)} words have a table of the shape {self.table.shape}")
        if not np.isfinite(self.table).all():
            raise InputError("the vector of a word is not finite")
        self._places = {word: place for place, word in enumerate(self.words)}
        if len(self._places) != len(self.words):
            raise InputError("a word has two vectors")
        self.unknown = next((self._places[name] for name in _UNKNOWN_NAMES if name in self._places), None)

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        return int(self.table.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._places

    def vectors(self, words: Iterable[str]) -> NDArray[np.float32]:
        """A row per word. A word that is not known has the row of unknown words, zeros if there is none."""
        places = [self._places.get(word, self.unknown) for word in words]
        rows = np.zeros((len(places), self.dimensions), dtype=np.float32)
        known = [row for row, place in enumerate(places) if place is not None]
        rows[known] = self.table[[place for place in places if place is not None]]
        return rows

    @classmethod
    def train(
        cls,
        text: Iterable[str] | str | PathLike[str],
        *,
        dimensions: int = 25,
        window: int = 4,
        min_count: int = 2,
        limits: Limits = DEFAULT,
    ) -> Embeddings:
        """Learn vectors from a text.

        Which words stand near a word is counted, weighed by positive pointwise mutual information with smoothed contexts,
        and the table is reduced by a singular value decomposition (Levy, Goldberg and Dagan 2015). The start of the
        decomposition and the signs of its columns are fixed, so the same text gives the same vectors.

        Args:
            text: A file of tokenised sentences (a string or `Path`), or the lines.
            dimensions: Numbers in a vector; fewer if the text has too few words.
            window: How far apart words are counted as neighbours.
            min_count: Words that occur more rarely share one vector, that of unknown words.
            limits: Caps on the lines of a file.

        Raises:
            InputError: The text is empty.
        """
        for name, value, most in (("dimensions", dimensions, _MOST_DIMENSIONS), ("window", window, 100)):
            if not 1 <= value <= most:
                raise SettingsError(f"{name} must be from 1 to {most}, not {value}")
        ids, words = _numbers(text, min_count, limits)
        counts = _neighbours(ids, len(words), window)
        return cls(words, _reduced(_information(counts), dimensions))

    def save(self, path: str | PathLike[str]) -> None:
        """Save as a container; as word2vec's text if the name ends in .txt or .vec."""
        if str(path).endswith(_SUFFIXES[:2]):
            with write_atomic(str(path)) as out:
                out.write(f"{len(self)} {self.dimensions}\n")
                for word, row in zip(self.words, self.table, strict=True):
                    out.write(f"{word} {' '.join(repr(float(value)) for value in row)}\n")
            return
        write_container(
            str(path),
            KIND,
            {
                "words": "\n".join(self.words).encode(),
                "table": self.table.ravel(),
                "shape": np.array(self.table.shape, dtype=np.uint64),
            },
        )

    @classmethod
    def load(cls, path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Embeddings:
        """Load a saved table, or word2vec's text format (.txt or .vec, also compressed): a word and its numbers a line.

        The first line of the text may say how many words and numbers there are.

        Raises:
            FormatError: The file is damaged or something else.
        """
        if str(path).endswith(_SUFFIXES):
            return cls._read(path, limits)
        container = Container.open(str(path), KIND, limits=limits)
        words = container.bytes("words").decode("utf-8").split("\n")
        rows, columns = (int(number) for number in container.array("shape"))
        table = container.array("table")
        if len(table) != rows * columns or len(words) != rows:
            raise FormatError("the parts of the table do not fit each other", path=path, hint="make it again")
        return cls(words, table.reshape(rows, columns))

    @classmethod
    def _read(cls, path: str | PathLike[str], limits: Limits) -> Embeddings:
        words: dict[str, int] = {}
        rows: list[NDArray[np.float32]] = []
        expected: int | None = None
        for number, line in enumerate(read_lines(path, limits=limits), 1):
            word, *values = line.rstrip().split(" ")
            if number == 1 and len(values) == 1 and word.isdecimal() and values[0].isdecimal():
                expected = int(word)
                continue
            try:
                row = np.array(values, dtype=np.float32)
            except ValueError:
                raise FormatError("a line has a word and its numbers", path=path, line=number) from None
            if not word or not 0 < len(row) <= _MOST_DIMENSIONS or not np.isfinite(row).all():
                raise FormatError("a line has a word and its finite numbers", path=path, line=number)
            if rows and len(row) != len(rows[0]):
                what = f"the line has {len(row)} numbers, those before have {len(rows[0])}"
                raise FormatError(what, path=path, line=number)
            if word in words:
                raise FormatError(f"{word!r} has a vector already", path=path, line=number)
            if (len(rows) + 1) * row.nbytes > limits.model_bytes:
                raise LimitError("the table is larger than the limit model_bytes allows", path=path, line=number)
            words[word] = len(rows)
            rows.append(row)
        if not rows or (expected is not None and expected != len(rows)):
            what = "there are no vectors" if not rows else f"there are {len(rows)} vectors, not the {expected} it says"
            raise FormatError(what, path=path)
        return cls(tuple(words), np.stack(rows))


def _numbers(
    text: Iterable[str] | str | PathLike[str], min_count: int, limits: Limits
) -> tuple[NDArray[np.int64], list[str]]:
    """All words as numbers, an end between sentences; and the words, most frequent first."""
    counts: dict[str, int] = {}
    tokens: list[str] = []
    lines = read_lines(text, limits=limits) if isinstance(text, str) else chain.from_iterable(pieces(text))
    for line in lines:
        own = line.split()
        for word in own:
            counts[word] = counts.get(word, 0) + 1
        tokens += own
        tokens.append(END)
    if not counts:
        raise InputError("there is no text to learn embeddings from")
    names: list[str] = [word for word in counts if counts[word] >= min_count and word not in {BEGIN, END, UNKNOWN}]
    names.sort(key=lambda word: (-counts[word], word))
    words = [END, UNKNOWN, *names[:_MOST_WORDS]]
    places: Mapping[str, int] = {word: place for place, word in enumerate(words)}
    return np.fromiter((places.get(word, 1) for word in tokens), dtype=np.int64, count=len(tokens)), words


def _neighbours(ids: NDArray[np.int64], words: int, window: int) -> sparse.csr_array:
    """How often words stand near each other in a sentence; its end stands next to the last words of it."""
    sentence = np.cumsum(np.concatenate([[0], ids[:-1] == 0]))
    total = sparse.csr_array((words, words), dtype=np.float64)
    for distance in range(1, min(window, len(ids) - 1) + 1):
        same = sentence[:-distance] == sentence[distance:]
        left, right = ids[:-distance][same], ids[distance:][same]
        pairs = sparse.coo_array((np.ones(len(left)), (left, right)), shape=(words, words)).tocsr()
        total = total + pairs + pairs.T
    return sparse.csr_array(total)


def _information(counts: sparse.csr_array) -> sparse.csr_array:
    """Positive pointwise mutual information; rare contexts count more than they occur (power 0.75)."""
    found = counts.tocoo()
    occurs = np.asarray(counts.sum(axis=1)).ravel()
    contexts = occurs**0.75
    row, column = found.coords
    expected = occurs[row] * contexts[column] / contexts.sum()
    values = np.maximum(np.log(found.data / expected), 0.0)
    table = sparse.csr_array((values, (row, column)), shape=counts.shape)
    table.eliminate_zeros()
    return table


def _reduced(table: sparse.csr_array, dimensions: int) -> NDArray[np.float32]:
    """Left singular vectors times roots of singular values, so that all numbers together have the variance 1."""
    words = table.shape[0]
    wanted = min(dimensions, words)
    if wanted >= words - 1:
        # Too few words for the iterative method.
        left, values, _ = np.linalg.svd(table.toarray())
        left, values = left[:, :wanted], values[:wanted]
    else:
        left, values, _ = svds(table, k=wanted, v0=np.full(words, 1.0 / math.sqrt(words)), solver="arpack")
        order = np.argsort(-values, kind="stable")
        left, values = left[:, order], values[order]
    largest = np.abs(left).argmax(axis=0)
    left = left * np.where(left[largest, np.arange(left.shape[1])] < 0, -1.0, 1.0)
    found = left * np.sqrt(values)
    deviation = float(np.sqrt((found**2).mean()))
    return np.asarray(found / deviation if deviation > 0 else found, dtype=np.float32)
