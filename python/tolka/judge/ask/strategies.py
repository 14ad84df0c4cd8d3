"""Ways to choose the next pair, by name.

`information` and `order` ask what tells most, about the scores or about the ranking; the others are what they have to
beat: `random` pairs, `uniform` ones (the pair asked least), `adjacent` ranks as a tournament would, and pairs of equal
strength as `trueskill` matches players.

They value the questions of one belief, or of a stack of beliefs that differ in a leading axis: so a design is simulated
by the code that runs it (`tolka.judge.ask.design`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.errors import SettingsError
from tolka.judge.ask.engine import AnyQuestion, MostInformation
from tolka.judge.ask.information import order_information

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tolka.judge.ask.engine import Strategy
    from tolka.judge.ask.pairs import PairBelief


class MostAboutOrder:
    """Ask what is expected to tell most about who is above whom, summed over all pairs."""

    name = "order"

    def values(self, belief: PairBelief, rng: np.random.Generator) -> NDArray[np.float64]:  # noqa: ARG002
        """The information about the order that each pair is expected to bring."""
        return order_information(belief.mean, belief.covariance, belief.left, belief.right, belief.activation)


class LeastAsked:
    """Ask the pair that has been asked least: every pair equally often, as a balanced design has it."""

    name = "uniform"

    def values(self, belief: PairBelief, rng: np.random.Generator) -> NDArray[np.float64]:
        """Fewer answers, higher value."""
        asked = belief.asked[..., belief.left, belief.right]
        return np.asarray(rng.random(asked.shape) - asked)


class Adjacent:
    """Ask about neighbours in the present ranking, the least asked of them first."""

    name = "adjacent"

    def values(self, belief: PairBelief, rng: np.random.Generator) -> NDArray[np.float64]:
        """Nearer ranks, higher value; among equally near ones, fewer answers."""
        ranks = np.argsort(np.argsort(-belief.mean, axis=-1, kind="stable"), axis=-1)
        asked = belief.asked[..., belief.left, belief.right]
        fewer = (rng.random(asked.shape) - asked) / (2 + asked.max(axis=-1, keepdims=True))
        return np.asarray(fewer - np.abs(ranks[..., belief.left] - ranks[..., belief.right]))


class EqualMatch:
    """Ask as TrueSkill would be asked to match players (Sakaguchi et al. 2014, section 3.2).

    The item known least is matched with the opponent most likely to draw against it (Herbrich et al. 2006). Like
    TrueSkill, it looks at each item alone and not at what the scores have in common.
    """

    name = "trueskill"

    def values(self, belief: PairBelief, rng: np.random.Generator) -> NDArray[np.float64]:
        """The quality of each match of the least known item; other matches come after."""
        gaps = belief.mean[..., :, None] - belief.mean[..., None, :]
        # What is known of each item if all others were known: with the joint variances, two items that were compared
        # with each other alone would be matched for ever.
        known = belief.prior * belief.activation.scale**2
        known = known + (belief.asked * belief.activation.information(gaps)).sum(axis=-1)
        own = 1 / np.maximum(known, 1e-9)
        # TrueSkill's noise of a performance, for a logistic of slope 1: a difference of two has variance pi^2 / 3.
        noise = np.pi**2 / 3
        total = noise + own[..., belief.left] + own[..., belief.right]
        quality = np.sqrt(noise / total) * np.exp(-(gaps[..., belief.left, belief.right] ** 2) / (2 * total))
        # Of items known equally badly, any.
        drawn = np.where(own >= own.max(axis=-1, keepdims=True), rng.random(own.shape), -1.0)
        least = drawn.argmax(axis=-1)[..., None]
        return np.asarray(quality + ((belief.left == least) | (belief.right == least)))


class ColdStart:
    """A round through all items in random order first, then another strategy (Mohammad's loop needs such a start).

    Without a prior nothing can be computed before the answers connect every item with every other in both directions;
    until they do, the least asked pairs are asked. With a prior this is a choice, not a need.
    """

    def __init__(self, then: Strategy[Any]) -> None:
        self.then = then
        self._cycle: NDArray[np.bool_] | None = None

    @property
    def name(self) -> str:
        """The name of the strategy that follows."""
        return self.then.name

    def values(self, belief: PairBelief, rng: np.random.Generator) -> NDArray[np.float64]:
        """First the pairs of the round, then those of the other strategy."""
        if self._cycle is None:
            order = rng.permutation(len(belief.items))
            after = np.empty_like(order)
            after[order] = np.roll(order, -1)
            self._cycle = (after[belief.left] == belief.right) | (after[belief.right] == belief.left)
        waiting = self._cycle & (belief.asked[belief.left, belief.right] == 0)
        if waiting.any():
            return np.where(waiting, rng.random(len(waiting)), -1.0)
        return (self.then if belief.proper else LeastAsked()).values(belief, rng)


STRATEGIES: dict[str, type[Strategy[Any]]] = {
    kind.name: kind for kind in (MostInformation, MostAboutOrder, AnyQuestion, LeastAsked, Adjacent, EqualMatch)
}


def strategy_named(name: str) -> Strategy[Any]:
    """A strategy by its name.

    Example:
        >>> strategy_named("information").name
        'information'
    """
    if name not in STRATEGIES:
        raise SettingsError(f"there is no strategy {name!r}", hint=f"use one of {', '.join(STRATEGIES)}")
    return STRATEGIES[name]()
