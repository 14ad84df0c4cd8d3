"""What a search for multitrees comes to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from tolka.multitree.settings import STATISTICS
from tolka.multitree.tree import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka._engine import _TreeTranslation
    from tolka.multitree.encoding import Symbols


COSTS = KINDS[2:]
"""Types of inference that cost something: all but those that read a word."""


@dataclass(frozen=True)
class TreeProposal:
    """One translation of several.

    Attributes:
        words: The translation.
        score: The weighted sum of its features.
        features: What is weighed; where nothing is, what steps of each type cost.
    """

    words: tuple[str, ...]
    score: float
    features: dict[str, float]

    @classmethod
    def of(
        cls,
        words: tuple[str, ...],
        statistics: Sequence[float],
        costs: Sequence[float],
        weights: Mapping[str, float] | None,
    ) -> Self:
        """As the engine told it.

        Example:
            >>> TreeProposal.of(("a",), [], [0.0, 0.0, 0.5, 0.25, 0.0], None).score
            -0.75
        """
        if weights is None:
            return cls(words, -sum(costs), dict(zip(COSTS, costs, strict=True)))
        sums = dict(zip(STATISTICS, statistics, strict=True))
        # As they are named in the model.
        features = {name: sums[name] for name in weights}
        return cls(words, sum(weight * features[name] for name, weight in weights.items()), features)


@dataclass(frozen=True)
class TreeTranslation:
    """A translation and how it came about.

    Attributes:
        words: The translation.
        steps: The inferences of its tree, parents first: kind, source span, target span, cost. A span of one language only
            is (0, 0) in the other.
        costs: All costs, worst first: the value by which it was the best.
        complete: Whether one tree covers the sentence; otherwise the trees that cover most stand side by side.
        limited: Whether a limit ended the search.
        scored: Inferences whose cost was asked for.
    """

    words: tuple[str, ...]
    steps: tuple[tuple[str, tuple[int, int], tuple[int, int], float], ...]
    costs: tuple[float, ...]
    complete: bool
    limited: bool
    scored: int

    @classmethod
    def of(cls, symbols: Symbols, found: _TreeTranslation) -> Self:
        """As the engine told it, in numbers."""
        words, steps, costs, complete, limited, scored, _ = found
        return cls(tuple(map(symbols.text, words)), tuple(steps), tuple(costs), complete, limited, scored)

    @property
    def worst(self) -> tuple[str, tuple[int, int], tuple[int, int], float] | None:
        """The inference that counts against it most."""
        return max(self.steps, key=lambda step: step[3], default=None)

    def __str__(self) -> str:
        return " ".join(self.words)
