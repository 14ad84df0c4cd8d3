"""Newton's method on small square tables of wins, one or thousands of them at once.

`newton` is made for a thousand items and ten million answers, and spends a millisecond on being ready for them. Between
two questions about twenty items there is one more answer and no time; the bootstrap fits a thousand resamples, and a
simulated design hundreds of runs, all about the same few items. Here counts are tables, stacked in any number of leading
axes, and plain Newton steps do. Which tables they did not bring to the top is said; those are `newton`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tolka.judge.rank.activations import Activation

    Array = NDArray[np.float64]

# Items up to which a table is quicker than lists of pairs.
MOST_ITEMS = 200
_STEPS = 30
# A step of more units of the activation overshoots; a shorter one in the same direction still climbs a concave hill.
_LONGEST = 2.0


def climb(
    wins: Array, activation: Activation, precision: float, start: Array, tolerance: float
) -> tuple[Array, NDArray[np.bool_]]:
    """The scores of greatest posterior density, with mean 0, and whether they were reached.

    Args:
        wins: Row i, column j: how often i was chosen over j; with any leading axes.
        activation: F; its logarithm must be strictly concave.
        precision: Of the Gaussian prior, in units of the scores; 0 if there is none.
        start: Scores to start from, with the same leading axes.
        tolerance: Stop after a step no longer than this, relative to the activation's unit.

    Example:
        >>> from tolka.judge.rank import Logistic
        >>> table = np.array([[0.0, 3.0], [1.0, 0.0]])
        >>> scores, reached = climb(table, Logistic(), 0.25, np.zeros(2), 1e-9)
        >>> scores.round(4).tolist(), bool(reached)
        ([0.4733, -0.4733], True)
    """
    scores = start
    reached = np.zeros(wins.shape[:-2], dtype=bool)
    for _ in range(_STEPS):
        gaps = scores[..., :, None] - scores[..., None, :]
        pull = wins * activation.slope(gaps)
        gradient = pull.sum(axis=-1) - pull.sum(axis=-2) - precision * scores
        try:
            step = np.linalg.solve(_information(wins, gaps, activation, precision), gradient[..., None])[..., 0]
        except np.linalg.LinAlgError:
            break
        longest = np.abs(step).max(axis=-1) * activation.scale
        scores = scores + step * np.minimum(1.0, _LONGEST / np.maximum(longest, _LONGEST))[..., None]
        reached = longest <= tolerance
        if reached.all():
            break
    return scores - scores.mean(axis=-1, keepdims=True), reached


def covariance_of(wins: Array, activation: Activation, precision: float, scores: Array) -> Array | None:
    """The covariance of scores of mean 0 (Laplace), per table; None if some table does not fix its scores."""
    gaps = scores[..., :, None] - scores[..., None, :]
    try:
        inverse = np.linalg.inv(_information(wins, gaps, activation, precision))
    except np.linalg.LinAlgError:
        return None
    # The shift of all scores alike was given the information of the prior, or a unit of it: take it out again.
    inverse -= inverse.mean(axis=-2, keepdims=True)
    inverse -= inverse.mean(axis=-1, keepdims=True)
    return (inverse + np.swapaxes(inverse, -1, -2)) / 2


def _information(wins: Array, gaps: Array, activation: Activation, precision: float) -> Array:
    """Minus the Hessian; without a prior, the free shift of all scores is held by a unit of information."""
    bent = wins * activation.curvature(gaps)
    table = bent + np.swapaxes(bent, -1, -2)
    at = np.arange(wins.shape[-1])
    table[..., at, at] = 0.0
    degrees = table.sum(axis=-1)
    if not precision:
        table += 1.0
    table[..., at, at] += precision - degrees
    return table
