"""Translate by multitrees whose every inference was learnt (Galron 2012)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tolka import _engine
from tolka.align import Aligner, grow_posteriors
from tolka.errors import FormatError, InputError, SettingsError
from tolka.files import Bundle, save_bundle
from tolka.limits import DEFAULT
from tolka.multitree.encoding import SentenceEncoder, Symbols
from tolka.multitree.forests import translation_forests
from tolka.multitree.schedule import Schedule
from tolka.multitree.settings import MultitreeSettings
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from tolka.forest import Forest
    from tolka.multitree.encoding import Encoded
    from tolka.progress import Progress
    from tolka.syntax import Constituent

KIND = "multitree"
_LEAST_LINK = 1e-6


@dataclass(frozen=True)
class TreeTranslation:
    """A translation and how it came about.

    Attributes:
        words: The translation.
        steps: The inferences of its tree, parents first: kind, source span, target span, cost. A span of one language only
            is (0, 0) in the other.
        costs: All costs, worst first: the value by which it was the best.
        complete: Whether one tree covers the sentence; otherwise the trees that cover most stand side by side.
        limited: Whether a limit ended the search.
        scored: Inferences whose cost was asked for.
    """

    words: tuple[str, ...]
    steps: tuple[tuple[str, tuple[int, int], tuple[int, int], float], ...]
    costs: tuple[float, ...]
    complete: bool
    limited: bool
    scored: int

    @property
    def worst(self) -> tuple[str, tuple[int, int], tuple[int, int], float] | None:
        """The inference that counts against it most."""
        return max(self.steps, key=lambda step: step[3], default=None)

    def __str__(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True)
class Account:
    """What became of the pairs that were to be learnt from.

    Attributes:
        pairs: Those that were used.
        skipped: The number of each other pair and why.
        complete: Part of the pairs that have a complete multitree.
        lexicon: Source fuses, target fuses and pairs of phrases in the lexicon.
    """

    pairs: int
    skipped: Mapping[int, str]
    complete: float
    lexicon: tuple[int, int, int]


class MultitreeTranslator:
    """A translator that searches for the multitree whose worst inference is least bad.

    Args:
        settings: How it is searched and trained; `SYSTEMS` has those of the thesis by name.
        threads: Threads; 0 for one per core. They do not change the result.

    Example:
        >>> pairs = [("the house", "la maison"), ("the car", "la voiture"), ("red house", "maison rouge")] * 4
        >>> tokens = [(source.split(), target.split()) for source, target in pairs]
        >>> links = [[(0, 0, 1.0), (1, 1, 1.0)], [(0, 0, 1.0), (1, 1, 1.0)], [(0, 1, 1.0), (1, 0, 1.0)]] * 4
        >>> settings = MultitreeSettings(epochs=2, partitions=1, templates="thesis", coarse=None, prune_pairs=0)
        >>> translator = MultitreeTranslator(settings, threads=1).train(tokens, links=links)
        >>> print(translator.translate([["red", "car"]])[0])
        voiture rouge
    """

    def __init__(self, settings: MultitreeSettings | None = None, *, threads: int = 0) -> None:
        self.settings = settings or MultitreeSettings()
        self.threads = threads
        self._symbols = Symbols()
        self._native = _engine.MultitreeModel(self.settings.search())
        self._trained = False
        self.account_: Account | None = None
        self.curve_: list[dict[str, Any]] = []

    def train(
        self,
        pairs: Sequence[tuple[Sequence[str], Sequence[str]]],
        trees: Sequence[Constituent | None] | None = None,
        *,
        links: Sequence[Sequence[tuple[int, int, float]]] | None = None,
        text: Sequence[Sequence[str]] | None = None,
        progress: Progress = SILENT,
    ) -> Self:
        """Learn from sentence pairs.

        Args:
            pairs: Tokenised pairs.
            trees: A constituency tree for each source sentence; without, sentences are flat.
            links: Word links with probabilities; without, they are aligned here.
            text: More text of the target language; its n-grams are counted together with those of the pairs.
            progress: Who is told.

        Raises:
            InputError: The numbers of trees or links differ from that of pairs, or no pair can be learnt from.
        """
        trees = self._as_many(trees, len(pairs), "trees") or [None] * len(pairs)
        links = self._as_many(links, len(pairs), "lists of links") or self._aligned(pairs)
        encoder = SentenceEncoder(self._symbols)
        skipped: dict[int, str] = {}
        rows = []
        for number, ((source, target), tree, linked) in enumerate(zip(pairs, trees, links, strict=True)):
            try:
                encoded, numbers = encoder.encode(source, tree), self._numbers(target)
            except InputError as error:
                skipped[number] = str(error)
                continue
            if not linked:
                skipped[number] = "there is no link"
                continue
            rows.append((number, (encoded, numbers, [(int(i), int(j), float(p)) for i, j, p in linked])))
        for (number, _), reason in zip(rows, self._native.add([row for _, row in rows]), strict=True):
            if reason is not None:
                skipped[number] = reason
        if not self._native.pairs():
            raise InputError(
                "no pair can be learnt from",
                hint=f"the first reason is: {next(iter(skipped.values()), 'there are none')}",
            )
        targets = [row[1] for _, row in rows]
        self._native.count([*targets, *(self._numbers(sentence) for sentence in text or ())])
        self._native.fertility(self.threads)
        schedule = Schedule(self._native, self.settings, self.threads)
        complete, sizes = schedule.prepare(progress)
        self.account_ = Account(self._native.pairs(), skipped, complete, sizes)
        self.curve_ = list(schedule.run(progress))
        self._native.set_penalty(self.settings.penalty)
        self._trained = True
        return self

    def translate(
        self, sentences: Sequence[Sequence[str]], trees: Sequence[Constituent | None] | None = None
    ) -> list[TreeTranslation]:
        """Translate tokenised sentences.

        Args:
            sentences: Their words.
            trees: A tree for each; without, they are flat.

        Raises:
            InputError: There are not as many trees, or one has other words.
            SettingsError: Nothing was learnt yet.
        """
        if not self._trained:
            raise SettingsError("nothing was learnt yet", hint="call train, or load a model")
        trees = self._as_many(trees, len(sentences), "trees") or [None] * len(sentences)
        # Words that are new get numbers for this call only.
        symbols = self._symbols.copy()
        encoder = SentenceEncoder(symbols)
        encoded: list[Encoded] = [encoder.encode(words, tree) for words, tree in zip(sentences, trees, strict=True)]
        found = self._native.translate(encoded, self.threads)
        return [
            TreeTranslation(
                tuple(symbols.text(word) for word in words), tuple(steps), tuple(costs), complete, limited, scored
            )
            for words, steps, costs, complete, limited, scored, _ in found
        ]

    def forests(
        self, sentences: Sequence[Sequence[str]], trees: Sequence[Constituent | None] | None = None
    ) -> list[Forest | None]:
        """All translations of tokenised sentences that the search comes to, packed; see `translation_forests`.

        Args:
            sentences: Their words.
            trees: A tree for each; without, they are flat.

        Raises:
            InputError: There are not as many trees, or one has other words.
            SettingsError: Nothing was learnt yet.
        """
        if not self._trained:
            raise SettingsError("nothing was learnt yet", hint="call train, or load a model")
        trees = self._as_many(trees, len(sentences), "trees")
        return translation_forests(self._native, self._symbols, sentences, trees, threads=self.threads)

    def with_penalty(self, penalty: float) -> Self:
        """Translate with the classifiers of another penalty from now on; nothing is trained again.

        Raises:
            SettingsError: It is no positive number.
        """
        self._native.set_penalty(penalty)
        self.settings = replace(self.settings, penalty=penalty)
        return self

    def feature_mass(self) -> list[tuple[str, float, float]]:
        """Features with their share of the weight where they hold and where they do not (Galron 2012, section 5.6)."""
        return sorted(self._native.mass(), key=lambda row: -row[1] - row[2])

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model as a bundle.

        Raises:
            FileError: It cannot be written.
            SettingsError: Nothing was learnt yet.
        """
        if not self._trained:
            raise SettingsError("nothing was learnt yet", hint="call train first")
        with save_bundle(Path(path), kind=KIND, settings=self.settings.stored()) as out:
            out.file("symbols.txt").write_bytes("".join(f"{text}\n" for text in self._symbols).encode())
            self._native.save(out.file("counts.bin"), out.file("lexicon.bin"), out.file("classifiers.bin"))

    @classmethod
    def load(cls, path: str | PathLike[str], *, threads: int = 0) -> Self:
        """Open what was saved.

        Raises:
            FileError: There is no model.
            FormatError: It is damaged.
        """
        bundle = Bundle.open(Path(path), kind=KIND)
        try:
            made = cls(MultitreeSettings.restored(dict(bundle.settings)), threads=threads)
            made._native.set_penalty(made.settings.penalty)
        except (SettingsError, TypeError, ValueError, OverflowError) as error:
            raise FormatError(
                f"the settings of the model cannot be used: {error}", path=bundle.path, hint="train it again"
            ) from error
        try:
            texts = bundle.file("symbols.txt").read_bytes().decode().split("\n")[:-1]
        except UnicodeDecodeError as error:
            raise FormatError(
                "the symbols of the model are no text", path=bundle.file("symbols.txt"), hint="train it again"
            ) from error
        if len(set(texts)) != len(texts):
            raise FormatError(
                "a symbol of the model has two numbers", path=bundle.file("symbols.txt"), hint="train it again"
            )
        made._symbols = Symbols(texts)
        files = (bundle.file("counts.bin"), bundle.file("lexicon.bin"), bundle.file("classifiers.bin"))
        made._native.open(*files, made.settings.coarse, DEFAULT.model_bytes)
        made._native.check_symbols(len(texts))
        made._trained = True
        return made

    def _numbers(self, words: Sequence[str]) -> list[int]:
        return [self._symbols.number(word) for word in words]

    def _aligned(self, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[list[tuple[int, int, float]]]:
        texts = [(" ".join(source), " ".join(target)) for source, target in pairs]
        found = Aligner(threads=self.threads).train(texts).posteriors()
        grown = (grow_posteriors(posteriors) for posteriors in found)
        return [[(i, j, max(p, _LEAST_LINK)) for (i, j), p in links.items()] for links in grown]

    @staticmethod
    def _as_many(given: Sequence[Any] | None, wanted: int, what: str) -> Sequence[Any] | None:
        if given is not None and len(given) != wanted:
            raise InputError(f"there are {len(given)} {what} for {wanted} sentences", hint="give one for each")
        return given
