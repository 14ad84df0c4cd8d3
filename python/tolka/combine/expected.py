"""Expected BLEU of an ensemble's derivations: a smooth function of component weights, with its gradient.

BLEU is computed from the n-gram counts that are expected under the distribution of the derivations of a list (Rosti, Zhang,
Matsoukas & Schwartz 2010, 2011). Scores of derivations are sums of mixed edges (Razmara 2013, section 2.3.1), so the weights
that are tuned are those of the mixture, not of features.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from tolka.combine.weights import WEIGHT_BOUNDS, Scaling
from tolka.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from tolka.combine.derivations import DerivationArrays

SmoothOperation = Literal["wsum", "wmax", "prod"]
"""The operations that mix edges one by one; which model a switch chooses depends on a whole cell."""

ORDER = 4
# So many n-grams and words are added to all counts: nothing is ever divided by 0, and no logarithm is taken of it.
_MORE = 1e-6
# How sharp the bend of the brevity penalty is (Rosti et al. 2010, equation 5).
_BEND = 1000.0
SHARPNESS_BOUNDS = (1e-2, 1e3)


@dataclass(frozen=True)
class Mixing:
    """How derivations are scored.

    Attributes:
        weights: Of each component (lambda).
        temperatures: What each component's scores are multiplied with.
        sharpness: What the scores of derivations are multiplied with before they become a distribution (gamma).
    """

    weights: NDArray[np.float64]
    temperatures: NDArray[np.float64]
    sharpness: float


class ExpectedBleu:
    """Expected BLEU of lists of derivations, by the logarithms of weights, temperatures and sharpness.

    Args:
        arrays: The derivations.
        operation: How the scores of components are mixed on each edge: wsum, wmax or prod.
        scaling: Whether weights are scaled so that components that agree are left as they are ("idempotent"), or taken as
            they are ("raw").

    Raises:
        InputError: Arrays that do not fit each other, parts that are not numbers, or an edge that no component has.
        SettingsError: An operation that cannot be tuned so.

    Example:
        >>> from tolka.combine.derivations import Derivations, MixedLists
        >>> lists = MixedLists(["a very small house"], ["in", "out"])
        >>> parts = np.array([[-1.0, -2.0], [-2.0, -1.0]])
        >>> lists.add([Derivations(["a very small house", "a very big house"], [[0], [1]], parts)])
        2
        >>> objective = ExpectedBleu(lists.arrays())
        >>> even, more = (objective.bleu(Mixing(np.array([one, 1.0]), np.ones(2), 1.0)) for one in (1.0, 5.0))
        >>> even < more
        True
    """

    def __init__(
        self, arrays: DerivationArrays, operation: SmoothOperation = "wsum", scaling: Scaling = "idempotent"
    ) -> None:
        from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import

        if operation not in get_args(SmoothOperation):
            hint = f"use one of {', '.join(get_args(SmoothOperation))}"
            raise SettingsError(f"expected BLEU cannot be tuned for the operation {operation!r}", hint=hint)
        if scaling not in get_args(Scaling):
            raise SettingsError(f"unknown scaling {scaling!r}", hint=f"use one of {', '.join(get_args(Scaling))}")
        _check(arrays, operation)
        self.operation, self.scaling = operation, scaling
        self.components = arrays.parts.shape[1]
        self._parts, self._rest, self._statistics = arrays.parts, arrays.rest, arrays.statistics
        self._begins = np.concatenate([[0], arrays.sentences[:-1]])
        self._counts = np.diff(arrays.sentences, prepend=0)
        ends = np.concatenate([[0], arrays.ends])
        ones = np.ones(len(arrays.edges))
        self._uses = csr_array((ones, arrays.edges, ends), shape=(len(arrays.ends), len(arrays.parts)))
        self._lengths = np.diff(ends).astype(np.float64)

    def bleu(self, mixing: Mixing) -> float:
        """The expected BLEU, from 0 to 100."""
        return 100.0 * math.exp(self.value(vector(mixing))[0])

    def value(self, point: NDArray[np.float64], *, temperatures: bool = True) -> tuple[float, NDArray[np.float64]]:
        """The logarithm of expected BLEU (0 if all is matched), and its gradient.

        Args:
            point: Logarithms: of the weights, of the temperatures, and of the sharpness; see `vector`.
            temperatures: Whether the gradient by temperatures is wanted too; it is 0 if not.

        Raises:
            InputError: The point is not finite.
        """
        if point.shape != (2 * self.components + 1,) or not np.isfinite(point).all():
            raise InputError(f"the weights {point.tolist()} are not {2 * self.components + 1} finite logarithms")
        # What overflows is found at the end.
        with np.errstate(over="ignore", invalid="ignore"):
            value, gradient = self._value(point, temperatures)
        if not (math.isfinite(value) and np.isfinite(gradient).all()):
            raise InputError(f"expected BLEU is not finite under the logarithms of weights {point.tolist()}")
        return value, gradient

    def _value(self, point: NDArray[np.float64], temperatures: bool) -> tuple[float, NDArray[np.float64]]:
        theta, tau = point[: self.components], point[self.components : -1]
        sharpness = float(np.exp(point[-1]))
        scores, by_weight, by_temperature = self._scores(theta, tau)
        posterior = self._posterior(sharpness * scores)
        value, by_count = _log_bleu(posterior @ self._statistics)
        # The gradient of an expectation is a covariance: of what derivations are worth and of their scores.
        worth = self._statistics @ by_count
        mean = np.add.reduceat(posterior * worth, self._begins)
        blame = posterior * (worth - np.repeat(mean, self._counts))
        on_edges = self._uses.T @ blame
        warm = by_temperature(on_edges) if temperatures else np.zeros(self.components)
        gradient = sharpness * np.concatenate([by_weight(on_edges), warm, [float(blame @ scores)]])
        return value, gradient

    def _posterior(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        top = np.maximum.reduceat(scores, self._begins)
        likely: NDArray[np.float64] = np.exp(scores - np.repeat(top, self._counts))
        likely /= np.repeat(np.add.reduceat(likely, self._begins), self._counts)
        return likely

    def _scores(self, theta: NDArray[np.float64], tau: NDArray[np.float64]) -> tuple[NDArray[np.float64], Any, Any]:
        """The scores of derivations, and how blame on edges becomes a gradient by the logarithms of weights and temperatures."""
        warm = self._parts * np.exp(tau) if tau.any() else self._parts
        if self.operation == "prod":
            weights = np.exp(theta)
            own = weights / weights.sum() if self.scaling == "idempotent" else weights
            scores = self._uses @ (warm @ own) + self._rest

            def by_weight(on_edges: NDArray[np.float64]) -> NDArray[np.float64]:
                gradient: NDArray[np.float64] = own * (on_edges @ warm)
                # Weights that sum to 1 take from each other.
                return gradient - own * gradient.sum() if self.scaling == "idempotent" else gradient

            def by_temperature(on_edges: NDArray[np.float64]) -> NDArray[np.float64]:
                gradient: NDArray[np.float64] = own * (on_edges @ warm)
                return gradient

            return scores, by_weight, by_temperature
        mixed, share = _mixed(warm + theta, best=self.operation == "wmax")
        scale, scale_share = _mixed(theta[None, :], best=self.operation == "wmax")
        raw = self.scaling == "raw"
        scores = self._uses @ mixed + self._rest - (0.0 if raw else self._lengths * scale[0])

        def on_weights(on_edges: NDArray[np.float64]) -> NDArray[np.float64]:
            gradient: NDArray[np.float64] = on_edges @ share
            return gradient if raw else gradient - on_edges.sum() * scale_share[0]

        def on_temperatures(on_edges: NDArray[np.float64]) -> NDArray[np.float64]:
            gradient: NDArray[np.float64] = on_edges @ np.where(share > 0.0, share * _finite(warm), 0.0)
            return gradient

        return scores, on_weights, on_temperatures


def vector(mixing: Mixing) -> NDArray[np.float64]:
    """The point of a mixing: logarithms of weights, of temperatures, and of the sharpness.

    Raises:
        InputError: Something of it is not above 0.
    """
    values = np.concatenate([mixing.weights, mixing.temperatures, [mixing.sharpness]]).astype(np.float64)
    if not ((values > 0.0) & np.isfinite(values)).all():
        raise InputError("weights, temperatures and sharpness must be numbers above 0")
    return np.log(values)


def maximise_expected(
    objective: ExpectedBleu,
    start: Mixing,
    *,
    weight_bounds: tuple[float, float] = WEIGHT_BOUNDS,
    temperature_bounds: tuple[float, float] | None = None,
    sharpness_bounds: tuple[float, float] | None = SHARPNESS_BOUNDS,
    penalty: float = 0.0,
    iterations: int = 200,
) -> tuple[Mixing, float]:
    """Climb to higher expected BLEU (L-BFGS-B).

    Args:
        objective: What is climbed.
        start: Where to begin. If weights are scaled, the first stays as it is, and the others are bounded relative to it.
        weight_bounds: The lowest and the highest weight.
        temperature_bounds: The same for temperatures; none leaves them as they are.
        sharpness_bounds: The same for the sharpness; none leaves it as it is.
        penalty: Half of this times the squared distance from the start, in logarithms, is taken from the logarithm of BLEU.
        iterations: How many steps, at most.

    Returns:
        Where it ended, and the expected BLEU there.
    """
    from scipy.optimize import Bounds, minimize  # noqa: PLC0415 - slow to import

    if not 0.0 <= penalty < math.inf:
        raise SettingsError(f"penalty must be a number of at least 0, not {penalty!r}")
    begin, many = vector(start), objective.components
    low, high = begin.copy(), begin.copy()
    tuned = np.arange(1 if objective.scaling == "idempotent" else 0, many)
    base = begin[0] if objective.scaling == "idempotent" else 0.0
    low[tuned], high[tuned] = (base + one for one in _logs(weight_bounds))
    for place, bounds in ((slice(many, 2 * many), temperature_bounds), (slice(-1, None), sharpness_bounds)):
        if bounds is not None:
            low[place], high[place] = _logs(bounds)
    begin = np.clip(begin, low, high)

    def loss(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, gradient = objective.value(point, temperatures=temperature_bounds is not None)
        away = point - begin
        return 0.5 * penalty * float(away @ away) - value, penalty * away - gradient

    options: Any = {"maxiter": iterations}
    found = minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=Bounds(low, high), options=options)
    # What does not climb is not taken.
    end: NDArray[np.float64] = np.clip(found.x, low, high) if found.fun <= loss(begin)[0] else begin
    values = np.exp(end)
    mixing = Mixing(values[:many], values[many:-1], float(values[-1]))
    return mixing, 100.0 * math.exp(objective.value(end)[0])


def by_name(names: tuple[str, ...], values: NDArray[np.float64]) -> Mapping[str, float]:
    """Values of components, by their names."""
    return dict(zip(names, values.tolist(), strict=True))


def _log_bleu(counts: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """The logarithm of BLEU of expected counts, and its gradient by them."""
    words, reference = counts[0] + _MORE, counts[1]
    matches, ngrams = counts[2 : 2 + ORDER] + _MORE, counts[2 + ORDER :] + _MORE
    short = 1.0 - reference / words
    penalty, slope = _log_brevity(short)
    gradient = np.concatenate(
        [
            [slope * reference / words**2, -slope / words],
            1.0 / (ORDER * matches),
            -1.0 / (ORDER * ngrams),
        ]
    )
    return penalty + float(np.log(matches / ngrams).mean()), gradient


def _log_brevity(x: float) -> tuple[float, float]:
    """The logarithm of the smooth brevity penalty and its slope, at 1 - reference / hypothesis.

    Rosti et al. (2010) take (e^x - 1) / (1 + e^1000x) + 1 for min(1, e^x). With s the logistic function that is
    s(1000x) + s(-1000x) e^x, whose logarithm is stable wherever x is.
    """
    steep = _BEND * x
    long = -float(np.logaddexp(0.0, -steep))
    brief = -float(np.logaddexp(0.0, steep)) + x
    value = float(np.logaddexp(long, brief))
    # The slopes of both terms' logarithms; s(-y) is the exponential of -log(1 + e^y).
    slopes = (
        _BEND * math.exp(-float(np.logaddexp(0.0, steep))),
        1.0 - _BEND * math.exp(-float(np.logaddexp(0.0, -steep))),
    )
    return value, math.exp(long - value) * slopes[0] + math.exp(brief - value) * slopes[1]


def _mixed(scores: NDArray[np.float64], *, best: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mixture of each row, the logarithm of the sum or the best, and the share that each component has in it."""
    top = scores.max(axis=1)
    if best:
        # Of equal ones the first: at a kink, one of the slopes.
        return top, (np.arange(scores.shape[1]) == scores.argmax(axis=1)[:, None]).astype(np.float64)
    likely = np.exp(scores - top[:, None])
    total = likely.sum(axis=1)
    return top + np.log(total), likely / total[:, None]


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Zero where a component lacks a rule, and so has no share."""
    return np.where(np.isneginf(values), 0.0, values)


def _logs(bounds: tuple[float, float]) -> tuple[float, float]:
    low, high = bounds
    if not 0.0 < low <= high < math.inf:
        raise SettingsError(f"bounds of {low} and {high} make no sense", hint="give two numbers above 0")
    return math.log(low), math.log(high)


def _check(arrays: DerivationArrays, operation: str) -> None:
    many = len(arrays.ends)
    if not many:
        raise InputError("there are no derivations to tune on", hint="decode, and add them")
    shapes = (
        arrays.statistics.shape == (many, 2 + 2 * ORDER)
        and arrays.rest.shape == (many,)
        and arrays.parts.ndim == len(("edges", "components"))
        and arrays.parts.shape[1] > 0
    )
    steps = np.diff(arrays.sentences, prepend=0), np.diff(arrays.ends, prepend=0)
    if not (
        shapes
        and (steps[0] > 0).all()
        and (steps[1] >= 0).all()
        and len(arrays.sentences)
        and (arrays.sentences[-1], arrays.ends[-1]) == (many, len(arrays.edges))
    ):
        raise InputError("the arrays of derivations do not fit each other")
    if len(arrays.edges) and not 0 <= arrays.edges.min() <= arrays.edges.max() < len(arrays.parts):
        raise InputError("a derivation has an edge that is not there")
    if not (np.isfinite(arrays.statistics).all() and (arrays.statistics >= 0.0).all()):
        raise InputError("a statistic of a derivation is not a number of at least 0")
    if not np.isfinite(arrays.rest).all() or np.isnan(arrays.parts).any() or np.isposinf(arrays.parts).any():
        raise InputError("a score of a derivation is not a finite number")
    missing = np.isneginf(arrays.parts)
    if operation == "prod" and missing.any():
        raise InputError("a component lacks a rule", hint="give prod the floor of missing rules")
    if missing.all(axis=1).any():
        raise InputError("an edge is in no component")
