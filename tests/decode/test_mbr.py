"""Expected gains against sums over all derivations, or over all pairs of candidates."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.forest import naive

from tolka.decode import Candidate, Decoder
from tolka.decode.mbr import consensus_forest, mbr_forest, mbr_nbest, mbr_translate
from tolka.errors import InputError, SettingsError
from tolka.forest import Forest
from tolka.grammar import Extractor
from tolka.lm import LanguageModelTrainer

if TYPE_CHECKING:
    from pathlib import Path


def _counts(words: list[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[at : at + n]) for n in range(1, order + 1) for at in range(len(words) - n + 1))


def _likely(data: dict[str, Any], scale: float) -> list[tuple[list[str], float]]:
    assume(Forest.from_dict(data).inside("count")[-1] <= 300)
    return [(naive.words(data, tree), probability) for tree, probability in naive.probabilities(data, scale)]


@given(naive.forests(), st.integers(1, 4), st.sampled_from([0.5, 1.0]))
@settings(deadline=None)
def test_ngrams_are_counted_as_in_all_derivations(data: dict[str, Any], order: int, scale: float) -> None:
    counts, posteriors, length = Counter[tuple[str, ...]](), Counter[tuple[str, ...]](), 0.0
    for words, probability in _likely(data, scale):
        length += probability * len(words)
        for ngram, count in _counts(words, order).items():
            counts[ngram] += probability * count
            posteriors[ngram] += probability
    found = Forest.from_dict(data).ngrams(order, scale=scale)
    assert len(set(found.ngrams)) == len(found.ngrams)
    # Nodes that the goal does not reach have n-grams, too; they are never expected.
    assert set(counts) <= set(found.ngrams)
    assert found.length == pytest.approx(length)
    assert found.counts == pytest.approx([counts[ngram] for ngram in found.ngrams], abs=1e-9)
    assert found.posteriors == pytest.approx([posteriors[ngram] for ngram in found.ngrams], abs=1e-9)


@given(naive.forests(), st.integers(1, 4), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_best_derivation_is_worth_most(data: dict[str, Any], order: int, random: Any) -> None:
    likely = _likely(data, 1.0)
    found = Forest.from_dict(data).ngrams(order)
    gains = np.array([random.uniform(-1, 2) for _ in found.ngrams])
    worth = dict(zip(found.ngrams, gains.tolist(), strict=True))

    def value(words: list[str]) -> float:
        return -0.5 * len(words) + sum(worth[ngram] * count for ngram, count in _counts(words, order).items())

    best = found.best(gains, word_gain=-0.5)
    assert best is not None
    assert value(list(best.target)) == pytest.approx(max(value(words) for words, _ in likely))


@given(naive.forests())
@settings(deadline=None)
def test_forest_mbr_is_linear_bleu(data: dict[str, Any]) -> None:
    likely = _likely(data, 0.5)
    posteriors = Counter[tuple[str, ...]]()
    for words, probability in likely:
        for ngram in _counts(words, 4):
            posteriors[ngram] += probability

    def gain(words: list[str]) -> float:
        return -len(words) + sum(
            count * posteriors[ngram] / (4 * 0.85 * 0.72 ** (len(ngram) - 1))
            for ngram, count in _counts(words, 4).items()
        )

    best = mbr_forest(Forest.from_dict(data), prune=0.0)
    assert best is not None
    assert gain(list(best.target)) == pytest.approx(max(gain(words) for words, _ in likely))


@given(naive.forests())
@settings(deadline=None)
def test_consensus_is_bleu_against_expected_counts(data: dict[str, Any]) -> None:
    likely = _likely(data, 0.5)
    expected = Counter[tuple[str, ...]]()
    length = 0.0
    for words, probability in likely:
        length += probability * len(words)
        for ngram, count in _counts(words, 4).items():
            expected[ngram] += probability * count

    def bleu(words: list[str]) -> float:
        product = 1.0
        for n in range(1, 5):
            own = {ngram: count for ngram, count in _counts(words, 4).items() if len(ngram) == n}
            matches = sum(min(count, expected[ngram]) for ngram, count in own.items())
            plus = int(n > 1)
            product *= (matches + plus) / (sum(own.values()) + plus)
        return product**0.25 * min(1.0, math.exp(1 - length / len(words)))

    best = consensus_forest(Forest.from_dict(data), k=500, prune=0.0)
    assert best is not None
    assert bleu(list(best.target)) == pytest.approx(max(bleu(words) for words, _ in likely if words))


_texts = st.lists(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=5, unique=True
)


@given(_texts, st.sampled_from([0.0, 0.5, 2.0]), st.sampled_from(["bleu", "chrf"]))
@settings(deadline=None, max_examples=40)
def test_lists_are_ranked_by_sums_over_pairs(texts: list[str], scale: float, gain: Any) -> None:
    candidates = [Candidate(text, -len(text) / 3, {}) for text in texts]
    weights = [math.exp(scale * candidate.score) for candidate in candidates]
    ranked = mbr_nbest(candidates, gain=gain, scale=scale)
    assert {one.candidate.text for one in ranked} == set(texts)
    for one in ranked:
        scores = [_sentence(one.candidate.text, other, gain) for other in texts]
        expected = sum(score * weight for score, weight in zip(scores, weights, strict=True)) / sum(weights)
        assert one.gain == pytest.approx(expected)
    assert [one.gain for one in ranked] == pytest.approx(sorted((one.gain for one in ranked), reverse=True))


def _sentence(hypothesis: str, reference: str, gain: str) -> float:
    if gain == "chrf":
        from sacrebleu import sentence_chrf  # noqa: PLC0415 - the peer

        return float(sentence_chrf(hypothesis, [reference]).score)
    words, wanted = hypothesis.split(), reference.split()
    product, orders = 1.0, 0
    for n in range(1, 5):
        own = Counter(tuple(words[at : at + n]) for at in range(len(words) - n + 1))
        theirs = Counter(tuple(wanted[at : at + n]) for at in range(len(wanted) - n + 1))
        plus = int(n > 1)
        product *= ((own & theirs).total() + plus) / (own.total() + plus)
        orders += 1
    return 100 * product ** (1 / orders) * min(1.0, math.exp(1 - len(wanted) / len(words)))


def test_nothing_comes_of_nothing() -> None:
    empty = Forest.from_dict({"categories": [], "rules": [], "nodes": [], "edges": []})
    assert mbr_forest(empty) is None
    assert consensus_forest(empty) is None
    assert mbr_nbest([]) == []
    assert mbr_nbest([Candidate("", 0.0, {})])[0].candidate.text == ""


def test_what_makes_no_sense_is_refused() -> None:
    forest = Forest.from_dict({"categories": [], "rules": [], "nodes": [], "edges": []})
    with pytest.raises(SettingsError, match="n-grams of 9 words"):
        forest.ngrams(9)
    with pytest.raises(InputError, match="3 gains for 0 n-grams"):
        forest.ngrams(2).best(np.zeros(3))
    with pytest.raises(SettingsError, match="larger than 0"):
        mbr_forest(forest, ratio=0.0)
    with pytest.raises(SettingsError, match="unknown gain"):
        mbr_nbest([Candidate("a", 0.0, {})], gain="ter")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="finite"):
        mbr_nbest([Candidate("a", 0.0, {})], scale=math.nan)
    with pytest.raises(SettingsError, match="too many"):
        mbr_nbest([Candidate("a", 0.0, {})] * 2001)


SOURCE = ["das haus ist klein", "das kleine haus", "ein haus", "das ist ein kleines haus", "ist das klein"]
TARGET = ["the house is small", "the small house", "a house", "this is a small house", "is this small"]
LINKS = ["0-0 1-1 2-2 3-3", "0-0 1-1 2-2", "0-0 1-1", "0-0 1-1 2-2 3-3 4-4", "0-0 1-1 2-2"]


@pytest.mark.parametrize(("rules", "kind"), [("hiero", "chart"), ("phrase", "phrase")])
@pytest.mark.parametrize("method", ["nbest", "forest", "consensus"])
def test_decoders_translate_by_consensus(tmp_path: Path, rules: Any, kind: Any, method: Any) -> None:
    lm = LanguageModelTrainer(order=3, smoothing="witten-bell").train(TARGET)
    decoder = Decoder(Extractor(rules).extract(SOURCE, TARGET, LINKS, tmp_path / "g.tbl"), lm, kind=kind)
    found = mbr_translate(decoder, [*SOURCE, "", "das xyzzy"], method, scale=2.0)
    assert found[1:3] == TARGET[1:3]
    assert found[5] == ""
    assert "xyzzy" in found[6]
    with pytest.raises(SettingsError, match="unknown method"):
        mbr_translate(decoder, SOURCE, "vote")  # type: ignore[arg-type]
