"""A row of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.combine.scores import Measured


@dataclass(frozen=True)
class Row:
    """A way to adapt, and what came of it.

    Attributes:
        name: What it is.
        dev: Scores of the development set.
        test: Scores of the test set.
        rules: The rules of all its tables.
        p: For each baseline how often chance alone makes such a difference on the test set.
        differences: For each baseline BLEU of the test set less its, of all tunings as one text.
        details: What was found out on the way: weights of tables, lambdas of an ensemble, how much was selected.
        models: Where the models are, one for each tuning.
        translations: Of the test set, one text for each tuning.
    """

    name: str
    dev: Measured
    test: Measured
    rules: int
    p: Mapping[str, float]
    differences: Mapping[str, float]
    details: Mapping[str, Any]
    models: tuple[str, ...]
    translations: tuple[tuple[str, ...], ...]

    def to_json(self) -> dict[str, Any]:
        """The row as plain JSON values, without translations."""
        sets = {
            name: {
                "bleu": one.mean,
                "deviation": one.deviation,
                "scores": list(one.scores),
                "interval": [one.low, one.high],
            }
            for name, one in (("dev", self.dev), ("test", self.test))
        }
        against = {name: {"difference": self.differences[name], "p": p} for name, p in self.p.items()}
        return {"row": self.name, **sets, "rules": self.rules, "against": against, "details": dict(self.details)}
