"""When it is enough: rules for the question engine.

Rules that look at intervals look at those that a ranking reports: a belief's own as wide as its way of asking needs
(`PairBelief.intervals`), or those of a `Ranking`, which knows of segments too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tolka.errors import SettingsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tolka.judge.ask.engine import Belief
    from tolka.judge.ask.pairs import PairBelief
    from tolka.judge.rank import Posterior


class Told(Protocol):
    """What says how surely scores are known: a belief about pairs, or a ranking."""

    def intervals(self, level: float = 0.95) -> Posterior:
        """The distribution whose intervals of this level hold."""

    @property
    def posterior(self) -> Posterior:
        """A distribution that is no wider."""


class Budget:
    """Stop when so many answers have been given.

    Args:
        answers: The most answers.
    """

    fixed = True  # it does not depend on what was answered

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

    def reason(self, belief: Told, asked: int) -> str | None:  # noqa: ARG002
        """Whether the widest interval is narrow enough."""
        # What holds is never narrower than the posterior, and may take a simulation to find: that comes second.
        enough = self._narrow(belief.posterior) and self._narrow(belief.intervals(self.level))
        return f"every {self.level:.0%} interval is at most {self.width:g} wide" if enough else None

    def _narrow(self, posterior: Posterior) -> bool:
        low, high = posterior.interval(self.level)
        return float((high - low).max()) <= self.width


class SureOfOrder:
    """Stop when every two neighbours are told apart: the interval of their difference lies above 0, as between groups.

    Args:
        level: The level of the intervals.
    """

    def __init__(self, level: float = 0.95) -> None:
        self.level = level

    def reason(self, belief: Told, asked: int) -> str | None:  # noqa: ARG002
        """Whether every two neighbours are told apart."""
        enough = self._sure(belief.posterior) and self._sure(belief.intervals(self.level))
        return f"every two neighbours are told apart at {self.level:.0%}" if enough else None

    def _sure(self, posterior: Posterior) -> bool:
        order = np.argsort(-posterior.mean, kind="stable")
        return bool(posterior.p_better()[order[:-1], order[1:]].min(initial=1.0) >= 0.5 + self.level / 2)


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
        drawn = belief.intervals(self.level).sample(self.samples, seed=0)
        ranks = np.argsort(np.argsort(-drawn, axis=1), axis=1)
        tail = (1 - self.level) / 2
        found = np.quantile(ranks, [tail, 1 - tail], axis=0, method="nearest")
        if self._ranks is None or not np.array_equal(found, self._ranks):
            self._ranks, self._since = found, asked
        return f"no interval of ranks has changed for {wait} answers" if asked - self._since >= wait else None
