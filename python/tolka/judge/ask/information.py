"""How much the answer to "is i better than j?" is expected to tell about the scores.

It is the mutual information of answer and scores, h(E[s]) - E[h(s)] with s = F(x_i - x_j) and h the entropy of a
binary answer in nats (Mohammad 2012, section 3.3.1; the criterion that Houlsby et al. 2011 call BALD).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tolka.judge.rank import Activation

# Quadrature points for E over a Gaussian: with 31 the information is right to 1e-6 for deviations up to 2.
NODES = 31
# Samples times pairs that are worked on at once; keeps the memory of a large question list small.
_CELLS = 1 << 21


def binary_entropy(chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The entropy of an answer that is yes with this chance, in nats.

    Example:
        >>> binary_entropy(np.array([0.5, 1.0])).round(6).tolist()
        [0.693147, 0.0]
    """
    from scipy.special import entr  # noqa: PLC0415 - slow to import

    return np.asarray(entr(chance) + entr(1 - chance))


@cache
def _quadrature(nodes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    points, weights = np.polynomial.hermite_e.hermegauss(nodes)
    return points, weights / weights.sum()


def gaussian_information(
    gaps: NDArray[np.float64], deviations: NDArray[np.float64], activation: Activation, *, nodes: int = NODES
) -> NDArray[np.float64]:
    """The information where each difference of scores is believed to be Gaussian, by Gauss-Hermite quadrature.

    Args:
        gaps: The mean of each x_i - x_j.
        deviations: The standard deviation of each.
        activation: F.
        nodes: Points of the quadrature.
    """
    points, weights = _quadrature(nodes)
    chance = activation.cdf(gaps[..., None] + deviations[..., None] * points)
    return np.maximum(binary_entropy(chance @ weights) - binary_entropy(chance) @ weights, 0.0)


def sampled_information(
    samples: NDArray[np.float64],
    weights: NDArray[np.float64],
    left: NDArray[np.intp],
    right: NDArray[np.intp],
    activation: Activation,
) -> NDArray[np.float64]:
    """The information by weighted samples of the scores.

    Args:
        samples: One row of scores per sample.
        weights: Of the samples; they sum to 1.
        left: The first item of each pair.
        right: The second.
        activation: F.
    """
    columns = np.ascontiguousarray(samples.T)
    told = np.empty(len(left))
    step = max(1, _CELLS // max(len(weights), 1))
    for start in range(0, len(left), step):
        some = slice(start, start + step)
        chance = activation.cdf(columns[left[some]] - columns[right[some]])
        told[some] = binary_entropy(chance @ weights) - binary_entropy(chance) @ weights
    return np.maximum(told, 0.0)


def order_information(
    mean: NDArray[np.float64],
    covariance: NDArray[np.float64],
    left: NDArray[np.intp],
    right: NDArray[np.intp],
    activation: Activation,
) -> NDArray[np.float64]:
    """What the answer is expected to tell about the order of the items, summed over all pairs.

    A score may be known badly and its rank well, or the other way; if it is the ranking that is wanted, what counts is
    the information about "is a above b?" for every pair (a, b), of which an answer about (i, j) tells something too.
    With Gaussian beliefs, P the chance that a is above b, t the gap of a and b in its own deviations, r the correlation
    of x_a - x_b with x_i - x_j, and f the share of the variance of x_i - x_j that one answer removes, the entropy of
    the order of a and b falls by about phi(t)^2 r^2 f / (2 P (1 - P)), to second order. Summed over all (a, b)
    this is a quadratic form in a graph Laplacian, so all pairs together cost three matrix products.

    Args:
        mean: The expected scores; with any leading axes, if there are several beliefs.
        covariance: Of the scores, with the same leading axes.
        left: The first item of each pair asked about.
        right: The second.
        activation: F.
    """
    from scipy.special import ndtr  # noqa: PLC0415 - slow to import

    gaps = mean[..., :, None] - mean[..., None, :]
    own = np.diagonal(covariance, axis1=-2, axis2=-1)
    variances = np.maximum(own[..., :, None] + own[..., None, :] - 2 * covariance, 1e-300)
    ratio = gaps / np.sqrt(variances)
    # Beyond eight deviations the order is settled: P (1 - P) would underflow before phi squared does.
    ratio = np.clip(ratio, -8.0, 8.0)
    pull = np.exp(-ratio * ratio) / (2 * np.pi * ndtr(ratio) * ndtr(-ratio) * variances)
    at = np.arange(mean.shape[-1])
    pull[..., at, at] = 0.0
    laplacian = -pull
    laplacian[..., at, at] = pull.sum(axis=-1)
    form = covariance @ laplacian @ covariance
    spread = np.diagonal(form, axis1=-2, axis2=-1)
    asked = variances[..., left, right]
    weight = activation.information(gaps[..., left, right])
    reach = np.maximum(spread[..., left] + spread[..., right] - 2 * form[..., left, right], 0.0)
    return np.asarray(0.5 * weight / (1 + weight * asked) * reach)
