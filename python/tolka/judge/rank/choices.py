"""Choices among any number of options: what the models for ties and for whole rankings have in common.

An option's utility is linear in the parameters and it is chosen with the chance e^u / sum of e^u over the options there
were (McFadden 1974). Ties are options beside the two items (`tolka.judge.rank.ties`), a ranking is one choice after
another (`tolka.judge.rank.plackett_luce`). The logarithm of the likelihood is concave, so Newton's method finds its top.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.errors import InputError, LimitError, SettingsError
from tolka.judge.rank.activations import Logistic
from tolka.judge.rank.clusters import Gradients, cluster_ids, robust_covariance
from tolka.judge.rank.posterior import MOST_ITEMS, Posterior, design_effect, inverse_of_mean_zero
from tolka.judge.rank.ranking import Ranker
from tolka.judge.rank.solvers import solver_failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tolka.judge.rank.clusters import Cluster
    from tolka.judge.rank.counts import Counts
    from tolka.judge.rank.exclusion import Exclusion
    from tolka.judge.rank.outcomes import Outcomes
    from tolka.judge.rank.ranking import Ranking

    Array = NDArray[np.float64]
    Indices = NDArray[np.int64]

_STEPS = 200
_CLOSE = 1e-9


@dataclass(frozen=True)
class Choices:
    """Occasions to choose, their options one after another.

    Attributes:
        design: A sparse table: row o, column p says how much parameter p is worth to option o.
        occasion: The occasion of each option: 0, 0, 0, 1, 1, …
        chosen: How often each option was chosen.
    """

    design: Any
    occasion: Indices
    chosen: Array

    @cached_property
    def _begins(self) -> Indices:
        return np.flatnonzero(np.diff(self.occasion, prepend=-1))

    @cached_property
    def times(self) -> Array:
        """How often each occasion was."""
        return np.asarray(np.add.reduceat(self.chosen, self._begins), dtype=np.float64)

    def chances(self, parameters: Array) -> tuple[Array, Array]:
        """The chance of each option, and the logarithm of the sum of e^u of each occasion."""
        utility = self.design @ parameters
        top = np.maximum.reduceat(utility, self._begins)
        grown = np.exp(utility - top[self.occasion])
        total = np.add.reduceat(grown, self._begins)
        return grown / total[self.occasion], top + np.log(total)

    def value(self, parameters: Array) -> float:
        """The logarithm of the likelihood."""
        _, log_sums = self.chances(parameters)
        return float(self.chosen @ (self.design @ parameters) - self.times @ log_sums)

    def terms(self, parameters: Array) -> tuple[float, Array, Array]:
        """The logarithm of the likelihood, its gradient, and the information, which is minus its Hessian."""
        from scipy.sparse import csr_array, diags_array  # noqa: PLC0415 - slow to import

        chance, log_sums = self.chances(parameters)
        expected = chance * self.times[self.occasion]
        gradient = self.design.T @ (self.chosen - expected)
        ends = np.append(self._begins, self.occasion.size)
        mean = csr_array((chance, np.arange(chance.size), ends), shape=(ends.size - 1, chance.size)) @ self.design
        information = self.design.T @ (diags_array(expected) @ self.design) - mean.T @ (diags_array(self.times) @ mean)
        value = float(self.chosen @ (self.design @ parameters) - self.times @ log_sums)
        return value, np.asarray(gradient, dtype=np.float64), np.asarray(information.todense(), dtype=np.float64)


@dataclass(frozen=True)
class Top:
    """Where the likelihood is greatest: scores with mean 0, then other parameters."""

    scores: Array
    others: Array
    loglik: float
    information: Array


def climb(choices: Choices, items: int, prior: float) -> Top:
    """The most likely parameters: the first `items` of them are scores, and are held at mean 0.

    Args:
        choices: What was chosen.
        items: How many items there are.
        prior: The precision of a Gaussian prior on every parameter; the value at the top includes it.

    Raises:
        LimitError: There are more items than a table of information can hold.
        TolkaError: The fit did not converge.
    """
    if items > MOST_ITEMS:
        raise LimitError(f"{items:,} items are too many for this model", hint=f"rank at most {MOST_ITEMS:,}")
    number = choices.design.shape[1]
    x = np.zeros(number)

    def terms(at: Array) -> tuple[float, Array, Array]:
        value, gradient, information = choices.terms(at)
        information[np.diag_indices(number)] += prior
        return value - prior / 2 * float(at @ at), gradient - prior * at, information

    value, gradient, information = terms(x)
    for _ in range(_STEPS):
        # All scores may move together without a change: that direction is given a curvature, and is never walked.
        shift = np.zeros((number, number))
        shift[:items, :items] = max(float(np.trace(information)) / number, 1e-12) / items
        step = np.linalg.solve(information + shift, gradient)
        rise, length = float(gradient @ step), 1.0
        while True:
            trial = x + length * step
            trial[:items] -= trial[:items].mean()
            found = choices.value(trial) - prior / 2 * float(trial @ trial)
            if found >= value + 1e-4 * length * rise - 1e-12 * abs(value) or length < 1e-10:  # noqa: PLR2004
                break
            length /= 2
        x = trial
        value, gradient, information = terms(x)
        if length * float(np.abs(step).max(initial=0.0)) < _CLOSE:
            return Top(x[:items], x[items:], value, information)
    raise solver_failed(_STEPS)


class ChoiceRanker(Ranker):
    """What rankers by choices among several options share; takes the settings of `Ranker`."""

    model = ""
    _top: Top
    _gradients: Callable[[Indices], Gradients]

    def _check(self) -> None:
        super()._check()
        if not isinstance(self.activation, Logistic) or self.activation.kappa != 1:
            raise SettingsError(f"the model {self.model} has the logistic activation", hint="leave --activation out")
        if self.judges != "equal":
            raise SettingsError(f"the model {self.model} takes judges as equal", hint="leave --judges out")
        if self.posterior != "laplace":
            raise SettingsError(f"the model {self.model} comes with the laplace posterior", hint="choose that one")

    def _ranked(
        self,
        counts: Counts,
        outcomes: Outcomes,
        top: Top,
        gradients: Callable[[Indices], Gradients],
        excluded: tuple[Exclusion, ...] = (),
    ) -> Ranking:
        """The ranking that the most likely parameters make.

        Args:
            counts: Who was chosen over whom, for what is told beside the scores.
            outcomes: The judge and segment of each answer.
            top: The most likely parameters.
            gradients: The gradients of clusters, given the cluster of each answer.
            excluded: What was left out.
        """
        # A copy holds what belongs to this fit, so that the ranker stays as it was made.
        fitting = copy(self)
        fitting._top, fitting._gradients = top, gradients  # noqa: SLF001 (its own)
        ranking = fitting._fit(counts, outcomes, excluded)  # noqa: SLF001
        return replace(ranking, settings={"model": self.model, **ranking.settings})

    def _equal_judges(
        self, counts: Counts, outcomes: Outcomes | None, cluster: Cluster
    ) -> tuple[Posterior, float, float]:
        covariance = inverse_of_mean_zero(without_others(self._top.information, counts.size))
        if covariance is None:
            raise InputError("the answers do not fix all scores", hint="use a prior (0.25 is the default)")
        effect = 1.0
        if cluster != "none" and outcomes is not None:
            plain = covariance
            clusterings = cluster_ids(outcomes, cluster)  # type: ignore[arg-type] # not "auto" any more
            found = [self._gradients(ids) for _, ids in clusterings]
            covariance = robust_covariance(covariance, self.prior, clusterings, found)
            effect = design_effect(covariance, plain)
        return Posterior(counts.items, self._top.scores, covariance), self._top.loglik, effect


def without_others(information: Array, items: int) -> Array:
    """The information about scores when the other parameters are not known either (a Schur complement)."""
    scores, across, others = information[:items, :items], information[:items, items:], information[items:, items:]
    return scores if not others.size else scores - across @ np.linalg.solve(others, across.T)
