"""How well two orders agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Agreement:
    """Rank correlations of two lists of scores, with two-sided p-values.

    Attributes:
        spearman: Spearman's coefficient.
        spearman_p: The chance of one as far from zero if the lists had nothing to do with each other.
        kendall: Kendall's tau-b.
        kendall_p: The same chance for it.
        pearson: Pearson's coefficient, of the scores themselves.
        items: How many scores.
    """

    spearman: float
    spearman_p: float
    kendall: float
    kendall_p: float
    pearson: float
    items: int


def agreement(first: Sequence[float], second: Sequence[float]) -> Agreement:
    """Compare two lists of scores of the same items; higher is better in both.

    Example:
        >>> agreement([1, 2, 3, 4], [1, 2, 4, 3]).kendall.__round__(3)
        0.667
    """
    from scipy.stats import kendalltau, pearsonr, spearmanr  # noqa: PLC0415 - slow to import

    order, pairs = spearmanr(first, second), kendalltau(first, second)
    return Agreement(
        float(order.statistic),
        float(order.pvalue),
        float(pairs.statistic),
        float(pairs.pvalue),
        float(pearsonr(first, second).statistic),
        len(first),
    )
