"""Scoring a text against references."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from tolka.errors import InputError, SettingsError
from tolka.evaluate.metrics import Bleu, Chrf, Ter, metric_named
from tolka.evaluate.significance import (
    BOOTSTRAP_ROUNDS,
    SEED,
    approximate_randomisation,
    bootstrap_interval,
    p_text,
    paired_bootstrap,
    sign_test,
    wilcoxon,
)
from tolka.evaluate.statistics import collect_statistics
from tolka.page import table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.evaluate.metrics import Metric
    from tolka.evaluate.significance import Comparison, Interval

DEFAULT_METRICS = ("bleu", "chrf", "ter")


@dataclass(frozen=True)
class Score:
    """What one metric says.

    Attributes:
        metric: The name that was asked for: bleu, chrf++, …
        name: The metric's name in tables: BLEU, chrF2++, …
        score: The score of the whole text.
        signature: Everything it depends on; sacrebleu's own for the metrics that sacrebleu has.
        higher_is_better: Error rates say no.
        details: What else the metric counted.
        segments: The score of each line.
        interval: Where 95 % of resampled texts score, if it was asked for.
        baseline: The baseline's score, if there is one.
        tests: How the system compares with the baseline.
    """

    metric: str
    name: str
    score: float
    signature: str
    higher_is_better: bool
    details: Mapping[str, Any]
    segments: tuple[float, ...] = field(repr=False)
    interval: Interval | None = None
    baseline: float | None = None
    tests: tuple[Comparison, ...] = ()


@dataclass(frozen=True)
class Evaluation:
    """The scores of a text.

    Attributes:
        scores: One per metric, in the order asked for.
        sentences: Lines scored.
        references: References of each.
    """

    scores: tuple[Score, ...]
    sentences: int
    references: int

    def _repr_html_(self) -> str:
        """Notebooks show scores as a table."""
        rows = [
            [
                f"{one.name} {'↑' if one.higher_is_better else '↓'}",
                f"{one.score:.2f}",
                "" if one.interval is None else f"{one.interval.low:.2f} to {one.interval.high:.2f}",
                "" if one.baseline is None else f"{one.baseline:.2f}",
                escape(", ".join(f"{test.test} {p_text(test.p)}" for test in one.tests)),
                f"<code>{escape(one.signature)}</code>",
            ]
            for one in self.scores
        ]
        heads = ["metric", "score", "95 %", "baseline", "tests", "signature"]
        known = [at for at in range(len(heads)) if any(row[at] for row in rows)]
        return table("Scores", [heads[at] for at in known], [[row[at] for at in known] for row in rows])

    def __getitem__(self, metric: str) -> Score:
        for score in self.scores:
            if metric in {score.metric, score.name}:
                return score
        raise KeyError(metric)


def bleu(hypotheses: Sequence[str], references: Sequence[str] | Sequence[Sequence[str]], **settings: Any) -> float:
    """BLEU of a text in per cent, as sacrebleu computes it (Papineni et al. 2002; Post 2018).

    Args:
        hypotheses: The output, a line each.
        references: A reference for each line, or several such texts.
        **settings: Those of `Bleu`, such as `tokeniser`.

    Example:
        >>> round(bleu(["the cat sat on the mat"], ["the cat sat on a mat"]), 1)
        53.7
    """
    return _score(Bleu(**settings), hypotheses, references)


def chrf(hypotheses: Sequence[str], references: Sequence[str] | Sequence[Sequence[str]], **settings: Any) -> float:
    """The chrF of a text in per cent, as sacrebleu computes it (Popović 2015); see `bleu`.

    Example:
        >>> round(chrf(["the cat sat on the mat"], ["the cat sat on a mat"]), 1)
        72.1
    """
    return _score(Chrf(**settings), hypotheses, references)


def ter(hypotheses: Sequence[str], references: Sequence[str] | Sequence[Sequence[str]], **settings: Any) -> float:
    """The translation edit rate of a text in per cent, as sacrebleu computes it (Snover et al. 2006); see `bleu`.

    Example:
        >>> round(ter(["the cat sat on the mat"], ["the cat sat on a mat"]), 1)
        16.7
    """
    return _score(Ter(**settings), hypotheses, references)


def _score(metric: Metric, hypotheses: Sequence[str], references: Sequence[str] | Sequence[Sequence[str]]) -> float:
    if isinstance(hypotheses, str):
        raise InputError("one string instead of a list of lines", hint="put it into a list")
    texts = reference_texts(references)
    check_lengths([hypotheses], texts)
    return collect_statistics(metric, [hypotheses], texts)[0].score


def evaluate(
    hypotheses: Sequence[str],
    references: Sequence[str] | Sequence[Sequence[str]],
    metrics: Sequence[str | Metric] = DEFAULT_METRICS,
    *,
    tokenised: bool = False,
    tokeniser: str | None = None,
    lowercase: bool = False,
    baseline: Sequence[str] | None = None,
    confidence: bool = False,
    rounds: int = BOOTSTRAP_ROUNDS,
    seed: int = SEED,
    threads: int = 0,
) -> Evaluation:
    """Score a text against one reference or several.

    Args:
        hypotheses: The output, a line each.
        references: A reference for each line, or several such texts.
        metrics: Names (bleu, chrf, chrf++, ter, nist, gtm, gtm1, wer, per) or settings such as `Bleu(tokeniser="intl")`.
        tokenised: The text is tokenised: words are what stands between white space. Applies to names.
        tokeniser: One of sacrebleu's, such as intl or zh, in place of 13a. Applies to names of metrics that have words.
        lowercase: Ignore case. Applies to names; TER ignores it anyway.
        baseline: Another output of the same text; the tests say whether the difference is chance.
        confidence: Give each score an interval.
        rounds: Resamples of the interval and of the paired bootstrap; randomisation has ten times as many.
        seed: Of the resamples.
        threads: 0 means all cores. The result does not depend on it.

    Raises:
        InputError: The texts differ in length, or have none.
        SettingsError: A metric or setting is unknown.

    Example:
        >>> found = evaluate(["the cat sat on the mat"], ["the cat sat on a mat"])
        >>> [(score.name, round(score.score, 1)) for score in found.scores]
        [('BLEU', 53.7), ('chrF2', 72.1), ('TER', 16.7)]
    """
    texts = reference_texts(references)
    systems = [hypotheses] if baseline is None else [hypotheses, baseline]
    check_lengths(systems, texts)
    if not metrics:
        raise SettingsError("no metric is asked for", hint="name at least one, such as bleu")
    scores = []
    for asked in metrics:
        metric = (
            metric_named(asked, tokenised=tokenised, tokeniser=tokeniser, lowercase=lowercase)
            if isinstance(asked, str)
            else asked
        )
        system, *others = collect_statistics(metric, systems, texts, threads=threads)
        interval = bootstrap_interval(system, rounds=rounds, seed=seed, threads=threads) if confidence else None
        tests: tuple[Comparison, ...] = ()
        if others:
            tests = (
                paired_bootstrap(system, others[0], rounds=rounds, seed=seed, threads=threads),
                approximate_randomisation(system, others[0], rounds=10 * rounds, seed=seed, threads=threads),
                sign_test(system, others[0]),
                wilcoxon(system, others[0]),
            )
        scores.append(
            Score(
                metric=asked if isinstance(asked, str) else metric.name,
                name=metric.label,
                score=system.score,
                signature=metric.signature(len(texts), *((rounds, seed) if confidence else ())),
                higher_is_better=system.native.higher_is_better,
                details=metric.details(system.rows.sum(axis=0)),
                segments=tuple(system.segments.tolist()),
                interval=interval,
                baseline=others[0].score if others else None,
                tests=tests,
            )
        )
    return Evaluation(tuple(scores), len(hypotheses), len(texts))


def reference_texts(references: Sequence[str] | Sequence[Sequence[str]]) -> list[list[str]]:
    """References as a list of texts; one text alone may be given as its lines.

    Example:
        >>> reference_texts(["a b", "c"])
        [['a b', 'c']]
    """
    if isinstance(references, str) or not references:
        raise InputError("there is no reference", hint="give a list of lines, or a list of such lists")
    if all(isinstance(text, str) for text in references):
        return [[str(line) for line in references]]
    if any(isinstance(text, str) for text in references):
        raise InputError("references mix lines and texts", hint="give a list of lines, or a list of such lists")
    return [list(text) for text in references]


def check_lengths(
    systems: Sequence[Sequence[str]], references: Sequence[Sequence[str]], names: Sequence[str] = ()
) -> None:
    """Refuse texts that cannot belong together; `names` are those of the systems, then of the references."""
    texts = [*systems, *references]
    called = [*names, *[f"text {number}" for number in range(len(names) + 1, len(texts) + 1)]]
    for name, text in zip(called, texts, strict=True):
        if isinstance(text, str):
            raise InputError(f"{name} is one string", hint="give a list of lines")
        if not text:
            raise InputError(f"{name} has no lines", hint="there is nothing to score")
        if len(text) != len(texts[0]):
            raise InputError(
                f"{called[0]} has {len(texts[0])} lines and {name} has {len(text)}",
                hint="line i of each must translate the same sentence",
            )
