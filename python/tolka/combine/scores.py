"""How good systems are that were tuned several times, and whether differences are more than chance."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError
from tolka.evaluate import Bleu, approximate_randomisation, bootstrap_interval, collect_statistics
from tolka.evaluate.statistics import Statistics

if TYPE_CHECKING:
    from collections.abc import Sequence

ROUNDS = 10_000
"""Shuffles of a test."""


@dataclass(frozen=True)
class Measured:
    """The scores of a system on a text, one for each tuning.

    Attributes:
        scores: BLEU.
        low: Below which 2.5 % of resampled texts are, the mean of all tunings.
        high: Above which 2.5 % are.
    """

    scores: tuple[float, ...]
    low: float
    high: float

    @property
    def mean(self) -> float:
        """The mean of all tunings."""
        return statistics.fmean(self.scores)

    @property
    def deviation(self) -> float:
        """Their standard deviation; 0 for one tuning."""
        return statistics.stdev(self.scores) if len(self.scores) > 1 else 0.0


class Judge:
    """Scores texts against one reference."""

    def __init__(self, references: Sequence[str], *, tokenised: bool, threads: int = 0) -> None:
        if not references:
            raise InputError("the set to score on is empty")
        self.references = references
        self.metric = Bleu(tokeniser="none" if tokenised else "13a")
        self.threads = threads

    def statistics(self, translations: Sequence[Sequence[str]]) -> list[Statistics]:
        """The statistics of each text."""
        return collect_statistics(self.metric, translations, [self.references], threads=self.threads)

    def measure(self, found: Sequence[Statistics]) -> Measured:
        """The scores of a system's tunings."""
        intervals = [bootstrap_interval(one, threads=self.threads) for one in found]
        low, high = (statistics.fmean(getattr(one, end) for one in intervals) for end in ("low", "high"))
        return Measured(tuple(one.score for one in found), low, high)

    def compare(self, system: Sequence[Statistics], baseline: Sequence[Statistics]) -> tuple[float, float]:
        """The difference of two systems and its p, by one test over all tunings (Clark et al. 2011).

        The translations of a sentence by all tunings are swapped together: they are much alike, and if each were swapped
        by itself, differences would seem surer than they are.
        """
        ours, theirs = _together(system), _together(baseline)
        said = approximate_randomisation(ours, theirs, rounds=ROUNDS, threads=self.threads)
        return said.difference, said.p


def _together(tunings: Sequence[Statistics]) -> Statistics:
    """All tunings as one text: the statistics of a sentence are added up."""
    first = tunings[0]
    rows = reduce(np.add, (one.rows for one in tunings))
    return Statistics(first.metric, first.native, rows)
