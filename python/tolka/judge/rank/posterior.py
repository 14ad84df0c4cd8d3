"""What the answers leave open: the distribution of the scores given the answers.

Scores are defined up to a constant, so a posterior lives where their mean is 0. Two ways to it: `Posterior.laplace`, a
Gaussian at the top with the curvature there, quick and good when answers are many; and `Posterior.importance`, draws
from a heavy-tailed proposal weighted to be exact, for few answers and few items.

Example:
    >>> from tolka.judge.rank import Counts, Likelihood, newton
    >>> likelihood = Likelihood(Counts.from_matrix(["a", "b"], [[0, 3], [1, 0]]), prior=0.25)
    >>> posterior = Posterior.laplace(likelihood, newton(likelihood).scores)
    >>> float(posterior.p_better()[0, 1].round(3))
    0.819
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy import special

from tolka.errors import InputError, LimitError, SettingsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tolka.judge.rank.likelihood import Likelihood

    Array = NDArray[np.float64]

MOST_ITEMS = 10_000  # a covariance of more would not fit into memory
LEAST_ESS = 100.0
_PROPOSALS = ((5.0, 1.5), (5.0, 1.0), (15.0, 1.1), (40.0, 1.0))  # degrees of freedom, inflation of the covariance
_PILOT = 500


@dataclass(frozen=True)
class Posterior:
    """The distribution of scores with mean 0, given the answers.

    Attributes:
        items: The names.
        mean: The expected scores; with `laplace`, the most likely ones.
        covariance: Their covariance.
        method: "laplace" or "importance".
        ess: The effective sample size of weighted draws; None if there are none.
        draws: Weighted draws, one per row; None with `laplace`.
        weights: Their weights, which add up to 1.
    """

    items: tuple[str, ...]
    mean: Array
    covariance: Array
    method: str = "laplace"
    ess: float | None = None
    draws: Array | None = None
    weights: Array | None = None

    @classmethod
    def laplace(cls, likelihood: Likelihood, scores: Array) -> Self:
        """A Gaussian at the top, with the inverse of the information there as covariance.

        Where the observed information is not positive (activations that are not log-concave), the expected one is used.

        Raises:
            InputError: The information is singular: there is no prior, and the answers do not fix all scores.
            LimitError: There are too many items for a covariance.
        """
        return cls(likelihood.counts.items, scores - scores.mean(), centred_inverse(likelihood, scores))

    @classmethod
    def importance(
        cls,
        likelihood: Likelihood,
        scores: Array,
        *,
        draws: int = 4000,
        seed: int = 1,
        dof: float | None = None,
        inflation: float | None = None,
        least_ess: float = LEAST_ESS,
    ) -> Self:
        """Weighted draws from a multivariate Student's t around the top.

        A Gaussian proposal, as in the thesis's figure 3-3, does not cover the posterior's exponential tails and its
        weights have no finite variance; Student's t does. Its degrees of freedom and width are those of a few candidates
        that do best in a pilot run, unless they are given.

        Args:
            likelihood: The likelihood, with or without a prior.
            scores: Where it is greatest.
            draws: How many draws.
            seed: Their seed.
            dof: Degrees of freedom of the proposal.
            inflation: How many times wider than the Laplace covariance it is.
            least_ess: Refuse below this effective sample size.

        Raises:
            InputError: The effective sample size is below `least_ess`.
        """
        if draws < 1:
            raise SettingsError(f"there must be at least one draw, not {draws}")
        laplace = cls.laplace(likelihood, scores)
        factor = laplace._factor()  # noqa: SLF001
        top = likelihood.value(laplace.mean)
        if dof is None or inflation is None:
            rng = np.random.default_rng([seed, 1])
            pilots = [
                effective_size(_t_draws(likelihood, laplace.mean, factor, top, _PILOT, rng, *proposal)[1])
                for proposal in _PROPOSALS
            ]
            dof, inflation = _PROPOSALS[int(np.argmax(pilots))]
        rng = np.random.default_rng([seed, 0])
        sample, weights = _t_draws(likelihood, laplace.mean, factor, top, draws, rng, dof, inflation)
        ess = effective_size(weights)
        if ess < least_ess:
            raise InputError(
                f"the weighted sample of {draws} draws is worth only {ess:.0f} independent ones "
                f"(at least {least_ess:.0f} are needed)",
                hint="ask for more draws, use a prior, or use the laplace posterior, which suits many items better",
            )
        mean = weights @ sample
        deviations = sample - mean
        covariance = deviations.T @ (weights[:, None] * deviations)
        return cls(laplace.items, mean, covariance, "importance", ess, sample, weights)

    def with_covariance(self, covariance: Array) -> Self:
        """The same centre with another covariance, for instance a cluster-robust one."""
        if self.draws is not None:
            raise SettingsError("weighted draws cannot be given another covariance", hint="use the laplace posterior")
        return replace(self, covariance=covariance)

    def widened(self, factor: float) -> Self:
        """The same centre with every interval this many times as wide: of scores, of differences and of ranks.

        Example:
            >>> narrow = Posterior(("a", "b"), np.array([0.1, -0.1]), np.array([[0.01, -0.01], [-0.01, 0.01]]))
            >>> (narrow.widened(1.5).errors / narrow.errors).round(3).tolist()
            [1.5, 1.5]
        """
        draws = None if self.draws is None else self.mean + factor * (self.draws - self.mean)
        return replace(self, covariance=factor**2 * self.covariance, draws=draws)

    def no_narrower_than(self, plain: Array) -> Self:
        """The same centre, stretched in every direction in which it varies less than a covariance does."""
        root, inverse = _roots(plain)
        ratios, turned = np.linalg.eigh(inverse @ self.covariance @ inverse.T)
        if ratios.min(initial=np.inf) >= 1:
            return self
        covariance = no_narrower(self.covariance, plain)
        if self.draws is None:
            return replace(self, covariance=covariance)
        stretch = np.sqrt(np.maximum(ratios, 1.0) / np.maximum(ratios, 1e-9))
        moved = (root @ turned * stretch) @ (turned.T @ inverse)
        return replace(self, covariance=covariance, draws=self.mean + (self.draws - self.mean) @ moved.T)

    def sample(self, number: int, seed: int = 1) -> Array:
        """Draw scores with equal weights, one set per row; with `importance`, by resampling."""
        rng = np.random.default_rng(seed)
        if self.draws is None or self.weights is None:
            factor = self._factor()
            drawn: Array = self.mean + rng.standard_normal((number, factor.shape[1])) @ factor.T
            return drawn
        # Systematic resampling: one uniform number places all, which adds the least noise.
        places = (rng.random() + np.arange(number)) / number
        chosen = np.searchsorted(np.cumsum(self.weights), places).clip(max=len(self.draws) - 1)
        resampled: Array = self.draws[rng.permutation(chosen)]
        return resampled

    @property
    def errors(self) -> Array:
        """The standard errors of the scores, where their mean is 0."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0))

    def differences(self) -> tuple[Array, Array]:
        """Of every pair, the expected difference x_i - x_j and its standard error."""
        variance = np.diagonal(self.covariance)
        spread = variance[:, None] + variance[None, :] - 2 * self.covariance
        return self.mean[:, None] - self.mean[None, :], np.sqrt(np.maximum(spread, 0.0))

    def p_better(self) -> Array:
        """Row i, column j: the probability that i is better than j; a half on the diagonal."""
        size = self.mean.size
        if self.draws is None or self.weights is None:
            difference, error = self.differences()
            with np.errstate(divide="ignore", invalid="ignore"):
                table = special.ndtr(difference / error)
            table[np.isnan(table)] = 0.5
        else:
            table = np.stack([self.weights @ (self.draws[:, [i]] > self.draws) for i in range(size)])
            table = (table + 1 - table.T) / 2
        np.fill_diagonal(table, 0.5)
        return table

    def interval(self, level: float = 0.95) -> tuple[Array, Array]:
        """Where each score lies with this probability: the lower and the upper ends."""
        if self.draws is None or self.weights is None:
            reach = float(special.ndtri(0.5 + level / 2)) * self.errors
            return self.mean - reach, self.mean + reach
        order = np.argsort(self.draws, axis=0, kind="stable")
        climbed = np.cumsum(self.weights[order], axis=0)
        ends = []
        for share in (0.5 - level / 2, 0.5 + level / 2):
            row = (climbed < share).sum(axis=0).clip(max=len(self.draws) - 1)
            columns = np.arange(self.mean.size)
            ends.append(self.draws[order[row, columns], columns])
        return ends[0], ends[1]

    def _factor(self) -> Array:
        """A matrix A with A A' the covariance."""
        return _roots(self.covariance)[0]


def centred_inverse(likelihood: Likelihood, scores: Array) -> Array:
    """The inverse of the information at some scores, among scores of mean 0."""
    size = likelihood.size
    if size > MOST_ITEMS:
        raise LimitError(
            f"{size:,} items are too many for a posterior, which has {size:,} x {size:,} numbers",
            hint=f"rank at most {MOST_ITEMS:,}, or use newton, which needs no posterior",
        )
    for expected in (False, True):
        table = likelihood.information(scores, expected=expected)
        found = inverse_of_mean_zero(table)
        if found is not None:
            return found
    raise InputError("the answers do not fix all scores", hint="use a prior (0.25 is the default)")


def inverse_of_mean_zero(table: Array) -> Array | None:
    """The inverse of a positive information table on the space of scores with mean 0; None if it is not positive."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve  # noqa: PLC0415 - quick to start without it

    size = len(table)
    scale = float(np.trace(table)) / size
    if not scale > 0:
        return np.zeros((1, 1)) if size == 1 else None
    # Take the shift of all scores alike out of the table, and put a known number in its place.
    centred = table - table.mean(axis=0) - table.mean(axis=1)[:, None] + table.mean() + scale / size
    try:
        factor = cho_factor(centred, lower=True, check_finite=False)
    except LinAlgError:
        return None
    diagonal = np.diagonal(factor[0])
    if diagonal.min() ** 2 < 1e-13 * diagonal.max() ** 2:
        return None
    inverse = cho_solve(factor, np.eye(size), check_finite=False) - 1 / (scale * size)
    return np.asarray((inverse + inverse.T) / 2, dtype=np.float64)


def no_narrower(covariance: Array, plain: Array) -> Array:
    """The least covariance that is at least both, in every direction, along the axes the two have in common.

    So no score and no difference of scores is given a smaller error than `plain` gives it.
    """
    root, inverse = _roots(plain)
    ratios, turned = np.linalg.eigh(inverse @ covariance @ inverse.T)
    axes = root @ turned
    return np.asarray((axes * np.maximum(ratios, 1.0)) @ axes.T, dtype=np.float64)


def design_effect(covariance: Array, plain: Array) -> float:
    """How many times the variance of a covariance is that of another, on the average over directions (Kish 1965)."""
    _, inverse = _roots(plain)
    directions = len(inverse)
    return float(np.trace(inverse @ covariance @ inverse.T)) / directions if directions else 1.0


def _roots(covariance: Array) -> tuple[Array, Array]:
    """A matrix A with A A' the covariance, and its inverse on the directions that vary."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > max(float(values.max(initial=0.0)), 0.0) * 1e-12
    spread = np.sqrt(values[kept])
    return vectors[:, kept] * spread, (vectors[:, kept] / spread).T


def effective_size(weights: Array) -> float:
    """Kish's effective sample size of normalised weights."""
    return float(1 / (weights @ weights))


def _t_draws(
    likelihood: Likelihood,
    centre: Array,
    factor: Array,
    top: float,
    number: int,
    rng: np.random.Generator,
    dof: float,
    inflation: float,
) -> tuple[Array, Array]:
    """Draws and their normalised weights; densities are taken relative to the top, where both are 1."""
    dimensions = factor.shape[1]
    normal = rng.standard_normal((number, dimensions))
    stretch = np.sqrt(inflation * dof / rng.chisquare(dof, number))
    u = normal * stretch[:, None]
    draws = centre + u @ factor.T
    distance = (u * u).sum(axis=1)
    log_weights = likelihood.values(draws) - top + (dof + dimensions) / 2 * np.log1p(distance / (dof * inflation))
    log_weights -= log_weights.max()
    weights = np.exp(log_weights)
    return draws, weights / weights.sum()
