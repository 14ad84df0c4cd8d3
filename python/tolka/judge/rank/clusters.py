"""Intervals that respect segments and judges: answers on the same sentence, or by the same person, are not independent.

A hard sentence may favour one system whoever looks at it; ten answers on it are not ten independent ones. Instead of
modelling every such effect, the covariance is corrected by how much the pull of whole clusters varies (the sandwich of
Liang and Zeger 1986): V = B M B with B the inverse information and M the sum over clusters of g g', g being the gradient
of the cluster's answers. The prior counts as information of its own, so that M equals the information when answers are
independent, and V equals B.

With few clusters V is noisy and too small. Three things make up for that: the fit takes up as many directions as there
are free scores, so V grows by G / (G - N + 1) for G clusters (G / (G - 1) for two items, as is usual); V is drawn towards
B times its mean design effect, as if N more clusters like the average one had been seen; and what is left below B is
raised to B. Chance alone can make clusters look alike in too few of them, but answers that share a sentence do not say
more than answers that share nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from tolka.errors import InputError
from tolka.judge.rank.outcomes import UNKNOWN
from tolka.judge.rank.posterior import design_effect, no_narrower

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tolka.judge.rank.outcomes import Outcomes

    Array = NDArray[np.float64]
    Indices = NDArray[np.int64]

Cluster = Literal["auto", "none", "segment", "judge", "both"]
CLUSTERS: tuple[str, ...] = get_args(Cluster)
_FEWEST = 10


def choose_cluster(outcomes: Outcomes, wanted: Cluster) -> Cluster:
    """What "auto" means: by segment if enough of them are known for the correction to be worth more than its noise.

    Raises:
        InputError: Clusters are asked for that the answers do not name.
    """
    if wanted == "auto":
        enough = max(_FEWEST, len(outcomes.items))
        known = bool((outcomes.segment != UNKNOWN).all())
        return "segment" if known and len(outcomes.segments) >= enough else "none"
    for kind, names in (("segment", outcomes.segments), ("judge", outcomes.judges)):
        if wanted in {kind, "both"} and len(names) < 2:  # noqa: PLR2004
            raise InputError(f"the answers name fewer than two {kind}s", hint="use --cluster none")
    return wanted


def cluster_ids(outcomes: Outcomes, by: Literal["segment", "judge", "both"]) -> list[tuple[float, Indices]]:
    """The clusterings to add up, each with its sign: for "both", segments plus judges minus their intersections.

    That sum (Cameron, Gelbach and Miller 2011) counts what answers share through either once.
    """
    segment, judge = _known(outcomes.segment), _known(outcomes.judge)
    if by == "segment":
        return [(1.0, segment)]
    if by == "judge":
        return [(1.0, judge)]
    _, crossed = np.unique(segment * (int(judge.max(initial=0)) + 1) + judge, return_inverse=True)
    return [(1.0, segment), (1.0, judge), (-1.0, crossed)]


def _known(ids: Indices) -> Indices:
    """Cluster numbers in which every row without a cluster is one of its own."""
    found = ids.copy()
    alone = ids == UNKNOWN
    found[alone] = int(ids.max(initial=UNKNOWN)) + 1 + np.arange(int(alone.sum()))
    return found


def robust_covariance(
    inverse: Array, tau: float, clusterings: list[tuple[float, Indices]], gradients: list[Gradients]
) -> Array:
    """The sandwich, mended for few clusters and never less than the plain covariance.

    Args:
        inverse: The plain covariance: the inverse information, among scores of mean 0.
        tau: The prior's precision.
        clusterings: The clusterings with their signs.
        gradients: The gradients of each clustering's clusters.
    """
    found = sandwich(inverse, tau, clusterings, gradients)
    size, number = len(inverse), fewest(gradients)
    effect = max(design_effect(found, inverse), 1.0)
    return no_narrower((number * found + size * effect * inverse) / (number + size), inverse)


def sandwich(inverse: Array, tau: float, clusterings: list[tuple[float, Indices]], gradients: list[Gradients]) -> Array:
    """V = B M B, with the factor for few clusters."""
    size = len(inverse)
    meat = tau * np.eye(size)
    for (sign, _), gradient in zip(clusterings, gradients, strict=True):
        number = max(gradient.number, 2)
        # Scores that take up every cluster leave nothing to see: no more than doubled, however few there are.
        meat += sign * number / max(number - size + 1, number / 2) * gradient.squared()
    found = inverse @ meat @ inverse
    return (found + found.T) / 2


def small_sample(clusterings: list[tuple[float, Indices]], level: float) -> float:
    """How many times as wide intervals are because the variance between clusters is itself estimated from them.

    Student's quantile with one degree less than clusters, by the normal one (Cameron, Gelbach and Miller 2008).
    """
    from scipy.special import ndtri, stdtrit  # noqa: PLC0415 - not needed by plain rankings

    number = min(np.unique(ids).size for sign, ids in clusterings if sign > 0)
    share = 0.5 + level / 2
    return float(stdtrit(max(number - 1, 1), share) / ndtri(share))


def repeats(outcomes: Outcomes) -> bool:
    """Whether some answers share a segment."""
    known = outcomes.segment[outcomes.segment != UNKNOWN]
    return bool(known.size > 0 and np.bincount(known).max() > 1)


def fewest(gradients: list[Gradients]) -> int:
    """The number of clusters of the clustering that has least."""
    return min(gradient.number for gradient in gradients)


class Gradients:
    """Per cluster, the sum of its answers' gradients, each of which pulls the winner up and the loser down.

    Clusters may be as many as answers, so the rows stay sparse and only their products are made.

    Args:
        cluster: The cluster of each answer.
        winner: Its winner.
        loser: Its loser.
        pull: How strongly it pulls.
        size: How many items there are.
    """

    def __init__(self, cluster: Indices, winner: Indices, loser: Indices, pull: Array, size: int) -> None:
        _, self._cluster = np.unique(cluster, return_inverse=True)
        self.number = int(self._cluster.max(initial=-1)) + 1
        self._rows = self._summed([(winner, pull), (loser, -pull)], size)
        self._explained: tuple[Any, Array] | None = None

    def explain(self, columns: list[tuple[Indices, Array]], number: int, solved: Array) -> None:
        """Take out what other parameters take up.

        Args:
            columns: Pairs of the parameter each answer pulls at, and how strongly.
            number: How many such parameters there are.
            solved: Per such parameter, how the scores' gradient follows its own.
        """
        self._explained = self._summed(columns, number), solved

    def _summed(self, columns: list[tuple[Indices, Array]], width: int) -> Any:
        from scipy.sparse import coo_array  # noqa: PLC0415 - not needed by plain rankings

        rows = np.tile(self._cluster, len(columns))
        places = np.concatenate([place for place, _ in columns])
        values = np.concatenate([amount for _, amount in columns])
        return coo_array((values, (rows, places)), shape=(self.number, width)).tocsr()

    def squared(self) -> Array:
        """The sum over clusters of g g'."""
        found = (self._rows.T @ self._rows).toarray()
        if self._explained is not None:
            other, solved = self._explained
            across = (self._rows.T @ other) @ solved
            found = found - across - across.T + solved.T @ ((other.T @ other) @ solved)
        return np.asarray(found, dtype=np.float64)
