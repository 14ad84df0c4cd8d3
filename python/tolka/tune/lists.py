"""What a decoder proposes: lists of translations with their features, gathered over its runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from tolka._engine import Metric, MetricTable, TuneLists
from tolka.errors import InputError, LimitError, SettingsError
from tolka.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MetricName = Literal["bleu", "chrf", "chrf++", "ter"]


@dataclass(frozen=True)
class Hypothesis:
    """A translation.

    Attributes:
        words: Its words, with blanks between them.
        features: Its dense features; one that is left out is 0.
        sparse: Its sparse features: any names, most of them in few translations.
    """

    words: str
    features: Mapping[str, float]
    sparse: Mapping[str, float] = field(default_factory=dict)


class NBestLists:
    """For each sentence of a development set the translations that decoders have proposed so far.

    Args:
        references: One line per sentence, or several such texts.
        features: The names of the dense features.
        metric: What tuning is for: bleu, chrf, chrf++ or ter.
        tokeniser: How the metric splits lines: "none" at blanks, since decoders write tokens; "13a" or "char".
        limits: Caps on the length of lists.

    Example:
        >>> lists = NBestLists(["a very small house"], ["LM"])
        >>> lists.add([[Hypothesis("a very house small", {"LM": -3.0}), Hypothesis("a very small house", {"LM": -2.0})]])
        2
        >>> lists.add([[Hypothesis("a very small house", {"LM": -2.0})]])
        0
        >>> round(lists.score(["a very small house"]), 6)
        100.0
    """

    def __init__(
        self,
        references: Sequence[str] | Sequence[Sequence[str]],
        features: Iterable[str],
        *,
        metric: MetricName = "bleu",
        tokeniser: Literal["none", "13a", "char"] = "none",
        limits: Limits = DEFAULT,
    ) -> None:
        if metric not in get_args(MetricName):
            raise SettingsError(f"unknown metric {metric!r}", hint=f"use one of {', '.join(get_args(MetricName))}")
        self.features = tuple(features)
        self.metric = metric
        self.tokeniser = tokeniser
        self.limits = limits
        if len(set(self.features)) != len(self.features):
            raise InputError("a feature is named twice")
        texts = [list(text) for text in _texts(references)]
        if not texts or not texts[0]:
            raise InputError("there is no reference", hint="tuning needs sentences with translations")
        if any(len(text) != len(texts[0]) for text in texts):
            counts = " and ".join(str(len(text)) for text in texts)
            raise InputError(f"references have {counts} sentences", hint="they must translate the same text")
        self.sentences = len(texts[0])
        self._table = MetricTable()
        self._references = [self._table.texts(text, tokeniser) for text in texts]
        self._sparse: dict[str, int] = {}
        self._engine: TuneLists | None = None

    @property
    def sparse_names(self) -> tuple[str, ...]:
        """The sparse features met so far."""
        return tuple(self._sparse)

    @property
    def hypotheses(self) -> int:
        """Different translations of all sentences."""
        return 0 if self._engine is None else self._engine.hypotheses

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is better; for TER it is not."""
        return self.metric != "ter"

    def add(self, lists: Sequence[Sequence[Hypothesis]]) -> int:
        """Add what a decoder proposes for each sentence; gives how many translations are new.

        Translations with the same words and the same features are one.

        Raises:
            InputError: Another number of sentences, unknown features, or values that are not finite.
        """
        if len(lists) != self.sentences:
            raise InputError(f"{len(lists)} lists for {self.sentences} sentences", hint="decode all of the references")
        for number, entries in enumerate(lists):
            if len(entries) > self.limits.nbest:
                what = (
                    f"the list of sentence {number + 1} has {len(entries)} translations, more than {self.limits.nbest}"
                )
                raise LimitError(what, hint="ask for fewer, or raise the limit nbest")
        engine = self._arrays(lists)
        before = self.hypotheses
        # The empty start drops duplicates within the first lists, too.
        self._engine = (self._arrays([()] * self.sentences) if self._engine is None else self._engine).merge(engine)
        return self.hypotheses - before

    def score(self, lines: Sequence[str]) -> float:
        """The metric of translations, one per sentence."""
        if len(lines) != self.sentences:
            raise InputError(f"{len(lines)} translations for {self.sentences} sentences")
        texts = self._table.texts(list(lines), self.tokeniser)
        metric = self._metric()
        total: np.ndarray[tuple[int], np.dtype[np.float64]] = metric.stats(texts).sum(axis=0)
        return metric.score(total)

    def _metric(self) -> Metric:
        """The metric, with all tokens met so far."""
        if self.metric == "bleu":
            return Metric.bleu(
                self._references, order=4, smoothing="exp", value=None, effective_order=False, plus_one=True
            )
        if self.metric == "ter":
            return Metric.ter(self._references)
        words = 2 if self.metric == "chrf++" else 0
        return Metric.chrf(self._references, self._table, characters=6, words=words, beta=2.0)

    def _arrays(self, lists: Sequence[Sequence[Hypothesis]]) -> TuneLists:
        entries = list(chain.from_iterable(lists))
        counts = [len(own) for own in lists]
        sentences = np.repeat(np.arange(self.sentences, dtype=np.uint32), counts)
        texts = self._table.texts([entry.words for entry in entries], self.tokeniser)
        places = {name: place for place, name in enumerate(self.features)}
        dense = np.zeros((len(entries), len(self.features)), dtype=np.float32)
        ends, names, values = [0], list[int](), list[float]()
        sparse = dict(self._sparse)
        for row, entry in enumerate(entries):
            for name, value in entry.features.items():
                place = places.get(name)
                if place is None:
                    raise InputError(
                        f"sentence {sentences[row] + 1} has the unknown feature {name!r}",
                        hint="give it a weight at the start, or make it a sparse feature",
                    )
                dense[row, place] = _single(value, name)
            cells = sorted(
                (sparse.setdefault(name, len(sparse)), _single(value, name)) for name, value in entry.sparse.items()
            )
            names.extend(name for name, _ in cells)
            values.extend(value for _, value in cells)
            ends.append(len(names))
        clash = next((name for name in sparse if name in places), None)
        if clash is not None:
            raise InputError(f"the feature {clash!r} is dense and sparse", hint="give one of them another name")
        engine = TuneLists(
            np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64),
            texts,
            self._metric().stats(texts, sentences),
            dense,
            sparse_begins=np.array(ends, dtype=np.uint64),
            sparse_names=np.array(names, dtype=np.uint32),
            sparse_values=np.array(values, dtype=np.float32),
            sparse=len(sparse),
        )
        # Lists that were refused leave no names behind.
        self._sparse = sparse
        return engine


def _texts(references: Sequence[str] | Sequence[Sequence[str]]) -> list[Sequence[str]]:
    texts: list[Sequence[str]] = []
    lines: list[str] = []
    for item in references:
        if isinstance(item, str):
            lines.append(item)
        else:
            texts.append(item)
    if lines and texts:
        raise InputError("references are lines or several texts of lines, not both")
    return [lines] if lines else texts


def _single(value: float, name: str) -> float:
    """The value as it is kept, in single precision."""
    if not abs(value) <= _MOST:
        raise InputError(
            f"the feature {name!r} is {value}, not a finite number",
            hint="look for probabilities of 0 whose logarithm was taken",
        )
    return value


_MOST = float(np.finfo(np.float32).max)
