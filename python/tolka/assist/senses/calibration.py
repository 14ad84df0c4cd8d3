"""The scale that makes probabilities of scores: what is said to be likely as often as 70 % is right 7 times of 10."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tolka.assist.senses.units import Units
from tolka.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from tolka.assist.senses.graph import SearchGraph
    from tolka.assist.senses.model import SenseModel

_LEAST, _MOST = 0.01, 10.0
_STEPS = 40
_CERTAIN = 1e-6
_AT_ONCE = 200


@dataclass(frozen=True)
class Bin:
    """Translations whose probabilities are alike.

    Attributes:
        low: Their probabilities are at least this.
        high: And at most this.
        phrases: How many there are.
        predicted: Their mean probability.
        right: The share that is right.
    """

    low: float
    high: float
    phrases: int
    predicted: float
    right: float


@dataclass(frozen=True)
class Calibration:
    """A scale, and how well its probabilities hold.

    Attributes:
        scale: The scale, the thesis's λ.
        loss: Mean log-loss of a translation at this scale, in nats.
        loss_before: The same at scale 1.
        sentences: How many were used.
        phrases: How many translations of words there were.
        bins: The reliability table at this scale.
        bins_before: At scale 1.
        curve: Scales that were tried, and their losses.
    """

    scale: float
    loss: float
    loss_before: float
    sentences: int
    phrases: int
    bins: tuple[Bin, ...]
    bins_before: tuple[Bin, ...]
    curve: tuple[tuple[float, float], ...] = field(repr=False)

    @property
    def error(self) -> float:
        """The expected calibration error: how far predictions are off, over all phrases."""
        return sum(one.phrases * abs(one.predicted - one.right) for one in self.bins) / max(1, self.phrases)


def calibrate(
    model: SenseModel,
    sources: Sequence[str],
    references: Sequence[str],
    *,
    bins: int = 10,
    threads: int = 1,
) -> Calibration:
    """Find the scale on sentences whose translations are known, which the model was not trained on.

    What is predicted is whether a translation of a content word is in the reference, and its probability is that of all edges
    which translate the word so, alone or in a longer phrase; the scale is the one of the least log-loss. Words that have one
    translation alone tell nothing and are left out.

    Args:
        model: The model.
        sources: Text.
        references: Its translation, line by line.
        bins: Rows of the reliability table.
        threads: How many; 0 for one per core.

    Raises:
        InputError: The texts differ in length, or no word has two translations.
    """
    if len(sources) != len(references):
        raise InputError(
            f"there are {len(sources)} sentences and {len(references)} references",
            hint="give two texts that belong together line by line",
        )
    wanted = model.translator.target.prepare(list(references), threads=threads)
    cases = []
    for begin in range(0, len(sources), _AT_ONCE):
        some = slice(begin, begin + _AT_ONCE)
        graphs = model.graphs(sources[some], threads=threads)
        cases += [
            _Case(model, graph, right) for graph, right in zip(graphs, wanted[some], strict=True) if graph is not None
        ]
    cases = [case for case in cases if len(case.labels)]
    if not cases:
        raise InputError(
            "no word of these sentences has two translations", hint="give more sentences, with their references"
        )
    labels = np.concatenate([case.labels for case in cases])
    curve: dict[float, float] = {}

    def loss(log_scale: float) -> float:
        scale = math.exp(log_scale)
        if scale not in curve:
            curve[scale] = _log_loss(np.concatenate([case.probabilities(scale) for case in cases]), labels)
        return curve[scale]

    _search(loss, math.log(_LEAST), math.log(_MOST))
    best = min(curve, key=lambda scale: (curve[scale], scale))
    found, before = (np.concatenate([case.probabilities(scale) for case in cases]) for scale in (best, 1.0))
    return Calibration(
        best,
        _log_loss(found, labels),
        _log_loss(before, labels),
        len(cases),
        len(labels),
        reliability(found, labels, bins),
        reliability(before, labels, bins),
        tuple(sorted(curve.items())),
    )


class _Case:
    """The translations of a sentence's content words, and which of them are right."""

    def __init__(self, model: SenseModel, graph: SearchGraph, reference: str) -> None:
        padded = f" {reference} "
        units = Units(graph, width=model.width, exact=model.exact)
        chooser = model.asker.chooser
        self.graph = graph
        self.units = [
            unit
            for span, own in units.by_span.items()
            if len(own) > 1 and chooser.is_content(" ".join(graph.source[span[0] : span[1]]))
            for unit in own
        ]
        self.labels = np.array([f" {unit.target} " in padded for unit in self.units], dtype=bool)

    def probabilities(self, scale: float) -> NDArray[np.float64]:
        """Of each translation, at a scale."""
        posteriors = self.graph.with_scale(scale).piece_posteriors
        return np.array([posteriors[unit.pieces].sum() for unit in self.units])


def reliability(predicted: NDArray[np.float64], right: NDArray[np.bool_], bins: int = 10) -> tuple[Bin, ...]:
    """How often what is said to be so likely is right; rows without phrases are left out.

    Example:
        >>> [(one.predicted, one.right) for one in reliability(np.array([0.1, 0.9, 0.9]), np.array([False, True, False]), 2)]
        [(0.1, 0.0), (0.9, 0.5)]
    """
    if bins < 1:
        raise SettingsError(f"{bins} bins make no table", hint="use at least 1")
    at = np.minimum((predicted * bins).astype(np.int64), bins - 1)
    rows = []
    for number in range(bins):
        own = at == number
        if own.any():
            mean, share = float(predicted[own].mean()), float(right[own].mean())
            rows.append(Bin(number / bins, (number + 1) / bins, int(own.sum()), mean, share))
    return tuple(rows)


def _log_loss(predicted: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    safe = np.clip(predicted, _CERTAIN, 1 - _CERTAIN)
    return float(-np.where(right, np.log(safe), np.log1p(-safe)).mean())


def _search(function: Callable[[float], float], low: float, high: float) -> None:
    """Close in on the least of a function with one valley, by golden sections (Kiefer 1953)."""
    ratio = (math.sqrt(5) - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(_STEPS):
        if high - low < 1e-3:  # noqa: PLR2004 - a thousandth of the scale
            break
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = function(right)
