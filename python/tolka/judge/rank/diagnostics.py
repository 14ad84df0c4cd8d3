"""Does the activation fit? Two looks at it.

G(p) = F(2 F^-1(p)) says how strong a preference two equal steps of strength p make (Mohammad 2012, section 3.3.3): every
shape of F has its own curve, whatever its scale. `empirical_gain` estimates the curve from triples of items, without
assuming any F. `compare_activations` asks how well each predicts answers it was not fitted to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError, SettingsError
from tolka.judge.rank.activations import ACTIVATIONS, Activation, activation_by_name
from tolka.judge.rank.counts import sum_by
from tolka.judge.rank.likelihood import Likelihood
from tolka.judge.rank.solvers import newton

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tolka.judge.rank.counts import Counts

    Array = NDArray[np.float64]

_MOST_ITEMS = 400  # triples grow with the cube


@dataclass(frozen=True)
class Gain:
    """The empirical G, bin by bin.

    Attributes:
        p: The mean strength of the two steps.
        gain: The mean strength of the two together.
        error: Its standard error, from the answers behind it.
        triples: How many triples are in the bin.
    """

    p: Array
    gain: Array
    error: Array
    triples: NDArray[np.int64]


def empirical_gain(counts: Counts, *, bins: int = 10, width: float = 0.05, least: float = 10) -> Gain:
    """Estimate G from triples i, j, k where i beats j about as often as j beats k.

    Args:
        counts: The counts.
        bins: Bins of p between a half and 1; empty ones are left out.
        width: How far the two steps' rates may be apart.
        least: Answers that each of the three pairs must have.

    Raises:
        SettingsError: A setting makes no sense.

    Example:
        >>> from tolka.judge.rank import Counts
        >>> counts = Counts.from_matrix("abc", [[0, 75, 90], [25, 0, 75], [10, 25, 0]])
        >>> found = empirical_gain(counts)
        >>> found.p.tolist(), found.gain.tolist()
        ([0.75], [0.9])
    """
    if bins < 1 or not 0 < width <= 1 or least <= 0:
        raise SettingsError("bins, width and least must be above 0, and width at most 1")
    if counts.size > _MOST_ITEMS:
        raise SettingsError(f"triples of more than {_MOST_ITEMS} items are too many", hint="choose some of the items")
    wins = counts.matrix()
    asked = wins + wins.T
    with np.errstate(invalid="ignore"):
        rate = np.where(asked >= least, wins / asked, np.nan)
    strengths, gains, amounts = [], [], []
    for middle in range(counts.size):
        into, out = rate[:, middle][:, None], rate[middle][None, :]
        with np.errstate(invalid="ignore"):
            chosen = (into >= 0.5) & (out >= 0.5) & (np.abs(into - out) <= width) & ~np.isnan(rate)  # noqa: PLR2004
        i, k = np.nonzero(chosen)
        strengths.append((rate[i, middle] + rate[middle, k]) / 2)
        gains.append(rate[i, k])
        amounts.append(asked[i, k])
    p, g, n = np.concatenate(strengths), np.concatenate(gains), np.concatenate(amounts)
    place = np.minimum(((p - 0.5) * 2 * bins).astype(np.int64), bins - 1)
    number = np.bincount(place, minlength=bins)
    kept = number > 0
    weight = sum_by(place, n, bins)[kept]
    mean = sum_by(place, n * g, bins)[kept] / weight
    error = np.sqrt(np.maximum(mean * (1 - mean), 0.0) / weight)
    return Gain(sum_by(place, n * p, bins)[kept] / weight, mean, error, number[kept].astype(np.int64))


@dataclass(frozen=True)
class HeldOut:
    """How well an activation predicts answers it was not fitted to.

    Attributes:
        activation: Its name.
        logloss: Minus the mean logarithm of the probability it gave to what was answered; less is better.
        excess: How much more that is than the best activation's.
        error: The standard error of `excess` over folds.
    """

    activation: str
    logloss: float
    excess: float
    error: float


def compare_activations(
    counts: Counts,
    activations: Sequence[str | Activation] = ACTIVATIONS,
    *,
    prior: float = 0.25,
    folds: int = 10,
    seed: int = 1,
) -> tuple[HeldOut, ...]:
    """Fit every activation to all folds of the answers but one and score it on that one; the best comes first.

    Args:
        counts: The counts; half wins of ties are dealt out as such.
        activations: What to compare. "tanh" is left out of the default ones: it is "logistic" in other units.
        prior: The prior's precision, in logits.
        folds: How many parts the answers are dealt into.
        seed: Seed of the dealing.

    Raises:
        InputError: There are fewer answers than folds.
    """
    if folds < 2:  # noqa: PLR2004
        raise SettingsError(f"there must be at least two folds, not {folds}")
    if counts.total < folds:
        raise InputError(f"{counts.total:g} answers are too few for {folds} folds", hint="use fewer folds")
    names = [name for name in activations if not (activations is ACTIVATIONS and name == "tanh")]
    chosen = [activation_by_name(name) if isinstance(name, str) else name for name in names]
    halves = np.rint(2 * counts.wins).astype(np.int64)
    parts = np.random.default_rng(seed).multinomial(halves, np.full(folds, 1 / folds)) / 2
    losses = np.empty((len(chosen), folds))
    for fold in range(folds):
        test = parts[:, fold]
        train = counts.with_wins(counts.wins - np.minimum(test, counts.wins))
        for row, activation in enumerate(chosen):
            x = newton(Likelihood(train, activation, prior)).scores
            logs = activation.log_cdf(x[counts.winner] - x[counts.loser])
            losses[row, fold] = -(test @ logs) / max(test.sum(), 1e-300)
    means = losses.mean(axis=1)
    best = int(np.argmin(means))
    errors = (losses - losses[best]).std(axis=1, ddof=1) / folds**0.5
    found = [
        HeldOut(activation.name, float(means[row]), float(means[row] - means[best]), float(errors[row]))
        for row, activation in enumerate(chosen)
    ]
    return tuple(sorted(found, key=lambda one: (one.logloss, one.activation)))
