"""Decoders as people use them."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import repeat
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from tolka import _engine
from tolka.decode.sentence import Input, lines_and_spans
from tolka.decode.sparse import SparseFeatures
from tolka.errors import InputError, SettingsError
from tolka.forest import Derivation, Forest, Grown, Growth
from tolka.lm import LanguageModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tolka.forest import Segment
    from tolka.grammar import Composition, Grammar, SuffixGrammar, Voice

    Rules = Grammar | Voice | SuffixGrammar | Composition

Kind = Literal["chart", "phrase", "undirected"]
"""How to search: `chart` builds bottom up with rules that may have gaps, `phrase` from left to right, `undirected` grows one
tree from a leaf in any order."""

_GROWTH: tuple[Growth, ...] = ("start", "up", "down")

ACTION = "action."
"""Before the names of features of actions, whose weights only undirected search has."""


def is_in_context(feature: str) -> bool:
    """Whether a feature is one of actions in context: what it is about, a sign and a hash."""
    return feature.startswith(ACTION) and "#" in feature


# Weights to begin with, before tuning; near what tuning finds on small corpora.
_START = {
    "phrase_fe": 0.4,
    "lex_fe": 0.1,
    "phrase_ef": 0.4,
    "lex_ef": 0.2,
    "word_count": 0.8,
    "glue": -0.2,
    "unknown": -5.0,
    "input": 1.0,
    "distortion": -0.2,  # it counts the words jumped over
    "given": 1.0,
    "through": 1.0,
}
_START_LM = 0.6
_START_REORDERING = 0.3
# Tuning likes few rules in a chart and many phrases.
_START_RULES = {"chart": -0.2, "phrase": 0.3, "undirected": -0.2}


@dataclass(frozen=True)
class Candidate:
    """A translation with what speaks for it.

    Attributes:
        text: Its words.
        score: The weighted sum of its features.
        features: What each feature says, by name; language models in natural logarithms.
        sparse: What sparse features say, those that are not 0.
        derivation: How it was made, if that was asked for.
    """

    text: str
    score: float
    features: dict[str, float]
    sparse: dict[str, float] = field(default_factory=dict)
    derivation: Derivation | None = field(default=None, repr=False)

    @property
    def words(self) -> str:
        """The same as `text`, by the name that hypotheses for tuning have it under."""
        return self.text

    @property
    def segments(self) -> tuple[Segment, ...]:
        """Source spans and what they became, if derivations were asked for."""
        return self._known.segments

    @property
    def links(self) -> tuple[tuple[int, int], ...]:
        """Source and target positions that translate each other, if derivations were asked for."""
        return self._known.links

    @property
    def _known(self) -> Derivation:
        if self.derivation is None:
            raise InputError("this candidate's derivation was not kept", hint="call nbest with derivations=True")
        return self.derivation


@dataclass(frozen=True)
class CandidateRows:
    """Translations of many sentences, their features in one array: for work on all of them at once.

    Attributes:
        texts: The translations of each sentence, best first.
        scores: Of all of them in a row.
        names: The features, one for each column of the next.
        features: A row for each translation.
        sparse: The sparse features of each; empty if there are none at all.
    """

    texts: list[list[str]]
    scores: NDArray[np.float64]
    names: tuple[str, ...]
    features: NDArray[np.float64]
    sparse: list[list[tuple[str, float]]]


@dataclass(frozen=True)
class SearchStatistics:
    """A translation with what finding it took.

    Attributes:
        text: The translation.
        score: Its score.
        cells: Cells of the chart, or stacks.
        cubes: Rules with their gaps that matched a span, or groups of hypotheses that met a span.
        pops: Hypotheses taken, or rules connected.
        scored: Hypotheses or actions scored by language models.
        queries: Words that language models were asked for, or asked for again with more context.
        hypotheses: Hypotheses kept apart.
        recombined: Hypotheses taken that could not be told from another.
        hurried: Whether a limit was reached, so that the rest was done in a hurry.
        parsing: Seconds for a first pass without language models, if there is one.
        factors: Seconds for what is known of its forest before search, if that is undirected.
        rescoring: Seconds for the search itself.
    """

    text: str
    score: float
    cells: int
    cubes: int
    pops: int
    scored: int
    queries: int
    hypotheses: int
    recombined: int
    hurried: bool
    # The same search does not always take the same time.
    parsing: float = field(default=0.0, compare=False)
    factors: float = field(default=0.0, compare=False)
    rescoring: float = field(default=0.0, compare=False)


class Decoder:
    """Searches for translations of tokenised sentences.

    The same input, model, weights and settings give the same translations, whatever the number of threads (unless a time
    limit cuts the search short).

    A decoder never changes: `with_weights` makes another.

    Attributes:
        kind: `chart`, `phrase` or `undirected`.
        settings: As given; what is not given has the kind's default. All kinds know `table_limit`, `time_limit` (seconds for
            a sentence, after which the rest is done in a hurry) and `memory_limit` (bytes for its hypotheses); charts
            `search` (`cube` or `boundary`), `pop_limit`, `passes`, `beam`, `max_span` and `shallow`; phrases `pop_limit`,
            `stack_size`, `distortion_limit`, `max_phrase` and `estimate_jumps`. Undirected search (Gesmundo & Henderson
            2014) has `max_span` and `shallow` as charts have them, `prune` and `narrow` (how much less than the best a
            derivation may promise to be in the forest, and while the tree grows), `lm` (what language models say of an
            action: `full`, `both`, `again` or `change`), `factors` (`sum`, `split` or `off`), `scale`, `rest` (what
            factors are made of: `rules`, `words` or `joins`), `tries`, `relative`, `start` (`goal` or `glue`), `order`
            (`score` or `margin`), `beam` and `starts` (1 to 8), `repairs`, `regrow`, `scored`, `lazy` and
            `context`; see docs/undirected.md.
        weights: What each feature counts, by name; of sparse features those that were given a weight. Features of actions
            have names that begin with `action.`; those without a weight count what the model's feature does.
        sparse: Which sparse features there are.
    """

    def __init__(
        self,
        grammars: Rules | Mapping[str, Rules],
        lms: LanguageModel | Mapping[str, LanguageModel] | None = None,
        *,
        kind: Kind = "chart",
        weights: Mapping[str, float] | None = None,
        sparse: SparseFeatures | None = None,
        **settings: Any,
    ) -> None:
        """Join grammars and language models.

        Args:
            grammars: One, whose features keep their names, or several with names that go before their features'. The
                rules of a `SuffixGrammar` are found in its text as it is now, whenever a sentence asks for them.
            lms: One, called `lm`, or several with names, or none.
            kind: `chart`, `phrase` or `undirected`.
            weights: By feature; those not named keep the value they have before tuning, which is 0 for sparse ones.
            sparse: Which sparse features there are; none if not given.
            **settings: See `settings`.

        Raises:
            InputError: A weight for a feature that does not exist, or that is not a finite number.
            SettingsError: An unknown kind or setting.
        """
        named = dict(grammars) if isinstance(grammars, Mapping) else {"grammar": grammars}
        models = {"lm": lms} if isinstance(lms, LanguageModel) else dict(lms or {})
        engine_lms = [(name, model.native) for name, model in models.items()]
        self._sparse = sparse or SparseFeatures()
        engine_grammars = [(name, grammar.native) for name, grammar in named.items()]
        self._model = _engine.DecodeModel(engine_grammars, engine_lms, self._sparse.native())
        self._grammars, self._models = named, models
        self._lms = tuple(models)
        self._kind: Kind = kind
        self._settings = settings
        self._set(weights or {})

    @property
    def grammars(self) -> Mapping[str, Rules]:
        """Where its rules come from, by name."""
        return MappingProxyType(self._grammars)

    @property
    def lms(self) -> Mapping[str, LanguageModel]:
        """Its language models, by name."""
        return MappingProxyType(self._models)

    @property
    def native(self) -> _engine.Decoder:
        """What the engine has of it."""
        return self._decoder

    @property
    def rule_features(self) -> frozenset[str]:
        """The features that come from its grammars."""
        return frozenset(self._model.feature_names[: self._model.rule_features])

    @property
    def kind(self) -> Kind:
        """How it searches."""
        return self._kind

    @property
    def settings(self) -> Mapping[str, Any]:
        """As given; what is not given has the kind's default."""
        return MappingProxyType(self._settings)

    @property
    def weights(self) -> Mapping[str, float]:
        """What each feature counts, by name; of sparse features those that were given a weight."""
        return MappingProxyType(self._weights)

    def __setattr__(self, name: str, value: object) -> None:
        # The engine was told once: an assignment would be forgotten without a word.
        if not name.startswith("_"):
            instead = "use with_weights for another" if name == "weights" else "make another"
            raise AttributeError(f"a decoder never changes, so its {name} cannot be set; {instead}")
        super().__setattr__(name, value)

    def _set(self, weights: Mapping[str, float]) -> None:
        names = self._model.feature_names
        dense = {name: float(weights.get(name, self._start(name))) for name in names}
        actions = {name: float(weight) for name, weight in weights.items() if name.startswith(ACTION)}
        # The engine knows which sparse names there can be.
        sparse = {name: float(weight) for name, weight in weights.items() if name not in dense and name not in actions}
        if sparse and not self._sparse:
            raise InputError(
                f"there is no feature {min(sparse)!r} in this model", hint=f"its features are {', '.join(names)}"
            )
        self._weights = dense | sparse | actions
        if self._kind not in {"chart", "phrase", "undirected"}:
            raise SettingsError(f"unknown kind of decoder {self.kind!r}", hint="use chart, phrase or undirected")
        if actions and self._kind != "undirected":
            raise InputError(
                f"there is no feature {min(actions)!r} in this model", hint="only undirected search has actions"
            )
        values, named = list(dense.values()), list(sparse.items())
        settings = dict(self._settings)
        if actions:
            settings["actions"] = [(name.removeprefix(ACTION), weight) for name, weight in actions.items()]
        try:
            self._decoder = _engine.Decoder(self._model, values, named, self._kind, settings)
        except OverflowError as error:
            whole = {name: value for name, value in self._settings.items() if isinstance(value, int)}
            name = min(whole, key=lambda name: (whole[name] >= 0, -whole[name]))
            what = f"{name} cannot be {whole[name]}, which is negative or too large"
            raise SettingsError(what, hint="use a smaller number from 0 on") from error

    def _start(self, name: str) -> float:
        if name in self._lms:
            return _START_LM / len(self._lms)
        base = name.rpartition(".")[2]
        if base == "rule_count":
            return _START_RULES.get(self.kind, 0.0)
        return _START.get(base, _START_REORDERING if base.startswith("reorder_") else 0.0)

    def with_weights(self, weights: Mapping[str, float]) -> Decoder:
        """The same model under other weights; those not named stay as they are.

        What actions of undirected search count was learnt together: if some are named, the others are forgotten.
        """
        learnt = any(name.startswith(ACTION) for name in weights)
        kept = {name: weight for name, weight in self.weights.items() if not (learnt and name.startswith(ACTION))}
        other = copy(self)
        other._set({**kept, **weights})  # noqa: SLF001 (a copy of itself)
        return other

    def with_search(self, kind: Kind, **settings: Any) -> Decoder:
        """The same model under the same weights, searched in another way.

        What actions of undirected search count is forgotten: it was learnt for the search that it was learnt with.

        Example:
            >>> import pathlib, tempfile
            >>> from tolka.decode import Decoder
            >>> from tolka.grammar import Extractor
            >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.tbl"
            >>> grammar = Extractor("hiero").extract(["das haus"], ["the house"], ["0-0 1-1"], path)
            >>> Decoder(grammar).with_search("undirected", beam=4).translate(["das haus"])
            ['the house']
        """
        other = copy(self)
        other._kind, other._settings = kind, settings  # noqa: SLF001 (a copy of itself)
        kept = {name: weight for name, weight in self.weights.items() if not name.startswith(ACTION)}
        other._set(kept)  # noqa: SLF001
        return other

    def untuned(self) -> dict[str, float]:
        """The weights that features have before tuning."""
        return {name: self._start(name) for name in self.weights}

    @property
    def sparse(self) -> SparseFeatures:
        """Which sparse features there are."""
        return self._sparse

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features, in their order; sparse ones are not among them."""
        return tuple(self._model.feature_names)

    def translates(self, words: Sequence[str]) -> list[bool]:
        """Whether a rule translates each of these source words alone."""
        return self._model.translates(list(words))

    def translate(self, sentences: Sequence[Input], *, threads: int = 0) -> list[str]:
        """Translate tokenised sentences.

        Args:
            sentences: With spaces between tokens; a `Sentence` brings along what is known of its words, a `Lattice` has
                several sentences in one (for charts).
            threads: How many; 0 for one per core.

        Returns:
            The best translation of each.
        """
        lines, given = lines_and_spans(sentences)
        return self._decoder.translate(lines, given=given, threads=threads)

    def statistics(self, sentences: Sequence[Input], *, threads: int = 0) -> list[SearchStatistics]:
        """Translate tokenised sentences, and say what that took.

        Args:
            sentences: With spaces between tokens.
            threads: How many; 0 for one per core.

        Returns:
            The best translation of each, its score, and counts of what search did.
        """
        lines, given = lines_and_spans(sentences)
        taken = self._decoder.statistics(lines, given=given, threads=threads)
        return [
            SearchStatistics(text, score, *counts, hurried, *times) for text, score, counts, hurried, times in taken
        ]

    def nbest(
        self,
        sentences: Sequence[Input],
        count: int = 100,
        *,
        unique: bool = True,
        derivations: bool = False,
        threads: int = 0,
    ) -> list[list[Candidate]]:
        """The best translations of each sentence, best first.

        Args:
            sentences: With spaces between tokens; a `Sentence` brings along what is known of its words, a `Lattice` has
                several sentences in one (for charts).
            count: How many at most.
            unique: Whether translations with the same words are listed once.
            derivations: Whether candidates keep how they were made; it takes longer.
            threads: How many; 0 for one per core.

        Raises:
            SettingsError: Fewer than one or more than 100,000 are asked for.
        """
        _check_count(count)
        if derivations:
            return self._explained(sentences, count, unique=unique, threads=threads)
        return self._lists(self.nbest_rows(sentences, count, unique=unique, threads=threads))

    def nbest_rows(
        self, sentences: Sequence[Input], count: int = 100, *, unique: bool = True, threads: int = 0
    ) -> CandidateRows:
        """As `nbest`, with the features of all translations in one array, which is much faster.

        Args:
            sentences: With spaces between tokens.
            count: How many at most.
            unique: Whether translations with the same words are listed once.
            threads: How many; 0 for one per core.

        Raises:
            SettingsError: Fewer than one or more than 100,000 are asked for.
        """
        _check_count(count)
        lines, given = lines_and_spans(sentences)
        texts, scores, rows, sparse = self._decoder.nbest(
            lines, given=given, count=count, unique=unique, threads=threads
        )
        return CandidateRows(texts, scores, tuple(self.feature_names), rows, sparse)

    def force(
        self, sentences: Sequence[Input], references: Sequence[str], *, threads: int = 0
    ) -> list[Candidate | None]:
        """How the model translates sentences to given references: forced decoding.

        All rules that match take part, whatever `table_limit`; `max_span` and `shallow` hold, and with phrases
        `distortion_limit` and `max_phrase`. The search is exact unless `memory_limit` or `time_limit` cut it short.

        Args:
            sentences: With spaces between tokens.
            references: A translation of each, with spaces between tokens.
            threads: How many; 0 for one per core.

        Returns:
            For each pair the best derivation that yields the reference, or None if there is none.

        Raises:
            InputError: Not as many references as sentences.
        """
        if len(sentences) != len(references):
            raise InputError(f"there are {len(sentences)} sentences but {len(references)} references")
        lines, given = lines_and_spans(sentences)
        found = self._decoder.force(lines, list(references), given=given, threads=threads)
        texts, scores, rows, sparse = found
        lists = self._lists(CandidateRows(texts, scores, tuple(self.feature_names), rows, sparse))
        return [listed[0] if listed else None for listed in lists]

    def reachable(self, sentences: Sequence[Input], references: Sequence[str], *, threads: int = 0) -> float:
        """The share of references that the model can reach by any derivation, from 0 to 1; see `force`.

        Raises:
            InputError: Not as many references as sentences, or none.
        """
        if not references:
            raise InputError("there are no references to reach")
        forced = self.force(sentences, references, threads=threads)
        return sum(found is not None for found in forced) / len(forced)

    def _lists(self, found: CandidateRows) -> list[list[Candidate]]:
        named: Iterable[list[tuple[str, float]]] = found.sparse or repeat([], len(found.scores))
        flat = iter(zip(found.scores.tolist(), found.features.tolist(), named, strict=True))
        lists = []
        for group in found.texts:
            listed = []
            for text in group:
                score, row, more = next(flat)
                listed.append(Candidate(text, score, dict(zip(found.names, row, strict=True)), dict(more)))
            lists.append(listed)
        return lists

    def forest(self, sentences: Sequence[Input], *, lm: bool = True, threads: int = 0) -> list[Forest]:
        """All derivations that the search kept of each sentence, packed.

        Args:
            sentences: With spaces between tokens.
            lm: Whether language models take part. Without them a chart packs all derivations that the best
                `table_limit` rules of each source side make, into nodes that are categories over spans.
            threads: How many; 0 for one per core.

        Returns:
            A forest for each, whose edges have words, spans, rules, features and scores; without nodes for an empty one.

        Raises:
            SettingsError: Language models are left out, but the decoder is not a chart.
        """
        lines, given = lines_and_spans(sentences)
        if lm:
            found = self._decoder.forests(lines, given=given, threads=threads)
        else:
            found = self._decoder.context_free(lines, given=given, threads=threads)
        return [Forest(forest) for forest in found]

    def explain(self, sentences: Sequence[Input], *, threads: int = 0) -> list[Derivation]:
        """The derivation of the best translation of each sentence.

        That of undirected search says when and how each rule was connected (`step.grown`); after `repairs` what is left of
        the first tree comes first, and parts that were grown anew later.

        Args:
            sentences: With spaces between tokens.
            threads: How many; 0 for one per core.

        Returns:
            A derivation for each, without steps for an empty one.
        """
        lines, given = lines_and_spans(sentences)
        found = self._decoder.explain(lines, given=given, threads=threads)
        return [_grown(Forest(forest).viterbi() or Derivation((), (), 0.0, ()), growth) for forest, growth in found]

    def _explained(
        self, sentences: Sequence[Input], count: int, *, unique: bool, threads: int
    ) -> list[list[Candidate]]:
        lists = []
        # Forests are large: a few sentences at a time.
        for begin in range(0, len(sentences), _FORESTS_AT_ONCE):
            for forest in self.forest(sentences[begin : begin + _FORESTS_AT_ONCE], threads=threads):
                found = list(forest.kbest(count, unique=unique)) or [Derivation((), (), 0.0, ())]
                lists.append([self._candidate(one) for one in found])
        return lists

    def _candidate(self, derivation: Derivation) -> Candidate:
        said = derivation.features
        dense = {name: said.get(name, 0.0) for name in self.feature_names}
        sparse = {name: value for name, value in said.items() if name not in dense and value}
        return Candidate(derivation.text, derivation.score, dense, sparse, derivation)

    def __repr__(self) -> str:
        return f"Decoder(kind={self.kind!r}, features={len(self.weights)})"


_MOST_CANDIDATES = 100_000


def _grown(derivation: Derivation, growth: list[tuple[int, int]]) -> Derivation:
    """A derivation whose steps know when and how they were connected, if search has an order of its own."""
    if not growth:
        return derivation
    each = zip(derivation.steps, growth, strict=True)
    steps = (replace(step, grown=Grown(number, _GROWTH[how])) for step, (number, how) in each)
    return replace(derivation, steps=tuple(steps))


def _check_count(count: int) -> None:
    if not 1 <= count <= _MOST_CANDIDATES:
        raise SettingsError(f"{count} translations cannot be listed", hint=f"ask for 1 to {_MOST_CANDIDATES}")


_FORESTS_AT_ONCE = 64
