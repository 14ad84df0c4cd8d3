"""The bootstrap: fit again and again to answers drawn with replacement, and see how scores and ranks move.

Drawing answers is drawing counts: one multinomial draw over the distinct pairs is a whole resample, however many answers
there are, and for few items all resamples are fitted at once. Clusters are drawn instead of answers where answers depend
on each other (Efron and Tibshirani 1993, section 8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from tolka.errors import InputError, SettingsError
from tolka.judge.rank.clusters import cluster_ids
from tolka.judge.rank.dense import climb
from tolka.judge.rank.likelihood import Likelihood
from tolka.judge.rank.posterior import Posterior
from tolka.judge.rank.solvers import newton, solver_failed
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tolka.judge.rank.counts import Counts
    from tolka.judge.rank.outcomes import Outcomes
    from tolka.progress import Progress

    Array = NDArray[np.float64]

_TOGETHER = 64  # items up to which resamples are fitted at once
_NUMBERS = 1 << 23  # numbers in memory at a time
_TOLERANCE = 1e-7


def bootstrap(
    likelihood: Likelihood,
    outcomes: Outcomes | None = None,
    *,
    cluster: Literal["none", "segment", "judge"] = "none",
    rounds: int = 1000,
    seed: int = 1,
    progress: Progress = SILENT,
) -> Posterior:
    """Scores of resampled answers, as draws of equal weight around the scores of the answers themselves.

    Args:
        likelihood: The likelihood of the answers; it needs a prior, since a resample may leave items unconnected.
        outcomes: The answers, if clusters are to be drawn.
        cluster: Draw "segment"s or "judge"s with all their answers, or answers one by one ("none").
        rounds: How many resamples.
        seed: Their seed.
        progress: Told of every resample.

    Raises:
        SettingsError: There is no prior, or clusters are asked for without outcomes.

    Example:
        >>> from tolka.judge.rank import Counts, Likelihood
        >>> found = bootstrap(Likelihood(Counts.from_matrix(["a", "b"], [[0, 60], [40, 0]]), prior=0.25))
        >>> found.draws.shape, bool(found.p_better()[0, 1] > 0.9)
        ((1000, 2), True)
    """
    if likelihood.tau == 0:
        raise SettingsError("the bootstrap needs a prior", hint="0.25 is the default; a small one will do")
    if rounds < 1:
        raise SettingsError(f"there must be at least one round, not {rounds}")
    solution = newton(likelihood)
    if not solution.converged:
        raise solver_failed(solution.iterations)
    rng = np.random.default_rng(seed)
    counts = likelihood.counts
    if cluster == "none":
        resamples = _answers_redrawn(counts, rounds, rng)
    elif outcomes is None:
        raise SettingsError("clusters can only be drawn from the answers themselves", hint="give outcomes")
    else:
        resamples = _clusters_redrawn(counts, outcomes, cluster, rounds, rng)
    draws = []
    with progress.task("bootstrap", total=rounds, unit="fits") as advance:
        for wins in resamples:
            draws.append(_fit(likelihood, wins, solution.scores))
            advance(len(wins))
    sample = np.concatenate(draws)
    deviations = sample - sample.mean(axis=0)
    covariance = deviations.T @ deviations / max(rounds - 1, 1)
    weights = np.full(rounds, 1 / rounds)
    return Posterior(counts.items, solution.scores, covariance, "bootstrap", None, sample, weights)


def _chunks(rounds: int, cells: int) -> Iterator[int]:
    step = max(1, _NUMBERS // max(cells, 1))
    for start in range(0, rounds, step):
        yield min(step, rounds - start)


def _answers_redrawn(counts: Counts, rounds: int, rng: np.random.Generator) -> Iterator[Array]:
    number = round(counts.total)
    if number < 1:
        raise InputError("there are no answers to draw from")
    shares = counts.wins / counts.wins.sum()
    for some in _chunks(rounds, max(shares.size, counts.size**2)):
        yield rng.multinomial(number, shares, size=some).astype(np.float64)


def _clusters_redrawn(
    counts: Counts,
    outcomes: Outcomes,
    cluster: Literal["segment", "judge"],
    rounds: int,
    rng: np.random.Generator,
) -> Iterator[Array]:
    from scipy.sparse import coo_array  # noqa: PLC0415 - not needed by plain rankings

    [(_, ids)] = cluster_ids(outcomes, cluster)
    _, compact = np.unique(ids, return_inverse=True)
    number = int(compact.max(initial=-1)) + 1
    # Which cell of the counts each answer belongs to: both are sorted by winner, then by loser.
    cells = np.searchsorted(counts.winner * counts.size + counts.loser, outcomes.winner * counts.size + outcomes.loser)
    table = coo_array((outcomes.weight, (compact, cells)), shape=(number, counts.wins.size)).tocsr()
    for some in _chunks(rounds, max(number, counts.wins.size, counts.size**2)):
        times = rng.multinomial(number, np.full(number, 1 / number), size=some)
        yield np.asarray(times @ table, dtype=np.float64)


def _fit(likelihood: Likelihood, wins: Array, start: Array) -> Array:
    """Scores for every row of wins."""
    counts, activation = likelihood.counts, likelihood.activation
    found = np.empty((len(wins), counts.size))
    done = np.zeros(len(wins), dtype=bool)
    if counts.size <= _TOGETHER and activation.strictly_log_concave:
        tables = np.zeros((len(wins), counts.size, counts.size))
        tables[:, counts.winner, counts.loser] = wins
        found, done = climb(tables, activation, likelihood.tau, np.tile(start, (len(wins), 1)), _TOLERANCE)
    for row in np.flatnonzero(~done):
        again = Likelihood(counts.with_wins(wins[row]), activation, likelihood.prior)
        solution = newton(again, start=start, tolerance=_TOLERANCE)
        if not solution.converged:
            raise solver_failed(solution.iterations)
        found[row] = solution.scores
    return found
