"""Decode, gather, tune, and again: the outer loop of tuning."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.errors import SettingsError
from tolka.forest import Forest
from tolka.progress import SILENT, Progress
from tolka.tune.lists import Lists

if TYPE_CHECKING:
    from tolka.tune.gathered import Gathered
    from tolka.tune.tuner import Tuner

Decode = Callable[[Mapping[str, float]], Lists | Sequence[Forest]]
"""Translates the development set under weights: per sentence a list, the best translation first, or a forest."""


@dataclass(frozen=True)
class TuneStep:
    """One decoding.

    Attributes:
        restart: From which start, counted from 0.
        iteration: How many times the weights have been tuned.
        weights: What was decoded with.
        score: The metric of the first translations.
        gathered: Different translations gathered so far, or edges of forests.
        added: Those that were new.
    """

    restart: int
    iteration: int
    weights: Mapping[str, float]
    score: float
    gathered: int
    added: int


@dataclass(frozen=True)
class TuneResult:
    """What a loop found.

    Attributes:
        weights: The weights whose decoding scored best.
        score: That score.
        history: All decodings.
        scores: The best score of each start.
        metric: Of the scores.
        seed: Of the tuner.
    """

    weights: Mapping[str, float]
    score: float
    history: tuple[TuneStep, ...]
    scores: tuple[float, ...]
    metric: str
    seed: int

    @property
    def mean(self) -> float:
        """The mean of the best scores of all starts."""
        return statistics.fmean(self.scores)

    @property
    def deviation(self) -> float:
        """Their standard deviation: how much luck there is in the tuner (Clark et al. 2011). 0 for one start."""
        return statistics.stdev(self.scores) if len(self.scores) > 1 else 0.0


def tune_loop(
    decode: Decode,
    references: Sequence[str] | Sequence[Sequence[str]],
    tuner: Tuner,
    start: Mapping[str, float],
    *,
    iterations: int = 10,
    patience: int = 3,
    restarts: int = 1,
    progress: Progress = SILENT,
) -> TuneResult:
    """Tune the weights of a decoder, keeping those under which it really translates best.

    Each iteration decodes, adds the lists or forests to those of the iterations before, and tunes on all of them. A start ends
    after `iterations`, when nothing new is proposed, or when `patience` decodings in a row were no better than the best.

    Args:
        decode: Translates the development set under weights; gives forests if the tuner learns from them.
        references: Of the development set: lines, or several texts of lines.
        tuner: How weights are found.
        start: The weights to begin with; they name the dense features.
        iterations: How many times to tune, at most.
        patience: Decodings without a better score before a start is given up.
        restarts: Starts; all but the first have random numbers added to the weights, and other seeds.
        progress: Who is told.

    Example:
        >>> from tolka.tune import Hypothesis, Tuner
        >>> def decode(weights):
        ...     good = Hypothesis("a very small house", {"LM": -2.0, "TM": -1.5})
        ...     bad = Hypothesis("a very house small", {"LM": -3.0, "TM": -1.0})
        ...     score = lambda it: sum(weights[name] * value for name, value in it.features.items())
        ...     return [sorted([bad, good], key=score, reverse=True)]
        >>> result = tune_loop(decode, ["a very small house"], Tuner("mert"), {"LM": 0.1, "TM": 1.0})
        >>> result.history[0].score < result.score
        True
    """
    for name, value, least in (("iterations", iterations, 0), ("patience", patience, 1), ("restarts", restarts, 1)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise SettingsError(f"{name} must be a whole number of at least {least}, not {value!r}")
    history: list[TuneStep] = []
    tops: list[TuneStep] = []
    sign = 1.0
    with progress.task("tuning", total=restarts * (iterations + 1), unit="decodings") as advance:
        for restart in range(restarts):
            gathered: Gathered[Any] = tuner.gather(references, start)
            sign = 1.0 if gathered.higher_is_better else -1.0
            own = tuner.with_seed(tuner.seed + restart)
            weights = dict(start) if restart == 0 else _moved(start, tuner, restart)
            best: TuneStep | None = None
            stale = 0
            for iteration in range(iterations + 1):
                decoded = decode(weights)
                added = gathered.add(decoded)
                score = gathered.score(gathered.best(decoded))
                step = TuneStep(restart, iteration, dict(weights), score, gathered.size, added)
                history.append(step)
                advance(1)
                if best is None or sign * score > sign * best.score:
                    best, stale = step, 0
                else:
                    stale += 1
                if iteration == iterations or not added or stale >= patience:
                    break
                weights = own.fit(gathered, weights).weights_
            if best is not None:
                tops.append(best)
    # Of equally good starts the first.
    top = max(tops, key=lambda step: sign * step.score)
    scores = tuple(step.score for step in tops)
    return TuneResult(top.weights, top.score, tuple(history), scores, tuner.metric, tuner.seed)


def _moved(start: Mapping[str, float], tuner: Tuner, restart: int) -> dict[str, float]:
    random = np.random.default_rng([tuner.seed, restart])
    reach = max((abs(weight) for weight in start.values()), default=0.0) or 1.0
    moves = reach * random.uniform(-1.0, 1.0, len(start))
    return {
        name: weight if name in tuner.frozen else float(weight + move)
        for (name, weight), move in zip(start.items(), moves, strict=True)
    }
