"""Translate by multitrees whose every inference was learnt (Galron 2012)."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from tolka import _engine
from tolka.errors import FileError, FormatError, InputError, SettingsError
from tolka.files import Bundle, save_bundle
from tolka.forest import Forest
from tolka.limits import DEFAULT
from tolka.multitree.aligning import steps_of
from tolka.multitree.checkpoint import Checkpoint, State, key_of
from tolka.multitree.encoding import SentenceEncoder, Symbols
from tolka.multitree.learnable import add_pairs, as_many, linked, require_some
from tolka.multitree.profile import SearchProfile
from tolka.multitree.record import Account, Record
from tolka.multitree.schedule import Schedule
from tolka.multitree.settings import STATISTICS, MultitreeSettings
from tolka.multitree.translation import TreeProposal, TreeTranslation
from tolka.multitree.tuning import GTM, pooled_f, tune_penalty, tune_weights
from tolka.multitree.watch import Watched
from tolka.progress import SILENT
from tolka.tune import Hypothesis

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from tolka.files import BundleWriter
    from tolka.multitree.aligning import Step
    from tolka.multitree.bank import Multitrees
    from tolka.multitree.encoding import Encoded
    from tolka.multitree.record import PenaltyTuning
    from tolka.multitree.tuning import Score
    from tolka.multitree.watch import Watch
    from tolka.progress import Progress
    from tolka.syntax import Constituent
    from tolka.tune import Tuner, TuneResult

KIND = "multitree"
LANGUAGE = "language.tlm"
"""The language model, if there is one."""
FILES = ("symbols.txt", "training.json", "classes.json", "counts.bin", "lexicon.bin", "classifiers.bin")


class MultitreeTranslator:
    """A translator that searches for the multitree whose worst inference is least bad.

    Args:
        settings: How it is searched and trained; `SYSTEMS` has those of the thesis by name.
        classes: The class of each word, which stands for its tag in sentences without a tree.
        threads: Threads; 0 for one per core. They do not change the result.

    Attributes:
        record_: What training left behind: what became of the pairs, curves, and figures of what was learnt.

    Example:
        >>> pairs = [("the house", "la maison"), ("the car", "la voiture"), ("red house", "maison rouge")] * 4
        >>> tokens = [(source.split(), target.split()) for source, target in pairs]
        >>> links = [[(0, 0, 1.0), (1, 1, 1.0)], [(0, 0, 1.0), (1, 1, 1.0)], [(0, 1, 1.0), (1, 0, 1.0)]] * 4
        >>> settings = MultitreeSettings(epochs=2, partitions=1, templates="thesis", coarse=None, prune_pairs=0)
        >>> translator = MultitreeTranslator(settings, threads=1).train(tokens, links=links)
        >>> print(translator.translate([["red", "car"]])[0])
        voiture rouge
    """

    def __init__(
        self,
        settings: MultitreeSettings | None = None,
        *,
        classes: Mapping[str, str] | None = None,
        threads: int = 0,
    ) -> None:
        self.settings = settings or MultitreeSettings()
        self.classes = dict(classes or {})
        self.threads = threads
        self._symbols = Symbols()
        self._native = _engine.MultitreeModel(self.settings.search())
        self._trained = False
        self._language: Path | None = None
        self.record_ = Record()

    @property
    def account_(self) -> Account | None:
        """What became of the pairs it learnt from."""
        return self.record_.account

    @property
    def curve_(self) -> tuple[dict[str, Any], ...]:
        """What came of each iteration of training."""
        return self.record_.curve

    def train(
        self,
        pairs: Sequence[tuple[Sequence[str], Sequence[str]]],
        trees: Sequence[Constituent | None] | None = None,
        *,
        links: Sequence[Sequence[tuple[int, int, float]]] | None = None,
        target_trees: Sequence[Constituent | None] | None = None,
        multitrees: Sequence[Multitrees | None] | None = None,
        text: Sequence[Sequence[str]] | None = None,
        most_words: int | None = None,
        checkpoint: str | PathLike[str] | None = None,
        watch: Watch | None = None,
        progress: Progress = SILENT,
    ) -> Self:
        """Learn from sentence pairs. What cannot be learnt from is left out, and `account_` says why.

        Args:
            pairs: Tokenised pairs.
            trees: A constituency tree for each source sentence; without, sentences are flat.
            links: Word links with probabilities; without, they are those of `multitrees`, or aligned here.
            target_trees: A tree for each translation, whose brackets supervisors cross no more gladly than those of the source.
            multitrees: For supervisors that know one tree of each pair: the trees of a bank. Where there is None the best tree is
                looked for, as it is for all pairs without.
            text: More text of the target language; its n-grams are counted together with those of the pairs, or alone.
            most_words: Pairs with more words on a side are left out.
            checkpoint: A directory that has all there is to know after each iteration. If it is there, training goes on from it,
                and ends as if it had never been stopped.
            watch: A development set that is translated after each iteration, for the curve; nothing is learnt from it.
            progress: Who is told.

        Raises:
            InputError: The numbers of trees or links differ from that of pairs, or no pair can be learnt from.
            SettingsError: The checkpoint is of other pairs or settings, there are multitrees that no supervisor asks for, or there is
                no text of which n-grams alone are to be counted.
            FormatError: The checkpoint is damaged.
        """
        trees = as_many(trees, len(pairs), "trees") or [None] * len(pairs)
        known, wrong = self._known(as_many(multitrees, len(pairs), "multitrees"), pairs)
        if links is None and multitrees is not None:
            links = [[] if own is None else [(i, j, 1.0) for i, j in own.links()] for own in multitrees]
        links = as_many(links, len(pairs), "lists of links") or linked(pairs, self.threads)
        encoder = SentenceEncoder(self._symbols, classes=self.classes)
        others = as_many(target_trees, len(pairs), "trees of translations")
        added = add_pairs(
            self._native, encoder, pairs, trees, links, target_trees=others, most_words=most_words, wrong=wrong
        )
        rows, skipped = added.rows, added.skipped
        require_some(self._native, skipped)
        further = [self._numbers(sentence) for sentence in text or ()]
        if self.settings.counted == "text" and not any(further):
            raise SettingsError(
                "n-grams are to be counted in further text, but there is none", hint="give some, or count all of them"
            )
        given = {place: known[number] for place, number in enumerate(rows) if number in known}
        kept = None
        if checkpoint is not None:
            every = (self.settings.stored(), list(self._symbols), *rows.values(), further)
            parts = (*every, *(one for one in (given, added.targets) if one), *(watch.parts() if watch else ()))
            kept = Checkpoint(Path(checkpoint), key_of(parts))
        schedule = Schedule(self._native, self.settings, self.threads, given)
        state = None if kept is None else kept.read(self._native, self.settings)
        if state is None:
            own = [row[1] for row in rows.values()] if self.settings.counted == "all" else []
            self._native.count([*own, *further])
            self._native.fertility(self.threads)
            schedule.align(progress)
            state = State(*schedule.make_lexicon(progress))
            state = state if kept is None else kept.write(self._native, state)
        else:
            schedule.align(progress)
        watched = None if watch is None else Watched(watch, self._symbols, self.classes)
        for row in schedule.run(progress, after=len(state.curve), watched=watched):
            state = replace(state, curve=(*state.curve, row))
            state = state if kept is None else kept.write(self._native, state)
        self._native.set_penalty(self.settings.penalty)
        self._trained = True
        account = Account(self._native.pairs(), skipped, state.complete, state.lexicon)
        self.record_ = Record(account, state.curve, schedule.sureness(), schedule.completeness(progress))
        return self

    def _known(
        self, multitrees: Sequence[Multitrees | None] | None, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]
    ) -> tuple[dict[int, list[Step]], list[str | None] | None]:
        """The inferences of given multitrees by the number of their pair, and what is wrong with each pair's."""
        if multitrees is None:
            return {}, None
        if self.settings.supervisor != "tree":
            raise SettingsError(
                "multitrees are for supervisors that know one tree of each pair", hint="use supervisor=tree"
            )
        known: dict[int, list[Step]] = {}
        wrong: list[str | None] = [None] * len(pairs)
        for number, (own, (source, target)) in enumerate(zip(multitrees, pairs, strict=True)):
            if own is None:
                continue
            if (own.source, own.target) != (tuple(source), tuple(target)):
                wrong[number] = "the multitree has other words than its pair"
                continue
            try:
                known[number] = steps_of(own, self.settings.longest)
            except InputError as error:
                wrong[number] = error.what
        return known, wrong

    def translate(
        self,
        sentences: Sequence[Sequence[str]],
        trees: Sequence[Constituent | None] | None = None,
        *,
        threads: int | None = None,
    ) -> list[TreeTranslation]:
        """Translate tokenised sentences.

        Args:
            sentences: Their words.
            trees: A tree for each; without, they are flat.
            threads: Threads, if they are others than those of training.

        Raises:
            InputError: There are not as many trees, or one has other words.
            SettingsError: Nothing was learnt yet.
        """
        symbols, encoded = self._encoded(sentences, trees)
        found = self._native.translate(encoded, self.threads if threads is None else threads)
        return [TreeTranslation.of(symbols, one) for one in found]

    def translate_knowing(
        self,
        sentences: Sequence[Sequence[str]],
        references: Sequence[Sequence[str]],
        trees: Sequence[Constituent | None] | None = None,
        *,
        knowing: Literal["all", "pairs", "joins"] = "all",
    ) -> list[TreeTranslation]:
        """Translate with labels in place of classifiers or weights: an oracle that sees the references.

        Lexicon and search are the model's, and every step costs as if someone had always known whether it makes the partial
        translation better (WIQ1). What such translations lack the lexicon, the search or the labels lose; what
        `translate` loses beyond them is lost by classifiers or weights.

        Args:
            sentences: Their words.
            references: Their translations.
            trees: A tree for each; without, they are flat.
            knowing: Whose labels are known: of all steps, of pairs of phrases, or of joins; classifiers judge the others.

        Raises:
            InputError: There are not as many trees or references, or a tree has other words.
            SettingsError: Nothing was learnt yet, or no classifiers alone judge the others.
        """
        if len(references) != len(sentences):
            raise InputError(
                f"there are {len(references)} references for {len(sentences)} sentences", hint="give one for each"
            )
        symbols, encoded = self._encoded(sentences, trees)
        wanted = [[symbols.number(word) for word in words] for words in references]
        found = self._native.translate_knowing(encoded, wanted, knowing, self.threads)
        return [TreeTranslation.of(symbols, one) for one in found]

    def profile(
        self, sentences: Sequence[Sequence[str]], trees: Sequence[Constituent | None] | None = None
    ) -> SearchProfile:
        """Translate sentences one by one, and say where the time goes; the clocks themselves take some of it.

        Raises:
            InputError: There are not as many trees, or one has other words.
            SettingsError: Nothing was learnt yet.
        """
        _, encoded = self._encoded(sentences, trees)
        seconds, looking_up, kinds, proposed, popped = self._native.profile(encoded)
        scored = {kind: (count, time) for kind, count, time in kinds if count}
        return SearchProfile(seconds, looking_up, scored, proposed, popped)

    def forests(
        self,
        sentences: Sequence[Sequence[str]],
        trees: Sequence[Constituent | None] | None = None,
        *,
        threads: int | None = None,
    ) -> list[Forest | None]:
        """All translations of each sentence that a search comes to with its beam, packed; None if no tree covers it.

        Each edge is one inference, its score minus what that cost; so the best derivation is the translator's own if it is
        asked for in its semiring (`forest.kbest(1, semiring="minmerge")`). Nodes are labels over source spans. The edges of
        bilingual compositions have the words of both sides; the fuses of these words stand above them as edges of their own.
        The features are costs by type of inference, and the first number of a rule's id is the place of its type in `KINDS`,
        from 1 on.

        Args:
            sentences: Their words.
            trees: A tree for each; without, they are flat.
            threads: Threads, if they are others than those of training.

        Raises:
            InputError: There are not as many trees, or one has other words.
            SettingsError: Nothing was learnt yet.
        """
        symbols, encoded = self._encoded(sentences, trees)
        found = self._native.forests(encoded, list(symbols), self.threads if threads is None else threads)
        return [forest if forest is None else Forest(forest) for forest in found]

    def searching(self, **changes: Any) -> Self:
        """Search otherwise from now on: settings of the search, `weights` among them; nothing is trained again.

        Example:
            >>> pairs = [("the house".split(), "la maison".split())] * 4
            >>> links = [[(0, 0, 1.0), (1, 1, 1.0)]] * 4
            >>> settings = MultitreeSettings(epochs=1, partitions=1, prune_pairs=0)
            >>> translator = MultitreeTranslator(settings, threads=1).train(pairs, links=links)
            >>> weighed = translator.searching(semiring="viterbi", strategy="chart", weights={"lm": 1.0, "target": 1.0})
            >>> print(weighed.translate([["the", "house"]])[0])
            la maison

        Raises:
            SettingsError: A setting is unknown or makes no sense.
        """
        known = [*(name for name in self.settings.search() if name != "predictor"), "hierarchies"]
        for name in changes:
            if name not in known:
                raise SettingsError(f"{name} is no setting of the search", hint=f"settings are {', '.join(known)}")
        settings = replace(self.settings, **changes)
        self._native.set(settings.search())
        self.settings = settings
        return self

    def with_language(self, path: str | PathLike[str]) -> Self:
        """Score translations by a language model from now on, a file of `tolka lm build`: what `lm` weighs.

        Raises:
            FileError: There is no such file.
            FormatError: It is no language model.
        """
        self._native.set_language(path, ["", *self._symbols], DEFAULT.model_bytes)
        self._language = Path(path)
        return self

    def tune_weights(
        self,
        sentences: Sequence[Sequence[str]],
        references: Sequence[Sequence[str]],
        trees: Sequence[Constituent | None] | None = None,
        *,
        tuner: Tuner | None = None,
        most: int = 100,
        iterations: int = 10,
        progress: Progress = SILENT,
    ) -> TuneResult:
        """Find the weights of statistics that translate a tuning set best, and keep them.

        Args:
            sentences: Tokenised sentences.
            references: Their translations.
            trees: A tree for each sentence; without, they are flat.
            tuner: How weights are found; pairwise ranking by default.
            most: Translations of each sentence that are compared.
            iterations: Times the set is translated and weights are tuned.
            progress: Who is told.

        Raises:
            InputError: There is nothing to tune on, or the numbers differ.
            SettingsError: Nothing was learnt yet, or nothing is weighed.
        """
        found = tune_weights(
            self, sentences, references, trees, tuner=tuner, most=most, iterations=iterations, progress=progress
        )
        self.searching(weights=found.weights)
        return found

    def proposals(
        self,
        sentences: Sequence[Sequence[str]],
        trees: Sequence[Constituent | None] | None = None,
        *,
        most: int = 100,
    ) -> list[list[Hypothesis]]:
        """Up to so many translations of each sentence, best first, with what is weighed.

        Raises:
            InputError: There are not as many trees, or one has other words.
            SettingsError: Nothing was learnt yet, or none is asked for.
        """
        found = self._proposed(sentences, trees, most, self.threads)
        return [
            [Hypothesis(" ".join(words), dict(zip(STATISTICS, sums, strict=True))) for words, sums, _ in ones]
            for ones in found
        ]

    def lists(
        self,
        sentences: Sequence[Sequence[str]],
        trees: Sequence[Constituent | None] | None = None,
        *,
        most: int = 100,
        threads: int | None = None,
    ) -> list[list[TreeProposal]]:
        """Up to so many translations of each sentence, best first, with what makes their scores.

        Where statistics are weighed, they are the features. Elsewhere those are the costs of steps by their type, and the score is
        minus their sum; the order is that of the search's semiring all the same.

        Raises:
            InputError: There are not as many trees, or one has other words.
            SettingsError: Nothing was learnt yet, or none is asked for.
        """
        found = self._proposed(sentences, trees, most, self.threads if threads is None else threads)
        weights = self.settings.weights
        return [[TreeProposal.of(words, sums, costs, weights) for words, sums, costs in ones] for ones in found]

    def with_penalty(self, penalty: float) -> Self:
        """Translate with the classifiers of another penalty from now on; nothing is trained again.

        Raises:
            SettingsError: It is no number above 0, up to 3/8.
        """
        settings = replace(self.settings, penalty=penalty)
        self._native.set_penalty(penalty)
        self.settings = settings
        return self

    def tune(
        self,
        sentences: Sequence[Sequence[str]],
        references: Sequence[Sequence[str]],
        trees: Sequence[Constituent | None] | None = None,
        *,
        score: Score = pooled_f,
        metric: str = GTM,
        progress: Progress = SILENT,
    ) -> PenaltyTuning:
        """Translate a tuning set with each penalty that classifiers know, and keep the best from now on.

        Args:
            sentences: Tokenised sentences.
            references: Their translations.
            trees: A tree for each sentence; without, they are flat.
            score: Says how good translations are; F of the General Text Matcher with exponent 2 by default.
            metric: What that is called.
            progress: Who is told.

        Raises:
            InputError: There is nothing to tune on, or the numbers differ.
            SettingsError: Nothing was learnt yet.
        """
        found = tune_penalty(self, sentences, references, trees, score=score, metric=metric, progress=progress)
        self.record_ = replace(self.record_, tuning=found)
        self.with_penalty(found.penalty)
        return found

    def feature_mass(self, of: Literal["all", "pairs", "joins"] = "all") -> list[tuple[str, float, float]]:
        """Features with their share of the weight where they hold and where they do not (Galron 2012, section 5.6).

        Args:
            of: Which classifiers: all, those of pairs of phrases, or those of joins.
        """
        joins = {"all": None, "pairs": False, "joins": True}[of]
        return sorted(self._native.mass(joins), key=lambda row: -row[1] - row[2])

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model as a bundle.

        Raises:
            FileError: It cannot be written.
            SettingsError: Nothing was learnt yet.
        """
        if not self._trained:
            raise SettingsError("nothing was learnt yet", hint="call train first")
        with save_bundle(Path(path), kind=KIND, settings=self.settings.stored()) as out:
            self.write(out)

    def write(self, out: BundleWriter) -> None:
        """Write the files of the model into a bundle that has others, too; `FILES` are their names."""
        symbols, record, classes, *engine = (out.file(name) for name in FILES)
        symbols.write_bytes("".join(f"{text}\n" for text in self._symbols).encode())
        record.write_text(self.record_.to_json(), encoding="utf-8")
        classes.write_text(json.dumps(self.classes, ensure_ascii=False, sort_keys=True), encoding="utf-8")
        counts, lexicon, classifiers = engine
        self._native.save(counts, lexicon, classifiers)
        if self._language is not None:
            try:
                shutil.copyfile(self._language, out.file(LANGUAGE))
            except OSError as error:
                raise FileError(
                    "the language model cannot be copied into the model",
                    path=self._language,
                    hint="put it back, or call with_language with another one",
                ) from error

    @classmethod
    def load(cls, path: str | PathLike[str], *, threads: int = 0) -> Self:
        """Open what was saved.

        Raises:
            FileError: There is no model.
            FormatError: It is damaged.
        """
        bundle = Bundle.open(Path(path), kind=KIND)
        return cls.read(bundle, bundle.settings, threads=threads)

    @classmethod
    def read(cls, bundle: Bundle, settings: Mapping[str, Any], *, threads: int = 0) -> Self:
        """Read the files of a model in a bundle that has others, too.

        Raises:
            FormatError: It is damaged.
        """
        try:
            made = cls(MultitreeSettings.restored(dict(settings)), threads=threads)
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
        made.record_, made.classes = _record(bundle), _classes(bundle)
        classifiers = bundle.file("classifiers.bin") if made.settings.epochs else None
        files = (bundle.file("counts.bin"), bundle.file("lexicon.bin"), classifiers)
        made._native.open(*files, made.settings.coarse, made.settings.prior, DEFAULT.model_bytes)
        made._native.check_symbols(len(texts))
        if LANGUAGE in bundle.names:
            made.with_language(bundle.file(LANGUAGE))
        made._trained = True
        return made

    def _encoded(
        self, sentences: Sequence[Sequence[str]], trees: Sequence[Constituent | None] | None
    ) -> tuple[Symbols, list[Encoded]]:
        """Sentences as the engine has them, with numbers that new words get for this call only."""
        if not self._trained:
            raise SettingsError("nothing was learnt yet", hint="call train, or load a model")
        trees = as_many(trees, len(sentences), "trees") or [None] * len(sentences)
        symbols = self._symbols.copy()
        encoder = SentenceEncoder(symbols, classes=self.classes)
        return symbols, [encoder.encode(words, tree) for words, tree in zip(sentences, trees, strict=True)]

    def _proposed(
        self,
        sentences: Sequence[Sequence[str]],
        trees: Sequence[Constituent | None] | None,
        most: int,
        threads: int,
    ) -> list[list[tuple[tuple[str, ...], list[float], list[float]]]]:
        """Words, sums of statistics, and costs by type."""
        if most < 1:
            raise SettingsError(f"{most} translations of a sentence cannot be proposed", hint="use 1 or more")
        symbols, encoded = self._encoded(sentences, trees)
        found = self._native.proposals(encoded, most, threads)
        return [[(tuple(map(symbols.text, words)), sums, costs) for words, sums, costs in ones] for ones in found]

    def _numbers(self, words: Sequence[str]) -> list[int]:
        return [self._symbols.number(word) for word in words]


def _record(bundle: Bundle) -> Record:
    path = bundle.file("training.json")
    try:
        return Record.of_json(path.read_bytes())
    except ValueError as error:
        raise FormatError("the record of training is not sound", path=path, hint="train the model again") from error


def _classes(bundle: Bundle) -> dict[str, str]:
    path = bundle.file("classes.json")
    try:
        return {str(word): str(own) for word, own in json.loads(path.read_bytes()).items()}
    except (ValueError, AttributeError) as error:
        raise FormatError("the word classes of the model are not sound", path=path, hint="train it again") from error
