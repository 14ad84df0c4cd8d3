"""Judges whose answers look like guesses.

Every answer is as probable as 1/2 for someone who guesses. For an ordinary judge (reliability 1, no side bias, lapses of
5 %; see `tolka.judge.rank.reliability`) it is as probable as the answers of the *other* judges say: scores are fitted
without the judge, and the judge's answers as a whole are predicted by averaging over a thousand draws of what the scores
may be, so that little evidence says little. The one over the other is a Bayes factor (Kass and Raftery 1995). If it is at
least 20 in favour of guessing, the judge is doubted. Whatever the number of answers, an ordinary judge comes that far with
a chance of 1/20 at most, since the expectation of the ratio is 1 for them (Markov's inequality).

Someone who answers against all others is doubted too: guessing explains their answers better than judging does.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.judge.rank.activations import Logistic
from tolka.judge.rank.counts import sum_by
from tolka.judge.rank.outcomes import UNKNOWN, Outcomes
from tolka.judge.rank.reliability import LAPSES, JudgeModel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from tolka.judge.answers import Answer
    from tolka.judge.rank.posterior import Posterior

    Array = NDArray[np.float64]
    Indices = NDArray[np.int64]

EVIDENCE = 20.0
PRIOR = 0.25
_PARTS = 10
_DRAWS = 1000
_SEED = 1
_LAPSE = (LAPSES[0] - 1) / (LAPSES[0] + LAPSES[1] - 2)


@dataclass(frozen=True)
class Suspicion:
    """How much a judge's answers look like guesses.

    Attributes:
        judge: The judge.
        answers: How many answers it rests on, test questions included.
        factor: How many times as probable the answers are if the judge guessed as if they judged like the others.
    """

    judge: str
    answers: float
    factor: float

    @property
    def doubted(self) -> bool:
        """Whether the evidence for guessing is strong."""
        return self.factor >= EVIDENCE

    def as_json(self) -> dict[str, Any]:
        """What JSON has of it."""
        return {**asdict(self), "doubted": self.doubted}

    def __str__(self) -> str:
        """In a sentence."""
        times = "over 1000" if self.factor > 1000 else f"{self.factor:.3g}"  # noqa: PLR2004
        return f"{self.judge}: the {self.answers:g} answers are {times} times as probable if they are guesses"


def suspicions(answers: Iterable[Answer]) -> tuple[Suspicion, ...]:
    """How much the answers of each judge look like guesses, in the order of names; ties say nothing about it.

    Judges are taken in at most ten parts, and each part is predicted from all the others.

    Example:
        >>> from tolka.judge import Answer
        >>> fair = [Answer("a", "b", judge=name) for name in ("anna", "bert", "carl") for _ in range(20)]
        >>> odd = [Answer(*pair, judge="dora") for pair in [("a", "b"), ("b", "a")] * 20]
        >>> [one.judge for one in suspicions(fair + odd) if one.doubted]
        ['dora']
    """
    outcomes = Outcomes.of(answers, ties="drop")
    names = outcomes.judges
    given = np.bincount(outcomes.judge[outcomes.judge != UNKNOWN], minlength=len(names))
    parts = min(len(names), _PARTS)
    part = np.empty(len(names), dtype=np.int64)
    part[np.argsort(-given, kind="stable")] = np.arange(len(names)) % max(parts, 1)
    evidence = outcomes.right * math.log(0.5 / (1 - _LAPSE / 2)) + outcomes.wrong * math.log(0.5 / (_LAPSE / 2))
    answered = outcomes.right + outcomes.wrong
    for number in range(parts):
        # A judge without a name is nobody in particular, and belongs to the others.
        mine = np.append(part == number, values=False)[outcomes.judge]
        if not mine.any() or mine.all():
            continue
        draws = _draws(_fitted(outcomes, ~mine))
        for judge in np.flatnonzero(part == number):
            rows = outcomes.judge == judge
            weight = outcomes.weight[rows]
            ordinary = _predicted(draws, outcomes.winner[rows], outcomes.loser[rows], weight)
            evidence[judge] += weight.sum() * math.log(0.5) - ordinary
            answered[judge] += weight.sum()
    return tuple(
        Suspicion(name, float(answered[at]), math.exp(min(float(evidence[at]), 500.0))) for at, name in enumerate(names)
    )


def _fitted(outcomes: Outcomes, rows: NDArray[np.bool_]) -> Posterior:
    """Scores from some of the answers; items without any among them are as uncertain as the prior."""
    judge = outcomes.judge[rows]
    here = np.bincount(judge[judge != UNKNOWN], minlength=len(outcomes.judges)) > 0
    taken = replace(
        outcomes,
        winner=outcomes.winner[rows],
        loser=outcomes.loser[rows],
        weight=outcomes.weight[rows],
        side=outcomes.side[rows],
        judge=judge,
        segment=outcomes.segment[rows],
        right=np.where(here, outcomes.right, 0.0),
        wrong=np.where(here, outcomes.wrong, 0.0),
    )
    return JudgeModel(Logistic(), PRIOR).fit(taken).posterior


def _draws(posterior: Posterior) -> Array:
    """Scores as they may be, one draw per row."""
    values, vectors = np.linalg.eigh(posterior.covariance)
    standard = np.random.default_rng(_SEED).standard_normal((_DRAWS, len(values)))
    drawn: Array = posterior.mean + (standard * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return drawn


def _predicted(draws: Array, winner: Indices, loser: Indices, weight: Array) -> float:
    """The logarithm of how probable it is that an ordinary judge gives all these answers."""
    size = draws.shape[1]
    cells, inverse = np.unique(winner * size + loser, return_inverse=True)
    times = sum_by(inverse, weight, cells.size)
    apart = draws[:, cells // size] - draws[:, cells % size]
    logarithms = np.log((1 - _LAPSE) / (1 + np.exp(-apart)) + _LAPSE / 2) @ times
    most = float(logarithms.max())
    return most + math.log(float(np.exp(logarithms - most).mean()))
