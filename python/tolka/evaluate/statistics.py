"""A system's statistics under one metric: what its score, its interval and tests against others are made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tolka._engine import Metric as EngineMetric
    from tolka.evaluate.metrics import Metric


@dataclass(frozen=True)
class Statistics:
    """The statistics of a system's output, a row per sentence.

    Attributes:
        metric: The metric's settings.
        native: The engine's metric with its references.
        rows: The statistics.
    """

    metric: Metric
    native: EngineMetric
    rows: NDArray[np.float64]

    @cached_property
    def score(self) -> float:
        """The score of the whole text."""
        return self.native.score(self.rows.sum(axis=0))

    @cached_property
    def segments(self) -> NDArray[np.float64]:
        """The score of each sentence."""
        return self.native.sentence_scores(self.rows)


def collect_statistics(
    metric: Metric, systems: Sequence[Sequence[str]], references: Sequence[Sequence[str]], *, threads: int = 0
) -> list[Statistics]:
    """The statistics of several systems' outputs of the same text.

    Example:
        >>> from tolka.evaluate import Bleu
        >>> [one] = collect_statistics(Bleu(), [["a b c d e"]], [["a b c d f"]])
        >>> one.rows[0, 2:6].tolist()
        [4.0, 3.0, 2.0, 1.0]
    """
    engine, texts = metric.prepare(systems, references)
    return [Statistics(metric, engine, engine.stats(text, threads=threads)) for text in texts]
