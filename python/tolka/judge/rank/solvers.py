"""Scores of greatest likelihood: Newton's method, the thesis's conjugate gradient, and minorisation-maximisation.

All three climb the same hill; `newton` is the one to use, the others are there to check it and for the record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError, SettingsError, TolkaError
from tolka.judge.rank.activations import Logistic
from tolka.judge.rank.counts import sum_by

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from tolka.judge.rank.counts import Counts
    from tolka.judge.rank.likelihood import Likelihood

    Array = NDArray[np.float64]

_DENSE = 2000  # items up to which a dense factorisation is quicker than iterating on a sparse one
_FLAT = -1e-300
_FEW = 10.0
_NAMED = 5


@dataclass(frozen=True)
class Solution:
    """Where a solver ended.

    Attributes:
        scores: The scores, with mean 0 unless the solver says otherwise.
        loglik: The likelihood's logarithm there, prior included.
        iterations: Steps it took.
        converged: Whether it reached its tolerance.
    """

    scores: Array
    loglik: float
    iterations: int
    converged: bool


def require_finite_scores(counts: Counts) -> None:
    """Refuse counts that have no finite scores of greatest likelihood.

    Raises:
        InputError: The graph of "was chosen over" is not strongly connected.
    """
    if counts.size == 0:
        raise InputError("there are no answers to rank by")
    if not counts.is_strongly_connected:
        raise InputError(disconnection(counts), hint="use a prior (0.25 is the default), or ask about these items")


def disconnection(counts: Counts) -> str:
    """Say in a sentence why scores of greatest likelihood are not finite."""
    parts = counts.components()
    smallest = min(parts, key=len)
    named = ", ".join(smallest[:_NAMED]) + (f" and {len(smallest) - _NAMED} more" if len(smallest) > _NAMED else "")
    index = {name: number for number, name in enumerate(counts.items)}
    inside = np.zeros(counts.size, dtype=bool)
    inside[[index[name] for name in smallest]] = True
    kept = counts.wins > 0
    won = bool((inside[counts.winner] & ~inside[counts.loser] & kept).any())
    lost = bool((~inside[counts.winner] & inside[counts.loser] & kept).any())
    how = "always beat" if won and not lost else "never beat" if lost and not won else "do not meet"
    if won and lost:
        how = "beat some and lose to other parts of"
    return (
        f"the answers do not connect all items ({len(parts)} parts; {named} {how} the rest), "
        "so without a prior some scores would be infinite"
    )


def newton(
    likelihood: Likelihood, *, start: ArrayLike | None = None, tolerance: float = 1e-10, iterations: int = 200
) -> Solution:
    """Climb by damped Newton steps; the default solver.

    The steps use the observed information where the activation is strictly log-concave, else the expected one. For an
    activation whose likelihood may have several maxima, several starts are tried and the best end is given.

    Args:
        likelihood: What to maximise.
        start: Scores to start from; 0 if not given.
        tolerance: Stop when no step is longer than this, relative to the activation's unit.
        iterations: Most steps.

    Raises:
        InputError: There is no prior and no finite maximum.

    Example:
        >>> from tolka.judge.rank import Counts, Likelihood
        >>> counts = Counts.from_matrix(["a", "b"], [[0, 3], [1, 0]])
        >>> newton(Likelihood(counts)).scores.round(6).tolist()
        [0.549306, -0.549306]
    """
    if likelihood.tau == 0:
        require_finite_scores(likelihood.counts)
    guess = _first_guess(likelihood)
    starts = [guess if start is None else np.array(start, dtype=np.float64)]
    if not likelihood.activation.unimodal:
        starts += [np.zeros(likelihood.size), guess, 3 * guess]
    ends = [_climb(likelihood, x, tolerance, iterations) for x in starts]
    return max(ends, key=lambda end: end.loglik)


def _first_guess(likelihood: Likelihood) -> Array:
    """Scores that would give each item its expected wins against an average one."""
    wins = np.nan_to_num(likelihood.counts.expected_wins(), nan=0.5)
    # With few answers the rates say little, and the top is near 0.
    trust = likelihood.counts.comparisons() / (likelihood.counts.comparisons() + _FEW)
    found: Array = likelihood.activation.quantile(np.clip(0.5 + trust * (wins - 0.5), 0.02, 0.98))
    return found


def _climb(likelihood: Likelihood, x: Array, tolerance: float, iterations: int) -> Solution:
    expected = not likelihood.activation.strictly_log_concave
    x = x - x.mean()
    value, gradient, weights = likelihood.step_terms(x, expected=expected)
    if not np.isfinite(value):
        raise InputError("the likelihood cannot be computed where the fit starts", hint="start from smaller scores")
    close = tolerance / likelihood.activation.scale
    # Newton's steps square what is left: one this short leaves less than the tolerance behind it.
    short = close if expected or likelihood.size > _DENSE else max(close, 0.01 * tolerance**0.5)
    for iteration in range(1, iterations + 1):
        step = _newton_step(likelihood, weights, gradient)
        rise = float(gradient @ step)
        length = 1.0
        # Backtracking with Armijo's condition; close to the top rounding decides, and the full step is right.
        while length > 1e-10:  # noqa: PLR2004
            trial = x + length * step
            trial -= trial.mean()
            found, gradient_there, weights_there = likelihood.step_terms(trial, expected=expected)
            if found >= value + 1e-4 * length * rise - 1e-12 * abs(value):
                break
            length /= 2
        else:
            return Solution(x, value, iteration, converged=False)
        x, value, gradient, weights = trial, found, gradient_there, weights_there
        moved = float(np.abs(length * step).max(initial=0.0))
        if moved < close or (length == 1 and moved < short):
            return Solution(x, value, iteration, converged=True)
    return Solution(x, value, iterations, converged=False)


def _newton_step(likelihood: Likelihood, weights: Array, gradient: Array) -> Array:
    """Solve (-H) step = gradient in the directions that do not shift all scores alike."""
    size = likelihood.size
    if size <= _DENSE:
        from scipy.linalg import LinAlgError, cho_factor, cho_solve  # noqa: PLC0415

        table = likelihood.table(weights)
        # A constant on every element makes the Laplacian regular and leaves steps of mean 0 as they are.
        table += max(float(np.trace(table)) / size, 1e-12) / size
        try:
            return cho_solve(cho_factor(table, overwrite_a=True, check_finite=False), gradient, check_finite=False)
        except LinAlgError:  # flat to rounding far from the top: climb along the gradient
            return gradient / max(float(np.abs(np.diagonal(table)).max()), 1e-12)
    from scipy.sparse.linalg import LinearOperator, cg  # noqa: PLC0415

    sparse = likelihood.sparse_table(weights)
    diagonal = np.maximum(sparse.diagonal(), 1e-12)
    shift = float(diagonal.mean()) / size
    operator = LinearOperator((size, size), matvec=lambda v: sparse @ v + shift * v.sum(), dtype=np.float64)
    scaling = LinearOperator((size, size), matvec=lambda v: v / diagonal, dtype=np.float64)
    # A loose solution still climbs, and the next step mends it.
    step, _ = cg(operator, gradient, M=scaling, rtol=1e-6, maxiter=20 * int(size**0.5))
    return np.asarray(step, dtype=np.float64)


def conjugate_gradient(
    likelihood: Likelihood,
    *,
    start: ArrayLike | None = None,
    tolerance: float = 1e-8,
    iterations: int = 1000,
    inner: int = 10,
    seed: int = 0,
    trace: list[Array] | None = None,
) -> Solution:
    """Climb by Fletcher and Reeves's conjugate gradient with Newton-Raphson line search (Mohammad 2012, figure 3-2).

    The step has the sign that figure lacks (it would descend as printed), steps that would descend are halved, and flat
    directions stop the search. The mean of the start is kept, as in the thesis.

    Args:
        likelihood: What to maximise.
        start: Scores to start from; random in [0, 1] if not given.
        tolerance: Stop when the gradient's length is this share of what it was.
        iterations: Most directions.
        inner: Most line-search steps per direction.
        seed: Seed of the random start.
        trace: A list that receives the scores after each direction.
    """
    if likelihood.tau == 0:
        require_finite_scores(likelihood.counts)
    x = np.random.default_rng(seed).random(likelihood.size) if start is None else np.array(start, dtype=np.float64)
    residual = likelihood.gradient(x)
    direction = residual.copy()
    delta = first = float(residual @ residual)
    since_restart = done = 0
    while done < iterations and delta > tolerance**2 * first:
        length = float(direction @ direction)
        for _ in range(inner):
            bend = -float(direction @ likelihood.information(x) @ direction)
            if bend >= _FLAT:
                break
            alpha = -float(likelihood.gradient(x) @ direction) / bend
            before = likelihood.value(x)
            while alpha != 0 and likelihood.value(x + alpha * direction) < before - 1e-12 * abs(before):
                alpha = alpha / 2 if abs(alpha) > 1e-300 else 0.0  # noqa: PLR2004
            x = x + alpha * direction
            if alpha * alpha * length <= tolerance**2:
                break
        residual = likelihood.gradient(x)
        delta, before_delta = float(residual @ residual), delta
        direction = residual + delta / before_delta * direction
        since_restart += 1
        if since_restart == likelihood.size or float(residual @ direction) <= 0:
            direction, since_restart = residual.copy(), 0
        done += 1
        if trace is not None:
            trace.append(x.copy())
    return Solution(x, likelihood.value(x), done, converged=delta <= tolerance**2 * first)


def mm(likelihood: Likelihood, *, tolerance: float = 1e-12, iterations: int = 100_000) -> Solution:
    """Climb by Hunter's (2004) minorisation-maximisation; slow and sure, for logistic scores without a prior.

    Raises:
        SettingsError: The activation is not logistic, or there is a prior.
    """
    if not isinstance(likelihood.activation, Logistic) or likelihood.prior:
        raise SettingsError("MM is for the logistic activation without a prior", hint="use newton")
    require_finite_scores(likelihood.counts)
    kappa = likelihood.activation.kappa
    strength = np.ones(likelihood.size)
    for done in range(1, iterations + 1):
        after = mm_step(likelihood.counts, strength)
        change = float(np.abs(np.log(after / strength)).max())
        strength = after
        if change < tolerance:
            x = np.log(strength) / kappa
            return Solution(x, likelihood.value(x), done, converged=True)
    x = np.log(strength) / kappa
    return Solution(x, likelihood.value(x), iterations, converged=False)


def mm_step(counts: Counts, strength: Array) -> Array:
    """One step of `mm`: pi_i = W_i / sum_j n_ij / (pi_i + pi_j), scaled to a geometric mean of 1."""
    first, second, ahead, behind = counts.pairs
    wins = sum_by(counts.winner, counts.wins, counts.size)
    shared = (ahead + behind) / (strength[first] + strength[second])
    after = wins / (sum_by(first, shared, counts.size) + sum_by(second, shared, counts.size))
    return after / float(np.exp(np.log(after).mean()))


def solver_failed(iterations: int) -> TolkaError:
    """What to raise if a default fit did not converge."""
    return TolkaError(f"the fit did not converge in {iterations} steps", hint="use a prior, or another activation")
