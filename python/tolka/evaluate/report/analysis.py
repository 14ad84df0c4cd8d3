"""What a comparison of systems shows: figures, buckets, n-grams and sentences."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from tolka._engine import MetricTable
from tolka.errors import InputError, SettingsError
from tolka.evaluate.evaluation import DEFAULT_METRICS, check_lengths, reference_texts
from tolka.evaluate.metrics import metric_named
from tolka.evaluate.significance import (
    BOOTSTRAP_ROUNDS,
    SEED,
    approximate_randomisation,
    bootstrap_interval,
)
from tolka.evaluate.statistics import collect_statistics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tolka.evaluate.metrics import Metric
    from tolka.evaluate.significance import Comparison, Interval
    from tolka.evaluate.statistics import Statistics

MOST_SYSTEMS = 8
# Upper ends of buckets, the last one open.
LENGTHS = (10, 20, 30, 40, 50)
FREQUENCIES = (1, 2, 3, 5, 10, 100, 1000)
LONGEST_NGRAM = 4
NGRAMS_SHOWN = 12
EXAMPLES_SHOWN = 100


@dataclass(frozen=True)
class Figure:
    """One metric's scores of all systems: with intervals, and a test of each pair (second against first)."""

    name: str
    signature: str
    higher_is_better: bool
    scores: tuple[float, ...]
    intervals: tuple[Interval, ...]
    pairs: Mapping[tuple[int, int], Comparison]


@dataclass(frozen=True)
class Bucket:
    """A part of the text or of its words, and each system's value on it."""

    label: str
    size: int
    values: tuple[float, ...]


@dataclass(frozen=True)
class Ngram:
    """Words of the reference, and how often the first system and another found them."""

    words: tuple[str, ...]
    first: int
    other: int


@dataclass(frozen=True)
class Example:
    """A sentence and what the systems made of it, with their scores."""

    line: int
    source: str | None
    references: tuple[str, ...]
    outputs: tuple[str, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True)
class Comparisons:
    """A comparison of systems.

    Attributes:
        systems: Their names.
        sentences: Lines compared.
        references: References of each line.
        figures: One per metric.
        lengths: The first metric by words in the reference.
        frequencies: F1 of words by how often they occur.
        frequencies_of: What the occurrences were counted in.
        ngrams: Per system after the first, the n-grams it won and those it lost against the first.
        examples: Sentences on which the systems differ most.
        segment_metric: What scores the sentences.
        segments_higher: Whether a higher score of a sentence is better.
    """

    systems: tuple[str, ...]
    sentences: int
    references: int
    figures: tuple[Figure, ...]
    lengths: tuple[Bucket, ...]
    frequencies: tuple[Bucket, ...]
    frequencies_of: str
    ngrams: tuple[tuple[tuple[Ngram, ...], tuple[Ngram, ...]], ...]
    examples: tuple[Example, ...]
    segment_metric: str
    segments_higher: bool


def compare(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[str] | Sequence[Sequence[str]],
    metrics: Sequence[str | Metric] = DEFAULT_METRICS,
    *,
    source: Sequence[str] | None = None,
    training: Sequence[str] | None = None,
    tokenised: bool = False,
    tokeniser: str | None = None,
    lowercase: bool = False,
    rounds: int = BOOTSTRAP_ROUNDS,
    seed: int = SEED,
    threads: int = 0,
) -> Comparisons:
    """Compare the outputs of two systems or more.

    Args:
        systems: Names and outputs; the first is what the others are compared with.
        references: As for `evaluate`.
        metrics: As for `evaluate`.
        source: The text that was translated, to show with the examples.
        training: Text of the target language in which words are counted for the buckets of frequency; the reference
            if not given.
        tokenised: As for `evaluate`.
        tokeniser: As for `evaluate`; words of the buckets are those of 13a, or of tokenised text.
        lowercase: As for `evaluate`.
        rounds: Resamples for the intervals; the tests have ten times as many shuffles.
        seed: Of the resamples.
        threads: 0 means all cores.

    Example:
        >>> found = compare({"a": ["the cat sat"], "b": ["a cat sat"]}, ["the cat sat"])
        >>> [round(score) for score in found.figures[1].scores]
        [100, 54]
        >>> found.ngrams[0][1][0].words
        ('the', 'cat', 'sat')
    """
    names, outputs = tuple(systems), [list(lines) for lines in systems.values()]
    if len(names) not in range(2, MOST_SYSTEMS + 1):
        raise SettingsError(f"{len(names)} outputs cannot be compared", hint=f"give 2 to {MOST_SYSTEMS} of them")
    texts = reference_texts(references)
    check_lengths(outputs, texts, names)
    if source is not None and len(source) != len(outputs[0]):
        raise InputError(
            f"the source has {len(source)} lines and {names[0]} has {len(outputs[0])}",
            hint="line i of each must be the same sentence",
        )
    if not metrics:
        raise SettingsError("no metric is asked for", hint="name at least one, such as bleu")
    chosen = [
        metric_named(metric, tokenised=tokenised, tokeniser=tokeniser, lowercase=lowercase)
        if isinstance(metric, str)
        else metric
        for metric in metrics
    ]
    counted = [collect_statistics(metric, outputs, texts, threads=threads) for metric in chosen]
    table = MetricTable()
    cut = "none" if tokenised else "13a"
    words = [_words(table, lines, cut, lowercase) for lines in [*outputs, texts[0]]]
    known = words[-1] if training is None else _words(table, list(training), cut, lowercase)
    vocabulary = table.tokens()
    of_segments = next((one for one in counted if one[0].metric.name == "chrf"), counted[0])
    return Comparisons(
        systems=names,
        sentences=len(outputs[0]),
        references=len(texts),
        figures=tuple(_figure(one, len(texts), rounds, seed, threads) for one in counted),
        lengths=_by_length(counted[0], words[-1]),
        frequencies=_by_frequency(words[:-1], words[-1], known, len(vocabulary)),
        frequencies_of="the reference" if training is None else "the training text",
        ngrams=tuple(_ngrams(words[0], other, words[-1], vocabulary) for other in words[1:-1]),
        examples=_examples(of_segments, outputs, texts, source),
        segment_metric=of_segments[0].metric.label,
        segments_higher=of_segments[0].native.higher_is_better,
    )


def _words(table: MetricTable, lines: list[str], tokeniser: str, lowercase: bool) -> list[NDArray[np.uint32]]:
    ids, ends = table.texts([line.lower() for line in lines] if lowercase else lines, tokeniser).arrays()
    return np.split(ids, ends[:-1].astype(np.int64))


def _figure(systems: list[Statistics], references: int, rounds: int, seed: int, threads: int) -> Figure:
    pairs = {
        (i, j): approximate_randomisation(systems[j], systems[i], rounds=10 * rounds, seed=seed, threads=threads)
        for i, j in combinations(range(len(systems)), 2)
    }
    metric = systems[0].metric
    return Figure(
        metric.label,
        metric.signature(references, rounds, seed),
        systems[0].native.higher_is_better,
        tuple(one.score for one in systems),
        tuple(bootstrap_interval(one, rounds=rounds, seed=seed, threads=threads) for one in systems),
        pairs,
    )


def _labels(ends: Sequence[int], first: int) -> list[str]:
    labels = []
    for end in ends:
        labels.append(str(first) if end - first == 1 else f"{first}-{end - 1}")
        first = end
    return [*labels, f"{first}+"]


def _by_length(systems: list[Statistics], reference: list[NDArray[np.uint32]]) -> tuple[Bucket, ...]:
    lengths = np.array([len(words) for words in reference])
    at = np.searchsorted(LENGTHS, lengths, side="right")
    found = []
    for number, label in enumerate(_labels(LENGTHS, 0)):
        here = at == number
        if here.any():
            values = tuple(one.native.score(one.rows[here].sum(axis=0)) for one in systems)
            found.append(Bucket(label, int(here.sum()), values))
    return tuple(found)


def _by_frequency(
    systems: list[list[NDArray[np.uint32]]],
    reference: list[NDArray[np.uint32]],
    training: list[NDArray[np.uint32]],
    vocabulary: int,
) -> tuple[Bucket, ...]:
    seen = np.bincount(np.concatenate(training), minlength=vocabulary)
    at = np.searchsorted(FREQUENCIES, seen, side="right")
    labels = _labels(FREQUENCIES, 0)
    wanted = np.bincount(at[np.concatenate(reference)], minlength=len(labels))
    values = []
    for lines in systems:
        given = np.bincount(at[np.concatenate(lines)], minlength=len(labels))
        right = np.zeros(len(labels))
        for words, others in zip(lines, reference, strict=True):
            for word, count in (Counter(words.tolist()) & Counter(others.tolist())).items():
                right[at[word]] += count
        # F1 is twice the words found over the words on both sides.
        values.append(100 * 2 * right / np.maximum(given + wanted, 1))
    return tuple(
        Bucket(label, int(wanted[number]), tuple(float(one[number]) for one in values))
        for number, label in enumerate(labels)
        if wanted[number]
    )


def _ngrams(
    first: list[NDArray[np.uint32]],
    other: list[NDArray[np.uint32]],
    reference: list[NDArray[np.uint32]],
    vocabulary: list[str],
) -> tuple[tuple[Ngram, ...], tuple[Ngram, ...]]:
    counts: tuple[Counter[tuple[int, ...]], Counter[tuple[int, ...]]] = (Counter(), Counter())
    for one, two, wanted in zip(first, other, reference, strict=True):
        there = _grams(wanted)
        for found, words in zip(counts, (one, two), strict=True):
            found.update(_grams(words) & there)

    def apart(ngram: tuple[int, ...]) -> int:
        return counts[1][ngram] - counts[0][ngram]

    # Largest difference first, then longer ones, then by spelling, so that the order never depends on ids.
    listed = sorted(
        (ngram for ngram in counts[0] | counts[1] if apart(ngram)),
        key=lambda ngram: (-abs(apart(ngram)), -len(ngram), [vocabulary[word] for word in ngram]),
    )

    def named(ngram: tuple[int, ...]) -> Ngram:
        return Ngram(tuple(vocabulary[word] for word in ngram), counts[0][ngram], counts[1][ngram])

    won = [named(ngram) for ngram in listed if apart(ngram) > 0]
    lost = [named(ngram) for ngram in listed if apart(ngram) < 0]
    return tuple(won[:NGRAMS_SHOWN]), tuple(lost[:NGRAMS_SHOWN])


def _grams(words: NDArray[np.uint32]) -> Counter[tuple[int, ...]]:
    listed = words.tolist()
    return Counter(
        tuple(listed[at : at + length])
        for length in range(1, LONGEST_NGRAM + 1)
        for at in range(len(listed) - length + 1)
    )


def _examples(
    systems: list[Statistics], outputs: list[list[str]], references: list[list[str]], source: Sequence[str] | None
) -> tuple[Example, ...]:
    scores = np.stack([one.segments for one in systems], axis=1)
    spread = scores.max(axis=1) - scores.min(axis=1)
    # Where outputs are the same there is nothing to see.
    order = [at for at in np.argsort(-spread, kind="stable").tolist() if spread[at] > 0][:EXAMPLES_SHOWN]
    return tuple(
        Example(
            line=at + 1,
            source=None if source is None else source[at],
            references=tuple(lines[at] for lines in references),
            outputs=tuple(lines[at] for lines in outputs),
            scores=tuple(scores[at].tolist()),
        )
        for at in order
    )
