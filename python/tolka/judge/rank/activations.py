"""Activation functions: how a difference of scores becomes a chance of winning.

A judge who compares i with j adds a private perturbation X to the difference and says "i" if the sum is positive, so
P(i better than j) = F(x_i - x_j) with F the distribution function of X (Mohammad 2012, section 3.3). Any F whose X is
symmetric about 0 can be used: derive from `Activation`, and let `check_activation` try its derivatives.

Example:
    >>> float(activation_by_name("logistic").cdf(0.0))
    0.5
    >>> round(float(activation_by_name("probit").gain(0.75)), 6)
    0.911328
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


class Activation(ABC):
    """A distribution function F, symmetric about 0, with what a fit asks of it.

    The logarithm and its derivatives are asked for rather than F itself, because far from 0 only they are exact.

    Attributes:
        name: What settings and signatures call it.
        strictly_log_concave: Whether the second derivative of ln F is negative everywhere. If it is, Newton's method
            uses it. If not (Student's t, whose ln F is convex in its far tail; Laplace, whose ln F is straight on one
            side), the fit uses the expected information in its place, which is always positive.
        unimodal: Whether ln F is concave, so that no fit has a second, lower maximum.
    """

    name: str
    strictly_log_concave: bool = True
    unimodal: bool = True

    @abstractmethod
    def log_cdf(self, difference: ArrayLike) -> Array:
        """The logarithm of F."""

    @abstractmethod
    def slope(self, difference: ArrayLike) -> Array:
        """The first derivative of ln F."""

    @abstractmethod
    def curvature(self, difference: ArrayLike) -> Array:
        """The second derivative of ln F."""

    @abstractmethod
    def quantile(self, probability: ArrayLike) -> Array:
        """The difference at which F has this value."""

    def cdf(self, difference: ArrayLike) -> Array:
        """F itself: the chance that the first of two wins, whose score is so much higher."""
        return np.exp(self.log_cdf(difference))

    def information(self, difference: ArrayLike) -> Array:
        """The expected information of one answer about the difference: F'^2 / (F (1 - F))."""
        difference = np.asarray(difference, dtype=np.float64)
        # F' / F = slope(d) and, by symmetry, F' / (1 - F) = slope(-d).
        return self.slope(difference) * self.slope(-difference)

    def terms(self, difference: Array, ahead: Array, behind: Array, *, expected: bool) -> tuple[float, Array, Array]:
        """All a step of a fit needs of compared pairs, for activations that can get it with less work than in parts.

        Args:
            difference: Per pair, the difference of scores.
            ahead: How often the first of the pair won.
            behind: How often the second did.
            expected: Whether the information is the expected or the observed one.

        Returns:
            The log-likelihood; per pair, its derivative by the difference; per pair, the information about it.
        """
        value = float(ahead @ self.log_cdf(difference) + behind @ self.log_cdf(-difference))
        pull = ahead * self.slope(difference) - behind * self.slope(-difference)
        if expected:
            return value, pull, (ahead + behind) * self.information(difference)
        return value, pull, -(ahead * self.curvature(difference) + behind * self.curvature(-difference))

    def gain(self, probability: ArrayLike) -> Array:
        """G(p) = F(2 F^-1(p)): the chance that i beats k if i beats j and j beats k with chance p (section 3.3.3)."""
        return self.cdf(2 * self.quantile(probability))

    @property
    def scale(self) -> float:
        """The slope of the logistic function that is as steep at 0, which makes units of activations comparable."""
        return float(2 * self.slope(0.0))

    @property
    def settings(self) -> dict[str, Any]:
        """Name and parameters."""
        return {"activation": self.name}


class Logistic(Activation):
    """F(d) = 1 / (1 + exp(-kappa d)): the Bradley-Terry model with kappa 1, the thesis's (1 + tanh d) / 2 with kappa 2.

    Kappa is a unit and no more: scores at kappa 2 are half those at kappa 1, and every probability is the same.
    """

    def __init__(self, kappa: float = 1.0) -> None:
        if not (math.isfinite(kappa) and kappa > 0):
            raise SettingsError(f"kappa must be a positive number, not {kappa}")
        self.kappa = float(kappa)
        self.name = "tanh" if kappa == 2 else "logistic"  # noqa: PLR2004

    def log_cdf(self, difference: ArrayLike) -> Array:
        """The logarithm of F."""
        return special.log_expit(self.kappa * np.asarray(difference, dtype=np.float64))

    def slope(self, difference: ArrayLike) -> Array:
        """The first derivative of ln F: kappa (1 - F)."""
        return self.kappa * special.expit(-self.kappa * np.asarray(difference, dtype=np.float64))

    def curvature(self, difference: ArrayLike) -> Array:
        """The second derivative of ln F: -kappa^2 F (1 - F)."""
        scaled = self.kappa * np.asarray(difference, dtype=np.float64)
        return -(self.kappa**2) * special.expit(scaled) * special.expit(-scaled)

    def quantile(self, probability: ArrayLike) -> Array:
        """The difference at which F has this value."""
        return special.logit(np.asarray(probability, dtype=np.float64)) / self.kappa

    def terms(
        self,
        difference: Array,
        ahead: Array,
        behind: Array,
        *,
        expected: bool,  # noqa: ARG002 - what is observed is what is expected
    ) -> tuple[float, Array, Array]:
        """As `Activation.terms`, from one exponential per pair; exact however far the difference."""
        steep = self.kappa * np.abs(difference)
        odds = np.exp(-steep)  # of the one with the lower score
        won_by_higher, won_by_lower = np.where(difference > 0, (ahead, behind), (behind, ahead))
        higher = 1 / (1 + odds)
        lower = odds * higher
        value = -float((won_by_higher + won_by_lower) @ np.log1p(odds) + won_by_lower @ steep)
        pull = self.kappa * (won_by_higher * lower - won_by_lower * higher)
        bend = self.kappa**2 * (won_by_higher + won_by_lower) * higher * lower
        return value, np.where(difference > 0, pull, -pull), bend

    @property
    def settings(self) -> dict[str, Any]:
        """Name and parameters."""
        return {"activation": self.name, "kappa": self.kappa}


class Probit(Activation):
    """F is the normal distribution function: Thurstone's case V."""

    name = "probit"

    def log_cdf(self, difference: ArrayLike) -> Array:
        """The logarithm of F."""
        return special.log_ndtr(np.asarray(difference, dtype=np.float64))

    def slope(self, difference: ArrayLike) -> Array:
        """The first derivative of ln F, the inverse Mills ratio."""
        d = np.asarray(difference, dtype=np.float64)
        # erfcx keeps the ratio exact where density and distribution both vanish.
        tail = math.sqrt(2 / math.pi) / special.erfcx(-np.minimum(d, 0.0) / math.sqrt(2))
        return np.where(d < 0, tail, np.exp(-0.5 * d * d - _HALF_LOG_TWO_PI - special.log_ndtr(d)))

    def curvature(self, difference: ArrayLike) -> Array:
        """The second derivative of ln F."""
        d = np.asarray(difference, dtype=np.float64)
        ratio = self.slope(d)
        return -ratio * (d + ratio)

    def quantile(self, probability: ArrayLike) -> Array:
        """The difference at which F has this value."""
        return special.ndtri(np.asarray(probability, dtype=np.float64))


class StudentT(Activation):
    """F is the distribution function of Student's t: judges who are now and then far off.

    ln F is convex below about minus the square root of the degrees of freedom, so a likelihood may have several maxima:
    fits start from several places and keep the best.
    """

    strictly_log_concave = False
    unimodal = False

    def __init__(self, dof: float = 4.0) -> None:
        if not (math.isfinite(dof) and dof > 0):
            raise SettingsError(f"degrees of freedom must be a positive number, not {dof}")
        self.dof = float(dof)
        self.name = "student-t"

    def log_cdf(self, difference: ArrayLike) -> Array:
        """The logarithm of F."""
        return np.log(special.stdtr(self.dof, np.asarray(difference, dtype=np.float64)))

    def slope(self, difference: ArrayLike) -> Array:
        """The first derivative of ln F."""
        d = np.asarray(difference, dtype=np.float64)
        constant = special.gammaln((self.dof + 1) / 2) - special.gammaln(self.dof / 2)
        log_density = constant - 0.5 * math.log(self.dof * math.pi) - (self.dof + 1) / 2 * np.log1p(d * d / self.dof)
        return np.exp(log_density - self.log_cdf(d))

    def curvature(self, difference: ArrayLike) -> Array:
        """The second derivative of ln F."""
        d = np.asarray(difference, dtype=np.float64)
        ratio = self.slope(d)
        return ratio * (-(self.dof + 1) * d / (self.dof + d * d) - ratio)

    def quantile(self, probability: ArrayLike) -> Array:
        """The difference at which F has this value."""
        found: Array = np.asarray(special.stdtrit(self.dof, np.asarray(probability, dtype=np.float64)), np.float64)
        return found

    @property
    def settings(self) -> dict[str, Any]:
        """Name and parameters."""
        return {"activation": self.name, "dof": self.dof}


class Laplace(Activation):
    """F is the distribution function of the double exponential distribution."""

    name = "laplace"
    strictly_log_concave = False

    def log_cdf(self, difference: ArrayLike) -> Array:
        """The logarithm of F."""
        d = np.asarray(difference, dtype=np.float64)
        return np.where(d < 0, d - math.log(2), np.log1p(-0.5 * np.exp(-np.abs(d))))

    def slope(self, difference: ArrayLike) -> Array:
        """The first derivative of ln F."""
        d = np.asarray(difference, dtype=np.float64)
        small = np.exp(-np.abs(d))
        return np.where(d < 0, 1.0, small / (2 - small))

    def curvature(self, difference: ArrayLike) -> Array:
        """The second derivative of ln F; it jumps at 0, where the value from the right is given."""
        d = np.asarray(difference, dtype=np.float64)
        small = np.exp(-np.abs(d))
        return np.where(d < 0, 0.0, -2 * small / (2 - small) ** 2)

    def quantile(self, probability: ArrayLike) -> Array:
        """The difference at which F has this value."""
        p = np.asarray(probability, dtype=np.float64)
        with np.errstate(divide="ignore"):
            found: Array = np.where(p < 0.5, np.log(2 * np.minimum(p, 0.5)), -np.log(2 * (1 - np.maximum(p, 0.5))))  # noqa: PLR2004
        return found


ACTIVATIONS = ("logistic", "tanh", "probit", "student-t", "laplace")


def activation_by_name(name: str) -> Activation:
    """One of `ACTIVATIONS` with its default parameters; "tanh" is the logistic function in the thesis's units.

    Raises:
        SettingsError: There is no activation of that name.
    """
    match name:
        case "logistic":
            return Logistic()
        case "tanh":
            return Logistic(kappa=2)
        case "probit":
            return Probit()
        case "student-t":
            return StudentT()
        case "laplace":
            return Laplace()
    raise SettingsError(f"unknown activation {name!r}", hint=f"choose one of {', '.join(ACTIVATIONS)}")


def activation_of_settings(settings: Mapping[str, Any]) -> Activation:
    """The activation that a ranking's settings name, with its parameters.

    Raises:
        SettingsError: It is not one of `ACTIVATIONS`.
    """
    if "kappa" in settings:
        return Logistic(settings["kappa"])
    if "dof" in settings:
        return StudentT(settings["dof"])
    return activation_by_name(str(settings["activation"]))


def check_activation(activation: Activation, *, width: float = 6.0) -> list[str]:
    """Try an activation against the five requirements of the thesis (section 3.3) and its own derivatives.

    Args:
        activation: What to try, typically your own.
        width: Differences up to this many standard units (see `Activation.scale`) are tried.

    Returns:
        What is violated, one sentence each; empty for an activation that does all it should.

    Example:
        >>> check_activation(Probit())
        []
        >>> check_activation(StudentT())
        ['ln F is not concave: fits may have several maxima']
    """
    found = []
    d = np.linspace(-width, width, 2001) / activation.scale
    values, logs, slopes = activation.cdf(d), activation.log_cdf(d), activation.slope(d)
    if not (np.isfinite(values).all() and values.min() >= 0 and values.max() <= 1 + 1e-12):
        found.append("F leaves the interval from 0 to 1")
    if np.abs(values + values[::-1] - 1).max() > 1e-9:  # noqa: PLR2004
        found.append("F is not symmetric: F(d) + F(-d) must be 1")
    if not (np.diff(values) > 0).all():
        found.append("F does not rise everywhere")
    if float(activation.cdf(1e9 / activation.scale)) < 1 - 1e-6:
        found.append("F does not reach 1: a judge who sometimes guesses belongs into the judge model")
    step = 1e-5 / activation.scale
    numeric = (activation.log_cdf(d + step) - activation.log_cdf(d - step)) / (2 * step)
    smooth = np.abs(d) > 2 * step  # a kink at 0 is allowed in the second derivative
    if np.abs(numeric - slopes)[smooth].max() > 1e-6 * activation.scale:
        found.append("slope is not the derivative of log_cdf")
    numeric = (activation.slope(d + step) - activation.slope(d - step)) / (2 * step)
    if np.abs(numeric - activation.curvature(d))[smooth].max() > 1e-4 * activation.scale**2:
        found.append("curvature is not the derivative of slope")
    if np.abs(activation.quantile(values) - d).max() > 1e-6 / activation.scale:
        found.append("quantile is not the inverse of F")
    if activation.curvature(d).max() > 1e-12 or np.diff(logs, 2).max() > 1e-9:  # noqa: PLR2004
        found.append("ln F is not concave: fits may have several maxima")
    return found
