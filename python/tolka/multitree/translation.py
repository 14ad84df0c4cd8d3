"""What a search for multitrees comes to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from tolka._engine import _TreeTranslation
    from tolka.multitree.encoding import Symbols


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
