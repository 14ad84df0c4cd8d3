"""A row of an ablation: a system with some steps, and what it translates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.combine.covering import Coverage
    from tolka.combine.scores import Measured


@dataclass(frozen=True)
class GatherRow:
    """A system, and what came of it.

    Attributes:
        name: Its steps.
        parts: What translates together.
        test: Scores of the test set.
        p: For each system that it is compared with how often chance alone makes such a difference.
        differences: For each BLEU of the test set less its, of all tunings as one text.
        covered: The test set's words that it knows.
        seconds: Processor time of translating the test set, the mean of all tunings; None if it was there already.
        translations: One text for each tuning.
    """

    name: str
    parts: tuple[str, ...]
    test: Measured
    p: Mapping[str, float]
    differences: Mapping[str, float]
    covered: Coverage
    seconds: float | None
    translations: tuple[tuple[str, ...], ...]

    def to_json(self) -> dict[str, Any]:
        """The row as plain JSON values, without translations."""
        return {
            "row": self.name,
            "parts": list(self.parts),
            "test": {
                "bleu": self.test.mean,
                "deviation": self.test.deviation,
                "scores": list(self.test.scores),
                "interval": [self.test.low, self.test.high],
            },
            "against": {name: {"difference": self.differences[name], "p": p} for name, p in self.p.items()},
            "unknown": {"types": self.covered.unknown_types, "tokens": self.covered.unknown_tokens},
            "seconds": None if self.seconds is None else round(self.seconds, 3),
        }
