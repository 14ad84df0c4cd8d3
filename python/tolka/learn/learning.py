"""How policies learn, and what is told of it: what has nothing to do with what the task is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

Step = Literal["perceptron", "passive", "mira", "adagrad"]
"""How far weights move: by a rate, as far as a margin of 1 or of the gain in reward asks for, or less and less."""

Method = Literal["better", "pairwise", "risk", "guided"]
"""What weights move towards: ends that are better than the policy's own, the better of two ends, more reward on average
(minimum risk), or what an expert does wherever the policy does something else."""

Span = Literal["path", "action"]
"""What of the better and the worse end counts: all that led there from the state on, or the two actions alone."""


@dataclass(frozen=True)
class PolicyLearning:
    """How a policy learns.

    Attributes:
        epochs: Passes over the examples.
        step: How far weights move.
        rate: How far at most.
        method: What they move towards.
        span: What counts of the two paths.
        expert: The share of paths that follow an expert where it knows what to do (LOLS).
        zipf: The exponent by which competitors are drawn from their ranks; 0 draws all alike.
        samples: States of an example at which another action is forced.
        gap: How much better the end must be.
        batch: Examples that are tried with the same weights.
        averaged: Whether the weights in the end are the average over all examples, or those after the last.
        seed: Of all that is drawn; the same seed gives the same weights.
    """

    epochs: int = 10
    step: Step = "perceptron"
    rate: float = 1.0
    method: Method = "better"
    span: Span = "path"
    expert: float = 0.0
    zipf: float = 1.0
    samples: int = 1
    gap: float = 0.0
    batch: int = 1
    averaged: bool = True
    seed: int = 1

    def check(self) -> None:
        """Look for numbers that the engine cannot be told of.

        Raises:
            SettingsError: There are some.
        """
        if not 0 <= self.seed < 1 << 64 or min(self.samples, self.batch) < 0:
            raise SettingsError("a seed, samples and batches are not negative")
        if self.epochs < 1:
            raise SettingsError("nothing is learnt in less than one epoch", hint="use 1 or more")

    def native(self) -> dict[str, Any]:
        """For the engine, which knows nothing of how many epochs there are and which weights are wanted."""
        return {name: value for name, value in asdict(self).items() if name not in {"epochs", "averaged"}}

    def wanted(self, state: Mapping[str, Any]) -> list[float]:
        """The weights of a learner that are wanted."""
        return list(state["average" if self.averaged else "weights"].tolist())


@dataclass(frozen=True)
class Epoch:
    """What came of a pass over the examples.

    Attributes:
        number: From 0 on.
        reward: That of the policy's own ends on the way, on average; of translations in points.
        tried: Actions that were forced.
        better: Those that ended better, from which something was learnt.
        weights: The average over all that was learnt so far, by the names of features.
    """

    number: int
    reward: float
    tried: int
    better: int
    weights: dict[str, float]
