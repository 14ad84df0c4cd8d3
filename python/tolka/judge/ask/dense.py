"""A fit that is begun where the last one ended, for the few items that people are asked about.

`tolka.judge.rank.newton` is made for a thousand items and ten million answers, and spends a millisecond on being ready
for them. Between two questions about twenty items there is one more answer and no time: here the counts are a small
square table, and two or three plain Newton steps do. Where they do not, the general solver is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tolka.judge.rank import Activation

# Items up to which a table is quicker than lists of pairs.
MOST_ITEMS = 200
_STEPS = 12
# A plain step this long, in units of the activation, may overshoot.
_LONG = 1.0


def climb(
    wins: NDArray[np.float64],
    activation: Activation,
    precision: float,
    start: NDArray[np.float64],
    tolerance: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """The scores of greatest posterior density and their covariance (Laplace), among scores of mean 0.

    Args:
        wins: Row i, column j: how often i was chosen over j.
        activation: F; its logarithm must be strictly concave.
        precision: Of the Gaussian prior, in units of the scores.
        start: Scores to start from.
        tolerance: Stop after a step no longer than this.

    Returns:
        None if plain steps do not get there.
    """
    scores = start
    size = len(wins)
    for _ in range(_STEPS):
        gaps = scores[:, None] - scores
        pull = wins * activation.slope(gaps)
        gradient = (pull - pull.T).sum(axis=1) - precision * scores
        table = _table(wins, gaps, activation, precision)
        try:
            step = np.linalg.solve(table, gradient)
        except np.linalg.LinAlgError:
            return None
        longest = float(np.abs(step).max())
        if not longest * activation.scale < _LONG:
            return None
        scores = scores + step
        if longest < tolerance:
            gaps = scores[:, None] - scores
            inverse = np.linalg.inv(_table(wins, gaps, activation, precision))
            # The shift of all scores alike was given the information of the prior and of `_table`: take it out again.
            inverse -= inverse.mean(axis=0)
            inverse -= inverse.mean(axis=1)[:, None]
            return scores - scores.sum() / size, (inverse + inverse.T) / 2
    return None


def _table(
    wins: NDArray[np.float64],
    gaps: NDArray[np.float64],
    activation: Activation,
    precision: float,
) -> NDArray[np.float64]:
    """Minus the Hessian; without a prior, the free shift of all scores is held by a unit of information."""
    bent = wins * activation.curvature(gaps)
    weights = bent + bent.T
    weights.flat[:: len(wins) + 1] = 0.0
    table = weights + (0.0 if precision else 1.0)
    table.flat[:: len(wins) + 1] += precision - weights.sum(axis=1)
    return table
