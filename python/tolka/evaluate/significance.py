"""How sure a score is, and whether one system is better than another beyond chance.

Draws are numpy's, in the order in which sacrebleu draws: the same seed gives sacrebleu's resamples. What is done with
them runs in the engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike, NDArray

    from tolka.evaluate.statistics import Statistics

SEED = 12345
BOOTSTRAP_ROUNDS = 1000
RANDOMISATION_ROUNDS = 10_000
# Draws held in memory at a time.
_AT_ONCE = 1 << 21
# numpy makes 32 random bits of one number: rounds in multiples of it do not depend on how they are cut.
_BITS = 32
# Differences this close are the same but for rounding.
_ROUNDING = 1e-9


_LEAST = 0.0001


def p_text(p: float, *, name: str = "p") -> str:
    """A probability of the null hypothesis as people write it; very small ones are not told apart.

    Example:
        >>> p_text(0.00001), p_text(0.03), p_text(0.5, name="")
        ('p<0.0001', 'p=0.0300', '0.5000')
    """
    if p < _LEAST:
        return f"{name}<{_LEAST}"
    return f"{name}={p:.4f}" if name else f"{p:.4f}"


@dataclass(frozen=True)
class Interval:
    """Where the score of a text of this kind lies in 95 of 100 resamples.

    Attributes:
        mean: Mean score of the resamples.
        low: 2.5 % of them score lower.
        high: 2.5 % of them score higher.
        rounds: How many there were.
        seed: Of the draws.
    """

    mean: float
    low: float
    high: float
    rounds: int
    seed: int

    @property
    def margin(self) -> float:
        """Half the width, the ± of sacrebleu."""
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class Comparison:
    """A test of a system against a baseline.

    Attributes:
        test: Its name.
        p: How often chance alone makes such a difference, if the systems were equally good.
        difference: Score of the system less that of the baseline.
        wins: Part of the resamples (bootstrap) or sentences (sign test, Wilcoxon) in which the system is better.
        rounds: Resamples or shuffles; 0 if the test has none.
        seed: Of the draws; 0 if the test has none.
    """

    test: str
    p: float
    difference: float
    wins: float | None = None
    rounds: int = 0
    seed: int = 0


def bootstrap_scores(
    statistics: Statistics, *, rounds: int = BOOTSTRAP_ROUNDS, seed: int = SEED, threads: int = 0
) -> NDArray[np.float64]:
    """The score of each of many resamples of the sentences (Efron; Koehn 2004)."""
    scores = [
        statistics.native.bootstrap(statistics.rows, draws, threads=threads)
        for draws in _draws(len(statistics.rows), rounds, seed)
    ]
    return np.concatenate(scores)


def bootstrap_interval(
    statistics: Statistics, *, rounds: int = BOOTSTRAP_ROUNDS, seed: int = SEED, threads: int = 0
) -> Interval:
    """The 95 % interval of a score by resampling sentences.

    Example:
        >>> from tolka.evaluate import Ter, collect_statistics
        >>> [one] = collect_statistics(Ter(), [["a b", "a c", "d", "e f"]], [["a b", "a b", "d", "f e"]])
        >>> interval = bootstrap_interval(one)
        >>> interval.low < one.score < interval.high
        True
    """
    scores = bootstrap_scores(statistics, rounds=rounds, seed=seed, threads=threads)
    # sacrebleu's percentiles.
    ordered = np.sort(scores)
    cut = len(ordered) // 40
    return Interval(float(ordered.mean()), float(ordered[cut]), float(ordered[-1 - cut]), len(ordered), seed)


def paired_bootstrap(
    system: Statistics, baseline: Statistics, *, rounds: int = BOOTSTRAP_ROUNDS, seed: int = SEED, threads: int = 0
) -> Comparison:
    """Paired bootstrap resampling (Koehn 2004), with sacrebleu's p.

    `wins` is Koehn's own measure. The p-value shifts the resampled differences to a mean of zero and asks how many are
    as large as the real one.

    Example:
        >>> from tolka.evaluate import Ter, collect_statistics
        >>> same, other = collect_statistics(Ter(), [["a b", "c d"], ["a b", "c e"]], [["a b", "c d"]])
        >>> paired_bootstrap(same, other).wins
        0.734
    """
    _comparable(system, baseline)
    ours = bootstrap_scores(system, rounds=rounds, seed=seed, threads=threads)
    theirs = bootstrap_scores(baseline, rounds=rounds, seed=seed, threads=threads)
    apart = np.abs(ours - theirs)
    difference = system.score - baseline.score
    p = (float((apart - apart.mean() > abs(difference)).sum()) + 1) / (len(apart) + 1)
    better = ours - theirs if system.native.higher_is_better else theirs - ours
    if np.array_equal(system.rows, baseline.rows):
        p = 1.0
    return Comparison("paired bootstrap", p, difference, float((better > _ROUNDING).mean()), len(apart), seed)


def approximate_randomisation(
    system: Statistics, baseline: Statistics, *, rounds: int = RANDOMISATION_ROUNDS, seed: int = SEED, threads: int = 0
) -> Comparison:
    """Paired approximate randomisation (Riezler and Maxwell 2005): do shuffled systems differ as much?

    Example:
        >>> from tolka.evaluate import Ter, collect_statistics
        >>> same, other = collect_statistics(Ter(), [["a b", "c d"], ["a b", "c e"]], [["a b", "c d"]])
        >>> approximate_randomisation(same, other).p
        1.0
    """
    _comparable(system, baseline)
    difference = system.score - baseline.score
    as_large = 0
    for kept in _coins(len(system.rows), rounds, seed):
        first, second = system.native.randomise(baseline.rows, system.rows, kept, threads=threads)
        # Ties count: one of the shuffles is the real assignment.
        as_large += int((np.abs(first - second) >= abs(difference) - _ROUNDING).sum())
    return Comparison(
        "approximate randomisation", (as_large + 1) / (rounds + 1), difference, None, rounds=rounds, seed=seed
    )


def randomised_counts(
    system: ArrayLike,
    baseline: ArrayLike,
    score: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    *,
    rounds: int = RANDOMISATION_ROUNDS,
    seed: int = SEED,
) -> Comparison:
    """Paired approximate randomisation of any score of sums of counts, such as the F1 of brackets.

    Args:
        system: Counts, a row a sentence.
        baseline: Counts of the baseline, a row for each of the same sentences.
        score: Makes a score of each row of sums.
        rounds: Shuffles.
        seed: Of the shuffles.

    Example:
        >>> right = [[1, 1]] * 20
        >>> wrong = [[0, 1]] * 20
        >>> found = randomised_counts(right, wrong, lambda sums: 100 * sums[:, 0] / sums[:, 1])
        >>> found.difference, found.p < 0.001
        (100.0, True)
    """
    ours, theirs = np.asarray(system, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    if ours.shape != theirs.shape or ours.ndim != 2 or not len(ours):  # noqa: PLR2004 - rows and counts
        raise InputError(
            "the systems were not counted alike", hint="give a row of counts for each of the same sentences"
        )
    both, apart = ours.sum(0) + theirs.sum(0), ours - theirs
    difference = float(np.diff(score(np.stack([theirs.sum(0), ours.sum(0)])))[0])
    as_large = 0
    for kept in _coins(len(ours), rounds, seed):
        first = (both + np.where(kept, 1.0, -1.0) @ apart) / 2
        as_large += int((np.abs(score(first) - score(both - first)) >= abs(difference) - _ROUNDING).sum())
    return Comparison(
        "approximate randomisation", (as_large + 1) / (rounds + 1), difference, None, rounds=rounds, seed=seed
    )


def sign_test(system: Statistics, baseline: Statistics) -> Comparison:
    """The sign test on sentence scores: is the system better more often than worse?

    Example:
        >>> from tolka.evaluate import Ter, collect_statistics
        >>> same, other = collect_statistics(Ter(), [["a", "b", "c"], ["x", "y", "z"]], [["a", "b", "c"]])
        >>> sign_test(same, other).p
        0.25
    """
    from scipy.stats import binomtest  # noqa: PLC0415 - slow to import

    better, worse = _better_and_worse(system, baseline)
    p = float(binomtest(better, better + worse).pvalue) if better + worse else 1.0
    return Comparison("sign test", p, system.score - baseline.score, better / len(system.rows))


def wilcoxon(system: Statistics, baseline: Statistics) -> Comparison:
    """Wilcoxon's signed-rank test on sentence scores; sentences with the same score are left out.

    Example:
        >>> from tolka.evaluate import Ter, collect_statistics
        >>> same, other = collect_statistics(Ter(), [["a", "b", "c"], ["x", "y", "c"]], [["a", "b", "c"]])
        >>> wilcoxon(same, other).p
        0.5
    """
    from scipy.stats import wilcoxon as signed_ranks  # noqa: PLC0415 - slow to import

    better, worse = _better_and_worse(system, baseline)
    apart = system.segments - baseline.segments
    apart = apart[np.abs(apart) > _ROUNDING]
    p = float(signed_ranks(apart).pvalue) if better + worse else 1.0
    return Comparison("Wilcoxon signed-rank", p, system.score - baseline.score, better / len(system.rows))


def _better_and_worse(system: Statistics, baseline: Statistics) -> tuple[int, int]:
    _comparable(system, baseline)
    apart = system.segments - baseline.segments
    if not system.native.higher_is_better:
        apart = -apart
    return int((apart > _ROUNDING).sum()), int((apart < -_ROUNDING).sum())


def _comparable(system: Statistics, baseline: Statistics) -> None:
    if system.metric != baseline.metric or system.rows.shape != baseline.rows.shape:
        raise InputError("the systems were not scored alike", hint="use the same metric, text and references for both")


def _cut(rounds: int, size: int) -> Iterator[int]:
    if rounds < 1:
        raise SettingsError(f"{rounds} rounds are too few", hint="use 1000 or more")
    piece = max(_AT_ONCE // size // _BITS, 1) * _BITS
    for done in range(0, rounds, piece):
        yield min(piece, rounds - done)


def _generator(seed: int) -> np.random.Generator:
    if seed < 0:
        raise SettingsError(f"the seed {seed} is negative", hint="use a whole number from 0 on")
    return np.random.default_rng(seed)


def _draws(size: int, rounds: int, seed: int) -> Iterator[NDArray[np.int64]]:
    generator = _generator(seed)
    for piece in _cut(rounds, size):
        yield generator.choice(size, size=(piece, size), replace=True)


def _coins(size: int, rounds: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    generator = _generator(seed)
    for piece in _cut(rounds, size):
        yield generator.integers(2, size=(piece, size), dtype=bool)
