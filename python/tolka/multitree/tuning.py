"""Choosing weights, or the penalty of classifiers (Galron 2012, section 4.5.5.1), by how well they translate.

Nothing is trained again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tolka import _engine
from tolka.errors import InputError, SettingsError
from tolka.multitree.record import PenaltyTuning
from tolka.multitree.settings import path_of
from tolka.progress import SILENT
from tolka.tune import Tuner, tune_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tolka.multitree.translator import MultitreeTranslator
    from tolka.progress import Progress
    from tolka.syntax import Constituent
    from tolka.tune import Hypothesis, TuneResult

    Score = Callable[[list[str], list[str]], float]

GTM = "gtm"


def pooled_f(translations: list[str], references: list[str]) -> float:
    """F of the General Text Matcher with exponent 2 over all sentences, in percent.

    Example:
        >>> pooled_f(["la maison rouge", "la porte"], ["la maison rouge", "la porte"])
        100.0
    """
    table = _engine.MetricTable()
    metric = _engine.Metric.gtm([table.texts(references, "none")], exponent=2.0)
    rows = metric.stats(table.texts(translations, "none"))
    return float(metric.score(np.asarray(rows).sum(axis=0)))


def check_tuning_set(
    sentences: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    trees: Sequence[Constituent | None] | None = None,
) -> None:
    """Refuse sets without a reference or, if there are trees, a tree for each sentence, or without any sentence."""
    if len(sentences) != len(references):
        raise InputError(
            f"there are {len(references)} references for {len(sentences)} sentences", hint="give one for each"
        )
    if trees is not None and len(sentences) != len(trees):
        raise InputError(f"there are {len(trees)} trees for {len(sentences)} sentences", hint="give one for each")
    if not any(sentences):
        raise InputError("there is no sentence to tune on", hint="name a tuning set, or leave tuning out")


def tune_weights(
    translator: MultitreeTranslator,
    sentences: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    trees: Sequence[Constituent | None] | None = None,
    *,
    tuner: Tuner | None = None,
    most: int = 100,
    iterations: int = 10,
    progress: Progress = SILENT,
) -> TuneResult:
    """Find weights of statistics; see `MultitreeTranslator.tune_weights`."""
    check_tuning_set(sentences, references)
    start = translator.settings.weights
    if start is None:
        raise SettingsError("nothing is weighed that could be tuned", hint="call searching(weights=STATISTICS) first")

    def decode(weights: Mapping[str, float]) -> list[list[Hypothesis]]:
        found = translator.searching(weights=dict(weights)).proposals(sentences, trees, most=most)
        # What nobody weighs is not tuned either.
        return [[replace(one, features={name: one.features[name] for name in start}) for one in ones] for ones in found]

    wanted = [" ".join(words) for words in references]
    try:
        return tune_loop(decode, wanted, tuner or Tuner("pro"), start, iterations=iterations, progress=progress)
    finally:
        translator.searching(weights=start)


def tune_penalty(
    translator: MultitreeTranslator,
    sentences: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    trees: Sequence[Constituent | None] | None = None,
    *,
    score: Score = pooled_f,
    metric: str = GTM,
    progress: Progress = SILENT,
) -> PenaltyTuning:
    """Translate a tuning set with each penalty of the path; see `MultitreeTranslator.tune`."""
    check_tuning_set(sentences, references)
    if not translator.settings.epochs:
        raise SettingsError("there are no classifiers whose penalty could be chosen", hint="call tune_weights instead")
    wanted = [" ".join(words) for words in references]
    path = path_of(translator.settings.least)
    before, curve = translator.settings.penalty, []
    try:
        with progress.task("tuning the penalty", total=len(path) * len(sentences), unit="sentences") as advance:
            for penalty in path:
                found = translator.with_penalty(penalty).translate(sentences, trees)
                curve.append((penalty, score([str(one) for one in found], wanted)))
                advance(len(sentences))
    finally:
        translator.with_penalty(before)
    # Of equals the largest penalty, which has the fewest trees.
    best = max(curve, key=lambda one: one[1])
    return PenaltyTuning(metric, best[0], best[1], tuple(curve))
