"""How much wider intervals must be where earlier answers chose the later questions.

The likelihood does not depend on how pairs were chosen, but how often its intervals hold does. A strategy that asks
where the order is in doubt leaves a pair alone once it looks settled, and what chance has settled stays wrong: estimates
are kept where they happen to look clear (the bias of optional stopping; Nie et al. 2018 have it for bandits). Bayesian
intervals are right on the average over items drawn from the prior; for items that are equal they are not, and close
items are what campaigns are about. The more items and the fewer random questions, the worse: of 95 % intervals of twelve
equal items asked about by `order` alone, 58 % hold.

So the design that was run is run again, some hundreds of times, with items that are all equal, by the same code and with
as many answers; intervals grow by what 95 % of them would have had to. Equal items are the worst of all that were tried
(`bench/judge/coverage.py`), so where items differ intervals are a little wider than they need to be, and never narrower.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tolka.errors import SettingsError
from tolka.judge.ask.information import gaussian_information
from tolka.judge.ask.strategies import strategy_named
from tolka.judge.rank import Logistic
from tolka.judge.rank.dense import climb, covariance_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

# These ask whatever was answered: only stopping early can bend their intervals.
_BLIND = frozenset({"random", "uniform"})
_SHORTEST = 128  # answers of the shortest simulation; longer ones double it
_LOOKS = 1.25  # ratio of two numbers of answers at which is looked
_MOST_CHOICES = 512  # in a longer simulation each choice stands for several answers
_MOST_AT_ONCE = 40  # as in a campaign: pairs chosen between two fits
_MOST_ITEMS = 32  # more items are simulated by so many, with as many answers each
_SCORES = 1500  # scores to see in a simulation, over all runs
_FEWEST_RUNS = 60
_EFFECTS = (1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.5, 8.0)  # design effects that are told apart
_NODES = 9  # quadrature points of `information`: which question is best hardly depends on more
_TOLERANCE = 1e-4


@dataclass(frozen=True)
class Design:
    """How the pairs were chosen that answers are about.

    Attributes:
        strategy: The strategy's name.
        explore: The share of pairs drawn at random.
        batch: Answers between two choices.
        stopping: Whether the answers could end it: a rule looks at the intervals, or somebody who looks at them does.
            Intervals then hold at whichever answer it ended, and not only at a number fixed before.
        prior: The precision of the belief that chose, in logits.

    Example:
        >>> Design("uniform").widening(5, 200)
        1.0
        >>> 1.2 < Design("order", explore=0.15, batch=20).widening(5, 200) < 1.45
        True
    """

    strategy: str = "order"
    explore: float = 0.0
    batch: int = 1
    stopping: bool = False
    prior: float = 0.25

    def __post_init__(self) -> None:
        strategy_named(self.strategy)
        if not 0 <= self.explore <= 1:
            raise SettingsError(f"the share of random questions is between 0 and 1, not {self.explore:g}")
        if self.batch < 1:
            raise SettingsError(f"a batch has at least one question, not {self.batch}")

    @property
    def name(self) -> str:
        """What a ranking's signature says of it, and `named` reads."""
        parts = [self.strategy]
        parts += [f"explore={self.explore:g}"] if self.explore else []
        parts += [f"batch={self.batch}"] if self.batch > 1 else []
        return ",".join([*parts, *(["stop"] if self.stopping else [])])

    @classmethod
    def named(cls, name: str) -> Design:
        """The design of a name.

        Example:
            >>> Design.named("order,explore=0.15,batch=20,stop").explore
            0.15
        """
        strategy, *parts = (part.strip() for part in name.split(","))
        given: dict[str, str] = dict(part.partition("=")[::2] for part in parts)
        try:
            explore, batch = float(given.pop("explore", "0")), int(given.pop("batch", "1"))
            unknown = [key for key, value in given.items() if (key, value) != ("stop", "")]
        except ValueError:
            unknown = parts
        if unknown:
            hint = "write for instance order,explore=0.15,batch=20,stop"
            raise SettingsError(f"{','.join(unknown)!r} does not say how pairs were chosen", hint=hint)
        return cls(strategy, explore, batch, "stop" in given)

    def widening(self, items: int, answers: float, *, level: float = 0.95, effect: float = 1.0) -> float:
        """How many times as wide as plain ones intervals of scores and differences must be; at least 1.

        Args:
            items: How many items there are.
            answers: How many answers.
            level: The level at which intervals are to hold.
            effect: How many times the variance is that of independent answers, because they share segments: then the
                strategy believes to know more than it does, and leaves pairs alone sooner.
        """
        blind = self.strategy in _BLIND or self.explore == 1 or items <= 2  # noqa: PLR2004
        if items < 2 or answers <= 0 or (blind and not self.stopping):  # noqa: PLR2004
            return 1.0
        few = min(items, _MOST_ITEMS)
        each = answers * few / items
        horizon = _SHORTEST * 2 ** max(0, math.ceil(math.log2(each / _SHORTEST)))
        known = next((one for one in _EFFECTS if one >= effect - 0.05), _EFFECTS[-1])
        looks = _simulated(self, few, horizon, known)
        look = next((look for look in looks if look.answers >= each), looks[-1])
        reach = NormalDist().inv_cdf(0.5 + level / 2)
        return max(1.0, *(float(np.quantile(seen, level)) / reach for seen in (look.scores, look.differences)))


class _Look(NamedTuple):
    """How far scores and differences are from the truth after some answers, in standard errors."""

    answers: float
    scores: Array
    differences: Array


class _Runs:
    """What a stack of runs believes; strategies take it for a belief."""

    def __init__(self, runs: int, items: int, prior: float) -> None:
        self.items = range(items)
        self.activation = Logistic()
        self.prior = prior
        self.left, self.right = np.triu_indices(items, 1)
        self.wins: Array = np.zeros((runs, items, items))
        self.mean: Array = np.zeros((runs, items))
        self.covariance: Array = np.empty(0)
        self.asked: Array = np.empty(0)
        self.fit()

    def fit(self) -> None:
        self.mean, _ = climb(self.wins, self.activation, self.prior, self.mean, _TOLERANCE)
        found = covariance_of(self.wins, self.activation, self.prior, self.mean)
        if found is None:  # a prior makes every table regular
            raise AssertionError
        self.covariance = found
        self.asked = self.wins + self.wins.transpose(0, 2, 1)

    def variances(self) -> Array:
        own = np.diagonal(self.covariance, axis1=1, axis2=2)
        return own[:, self.left] + own[:, self.right] - 2 * self.covariance[:, self.left, self.right]

    def information(self) -> Array:
        gaps = self.mean[:, self.left] - self.mean[:, self.right]
        return gaussian_information(gaps, np.sqrt(np.maximum(self.variances(), 0.0)), self.activation, nodes=_NODES)

    def imagine(self, left: NDArray[np.intp], right: NDArray[np.intp]) -> None:
        """Count one more question per run as answered, as `PairBelief.imagine` does."""
        runs = np.arange(len(self.mean))
        column = self.covariance[runs, :, left] - self.covariance[runs, :, right]
        weight = self.activation.information(self.mean[runs, left] - self.mean[runs, right])
        share = weight / (1 + weight * (column[runs, left] - column[runs, right]))
        self.covariance = self.covariance - column[:, :, None] * column[:, None, :] * share[:, None, None]
        self.asked[runs, left, right] += 1
        self.asked[runs, right, left] += 1


@lru_cache(maxsize=128)
def _simulated(design: Design, items: int, horizon: int, effect: float) -> tuple[_Look, ...]:
    """Run a design with equal items, many times at once, and look at it now and then."""
    runs = _Runs(max(_FEWEST_RUNS, -(-_SCORES // items)), items, design.prior)
    number = np.arange(len(runs.mean))
    rng = np.random.default_rng([items, horizon, 1])
    strategy = strategy_named("uniform" if design.strategy == "random" else design.strategy)
    explore = 1.0 if design.strategy == "random" else design.explore
    # Answers that share a segment come in lumps, each as good as one answer.
    per_choice = max(horizon / _MOST_CHOICES, effect, design.batch / _MOST_AT_ONCE, 1.0)
    lumps = max(1, round(per_choice / effect))
    choices = max(1, round(design.batch / per_choice))
    looks: list[_Look] = []
    worst: tuple[Array, Array] | None = None
    done, wanted = 0.0, 8.0
    while done < horizon:
        chosen = []
        for at in range(choices):
            values = _values(strategy, runs, rng, explore)
            best = values.argmax(axis=1)
            chosen.append((runs.left[best], runs.right[best]))
            if at + 1 < choices:
                runs.imagine(*chosen[-1])
        for left, right in chosen:
            won = rng.binomial(lumps, 0.5, len(number)) * (per_choice / lumps)
            runs.wins[number, left, right] += won
            runs.wins[number, right, left] += per_choice - won
        done += choices * per_choice
        runs.fit()
        looking = done >= min(wanted, horizon)
        if looking or design.stopping:
            seen = _seen(runs, effect)
            worst = seen if worst is None or not design.stopping else tuple(map(np.maximum, worst, seen))  # type: ignore[assignment]
        if looking and worst is not None:
            looks.append(_Look(done, worst[0].ravel(), worst[1].ravel()))
            wanted = max(wanted, done) * _LOOKS
    return tuple(looks)


def _values(strategy: object, runs: _Runs, rng: np.random.Generator, explore: float) -> Array:
    """The strategy's values, or random ones in the runs that explore."""
    shape = (len(runs.mean), len(runs.left))
    lost = rng.random(shape[0]) < explore
    if lost.all():
        return rng.random(shape)
    values = strategy.values(runs, rng)  # type: ignore[attr-defined]
    # Equal values are settled at random.
    values = values + 1e-9 * np.abs(values).max(axis=1, keepdims=True) * rng.random(shape)
    return np.where(lost[:, None], rng.random(shape), values)


def _seen(runs: _Runs, effect: float) -> tuple[Array, Array]:
    """Distances from equal scores, in standard errors that know the design effect."""
    own = np.sqrt(effect * np.diagonal(runs.covariance, axis1=1, axis2=2))
    gaps = runs.mean[:, runs.left] - runs.mean[:, runs.right]
    return np.abs(runs.mean) / own, np.abs(gaps) / np.sqrt(effect * runs.variances())
