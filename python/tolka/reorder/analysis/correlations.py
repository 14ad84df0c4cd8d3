"""How reordering goes with translation quality, sentence by sentence (Miceli Barone, sections 3.4.5 and 3.4.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from tolka import _engine
from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tolka.reorder.analysis.statistics import Analysis

_FEWEST = 3


@dataclass(frozen=True)
class Correlation:
    """How one number goes with another: Spearman's rank correlation, and a straight line by least squares.

    Attributes:
        x: What is given.
        y: What is explained.
        rho: Spearman's rank correlation; None where one of them is constant.
        rho_p: Its p-value.
        slope: Of the line.
        intercept: Of the line.
        r: Pearson's r.
        r_p: Its p-value.
    """

    x: str
    y: str
    rho: float | None
    rho_p: float | None
    slope: float | None
    intercept: float | None
    r: float | None
    r_p: float | None

    @classmethod
    def of(cls, x: str, given: NDArray[np.float64], y: str, explained: NDArray[np.float64]) -> Correlation:
        """The correlation of two columns."""
        if len(given) < _FEWEST or np.ptp(given) == 0 or np.ptp(explained) == 0:
            return cls(x, y, None, None, None, None, None, None)
        rank = stats.spearmanr(given, explained)
        line = stats.linregress(given, explained)
        return cls(
            x,
            y,
            float(rank.statistic),
            float(rank.pvalue),
            float(line.slope),
            float(line.intercept),
            float(line.rvalue),
            float(line.pvalue),
        )


@dataclass(frozen=True)
class Difference:
    """Two-sample Kolmogorov-Smirnov test on distances of fragments.

    Attributes:
        first: One sample.
        second: The other.
        signed: Whether distances keep their sign.
        statistic: The largest difference of the two distribution functions; None where a sample is empty.
        p: Its p-value.
    """

    first: str
    second: str
    signed: bool
    statistic: float | None
    p: float | None


@dataclass(frozen=True)
class OracleGap:
    """What translation gains from source words in their reference order.

    Attributes:
        baseline_bleu: Of the translation of the text as it is, 0 to 100.
        oracle_bleu: Of the translation of the reordered text.
        baseline_ter: As above, with TER, where lower is better.
        oracle_ter: As above.
    """

    baseline_bleu: float
    oracle_bleu: float
    baseline_ter: float
    oracle_ter: float

    @property
    def bleu(self) -> float:
        """The gain in BLEU; positive if reordering helps."""
        return self.oracle_bleu - self.baseline_bleu

    @property
    def ter(self) -> float:
        """The gain in TER; positive if reordering helps."""
        return self.baseline_ter - self.oracle_ter


@dataclass(frozen=True)
class Correlations:
    """How reordering goes with translation quality.

    Attributes:
        rows: Correlations of sentences and of words.
        differences: Whether words in non-projective positions move differently.
        gap: The gain of reference orders, if outputs with them are given.
    """

    rows: tuple[Correlation, ...]
    differences: tuple[Difference, ...]
    gap: OracleGap | None


def correlate(
    found: Analysis,
    *,
    baseline: Sequence[str] | None = None,
    oracle: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
) -> Correlations:
    """Correlate reordering with the quality of translations.

    Quality is BLEU+1 (Lin and Och 2004) and TER of sentences, as shares. Gaps are positive where the oracle is better:
    BLEU+1 of the oracle minus that of the baseline, TER of the baseline minus that of the oracle.

    Args:
        found: The analysis of the source text.
        baseline: Its translations as it is, tokenised.
        oracle: Translations of the text in its reference order.
        references: Reference translations.

    Raises:
        InputError: Numbers of sentences differ, or there are outputs without references.
    """
    qualities, gap = _qualities(found.sentences, baseline, oracle, references)
    columns = found.per_sentence()
    rows = [
        Correlation.of(x, given.astype(np.float64), y, explained)
        for y, explained in qualities.items()
        for x, given in columns.items()
    ]
    moved = found.fragments.by_word(found.fragments.nonlocal_).astype(np.float64)
    strange = found.own.by_word(found.own.nonlocal_).astype(bool)
    # The excursion of a word is that of its non-projective fragment; other words make none.
    excursion = found.own.by_word(found.own.excursion * found.own.nonlocal_).astype(np.float64)
    rows.append(Correlation.of("word is nonprojective", strange.astype(np.float64), "word moves nonlocally", moved))
    rows.append(Correlation.of("word's excursion", excursion, "word moves nonlocally", moved))
    distance = found.fragments.by_word(found.fragments.distance).astype(np.float64)
    nonlocal_ = moved > 0
    differences = tuple(
        _difference(first, second, signed, left, right)
        for first, second, left, right in (
            ("all", "nonprojective", distance, distance[strange]),
            ("nonlocal", "nonlocal and nonprojective", distance[nonlocal_], distance[nonlocal_ & strange]),
        )
        for signed in (False, True)
    )
    return Correlations(tuple(rows), differences, gap)


def _difference(
    first: str, second: str, signed: bool, left: NDArray[np.float64], right: NDArray[np.float64]
) -> Difference:
    if not len(left) or not len(right):
        return Difference(first, second, signed, None, None)
    tested = stats.ks_2samp(left if signed else abs(left), right if signed else abs(right), method="asymp")
    return Difference(first, second, signed, float(tested.statistic), float(tested.pvalue))


def _qualities(
    sentences: int,
    baseline: Sequence[str] | None,
    oracle: Sequence[str] | None,
    references: Sequence[str] | None,
) -> tuple[dict[str, NDArray[np.float64]], OracleGap | None]:
    if baseline is None and oracle is None:
        return {}, None
    if references is None or baseline is None:
        raise InputError(
            "translations can only be judged with references and a baseline", hint="give baseline and reference"
        )
    for name, lines in (("baseline", baseline), ("oracle", oracle), ("reference", references)):
        if lines is not None and len(lines) != sentences:
            raise InputError(f"there are {sentences} sentences and {len(lines)} lines of {name} translations")
    table = _engine.MetricTable()
    wanted = table.texts(list(references), "none")
    bleu = _engine.Metric.bleu([wanted], order=4, smoothing="none", value=None, effective_order=False, plus_one=True)
    ter = _engine.Metric.ter([wanted])
    scores: dict[str, tuple[NDArray[np.float64], float]] = {}
    for name, lines in (("baseline", baseline), ("oracle", oracle)):
        if lines is None:
            continue
        texts = table.texts(list(lines), "none")
        for label, metric in (("BLEU+1", bleu), ("TER", ter)):
            counts = metric.stats(texts)
            scores[f"{name} {label}"] = (metric.sentence_scores(counts) / 100, metric.score(counts.sum(axis=0)))
    found = {"BLEU+1": scores["baseline BLEU+1"][0], "TER": scores["baseline TER"][0]}
    if oracle is None:
        return found, None
    found["gap of BLEU+1"] = scores["oracle BLEU+1"][0] - scores["baseline BLEU+1"][0]
    found["gap of TER"] = scores["baseline TER"][0] - scores["oracle TER"][0]
    gap = OracleGap(
        scores["baseline BLEU+1"][1], scores["oracle BLEU+1"][1], scores["baseline TER"][1], scores["oracle TER"][1]
    )
    return found, gap
