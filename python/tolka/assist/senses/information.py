"""How much an answer would tell, if nobody is sure how words translate (Mohammad 2012, section 2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FLOOR = 1e-6
"""The least probability of a substitute."""

DRAWS = 200
"""How many mixtures information is averaged over."""


def mixtures(components: int, *, draws: int = DRAWS, seed: int = 1) -> Floats:
    """Weights of the models of P(f|e), drawn uniformly from the simplex: Dirichlet(1), a row each.

    Example:
        >>> mixtures(2, draws=3, seed=7).sum(axis=1).round(9).tolist()
        [1.0, 1.0, 1.0]
    """
    return np.random.default_rng(seed).dirichlet(np.ones(components), draws)


def shares(first: Floats, second: Floats, alpha: Floats, *, floor: float = FLOOR, errors: float = 0.0) -> Floats:
    """How likely the first of two substitutes is to be chosen for each translation, under each mixture.

    Args:
        first: P(f1|e) for each question, translation and model: an array of three axes, or of two for one question.
        second: Likewise for f2.
        alpha: Mixtures, a row each.
        floor: Probabilities are at least this.
        errors: The share of answers that are the other one by mistake.

    Returns:
        For each mixture, question and translation p = P(f1|e) / (P(f1|e) + P(f2|e)), or with errors ε (1 - ε) p + ε (1 - p).

    Example:
        >>> one, other = np.array([[0.6, 0.5]]), np.array([[0.05, 0.02]])
        >>> shares(one, other, np.array([[0.5, 0.5]])).round(6).tolist()
        [[0.940171]]
    """
    ours, theirs = (np.moveaxis(np.maximum(one, floor) @ alpha.T, -1, 0) for one in (first, second))
    share: Floats = errors + (1.0 - 2.0 * errors) * ours / (ours + theirs)
    return share


def expected_information(weights: Floats, share: Floats, known: NDArray[np.bool_] | None = None) -> Floats:
    """The mutual information of the answer and the translation, in nats, averaged over mixtures.

    I = Z (H(answer) - H(answer | translation)) with Z the probability of the translations that substitutes are known of.
    The printed figure 2-2 has P(e|f) where its derivation needs P(f|e), and a corrupted sum; this is the derivation's.

    Args:
        weights: The posterior of each translation.
        share: As `shares` gives it.
        known: For each question which translations have one of the two substitutes; all if not given.

    Returns:
        For each question its information; a single number in an array if there is one question.

    Example:
        >>> weights = np.array([0.5, 0.2, 0.3])
        >>> share = np.array([[0.940171, 0.777778, 0.166667]])
        >>> expected_information(weights, share).round(5).item()
        0.27575
    """
    own = weights if known is None else np.where(known, weights, 0.0)
    mass = own.sum(axis=-1)
    part = own / np.where(mass > 0, mass, 1.0)[..., None] if own.ndim > 1 else own / (mass if mass > 0 else 1.0)
    answered = (part * share).sum(axis=-1)
    told = _entropy(answered) - (part * _entropy(share)).sum(axis=-1)
    information: Floats = np.asarray(mass * np.maximum(told, 0.0).mean(axis=0))
    return information


def factors(weights: Floats, share: Floats, answer: int) -> tuple[Floats, float]:
    """What an answer multiplies the probability of each translation by, and that of all others.

    A translation is multiplied by E[P(answer|e)] over the mixtures. Where substitutes say nothing, P(answer) is the mean of
    the others, so that the answer leaves them as likely as they were; this is what makes Z a factor of the information.

    Args:
        weights: The posterior of each translation.
        share: For each mixture and translation how likely the first answer is.
        answer: 0 or 1.

    Example:
        >>> weights, share = np.array([0.5, 0.2, 0.3]), np.array([[0.940171, 0.777778, 0.166667]])
        >>> each, others = factors(weights, share, 0)
        >>> (weights * each / others).round(3).tolist()
        [0.696, 0.23, 0.074]
    """
    mean = share.mean(axis=0)
    each = mean if answer == 0 else 1.0 - mean
    mass = float(weights.sum())
    return each, float(weights @ each) / mass if mass > 0 else 0.5


def _entropy(p: Floats) -> Floats:
    """Of a coin, in nats."""
    q = 1.0 - p
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy: Floats = -np.where(p > 0, p * np.log(p), 0.0) - np.where(q > 0, q * np.log(q), 0.0)
    return entropy
