"""The translator: a trained model as people use it."""

from __future__ import annotations

from copy import copy
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast, overload

from tolka.decode import fill
from tolka.errors import InputError, SettingsError
from tolka.files.manifest import manifest_mark
from tolka.markup import Terms, mask_sentence, number_styles
from tolka.translate.bundle import ENSEMBLE, ModelFiles, open_bundle, read_model, write_model
from tolka.translate.description import Remembering
from tolka.translate.given import GivenSettings
from tolka.translate.loading import make_decoder, make_steps
from tolka.translate.memory import Match, Memory, match_of, verbatim
from tolka.translate.searching import read_search
from tolka.translate.tagged import (
    TaggedSentence,
    in_order,
    is_kept,
    links_of,
    restore_tagged,
    settled,
    tagged,
    with_tags,
    without_strays,
)
from tolka.translate.text import prepare_pairs, split_sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    from tolka.decode import Decoder, Input, InputFormat, Lattice, Sentence
    from tolka.forest import Derivation, Forest, Segment
    from tolka.markup import Mode
    from tolka.reorder import Reordering
    from tolka.translate.description import Description, MemoryUse


@dataclass(frozen=True)
class Translation:
    """One translation of a sentence.

    Attributes:
        text: As people write it.
        words: As the model sees it, with spaces between words.
        score: The weighted sum of its features, a natural logarithm.
        features: What each feature says.
        sparse: What sparse features say, if the model has any.
        links: Source and target positions of words that translate each other, if derivations were asked for.
        segments: Source and target spans of its phrases in the order of the target, if derivations were asked for.
        memory: The correction that it comes from, if it comes from one.
    """

    text: str
    words: str
    score: float
    features: dict[str, float]
    sparse: dict[str, float] = field(default_factory=dict)
    links: tuple[tuple[int, int], ...] | None = None
    segments: tuple[Segment, ...] | None = None
    memory: Match | None = None


@dataclass(frozen=True)
class NbestList:
    """The best translations of a sentence.

    Attributes:
        words: The sentence as the model sees it, with spaces between words; None of a lattice.
        translations: Best first.
    """

    words: str | None
    translations: list[Translation]


class Search(Protocol):
    """A way of finding the words of translations."""

    def __call__(self, decoder: Decoder, sentences: Sequence[Input], /, *, threads: int) -> list[str]:
        """The words of a translation of each sentence."""
        ...


def best_words(decoder: Decoder, sentences: Sequence[Input], /, *, threads: int) -> list[str]:
    """The usual way: the words of the best translations."""
    return decoder.translate(sentences, threads=threads)


class Translator:
    """Translates text with a trained model.

    Translating is three steps, each of which can be called by itself: `prepare` makes words of text, `search` (or
    `search_nbest`) finds translations of words, `restore` makes text of words. `translate_by` and `lists` take all three;
    everything that translates text goes through one of them.

    A translator never changes, so several threads can share one.

    Attributes:
        origin: Where it was loaded from and when, if it was; see `latest`.
        description: What the model is: kind, languages, text settings, search settings.
        files: Where its parts are.
        source: The text steps of the language it translates from.
        target: The text steps of the language it translates to.
        reordering: What puts source words into the target's order first, if the model does that.
        decoder: What searches.
        memory: The corrections that it remembers, if it has any.
        given: What goes before the model's own translations; see `with_given`.
    """

    def __init__(
        self,
        description: Description,
        files: ModelFiles,
        weights: Mapping[str, float] | None = None,
        *,
        stages: Sequence[str] = (),
        **search: Any,
    ) -> None:
        """Join the parts of a model; `load` does it for a model's directory.

        Args:
            description: What the model is.
            files: Its parts.
            weights: By feature; those not named have the value they have before tuning.
            stages: The stages that made it.
            **search: Settings of the decoder that go before those of the description; `sparse` goes with the model.
        """
        sparse = search.pop("sparse", None)
        if sparse is not None:
            description = replace(description, sparse=cast("dict[Any, bool | int]", asdict(sparse)))
        self.description = description
        self.files = files
        self.given = GivenSettings()
        self.stages = tuple(stages)
        self.origin: tuple[Path, object, Callable[[], Translator]] | None = None
        self.source, self.target = make_steps(description, files)
        self.memory = None
        if description.memory is not None and files.updates:
            self.memory = Memory([*files.updates.values()], self.source, description.memory)
        self.reordering = None if description.reorder is None else open_reordering_of(description, files)
        settings = {**read_search(description.search), **search}
        self.decoder = make_decoder(description, files, weights, settings)

    @classmethod
    def load(
        cls,
        path: str | PathLike[str],
        *,
        weights: Mapping[str, float] | None = None,
        lm: str | PathLike[str] | None = None,
        verify: bool = False,
        memory: MemoryUse | None = None,
        **search: Any,
    ) -> Translator:
        """Load the directory of a model or an ensemble.

        Tables are mapped into memory, so this takes milliseconds.

        Args:
            path: The directory that `tolka train` or `tolka combine` wrote.
            weights: Weights to use in place of the model's, by feature (of an ensemble by part); those not named stay.
            lm: A language model (ARPA or compiled) to use in place of the model's own; saved with the model if it is.
            verify: Compare every byte with the manifest's checksums first.
            memory: What the model's corrections do, as for `with_given`.
            **search: Settings of the decoder, such as `pop_limit`, to use in place of the model's; see
                `tolka.decode.Decoder`.

        Raises:
            FileError: There is no model.
            FormatError: It is damaged or of another kind.
            InputError: A weight for a feature that the model does not have.
            SettingsError: An unknown setting.
        """
        mark = manifest_mark(Path(path))
        bundle = open_bundle(path, verify=verify)
        if bundle.kind == ENSEMBLE:
            from tolka.translate.ensemble import load_ensemble  # noqa: PLC0415 - most models are none

            again = partial(cls.load, path, weights=weights, lm=lm, memory=memory, **search)
            return load_ensemble(bundle, again, weights=weights, lm=lm, verify=verify, **search).with_given(
                memory=memory
            )
        opened = read_model(bundle)
        files = opened.files
        if lm is not None:
            names = opened.description.lms
            if len(names) != 1:
                raise SettingsError(
                    f"the model has {len(names)} language models, so another cannot take the place of one",
                    hint="name another model",
                )
            files = replace(files, lms={names[0]: Path(lm)})
        loaded = cls(
            opened.description,
            files,
            {**opened.weights, **(weights or {})},
            stages=opened.bundle.stages,
            **search,
        )
        again = partial(cls.load, path, weights=weights, lm=lm, memory=memory, **search)
        return loaded._with(origin=(Path(path), mark, again)).with_given(memory=memory)

    def latest(self) -> Translator:
        """The model as it is on disk now: this one if nothing was saved there since it was loaded, else loaded again.

        A translator never changes, so a program that runs for long asks for the latest where it begins a new piece of work:
        `translator = translator.latest()`. It costs a look at one file's time. What `load` and `with_given` were told holds.

        Raises:
            FileError: The model is gone.
            FormatError: It is damaged.
        """
        if self.origin is None or self._mark(self.origin[0]) == self.origin[1]:
            return self
        return self.origin[2]()._with(given=self.given)  # noqa: SLF001 - of the same class

    def _mark(self, path: Path) -> object:
        """What differs after something was saved to the model."""
        return manifest_mark(path)

    def update(
        self, sources: Sequence[str], targets: Sequence[str], *, name: str = "update", threads: int = 0
    ) -> Translator:
        """Add sentence pairs, such as corrections, to the model on disk; see `tolka.train.update_model`.

        Args:
            sources: Sentences as people write them.
            targets: Their translations.
            name: What the update is called where updates are listed.
            threads: How many; 0 for one per core.

        Returns:
            The translator that knows them; this one stays as it is.

        Raises:
            SettingsError: The translator was not loaded from a directory.
            InputError: The texts differ in length, have no pair with words on both sides, or seem to be swapped.
        """
        if self.origin is None:
            raise SettingsError("a translator that was not loaded cannot be updated", hint="save it, and load it")
        from tolka.train.growing import update_model  # noqa: PLC0415 - few translators learn

        update_model(self.origin[0], sources, targets, name=name, threads=threads)
        return self.latest()

    def save(self, path: str | PathLike[str]) -> None:
        """Save the model to a directory; one that is there is replaced whole or not at all.

        Saving to the directory that the model was loaded from replaces its weights and settings alone.

        Raises:
            FileError: The directory holds something else than a model, or cannot be written.
        """
        write_model(path, self.description, self.files, self.weights, stages=self.stages)

    @property
    def langs(self) -> tuple[str, str]:
        """The languages it translates from and to."""
        source, target = self.description.langs
        return source, target

    @property
    def weights(self) -> dict[str, float]:
        """What each feature counts."""
        return dict(self.decoder.weights)

    def with_weights(self, weights: Mapping[str, float]) -> Translator:
        """The same model under other weights; those not named stay as they are."""
        other = self._with(decoder=self.decoder.with_weights(weights))
        if self.origin is None:
            return other
        path, mark, again = self.origin
        return other._with(origin=(path, mark, lambda: again().with_weights(weights)))  # noqa: SLF001

    def _with(self, **parts: Any) -> Translator:
        """The same model but for these parts; a translator itself never changes, so threads may share it."""
        other = copy(self)
        vars(other).update(parts)
        return other

    def with_given(
        self,
        *,
        terms: Terms | str | PathLike[str] | None = None,
        markup: Mode = "pass-through",
        placeholders: bool = True,
        convert_numbers: bool = False,
        input_format: InputFormat = "text",
        memory: MemoryUse | None = None,
        threshold: float | None = None,
    ) -> Translator:
        """The same model for text that brings translations along, or for lattices.

        Args:
            terms: Terms with their translations, or a file of them; see `tolka.markup.Terms`.
            markup: What tags in the text do: `exclusive`, `inclusive`, `ignore`, or `pass-through` if it has none.
            placeholders: Whether web and e-mail addresses are copied whole, and numbers that the model does not know.
            convert_numbers: Whether those numbers are written as in the target language.
            input_format: How lines are written: `text`, or the model's words in lattices (`plf`, `plf-log`) or `json`.
            memory: What the model's corrections do: `exact`, `fuzzy` or `off`; what the model says if that is None.
            threshold: Of `fuzzy`: how similar sentences must be, up to 1; what the model says if that is None.

        Raises:
            FormatError: A file that is not one of terms.
            SettingsError: Numbers of a language that is not known, terms or tags for lines that are not text, a use of
                the memory that there is not.
        """
        if input_format != "text" and (terms is not None or markup != "pass-through" or convert_numbers):
            raise SettingsError(
                f"terms, tags and numbers are found in text, not in {input_format}", hint="leave them out"
            )
        if terms is not None and not isinstance(terms, Terms):
            terms = Terms.read(terms, cut=self.source.tokenise, cut_target=self.target.tokenise)
        settings = GivenSettings(terms, markup, placeholders, convert_numbers, input_format, memory, threshold)
        # What makes no sense is found out now, not at the first line.
        settings.remembering(self.description.memory or Remembering())
        settings.annotator(self.source, self.target, self._knows, 0)
        return self._with(given=settings)

    # The three steps.

    def sentences(self, lines: Sequence[str], *, first: int = 1, threads: int = 0) -> list[Sentence | Lattice]:
        """The first step with what the text brings along: words, and translations of some of them; or lattices.

        Args:
            lines: Text.
            first: The number of the first line, for error messages.
            threads: How many; 0 for one per core.
        """
        if self.given.input_format != "text":
            return self.given.inputs(_lines(lines), first=first)
        annotator = self.given.annotator(self.source, self.target, self._knows, threads)
        # Tags that bring translations along are the annotator's.
        lifts = self.given.markup == "pass-through"
        lifted = [self.source.lift(line) if lifts else (line, ()) for line in _lines(lines)]
        found = annotator.sentences([text for text, _ in lifted], first=first)
        found = [tagged(one, *own) for one, own in zip(found, lifted, strict=True)]
        split = [split_sentence(one, self.source.compounds) for one in found]
        if self.source.settings.masked:
            styles = number_styles(*self.langs)
            split = [mask_sentence(one, styles) for one in split]
        if self.reordering is not None:
            from tolka.translate.reordering import reorder_sentences  # noqa: PLC0415 - see open_reordering_of

            split = reorder_sentences(self.reordering, split, threads=threads)
        if self._keeps:
            split = settled(split, self.decoder, threads)
        if self.memory is not None:
            asked = self.given.remembering(self.memory.remembering)
            split = self.memory.sentences(_lines(lines), split, asked, threads=threads)
        return [*split]

    def prepare(self, lines: Sequence[str], *, threads: int = 0) -> list[str]:
        """The first step: the words of each line, as the model knows them."""
        return self._reordered(self.source.prepare(_lines(lines), threads=threads), threads)

    def prepare_pairs(
        self, sources: Sequence[str], references: Sequence[str], *, threads: int = 0
    ) -> tuple[list[str], list[str]]:
        """The words of sentences and of their translations, as the model knows them."""
        if len(sources) != len(references):
            raise InputError(
                f"the development set has {len(sources)} sentences and {len(references)} references",
                hint="give two texts that belong together line by line",
            )
        words, wanted = prepare_pairs(self.source, self.target, _lines(sources), _lines(references), threads=threads)
        return self._reordered(words, threads), wanted

    def _reordered(self, lines: list[str], threads: int) -> list[str]:
        if self.reordering is None:
            return lines
        from tolka.translate.reordering import reorder_lines  # noqa: PLC0415 - see open_reordering_of

        return reorder_lines(self.reordering, lines, threads=threads)

    def search(self, prepared: Sequence[Input], *, threads: int = 0) -> list[str]:
        """The second step: the words of the best translation of each line of words."""
        return fill(prepared, self.decoder.translate(prepared, threads=threads))

    def search_nbest(
        self,
        prepared: Sequence[Input],
        count: int,
        *,
        unique: bool = True,
        derivations: bool = False,
        threads: int = 0,
    ) -> list[list[Translation]]:
        """The second and third step for the best `count` translations of each line of words."""
        # Tags are put where derivations say.
        explained = derivations or any(isinstance(one, TaggedSentence) for one in prepared)
        found = self.decoder.nbest(prepared, count, unique=unique, derivations=explained, threads=threads)
        if self._keeps:
            found = [
                [one for one in own if is_kept(line, one.text)] or own
                for line, own in zip(prepared, found, strict=True)
            ]
        flat = [(line, one) for line, own in zip(prepared, found, strict=True) for one in own]
        whose = [line for line, _ in flat]
        restored = self._restored(whose, [one.text for _, one in flat], threads)
        placed = [
            with_tags(text, line, one.text, links_of(one), self.target) if isinstance(line, TaggedSentence) else text
            for text, (line, one) in zip(restored, flat, strict=True)
        ]
        texts = iter(verbatim(whose, placed))
        return [
            [
                Translation(
                    next(texts),
                    one.text,
                    one.score,
                    one.features,
                    one.sparse,
                    one.links if derivations else None,
                    one.segments if derivations else None,
                    match_of(line),
                )
                for one in own
            ]
            for line, own in zip(prepared, found, strict=True)
        ]

    def _knows(self, words: Sequence[str]) -> list[bool]:
        return self.decoder.translates(words)

    def restore(self, lines: Sequence[str], *, threads: int = 0) -> list[str]:
        """The third step: the text that lines of target words stand for."""
        return self.target.restore(_lines(lines), threads=threads)

    # All of them.

    # A text is a sequence of texts, too, but is taken as one.
    @overload
    def translate(  # type: ignore[overload-overlap]
        self, text: str, *, terms: Terms | None = None, threads: int = 0
    ) -> str: ...
    @overload
    def translate(self, text: Sequence[str], *, terms: Terms | None = None, threads: int = 0) -> list[str]: ...
    def translate(self, text: str | Sequence[str], *, terms: Terms | None = None, threads: int = 0) -> str | list[str]:
        """Translate a sentence, or a list of sentences.

        Args:
            text: As people write it (or words with spaces between, if the model is for tokenised text).
            terms: Terms to use in place of those of `with_given`.
            threads: How many; 0 for one per core. The result does not depend on it.

        Returns:
            A translation, or a list of as many as there are sentences.
        """
        if isinstance(text, str):
            return self.translate([text], terms=terms, threads=threads)[0]
        if terms is not None:
            return self._with(given=replace(self.given, terms=terms)).translate(text, threads=threads)
        return self.translate_by(best_words, text, threads=threads)

    def translate_by(self, search: Search, lines: Sequence[str], *, first: int = 1, threads: int = 0) -> list[str]:
        """Translate sentences, with the best words found in a way of your own.

        Args:
            search: Called with a decoder, sentences and `threads`; gives the words of a translation of each.
            lines: As for `translate`.
            first: The number of the first line, for error messages.
            threads: How many; 0 for one per core.
        """
        sentences = self.sentences(lines, first=first, threads=threads)
        found = search(self.decoder, sentences, threads=threads)
        if self._keeps:
            # Found in a way that does not know what the best translation keeps.
            lost = [at for at, (one, words) in enumerate(zip(sentences, found, strict=True)) if not is_kept(one, words)]
            again = self.decoder.translate([sentences[at] for at in lost], threads=threads) if lost else []
            found = [dict(zip(lost, again, strict=True)).get(at, words) for at, words in enumerate(found)]
        texts = self._restored(sentences, found, threads)
        placed = restore_tagged(texts, sentences, found, self.target, self.decoder, threads)
        return verbatim(sentences, placed)

    @property
    def _keeps(self) -> bool:
        """Whether text that is not words comes out as it was."""
        return self.source.settings.notation and self.given.placeholders

    def _restored(self, sentences: Sequence[Input], found: Sequence[str], threads: int) -> list[str]:
        """The text of translations as the decoder found them."""
        if self._keeps:
            found = [without_strays(one, words) for one, words in zip(sentences, found, strict=True)]
            # Pre-ordering moves placeholders, too, so that their order is not known any more.
            if self.reordering is None:
                found = [in_order(one, words) for one, words in zip(sentences, found, strict=True)]
        return self.restore(fill(sentences, found), threads=threads)

    @overload
    def nbest(  # type: ignore[overload-overlap]
        self, text: str, count: int = 10, *, unique: bool = True, threads: int = 0
    ) -> list[Translation]: ...
    @overload
    def nbest(
        self, text: Sequence[str], count: int = 10, *, unique: bool = True, threads: int = 0
    ) -> list[list[Translation]]: ...
    def nbest(
        self, text: str | Sequence[str], count: int = 10, *, unique: bool = True, threads: int = 0
    ) -> list[Translation] | list[list[Translation]]:
        """The best translations of a sentence, best first; of each sentence if a list is given.

        Args:
            text: As for `translate`.
            count: How many at most.
            unique: Whether those with the same words are listed once.
            threads: How many; 0 for one per core.
        """
        if isinstance(text, str):
            return self.nbest([text], count, unique=unique, threads=threads)[0]
        return [one.translations for one in self.lists(text, count, unique=unique, threads=threads)]

    def lists(
        self,
        lines: Sequence[str],
        count: int,
        *,
        first: int = 1,
        unique: bool = True,
        derivations: bool = False,
        threads: int = 0,
    ) -> list[NbestList]:
        """The best translations of each sentence, with the words they are translations of.

        Args:
            lines: As for `translate`.
            count: How many at most.
            first: The number of the first line, for error messages.
            unique: Whether those with the same words are listed once.
            derivations: Whether translations have links and segments; it takes longer.
            threads: How many; 0 for one per core.
        """
        sentences = self.sentences(lines, first=first, threads=threads)
        found = self.search_nbest(sentences, count, unique=unique, derivations=derivations, threads=threads)
        return [NbestList(getattr(one, "text", None), own) for one, own in zip(sentences, found, strict=True)]

    @overload
    def explain(self, text: str, *, threads: int = 0) -> Derivation: ...  # type: ignore[overload-overlap]
    @overload
    def explain(self, text: Sequence[str], *, threads: int = 0) -> list[Derivation]: ...
    def explain(self, text: str | Sequence[str], *, threads: int = 0) -> Derivation | list[Derivation]:
        """How the best translation of a sentence came about; of each sentence if a list is given.

        Args:
            text: As for `translate`.
            threads: How many; 0 for one per core.

        Returns:
            The derivation, in the model's words; `to_svg` draws it, and notebooks show it.
        """
        if isinstance(text, str):
            return self.explain([text], threads=threads)[0]
        return self.decoder.explain(self.sentences(text, threads=threads), threads=threads)

    @overload
    def forest(self, text: str, *, lm: bool = True, threads: int = 0) -> Forest: ...  # type: ignore[overload-overlap]
    @overload
    def forest(self, text: Sequence[str], *, lm: bool = True, threads: int = 0) -> list[Forest]: ...
    def forest(self, text: str | Sequence[str], *, lm: bool = True, threads: int = 0) -> Forest | list[Forest]:
        """All derivations of a sentence that the search kept; of each sentence if a list is given.

        Args:
            text: As for `translate`.
            lm: Whether language models take part; see `tolka.decode.Decoder.forest`.
            threads: How many; 0 for one per core.
        """
        if isinstance(text, str):
            return self.forest([text], lm=lm, threads=threads)[0]
        return self.decoder.forest(self.sentences(text, threads=threads), lm=lm, threads=threads)

    def __repr__(self) -> str:
        source, target = self.langs
        return f"<Translator {source}-{target}, {self.description.kind}, {len(self.decoder.weights)} features>"


def open_reordering_of(description: Description, files: ModelFiles) -> Reordering | None:
    """What puts a model's source words into another order."""
    # Pre-ordering brings parsers along, which would be half of all modules that a model without it loads.
    from tolka.translate.reordering import open_reordering  # noqa: PLC0415

    return open_reordering(description, files)


def _lines(lines: Sequence[str]) -> list[str]:
    if isinstance(lines, str):
        raise InputError("one string instead of a list of sentences", hint="put it into a list")
    return lines if isinstance(lines, list) else list(lines)
