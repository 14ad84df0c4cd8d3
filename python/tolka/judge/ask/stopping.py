"""When it is enough: rules for the question engine."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.errors import SettingsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tolka.judge.ask.engine import Belief
    from tolka.judge.ask.pairs import PairBelief


class Budget:
    """Stop when so many answers have been given.

    Args:
        answers: The most answers.
    """

    def __init__(self, answers: int) -> None:
        if answers < 1:
            raise SettingsError(f"a budget is at least one answer, not {answers}")
        self.answers = answers

    def reason(self, belief: Belief[Any, Any], asked: int) -> str | None:  # noqa: ARG002
        """Whether the budget is spent."""
        return f"the budget of {self.answers} answers is spent" if asked >= self.answers else None


class LittleToLearn:
    """Stop when no question is expected to tell more than this.

    Args:
        nats: The least information worth asking for.
    """

    def __init__(self, nats: float = 0.01) -> None:
        self.nats = nats

    def reason(self, belief: Belief[Any, Any], asked: int) -> str | None:  # noqa: ARG002
        """Whether every question is below."""
        told = belief.information()
        return f"no question tells more than {self.nats:g} nats" if not len(told) or told.max() < self.nats else None


class NarrowEnough:
    """Stop when the score of every item is known to within an interval of this width.

    Args:
        width: The widest interval allowed, in units of the score.
        level: The level of the intervals.
    """

    def __init__(self, width: float, level: float = 0.95) -> None:
        if width <= 0:
            raise SettingsError(f"a width is positive, not {width:g}")
        self.width, self.level = width, level

    def reason(self, belief: PairBelief, asked: int) -> str | None:  # noqa: ARG002
        """Whether the widest interval is narrow enough."""
        widest = float(interval_widths(belief, self.level).max())
        return f"every {self.level:.0%} interval is at most {self.width:g} wide" if widest <= self.width else None


class SureOfOrder:
    """Stop when every item is above the next with this probability.

    Args:
        level: The least probability.
    """

    def __init__(self, level: float = 0.95) -> None:
        self.level = level

    def reason(self, belief: PairBelief, asked: int) -> str | None:  # noqa: ARG002
        """Whether every two neighbours are told apart."""
        return (
            f"every two neighbours are told apart at {self.level:.0%}"
            if neighbours(belief).min() >= self.level
            else None
        )


class SettledRanks:
    """Stop when the interval of ranks of every item has stayed as it is for a number of answers.

    Args:
        answers: For how many; three times the number of items if nothing is said.
        level: The level of the intervals.
        samples: Orders drawn to find them.
    """

    def __init__(self, answers: int | None = None, level: float = 0.95, samples: int = 500) -> None:
        self.answers, self.level, self.samples = answers, level, samples
        self._ranks: NDArray[np.float64] | None = None
        self._since = 0

    def reason(self, belief: PairBelief, asked: int) -> str | None:
        """Whether the intervals have not changed for long enough."""
        wait = 3 * len(belief.items) if self.answers is None else self.answers
        # The same draws each time: what changes is the belief.
        drawn = belief.sample(self.samples, seed=0)
        ranks = np.argsort(np.argsort(-drawn, axis=1), axis=1)
        tail = (1 - self.level) / 2
        found = np.quantile(ranks, [tail, 1 - tail], axis=0, method="nearest")
        if self._ranks is None or not np.array_equal(found, self._ranks):
            self._ranks, self._since = found, asked
        return f"no interval of ranks has changed for {wait} answers" if asked - self._since >= wait else None


def interval_widths(belief: PairBelief, level: float = 0.95) -> NDArray[np.float64]:
    """The width of the interval of each score, measured from the mean of all."""
    return 2 * NormalDist().inv_cdf(0.5 + level / 2) * np.sqrt(centred(belief.covariance).diagonal())


def centred(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The covariance of scores measured from their mean: only differences of scores mean anything."""
    rows = covariance - covariance.mean(axis=0)
    return np.asarray(rows - rows.mean(axis=1, keepdims=True))


def neighbours(belief: PairBelief) -> NDArray[np.float64]:
    """The probability that each item of the ranking is above the next one."""
    from scipy.special import ndtr  # noqa: PLC0415 - slow to import

    order = np.argsort(-belief.mean, kind="stable")
    above, below = order[:-1], order[1:]
    own = belief.covariance.diagonal()
    variance = own[above] + own[below] - 2 * belief.covariance[above, below]
    return np.asarray(ndtr((belief.mean[above] - belief.mean[below]) / np.sqrt(variance)))
