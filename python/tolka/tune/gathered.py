"""What decoders proposed for a development set, and the references that judge it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, Literal, TypeVar, get_args

from tolka._engine import Metric, MetricTable
from tolka.errors import InputError, SettingsError
from tolka.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np

    from tolka._engine import TuneForests, TuneLists

MetricName = Literal["bleu", "chrf", "chrf++", "ter"]
Proposals = TypeVar("Proposals")
"""What a decoder gives for all sentences: lists of hypotheses, or forests."""


class Gathered(ABC, Generic[Proposals]):
    """For each sentence of a development set what decoders have proposed so far.

    Args:
        references: One line per sentence, or several such texts.
        features: The names of the dense features.
        metric: What tuning is for: bleu, chrf, chrf++ or ter.
        tokeniser: How the metric splits lines: "none" at blanks, since decoders write tokens; "13a" or "char".
        limits: Caps on what is taken in.
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

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is better; for TER it is not."""
        return self.metric != "ter"

    @property
    @abstractmethod
    def sparse_names(self) -> tuple[str, ...]:
        """The sparse features met so far."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How much is gathered: different translations, or edges of forests."""

    @property
    @abstractmethod
    def native(self) -> TuneLists | TuneForests | None:
        """The same in the engine; none if nothing was added."""

    @abstractmethod
    def add(self, proposals: Proposals) -> int:
        """Add what a decoder proposes for each sentence; gives how much of it is new."""

    @abstractmethod
    def best(self, proposals: Proposals) -> list[str]:
        """The best translation of each sentence, empty if there is none."""

    def score(self, lines: Sequence[str]) -> float:
        """The metric of translations, one per sentence."""
        if len(lines) != self.sentences:
            raise InputError(f"{len(lines)} translations for {self.sentences} sentences")
        texts = self._table.texts(list(lines), self.tokeniser)
        metric = self.engine_metric()
        total: np.ndarray[tuple[int], np.dtype[np.float64]] = metric.stats(texts).sum(axis=0)
        return metric.score(total)

    def engine_metric(self) -> Metric:
        """The metric, with all tokens met so far."""
        if self.metric == "bleu":
            return Metric.bleu(
                self._references, order=4, smoothing="exp", value=None, effective_order=False, plus_one=True
            )
        if self.metric == "ter":
            return Metric.ter(self._references)
        words = 2 if self.metric == "chrf++" else 0
        return Metric.chrf(self._references, self._table, characters=6, words=words, beta=2.0)


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
