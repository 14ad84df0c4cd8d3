"""Weights of the components of an ensemble (lambda), found on the score of a development set.

Razmara (2013): all at once by a method without derivatives (section 2.3.3), or each in an ensemble of two (section 3.4.3).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from tolka.errors import InputError, SettingsError
from tolka.progress import SILENT, Progress
from tolka.tune import EvaluationLog, maximise
from tolka.tune.derivative_free import finite

if TYPE_CHECKING:
    from os import PathLike

    from tolka.tune import Maximum
    from tolka.tune.derivative_free import Method

Operation = Literal["wsum", "wmax", "prod", "switch:max", "switch:sum"]
Scaling = Literal["idempotent", "raw"]
Evaluate = Callable[..., float]
"""The score of an ensemble: called with the weights of its members, whose names say which they are, and, where temperatures
are tuned, also with these."""

WEIGHT_BOUNDS = (1e-3, 10.0)
TEMPERATURE_BOUNDS = (0.25, 4.0)
SCALE_BOUNDS = (0.1, 10.0)


@dataclass(frozen=True)
class Trial:
    """An ensemble that was scored.

    Attributes:
        weights: Of its members.
        temperatures: Of its members.
        score: On the development set.
    """

    weights: Mapping[str, float]
    temperatures: Mapping[str, float]
    score: float


@dataclass(frozen=True)
class ComponentWeights:
    """Weights that were found.

    Attributes:
        weights: Of each component.
        temperatures: What each component's scores are multiplied with; 1 if they were not tuned.
        score: On the development set.
        uniform: The score with equal weights, which is never above the other.
        scores: The best score of each start.
        history: All that was scored, ensembles of two included.
    """

    weights: Mapping[str, float]
    temperatures: Mapping[str, float]
    score: float
    uniform: float
    scores: tuple[float, ...]
    history: tuple[Trial, ...]

    @property
    def mean(self) -> float:
        """The mean of the best scores of all starts."""
        return statistics.fmean(self.scores)

    @property
    def deviation(self) -> float:
        """Their standard deviation (Clark et al. 2011). 0 for one start."""
        return statistics.stdev(self.scores) if len(self.scores) > 1 else 0.0


def idempotent(weights: Mapping[str, float], operation: Operation = "wsum") -> dict[str, float]:
    """The same weights on the scale on which components that agree are left as they are.

    A mixture adds the logarithm of the weights once for each rule, so their scale counts rules. On this one it does not:
    the sum is 1 for wsum and prod, the highest is 1 for wmax and switching.

    Example:
        >>> idempotent({"a": 1.0, "b": 3.0}), idempotent({"a": 1.0, "b": 4.0}, "wmax")
        ({'a': 0.25, 'b': 0.75}, {'a': 0.25, 'b': 1.0})
    """
    _check_choice("operation", operation, get_args(Operation))
    size = math.fsum(weights.values()) if operation in {"wsum", "prod"} else max(weights.values(), default=0.0)
    if not 0.0 < size < math.inf or min(weights.values()) < 0.0:
        raise InputError("weights of components must be numbers of at least 0, and not all 0")
    return {name: weight / size for name, weight in weights.items()}


def tune_jointly(
    evaluate: Evaluate,
    components: Sequence[str],
    *,
    operation: Operation = "wsum",
    scaling: Scaling = "idempotent",
    temperatures: bool = False,
    start: Mapping[str, float] | None = None,
    bounds: tuple[float, float] = WEIGHT_BOUNDS,
    starts: int = 3,
    evaluations: int | None = None,
    method: Method = "cobyqa",
    seed: int = 1,
    log: str | PathLike[str] | None = None,
    key: str = "",
    progress: Progress = SILENT,
) -> ComponentWeights:
    """Tune the weights of all components at once.

    The logarithms of weights are searched, that of the first component being 0. With the scaling "raw" there is one
    parameter more for the scale, which counts rules (see `idempotent`); temperatures are one more for each component.

    Args:
        evaluate: The score of the ensemble under weights. With `temperatures`, it is given these too.
        components: Their names. The first is the one that others are compared with: best, a good one.
        operation: How scores are mixed.
        scaling: Whether the ensemble scales weights itself ("idempotent"), or takes them as they are ("raw").
        temperatures: Whether to find temperatures too, within 0.25 and 4.
        start: Weights to begin with; if there are none, equal ones, which are scored in any case.
        bounds: The lowest and the highest weight that a component may have beside a first one of 1.
        starts: How many; all but the first are random.
        evaluations: How many ensembles may be scored; if none are given, 20 for each start, or 8 for each parameter.
        method: See `tolka.tune.maximise`.
        seed: Of the random starts.
        log: A file that keeps scores; what was stopped goes on from it.
        key: What scores depend on, such as hashes of the models and the text: a log with another key is refused.
        progress: Who is told.

    Raises:
        InputError: Components or starts that make no sense, scores that are not finite, or a log of another problem.
        SettingsError: A setting makes no sense.

    Example:
        >>> def evaluate(weights):  # best where the second weighs a quarter of the first
        ...     return 30.0 - (weights["out"] / weights["in"] - 0.25) ** 2
        >>> found = tune_jointly(evaluate, ["in", "out"])
        >>> round(found.weights["out"], 1), found.uniform < found.score
        (0.2, True)
    """
    scheme = _Scheme(components, operation, scaling, temperatures, bounds)
    begin = scheme.point(start)
    with EvaluationLog(log, scheme.problem(key)) as known:
        scored = _Scored(evaluate, known, two=temperatures)
        uniform = scored(*scheme.uniform)
        if not begin:
            return scored.result(uniform, (uniform.score,))
        share = starts * max(20, 8 * len(begin)) if evaluations is None else evaluations
        settings = {"starts": starts, "evaluations": share, "method": method, "seed": seed, "progress": progress}
        found = _search(scored, scheme, begin, **settings)
        return scored.result(uniform, found.starts)


def tune_pairwise(
    evaluate: Evaluate,
    components: Sequence[str],
    *,
    operation: Operation = "wsum",
    scaling: Scaling = "idempotent",
    bounds: tuple[float, float] = WEIGHT_BOUNDS,
    starts: int = 3,
    evaluations: int = 20,
    polish: int = 0,
    method: Method = "cobyqa",
    seed: int = 1,
    log: str | PathLike[str] | None = None,
    key: str = "",
    progress: Progress = SILENT,
) -> ComponentWeights:
    """Tune the weight of each component in an ensemble with the first alone, then put them together.

    For many components this is much cheaper than a joint search, and need not find its optimum (Razmara 2013, section 3.4.3).

    Args:
        evaluate: The score of the ensemble of the components that are named, under their weights.
        components: Their names. The first is in all ensembles, with the weight 1.
        operation: How scores are mixed.
        scaling: Whether the ensemble scales weights itself ("idempotent"), or takes them as they are ("raw"): then they are
            given on the scale of `idempotent`, and polishing moves that.
        bounds: The lowest and the highest weight that a component may have beside a first one of 1.
        starts: How many for each pair; all but the first are random.
        evaluations: How often each pair may be scored.
        polish: How many ensembles of all may be scored at the end, in a search around what was put together.
        method: See `tolka.tune.maximise`.
        seed: Of the random starts.
        log: A file that keeps scores; what was stopped goes on from it.
        key: What scores depend on: a log with another key is refused.
        progress: Who is told.

    Returns:
        The best of what was put together, what polishing found, and equal weights.

    Raises:
        InputError: Components that make no sense, scores that are not finite, or a log of another problem.
        SettingsError: A setting makes no sense.
    """
    scheme = _Scheme(components, operation, scaling, False, bounds)
    if isinstance(polish, bool) or not isinstance(polish, int) or polish < 0:
        raise SettingsError(f"polish must be a whole number of at least 0, not {polish!r}")
    first, *others = scheme.components
    settings: dict[str, Any] = {"method": method, "seed": seed, "progress": progress}
    with EvaluationLog(log, scheme.problem(key)) as known:
        scored = _Scored(evaluate, known, two=False)
        uniform = scored(*scheme.uniform)
        together = scheme.point(None)
        for name in others:
            pair, at = _Scheme([first, name], operation, scaling, False, bounds), _weight(name)
            found = _search(scored, pair, {at: 0.0}, starts=starts, evaluations=evaluations, **settings)
            together[at] = found.point[at]
        best = scored(*scheme.weights(together))
        if polish and together:
            found = _search(scored, scheme, together, starts=1, evaluations=polish, radius=_NEAR, **settings)
            best = scored(*scheme.weights(found.point))
        return scored.result(uniform, (best.score,), best)


def _search(scored: _Scored, scheme: _Scheme, begin: Mapping[str, float], **settings: Any) -> Maximum:
    bounds = {name: scheme.bounds[name] for name in begin}
    return maximise(lambda point: scored(*scheme.weights(point)).score, begin, bounds, **settings)


# How far the first steps around weights that are good already go, as a part of the box.
_NEAR = 0.1


class _Scheme:
    """Which parameters are searched, and the weights and temperatures that they stand for."""

    def __init__(
        self,
        components: Sequence[str],
        operation: Operation,
        scaling: Scaling,
        temperatures: bool,
        bounds: tuple[float, float],
    ) -> None:
        _check_choice("operation", operation, get_args(Operation))
        _check_choice("scaling", scaling, get_args(Scaling))
        self.components = tuple(components)
        if isinstance(components, str) or not self.components:
            raise InputError("an ensemble needs the names of its components")
        if len(set(self.components)) != len(self.components):
            raise InputError("a component is named twice", hint="give each a name of its own")
        low, high = bounds
        if not 0.0 < low < 1.0 < high < math.inf:
            what = f"weights between {low} and {high} cannot be searched"
            raise SettingsError(what, hint="give a number between 0 and 1, and one above 1")
        self._operation: Operation = operation
        self._raw = scaling == "raw"
        self.bounds = {_weight(name): _logs(bounds) for name in self.components[1:]}
        if self._raw:
            self.bounds[_SCALE] = _logs(SCALE_BOUNDS)
        if temperatures:
            self.bounds |= {_temperature(name): _logs(TEMPERATURE_BOUNDS) for name in self.components}

    def problem(self, key: str) -> dict[str, Any]:
        """What scores depend on, for the log."""
        return {"components": self.components, "operation": self._operation, "raw": self._raw, "key": key}

    @property
    def uniform(self) -> tuple[dict[str, float], dict[str, float]]:
        """Equal weights."""
        return self.weights({})

    def weights(self, point: Mapping[str, float]) -> tuple[dict[str, float], dict[str, float]]:
        """The weights and temperatures at a point; parameters that it lacks are 0."""
        weights = {name: math.exp(point.get(_weight(name), 0.0)) for name in self.components}
        if self._raw:
            scale = math.exp(point.get(_SCALE, 0.0))
            weights = {name: scale * weight for name, weight in idempotent(weights, self._operation).items()}
        warm = {name: math.exp(point.get(_temperature(name), 0.0)) for name in self.components}
        return weights, warm

    def point(self, start: Mapping[str, float] | None) -> dict[str, float]:
        """The point of weights to begin with."""
        point = dict.fromkeys(self.bounds, 0.0)
        if start is None:
            return point
        if start.keys() != set(self.components):
            raise InputError(f"the start has weights of {', '.join(start) or 'nothing'}, not of the components")
        bad = next((name for name, weight in start.items() if not 0.0 < weight < math.inf), None)
        if bad is not None:
            raise InputError(f"the weight of {bad!r} to start from is {start[bad]}", hint="give a number above 0")
        first = start[self.components[0]]
        point |= {_weight(name): math.log(start[name] / first) for name in self.components[1:]}
        if self._raw:
            point[_SCALE] = math.log(first / idempotent(start, self._operation)[self.components[0]])
        for name, value in point.items():
            low, high = self.bounds[name]
            # What rounding put beside the box is in it.
            point[name] = min(max(value, low), high) if low - _CLOSE <= value <= high + _CLOSE else value
        return point


_CLOSE = 1e-9
_SCALE = "log scale"


def _weight(name: str) -> str:
    return f"log weight of {name}"


def _temperature(name: str) -> str:
    return f"log temperature of {name}"


class _Scored:
    """The score of each ensemble, asked for once."""

    def __init__(self, evaluate: Evaluate, known: EvaluationLog, *, two: bool) -> None:
        self._evaluate, self._known, self._two = evaluate, known, two
        self._trials: dict[str, Trial] = {}

    def __call__(self, weights: Mapping[str, float], temperatures: Mapping[str, float]) -> Trial:
        point = {"weights": dict(weights), "temperatures": dict(temperatures)}
        score = self._known.get(point)
        if score is None:
            extra = [dict(temperatures)] if self._two else []
            score = finite(self._evaluate(dict(weights), *extra), _named(point))
            self._known.add(point, score)
        return self._trials.setdefault(repr(point), Trial(weights, temperatures, score))

    def result(self, uniform: Trial, scores: tuple[float, ...], best: Trial | None = None) -> ComponentWeights:
        """The best, or what scores best of all trials; equal weights unless something is better."""
        history = tuple(self._trials.values())
        # Equal weights are the first trial, and of equally good ones the first is taken.
        top = max(history if best is None else (uniform, best), key=lambda trial: trial.score)
        return ComponentWeights(top.weights, top.temperatures, top.score, uniform.score, scores, history)


def _named(point: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    warm = {f"temperature of {name}": value for name, value in point["temperatures"].items() if value != 1.0}
    return {**point["weights"], **warm}


def _logs(bounds: tuple[float, float]) -> tuple[float, float]:
    return math.log(bounds[0]), math.log(bounds[1])


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise SettingsError(f"unknown {name} {value!r}", hint=f"use one of {', '.join(choices)}")
