"""Minimum Bayes risk and consensus: the translation that agrees best with all others, each as much as it is likely.

The best-scored translation need not be the one that is most like the other good ones. Here the gain of a translation is
expected over the candidates of an n-best list (Kumar & Byrne 2004), or over all derivations of a forest, whose n-grams
decide (Tromble et al. 2008; DeNero et al. 2009).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tolka import _engine
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tolka.decode.decoder import Candidate, Decoder
    from tolka.decode.sentence import Input
    from tolka.forest import Derivation, Forest

Gain = Literal["bleu", "chrf"]
"""What two translations have in common: BLEU of a sentence, with one added to its counts, or chrF."""

Method = Literal["nbest", "forest", "consensus"]
"""Choose from an n-best list by its expected gain, from a forest by its n-grams' posteriors, or from a forest's best
translations by their BLEU against its expected n-gram counts."""

METHODS: tuple[Method, ...] = ("nbest", "forest", "consensus")
_MOST_CANDIDATES = 2000
_ORDER = 4
_FORESTS_AT_ONCE = 64


@dataclass(frozen=True)
class Ranked:
    """A candidate with what it is expected to gain.

    Attributes:
        candidate: The candidate.
        gain: The expected gain, from 0 to 100.
        posterior: How likely the candidate itself is.
    """

    candidate: Candidate
    gain: float
    posterior: float


def mbr_nbest(candidates: Sequence[Candidate], *, gain: Gain = "bleu", scale: float = 1.0) -> list[Ranked]:
    """Rank an n-best list by expected gain.

    Args:
        candidates: The list.
        gain: What two translations have in common.
        scale: What scores are multiplied by before they become probabilities; lower makes them flatter.

    Returns:
        The candidates by expected gain, the largest first; ties as they were.

    Raises:
        SettingsError: An unknown gain, a scale that is not finite, or too many candidates.

    Example:
        >>> from tolka.decode import Candidate
        >>> from tolka.decode.mbr import mbr_nbest
        >>> texts = ["a small home", "the little house", "the little house is", "the little house was"]
        >>> listed = [Candidate(text, -at / 10, {}) for at, text in enumerate(texts)]
        >>> mbr_nbest(listed)[0].candidate.text
        'the little house'
    """
    import numpy as np  # noqa: PLC0415 - NumPy waits until arrays are made

    if not candidates:
        return []
    if len(candidates) > _MOST_CANDIDATES:
        hint = f"give at most {_MOST_CANDIDATES}: every pair is compared"
        raise SettingsError(f"{len(candidates)} candidates are too many to compare", hint=hint)
    posteriors = _posteriors(np.array([candidate.score for candidate in candidates]), scale)
    expected = _gains([candidate.text for candidate in candidates], gain) @ posteriors
    order = np.argsort(-expected.round(9), kind="stable")
    return [Ranked(candidates[at], float(expected[at]), float(posteriors[at])) for at in order]


def _posteriors(scores: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415 - NumPy waits until arrays are made

    if not math.isfinite(scale):
        raise SettingsError(f"a scale of {scale} is not a finite number")
    weights: NDArray[np.float64] = np.exp(scale * (scores - scores.max() if scale > 0 else scores - scores.min()))
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares


def _gains(texts: list[str], gain: Gain) -> NDArray[np.float64]:
    """For each text a row: how much of it each text has, that one being the reference."""
    import numpy as np  # noqa: PLC0415 - NumPy waits until arrays are made

    table = _engine.MetricTable()
    prepared = table.texts(texts, "none")
    if gain == "bleu":
        metric = _engine.Metric.bleu(
            [prepared], order=_ORDER, smoothing="exp", value=None, effective_order=True, plus_one=True
        )
    elif gain == "chrf":
        metric = _engine.Metric.chrf([prepared], table, characters=6, words=0, beta=2)
    else:
        raise SettingsError(f"unknown gain {gain!r}", hint="use bleu or chrf")
    count = len(texts)
    references = np.arange(count, dtype="uint32")
    rows = np.empty((count, count))
    for at in range(count):
        ids, ends = prepared.arrays()
        begin, end = int(ends[at - 1]) if at else 0, int(ends[at])
        own = ids[begin:end]
        alike = _engine.MetricTexts.from_arrays(
            np.tile(own, count), np.arange(1, count + 1, dtype="uint64") * np.uint64(len(own))
        )
        rows[at] = metric.sentence_scores(metric.stats(alike, references, threads=1))
    return rows


def mbr_forest(
    forest: Forest,
    *,
    scale: float = 0.5,
    order: int = _ORDER,
    precision: float = 0.85,
    ratio: float = 0.72,
    prune: float = 0.001,
) -> Derivation | None:
    """The derivation with the largest expected gain by the linear approximation of corpus BLEU.

    A word is worth -1, and an n-gram its probability of being in the translation at all, times
    `1 / (order * precision * ratio ** (n - 1))` (Tromble et al. 2008, section 4.1).

    Args:
        forest: What a decoder found.
        scale: What scores are multiplied by before they become probabilities.
        order: The longest n-grams.
        precision: The expected precision of single words.
        ratio: How much of it is left for each word more.
        prune: Edges with a lower posterior are left out first; 0 keeps all.

    Returns:
        The derivation, or `None` if the forest has none.
    """
    if not (precision > 0 and ratio > 0):
        raise SettingsError("precision and ratio must be larger than 0")
    import numpy as np  # noqa: PLC0415 - NumPy waits until arrays are made

    kept = forest.pruned(posterior=prune, scale=scale) if prune else forest
    found = kept.ngrams(order, scale=scale)
    lengths = np.array([len(ngram) for ngram in found.ngrams], dtype="float64")
    worth = found.posteriors / (order * precision * ratio ** (lengths - 1))
    return found.best(worth, word_gain=-1.0)


def consensus_forest(
    forest: Forest, *, k: int = 200, scale: float = 0.5, order: int = _ORDER, prune: float = 0.001
) -> Derivation | None:
    """The one of the best translations that has the highest BLEU against the forest's expected n-gram counts.

    The counts stand for a reference (DeNero et al. 2009): a translation matches an n-gram as often as it has it, at most as
    often as it is expected.

    Args:
        forest: What a decoder found.
        k: How many different translations to choose from.
        scale: What scores are multiplied by before they become probabilities.
        order: The longest n-grams.
        prune: Edges with a lower posterior do not count; 0 counts all.

    Returns:
        The derivation, or `None` if the forest has none.
    """
    kept = forest.pruned(posterior=prune, scale=scale) if prune else forest
    found = kept.ngrams(order, scale=scale)
    expected = dict(zip(found.ngrams, found.counts.tolist(), strict=True))
    best, best_gain = None, -math.inf
    for derivation in forest.kbest(k, unique=True):
        gain = _expected_bleu(derivation.target, expected, found.length, order)
        if gain > best_gain + 1e-12:
            best, best_gain = derivation, gain
    return best


def _expected_bleu(words: tuple[str, ...], expected: dict[tuple[str, ...], float], length: float, order: int) -> float:
    """BLEU of a sentence, with one added to counts beyond single words (Lin & Och 2004)."""
    total = 0.0
    for n in range(1, order + 1):
        counts = Counter(words[at : at + n] for at in range(len(words) - n + 1))
        matches = sum(min(count, expected.get(ngram, 0.0)) for ngram, count in counts.items())
        added = 0 if n == 1 else 1
        shown = max(len(words) - n + 1, 0) + added
        if not shown or matches + added <= 0:
            return 0.0
        total += math.log((matches + added) / shown) / order
    return math.exp(total + min(0.0, 1 - length / len(words)))


def mbr_translate(
    decoder: Decoder,
    sentences: Sequence[Input],
    method: Method = "nbest",
    *,
    count: int = 100,
    gain: Gain = "bleu",
    scale: float = 0.5,
    threads: int = 0,
) -> list[str]:
    """Translate with a decoder, choosing by expected gain.

    Args:
        decoder: What searches.
        sentences: With spaces between tokens.
        method: See `Method`.
        count: Candidates of each n-best list (`nbest`, `consensus`).
        gain: What two translations have in common (`nbest`).
        scale: What scores are multiplied by before they become probabilities.
        threads: How many; 0 for one per core.
    """
    if method not in METHODS:
        raise SettingsError(f"unknown method {method!r}", hint=f"use {', '.join(METHODS)}")
    if method == "nbest":
        lists = decoder.nbest(sentences, count, threads=threads)
        return [mbr_nbest(listed, gain=gain, scale=scale)[0].candidate.text for listed in lists]
    texts = []
    # Forests are large: a few sentences at a time.
    for begin in range(0, len(sentences), _FORESTS_AT_ONCE):
        for forest in decoder.forest(sentences[begin : begin + _FORESTS_AT_ONCE], threads=threads):
            if method == "forest":
                found = mbr_forest(forest, scale=scale)
            else:
                found = consensus_forest(forest, k=count, scale=scale)
            texts.append(found.text if found else "")
    return texts
