"""A row of a comparison with stacking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.combine.scores import Measured


@dataclass(frozen=True)
class StackRow:
    """A way to use a text, and what came of it.

    Attributes:
        name: What it is.
        test: Scores of the test set; of `mean` the means of its models.
        p: For each baseline how often chance alone makes such a difference on the test set.
        differences: For each baseline BLEU of the test set less its, of all tunings as one text.
        models: How many models it is of.
        each: The scores of these models, if they translated by themselves: for each tuning one of each.
        translations: Of the test set, one text for each tuning; none of `mean`.
    """

    name: str
    test: Measured
    p: Mapping[str, float]
    differences: Mapping[str, float]
    models: int
    each: tuple[tuple[float, ...], ...]
    translations: tuple[tuple[str, ...], ...]

    def to_json(self) -> dict[str, Any]:
        """The row as plain JSON values, without translations."""
        test = {
            "bleu": self.test.mean,
            "deviation": self.test.deviation,
            "scores": list(self.test.scores),
            "interval": [self.test.low, self.test.high],
        }
        against = {name: {"difference": self.differences[name], "p": p} for name, p in self.p.items()}
        each = {"each": [list(own) for own in self.each]} if self.each else {}
        return {"row": self.name, "test": test, "against": against, "models": self.models, **each}
