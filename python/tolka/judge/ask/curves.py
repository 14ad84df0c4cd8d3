"""Learning curves: how good the ranking is after so many answers, and how many answers one way of asking saves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tolka.judge.ask.pairs import PairBelief

    Array = NDArray[np.float64]

ROUNDS = 1000


@dataclass(frozen=True)
class Curve:
    """How one strategy does; every table has a row per run and a column per checkpoint.

    Attributes:
        strategy: Its name.
        answers: The checkpoints: how many answers had been given.
        tau: Kendall's tau of the ranking with the true or final one.
        error: The root of the mean squared error of the scores.
        width: The mean width of the 95 % intervals of the scores.
    """

    strategy: str
    answers: tuple[int, ...]
    tau: Array = field(repr=False)
    error: Array = field(repr=False)
    width: Array = field(repr=False)

    def as_json(self) -> dict[str, Any]:
        """The means and, for tau, the standard error over runs."""
        runs = len(self.tau)
        spread = self.tau.std(axis=0, ddof=1) / np.sqrt(runs) if runs > 1 else np.zeros(len(self.answers))
        return {
            "strategy": self.strategy,
            "answers": list(self.answers),
            "tau": _rounded(self.tau.mean(axis=0)),
            "tau_error": _rounded(spread),
            "rmse": _rounded(self.error.mean(axis=0)),
            "width": _rounded(self.width.mean(axis=0)),
        }


@dataclass(frozen=True)
class Saving:
    """What a strategy needs, as a share of what another needs for the same.

    Attributes:
        strategy: The one.
        baseline: The other.
        tau: The tau that both are to reach.
        ratio: Answers of the one by answers of the other, a geometric mean over sets; below 1 it saves answers.
        low: The lower end of the 95 % interval, by a bootstrap over runs and sets.
        high: The upper end.
        sets: Sets of answers in which the baseline reached it, of which there are `of`.
        missed: Of those sets, the ones in which the strategy did not: they count with all answers there were, so the
            ratio is too low by a little.
        of: How many sets there are.
    """

    strategy: str
    baseline: str
    tau: float
    ratio: float
    low: float
    high: float
    sets: int
    missed: int
    of: int


def measure(belief: PairBelief, truth: Array, level: float = 0.95) -> tuple[float, float, float]:
    """Tau, error and mean interval width of a belief about items whose scores are known."""
    mean = belief.mean
    low, high = belief.intervals(level).interval(level)
    width = float((high - low).mean())
    return kendall(mean, truth), float(np.sqrt(np.mean((mean - truth + truth.mean()) ** 2))), width


def kendall(first: Array, second: Array) -> float:
    """Kendall's tau-a of two lists of scores.

    Example:
        >>> kendall(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0])).__round__(3)
        0.333
    """
    agree = np.sign(first[:, None] - first) * np.sign(second[:, None] - second)
    return float(agree.sum() / (len(first) * (len(first) - 1)))


def rising(tau: Array) -> Array:
    """The nearest curve that never falls (isotonic regression).

    More answers do not make a ranking worse on average; what looks like it is chance, and would let a noisier curve
    reach a tau sooner.

    Example:
        >>> rising(np.array([0.1, 0.4, 0.2, 0.6])).round(3).tolist()
        [0.1, 0.3, 0.3, 0.6]
    """
    from scipy.optimize import isotonic_regression  # noqa: PLC0415 - slow to import

    return np.asarray(isotonic_regression(tau).x)


def answers_to_reach(answers: Sequence[int], tau: Array, target: float) -> float:
    """Where a curve first reaches a tau, between checkpoints by a straight line; infinity if it does not."""
    above = np.flatnonzero(tau >= target)
    if not len(above):
        return float("inf")
    at = int(above[0])
    if at == 0:
        return float(answers[0])
    share = (target - tau[at - 1]) / (tau[at] - tau[at - 1])
    return float(answers[at - 1] + share * (answers[at] - answers[at - 1]))


def saving(
    curves: Sequence[Curve], baselines: Sequence[Curve], target: float, *, rounds: int = ROUNDS, seed: int = 1
) -> Saving | None:
    """Compare two strategies over one set of answers or several.

    Runs of a curve are averaged and made rising first: what counts is when the expected tau is reached. The interval comes from
    drawing sets, and runs within sets, again and again.

    Args:
        curves: Of the strategy, one per set.
        baselines: Of the other one, on the same sets and with the same runs.
        target: The tau to reach.
        rounds: Of the bootstrap.
        seed: Of the bootstrap.

    Returns:
        None if the baseline reaches it in no set.
    """
    if len(curves) != len(baselines) or not curves:
        raise SettingsError("a strategy and what it is compared with need curves of the same sets")
    rng = np.random.default_rng(seed)

    def logarithm(at: int, runs: NDArray[np.intp] | slice) -> tuple[float, bool] | None:
        other = answers_to_reach(baselines[at].answers, rising(baselines[at].tau[runs].mean(axis=0)), target)
        if np.isinf(other):
            return None
        own = answers_to_reach(curves[at].answers, rising(curves[at].tau[runs].mean(axis=0)), target)
        missed = bool(np.isinf(own))
        return float(np.log((curves[at].answers[-1] if missed else own) / other)), missed

    found = [one for at in range(len(curves)) if (one := logarithm(at, slice(None))) is not None]
    if not found:
        return None
    drawn = []
    for _ in range(rounds):
        logs = []
        for at in rng.integers(len(curves), size=len(curves)):
            runs = len(curves[at].tau)
            one = logarithm(int(at), rng.integers(runs, size=runs))
            if one is not None:
                logs.append(one[0])
        if logs:
            drawn.append(np.mean(logs))
    low, high = np.exp(np.quantile(drawn, [0.025, 0.975]))
    return Saving(
        curves[0].strategy,
        baselines[0].strategy,
        target,
        float(np.exp(np.mean([one[0] for one in found]))),
        float(low),
        float(high),
        len(found),
        sum(one[1] for one in found),
        len(curves),
    )


def _rounded(values: Array) -> list[float]:
    return [round(float(value), 4) for value in values]
