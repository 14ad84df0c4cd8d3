"""Language models as people use them: load, score, save."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tolka._engine import LmModel, LmState
from tolka.corpus import read_lines
from tolka.errors import InputError, SettingsError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tolka.limits import Limits
    from tolka.lm.trainer import Smoothing

Form = Literal["fast", "small"]
"""How a compiled model is stored."""

State = LmState
"""What a model remembers of the words so far; equal states have equal futures."""

_ARPA_ENDINGS = (".arpa", ".arpa.gz", ".arpa.xz", ".arpa.zst")
_PIECE = 20_000


@dataclass(frozen=True)
class WordScore:
    """The score of one word of a sentence.

    Attributes:
        word: The word; `</s>` is the sentence end.
        log10: log10 of its probability after the words before it.
        ngram: How many words the longest n-gram of the model that applies has.
        oov: Whether the model does not know the word.
    """

    word: str
    log10: float
    ngram: int
    oov: bool


@dataclass(frozen=True)
class Perplexity:
    """How well a model predicts a text; the sentence ends count as predicted words.

    Attributes:
        sentences: Lines.
        tokens: Words, sentence ends not counted.
        oovs: Words that the model does not know.
        log10: log10 of the probability of the text.
        perplexity: Of all words and sentence ends.
        perplexity_without_oovs: Of the known words and sentence ends.
    """

    sentences: int
    tokens: int
    oovs: int
    log10: float
    perplexity: float
    perplexity_without_oovs: float


class LanguageModel:
    """An n-gram language model with back-off.

    Made by `LanguageModel.load` or `LanguageModel.train`. Sentences are strings of words with white space
    between them; their start and end are added.

    Example:
        >>> from tolka.lm import LanguageModel
        >>> lm = LanguageModel.train(["the house", "the dog", "a dog"], order=2, smoothing="witten-bell")
        >>> lm.score("the dog") > lm.score("dog the")
        True
        >>> [(score.word, score.ngram) for score in lm.word_scores("a cat")]
        [('a', 2), ('cat', 1), ('</s>', 1)]
    """

    def __init__(self, native: LmModel) -> None:
        if not isinstance(native, LmModel):
            raise InputError(f"{native!r} is no model of the engine", hint="use LanguageModel.load for a file")
        self._native = native

    @classmethod
    def train(
        cls,
        text: Iterable[str] | str | PathLike[str],
        order: int = 5,
        smoothing: Smoothing = "kneser-ney",
        *,
        prune: Sequence[int] = (),
        threads: int = 0,
    ) -> LanguageModel:
        """Estimate a model of a text; `LanguageModelTrainer` has more settings.

        Args:
            text: Tokenised lines, or a file of them, plain or compressed.
            order: Words of the longest n-grams.
            smoothing: How n-grams that were not seen get their probability.
            prune: For each order from the first, n-grams seen no more often than this are left out.
            threads: How many; 0 for one per core. The model does not depend on it.

        Example:
            >>> LanguageModel.train(["a b", "b a"], order=2).order
            2
        """
        from tolka.lm.trainer import LanguageModelTrainer  # noqa: PLC0415 - trainers make models

        return LanguageModelTrainer(order, smoothing, prune=prune, threads=threads).train(text)

    @classmethod
    def load(cls, path: str | PathLike[str], *, verify: bool = False, limits: Limits = DEFAULT) -> LanguageModel:
        """Load a model: ARPA, plain or compressed, or a compiled `.tlm`, told from the content.

        Args:
            path: The file.
            verify: Check every byte of a compiled model, however large; up to 64 MB this is always done.
            limits: Caps on lines and files.

        Raises:
            FormatError: The file is no language model, or a damaged one.
            FileError: The file cannot be read.
        """
        path = Path(path)
        if path.is_file():
            with path.open("rb") as file:
                start = file.read(8)
            # Foreign binaries go the same way: opening them says what they are and what to do.
            if start.startswith((b"\x89TLK", b"mmap lm ")) or path.suffix == ".tlm":
                return cls(LmModel.open(path, verify=verify, most_bytes=limits.model_bytes))
        return cls(
            LmModel.read_arpa(
                path, line_bytes=limits.line_bytes, file_bytes=limits.file_bytes, expansion=limits.expansion
            )
        )

    def save(self, path: str | PathLike[str], *, form: Form = "fast", bits: int | None = None) -> None:
        """Save the model; the name says how: `.arpa` (also `.gz`, `.xz`, `.zst`) or `.tlm`.

        Args:
            path: The file; it appears whole or not at all.
            form: For `.tlm`: "fast" (hash tables) or "small" (a packed trie, about half the size).
            bits: For the small form: store values in this many bits, 2 to 16; less exact, smaller still.

        Raises:
            SettingsError: The name or the form makes no sense, or ARPA is asked of a compiled model.
        """
        name = str(path)
        if name.endswith(_ARPA_ENDINGS):
            self._native.write_arpa(path)
        elif name.endswith(".tlm"):
            self._native.write_compiled(path, form=form, bits=bits)
        else:
            raise SettingsError(
                f"{name!r} does not say what to write",
                hint="end the name in .arpa, .arpa.gz, .arpa.xz, .arpa.zst or .tlm",
            )

    @property
    def native(self) -> LmModel:
        """The model as the engine has it."""
        return self._native

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return self._native.order

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of n-grams of each order."""
        return tuple(self._native.counts)

    @property
    def form(self) -> str:
        """How the n-grams are held: "ngrams" as trained or read from ARPA, else "fast" or "small"."""
        return self._native.form

    @property
    def of_classes(self) -> bool:
        """Whether the n-grams are of word classes."""
        return self._native.of_classes

    def words(self) -> list[str]:
        """All words the model knows, `<unk>`, `<s>` and `</s>` first."""
        return self._native.words()

    def __contains__(self, word: str) -> bool:
        return self._native.knows(word)

    def score(self, sentence: str) -> float:
        """log10 of the probability of a sentence, its end included."""
        return float(self.scores([sentence], threads=1)[0])

    def scores(self, sentences: Sequence[str], *, threads: int = 0) -> NDArray[np.float64]:
        """log10 of the probability of each sentence, their ends included.

        Args:
            sentences: The sentences.
            threads: Threads to use; 0 means all cores.
        """
        return self._native.scores(_checked(sentences), threads=threads)[0]

    def word_scores(self, sentence: str, *, bos: bool = True, eos: bool = True) -> list[WordScore]:
        """The score of each word of a sentence.

        Args:
            sentence: The sentence.
            bos: Start after `<s>` instead of without context.
            eos: Also score the sentence end.
        """
        scores = self._native.word_scores(sentence, begin=bos, end=eos)
        words = [*_words(sentence), *(["</s>"] if eos else [])]
        return [WordScore(word, *score) for word, score in zip(words, scores, strict=True)]

    def perplexity(self, text: Iterable[str] | PathLike[str], *, threads: int = 0) -> Perplexity:
        """The perplexity of a text.

        Args:
            text: Its lines, or the path (a `Path`) of a file, plain or compressed.
            threads: Threads to use; 0 means all cores.

        Raises:
            InputError: There is no line.
        """
        sentences, tokens, oovs, log10, oov_log10 = 0, 0, 0, 0.0, 0.0
        for piece in pieces(text):
            scores, unknown, words, unknowns = self._native.scores(piece, threads=threads)
            sentences += len(piece)
            tokens += int(words.sum())
            oovs += int(unknowns.sum())
            log10 += float(scores.sum())
            oov_log10 += float(unknown.sum())
        return summarise(sentences, tokens, oovs, log10, oov_log10)

    def score_text(self, text: Iterable[str] | PathLike[str], *, threads: int = 0) -> Iterator[tuple[float, int]]:
        """For each line of a text: log10 of its probability, the end included, and its number of unknown words."""
        for piece in pieces(text):
            scores, _, _, oovs = self._native.scores(piece, threads=threads)
            yield from zip(scores.tolist(), oovs.tolist(), strict=True)

    def state(self, *, bos: bool = True) -> State:
        """The state at the start of a sentence, or without context."""
        return self._native.state(bos)

    def score_word(self, state: State, word: str) -> tuple[float, State]:
        """log10 of the probability of a word after a state, and the state after the word.

        `</s>` is the sentence end.
        """
        return self._native.score_word(state, word)

    def __repr__(self) -> str:
        return f"<LanguageModel of order {self.order}, {sum(self.counts):,} n-grams, {self.form}>"


def pieces(text: Iterable[str] | PathLike[str]) -> Iterator[list[str]]:
    """The lines of a text, some thousand at a time."""
    if isinstance(text, str):
        raise SettingsError("a text is lines or a path, not one string", hint="give [line] or pathlib.Path(name)")
    lines = iter(read_lines(text)) if isinstance(text, PathLike) else iter(text)
    while piece := list(islice(lines, _PIECE)):
        yield _checked(piece)


def summarise(sentences: int, tokens: int, oovs: int, log10: float, oov_log10: float) -> Perplexity:
    """Perplexities from sums."""
    if not sentences:
        raise InputError("the text has no lines, so it has no perplexity")
    predicted = tokens + sentences
    return Perplexity(
        sentences=sentences,
        tokens=tokens,
        oovs=oovs,
        log10=log10,
        perplexity=_power(-log10 / predicted),
        perplexity_without_oovs=_power(-(log10 - oov_log10) / (predicted - oovs)),
    )


def _power(exponent: float) -> float:
    # log10 is at least -99 a word, so this stays a finite number.
    return math.pow(10.0, exponent)


def _checked(sentences: Sequence[str]) -> list[str]:
    if isinstance(sentences, str):
        raise SettingsError("expected several sentences, not one string", hint="give a list")
    return sentences if isinstance(sentences, list) else list(sentences)


def _words(sentence: str) -> list[str]:
    # As the engine splits: only ASCII white space separates words.
    return [word.decode() for word in sentence.encode().split()]
