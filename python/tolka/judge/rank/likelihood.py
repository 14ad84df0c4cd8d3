"""The likelihood of scores, its gradient and its Hessian (Mohammad 2012, section 3.3, with the slope kept explicit).

Example:
    >>> from tolka.judge.rank.activations import Logistic
    >>> from tolka.judge.rank.counts import Counts
    >>> counts = Counts.from_matrix(["a", "b"], [[0, 2], [1, 0]])
    >>> likelihood = Likelihood(counts, Logistic())
    >>> round(likelihood.value([0, 0]), 6), likelihood.gradient([0, 0]).tolist()
    (-2.079442, [0.5, -0.5])
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.errors import SettingsError
from tolka.judge.rank.activations import Activation, Logistic
from tolka.judge.rank.counts import Counts, sum_by

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Likelihood:
    """The logarithm of how likely counts are under scores, plus that of a Gaussian prior if there is one.

    L(x) = sum over i, j of c_ij ln F(x_i - x_j) - tau |x|^2 / 2, with tau = prior * scale^2 and `scale` the activation's
    (kappa for the logistic one). So the prior is stated in logits, and rankings do not depend on the unit of scores.
    The binomial coefficients, which do not depend on the scores, are left out.

    Attributes:
        counts: The counts.
        activation: F.
        prior: The prior's precision in logits; 0 is none, the thesis's flat one.
    """

    counts: Counts
    activation: Activation = Logistic()  # noqa: RUF009 - holds no state that changes
    prior: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.prior) and self.prior >= 0):
            raise SettingsError(f"the prior's precision must be a number from 0, not {self.prior}")

    @property
    def size(self) -> int:
        """How many items there are."""
        return self.counts.size

    @cached_property
    def tau(self) -> float:
        """The prior's precision in the units of the scores."""
        return self.prior * self.activation.scale**2

    def value(self, scores: ArrayLike) -> float:
        """L at some scores."""
        x = np.asarray(scores, dtype=np.float64)
        first, second, ahead, behind = self.counts.pairs
        d = x[first] - x[second]
        terms = ahead * self.activation.log_cdf(d) + behind * self.activation.log_cdf(-d)
        return float(terms.sum() - self.tau / 2 * (x @ x))

    def values(self, scores: Array) -> Array:
        """L at many scores, one per row."""
        first, second, ahead, behind = self.counts.pairs
        out: Array = -self.tau / 2 * (scores * scores).sum(axis=1)
        step = max(1, (1 << 22) // max(first.size, 1))  # rows at a time, to stay within some 100 MB
        for start in range(0, len(scores), step):
            d = scores[start : start + step][:, first] - scores[start : start + step][:, second]
            out[start : start + step] += self.activation.log_cdf(d) @ ahead + self.activation.log_cdf(-d) @ behind
        return out

    def gradient(self, scores: ArrayLike) -> Array:
        """The first derivatives of L."""
        x = np.asarray(scores, dtype=np.float64)
        first, second, ahead, behind = self.counts.pairs
        d = x[first] - x[second]
        pull = ahead * self.activation.slope(d) - behind * self.activation.slope(-d)
        return sum_by(first, pull, x.size) - sum_by(second, pull, x.size) - self.tau * x

    def step_terms(self, scores: Array, *, expected: bool = False) -> tuple[float, Array, Array]:
        """Value, gradient and pair weights at once, which is quicker than one by one."""
        first, second, ahead, behind = self.counts.pairs
        value, pull, weights = self.activation.terms(scores[first] - scores[second], ahead, behind, expected=expected)
        gradient = sum_by(first, pull, self.size) - sum_by(second, pull, self.size) - self.tau * scores
        return value - self.tau / 2 * float(scores @ scores), gradient, weights

    def weights(self, scores: ArrayLike, *, expected: bool = False) -> Array:
        """Per compared pair, the information about its difference: minus the off-diagonal elements of -H.

        Args:
            scores: The scores.
            expected: Give the expectation over answers instead of what the answers at hand say.
        """
        x = np.asarray(scores, dtype=np.float64)
        first, second, ahead, behind = self.counts.pairs
        d = x[first] - x[second]
        if expected:
            return (ahead + behind) * self.activation.information(d)
        return -(ahead * self.activation.curvature(d) + behind * self.activation.curvature(-d))

    def information(self, scores: ArrayLike, *, expected: bool = False) -> Array:
        """-H, the information about the scores, as a dense table: a weighted graph Laplacian plus tau."""
        return self.table(self.weights(scores, expected=expected))

    def table(self, weights: Array) -> Array:
        """The dense table of information that pair weights make."""
        first, second, _, _ = self.counts.pairs
        table = np.zeros((self.size, self.size))
        table.reshape(-1)[first * self.size + second] = -weights
        table += table.T
        table[np.diag_indices(self.size)] = self._degrees(weights) + self.tau
        return table

    def sparse_information(self, scores: ArrayLike, *, expected: bool = False) -> Any:
        """-H as a sparse table (`scipy.sparse.csr_array`)."""
        return self.sparse_table(self.weights(scores, expected=expected))

    def sparse_table(self, weights: Array) -> Any:
        """The sparse table of information that pair weights make."""
        from scipy.sparse import coo_array  # noqa: PLC0415 - only large problems need it

        first, second, _, _ = self.counts.pairs
        diagonal = np.arange(self.size)
        rows = np.concatenate([first, second, diagonal])
        columns = np.concatenate([second, first, diagonal])
        values = np.concatenate([-weights, -weights, self._degrees(weights) + self.tau])
        return coo_array((values, (rows, columns)), shape=(self.size, self.size)).tocsr()

    def hessian(self, scores: ArrayLike) -> Array:
        """The second derivatives of L, as a dense table."""
        return -self.information(scores)

    def _degrees(self, weights: Array) -> Array:
        first, second, _, _ = self.counts.pairs
        return sum_by(first, weights, self.size) + sum_by(second, weights, self.size)
