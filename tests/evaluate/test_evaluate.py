"""`evaluate`: sacrebleu's numbers and signatures, the twins' numbers for the rest, and one sentence per mistake."""

import dataclasses

import metric_twin as twin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

import tolka
from tolka.errors import InputError, LimitError, SettingsError
from tolka.evaluate import METRICS, Bleu, Chrf, Gtm, Nist, Per, Ter, Wer, evaluate


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("many", [False, True])
def test_as_sacrebleu(corpus, lowercase, many):
    reference, second, good, _ = corpus
    references = [reference, second] if many else [reference]
    peers = {
        "bleu": BLEU(lowercase=lowercase),
        "chrf": CHRF(lowercase=lowercase),
        "chrf++": CHRF(word_order=2, lowercase=lowercase),
        "ter": TER(),
    }
    found = evaluate(good, references, list(peers), lowercase=lowercase)
    assert (found.sentences, found.references) == (len(good), len(references))
    for name, peer in peers.items():
        expected = peer.corpus_score(good, references)
        assert found[name].score == pytest.approx(expected.score, abs=1e-9)
        assert found[name].signature == str(peer.get_signature())
        assert found[name].name == expected.name
    assert found["bleu"].details["precisions"] == pytest.approx(peers["bleu"].corpus_score(good, references).precisions)


@pytest.mark.parametrize(
    ("metric", "peer"),
    [
        (
            Bleu(tokeniser="intl", smoothing="floor", value=0.3),
            BLEU(tokenize="intl", smooth_method="floor", smooth_value=0.3),
        ),
        (Bleu(tokeniser="zh", order=2), BLEU(tokenize="zh", max_ngram_order=2)),
        (Bleu(tokeniser="char", smoothing="add-k"), BLEU(tokenize="char", smooth_method="add-k")),
        (Chrf(characters=4, words=1, beta=3), CHRF(char_order=4, word_order=1, beta=3)),
        (
            Ter(normalised=True, asian=True, case_sensitive=True),
            TER(normalized=True, asian_support=True, case_sensitive=True),
        ),
        (Ter(punctuation=False), TER(no_punct=True)),
    ],
)
def test_settings(corpus, metric, peer):
    reference, _, good, _ = corpus
    [score] = evaluate(good, reference, [metric]).scores
    assert score.score == pytest.approx(peer.corpus_score(good, [reference]).score, abs=1e-9)
    assert score.signature == str(peer.get_signature())


def test_tokenised(corpus):
    reference, _, good, _ = corpus
    found = evaluate(good, reference, ["bleu", "gtm"], tokenised=True)
    assert found["bleu"].score == pytest.approx(BLEU(tokenize="none").corpus_score(good, [reference]).score)
    assert found["gtm"].signature == f"nrefs:1|case:mixed|tok:none|exponent:2.0|version:tolka-{tolka.__version__}"


WORDS = st.lists(st.sampled_from("abcde"), max_size=7)


@st.composite
def small(draw):
    size = draw(st.integers(1, 3))
    one = st.lists(WORDS, min_size=size, max_size=size)
    return draw(one), draw(st.lists(one, min_size=1, max_size=2))


@settings(max_examples=150, deadline=None)
@given(small(), st.sampled_from([1.0, 1.5, 2.0, 3.0]))
def test_twins(case, exponent):
    lines, references = case
    text, texts = [" ".join(line) for line in lines], [[" ".join(line) for line in one] for one in references]
    metrics = [
        Nist(tokeniser="none"),
        Gtm(tokeniser="none", exponent=exponent),
        Wer(tokeniser="none"),
        Per(tokeniser="none"),
    ]
    found = evaluate(text, texts, metrics)
    assert found["nist"].score == pytest.approx(twin.nist(lines, references), abs=1e-9)
    if len(references) == 1:
        sizes = [twin.greedy_matching(a, b, exponent) for a, b in zip(lines, references[0], strict=True)]
        length = sum(map(len, lines)) + sum(map(len, references[0]))
        assert found["gtm"].score == pytest.approx(100 * 2 * sum(sizes) / length if length else 0.0)
        wanted = sum(map(len, references[0]))
        for name, errors in (("wer", twin.levenshtein), ("per", twin.bag_errors)):
            counted = sum(errors(a, b) for a, b in zip(lines, references[0], strict=True))
            assert found[name].score == pytest.approx(100 * counted / wanted if wanted else 100.0 * bool(counted))
    else:
        assert all(0 <= score <= 100.0 + 1e-9 for score in found["gtm"].segments)


@settings(max_examples=100, deadline=None)
@given(WORDS, WORDS, st.sampled_from([1.0, 2.0]))
def test_greedy_matching_is_nearly_the_largest(a, b, exponent):
    exact, greedy = twin.largest_matching(a, b, exponent), twin.greedy_matching(a, b, exponent)
    if exponent == 1.0:
        assert greedy == pytest.approx(exact)
    assert 0.7 * exact - 1e-9 <= greedy <= exact + 1e-9


def test_gtm_by_hand():
    # Runs of 3 and 1 among 5 and 4 words: sqrt(10).
    [score] = evaluate(["a b c x d"], ["d a b c"], [Gtm()]).scores
    assert score.score == pytest.approx(100 * 2 * 10**0.5 / 9)
    assert score.details["precision"] == pytest.approx(100 * 10**0.5 / 5)


def test_precision_by_recall_is_the_same_for_all_exponents():
    # Only pooled lengths give that; so it is in all rows of tables 5.2 and 5.3 of Galron (2012).
    texts, wanted = ["a b c x d", "e f", "g"], ["d a b c", "f e h i j", "g k"]
    found = [evaluate(texts, wanted, [Gtm(exponent=exponent)]).scores[0].details for exponent in (1.0, 2.0)]
    assert [one["precision"] / one["recall"] for one in found] == pytest.approx([11 / 8] * 2)
    assert found[0]["precision"] == pytest.approx(100 * (4 + 2 + 1) / 8)
    assert found[1]["precision"] == pytest.approx(100 * (10**0.5 + 2**0.5 + 1) / 8)


@settings(max_examples=60, deadline=None)
@given(WORDS, WORDS)
def test_without_order_the_matching_is_the_largest(a, b):
    [score] = evaluate([" ".join(a)], [" ".join(b)], [Gtm(tokeniser="none", exponent=1.0)]).scores
    size = twin.largest_matching(a, b, 1.0)
    assert score.details["precision"] == pytest.approx(100 * size / len(a) if a else 0.0)
    assert score.details["recall"] == pytest.approx(100 * size / len(b) if b else 0.0)


def test_the_longest_run_first_is_an_approximation():
    # docs/evaluate.md has this example.
    a, b = ["a", "a", "b", "a"], ["b", "a", "a", "a"]
    [score] = evaluate([" ".join(a)], [" ".join(b)], [Gtm(tokeniser="none")]).scores
    assert score.score == pytest.approx(100 * 6**0.5 / 4)
    assert twin.largest_matching(a, b, 2.0) == pytest.approx(8**0.5)


def test_ratio_of_precision_and_recall(corpus):
    # Galron (2012, tables 5.2 and 5.3): P / R is the same for all exponents, as lengths are pooled; F is their harmonic mean.
    reference, _, good, poor = corpus
    for output in (good, poor):
        found = evaluate(output, reference, ["gtm", "gtm1", Gtm(exponent=1.5)], tokenised=True)
        assert [score.name for score in found.scores] == ["GTM", "GTM1", "GTM1.5"]
        ratios = []
        for score in found.scores:
            precision, recall = score.details["precision"], score.details["recall"]
            assert score.score == pytest.approx(2 * precision * recall / (precision + recall))
            ratios.append(precision / recall)
        assert ratios[0] == pytest.approx(ratios[1])
        lengths = [sum(len(line.split()) for line in text) for text in (reference, output)]
        assert found["gtm1"].details["precision"] > found["gtm"].details["precision"]
        assert found["gtm1"].details["precision"] / found["gtm1"].details["recall"] == pytest.approx(
            lengths[0] / lengths[1]
        )


def test_everything_the_experiments_report(corpus):
    reference, _, good, poor = corpus
    found = evaluate(good, reference, ["gtm", "gtm1", "bleu", "nist"], baseline=poor, confidence=True, rounds=50)
    for score in found.scores:
        tests = {test.test for test in score.tests}
        assert tests == {"paired bootstrap", "approximate randomisation", "sign test", "Wilcoxon signed-rank"}
        assert score.interval is not None


def test_segments_and_threads(corpus):
    reference, _, good, poor = corpus
    one, two = (
        evaluate(good, reference, list(METRICS), baseline=poor, confidence=True, rounds=200, threads=n) for n in (1, 2)
    )
    assert one == two
    peer = BLEU(effective_order=True)
    assert one["bleu"].segments[3] == pytest.approx(peer.sentence_score(good[3], [reference[3]]).score)
    assert dataclasses.is_dataclass(one)
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.sentences = 1


def test_interval_is_sacrebleus(corpus):
    reference, _, good, _ = corpus
    found = evaluate(good, reference, confidence=True)
    for name, peer in (("bleu", BLEU()), ("chrf", CHRF()), ("ter", TER())):
        expected = peer.corpus_score(good, [reference], n_bootstrap=1000)
        interval = found[name].interval
        # sacrebleu resamples in single precision.
        assert interval.mean == pytest.approx(expected._mean, abs=1e-4)
        assert interval.margin == pytest.approx(expected._ci, abs=1e-4)
        assert found[name].signature == str(peer.get_signature())


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ((["a"], ["a", "b"]), InputError, "text 1 has 1 lines and text 2 has 2"),
        (([], []), InputError, "no reference"),
        (([], [[]]), InputError, "text 1 has no lines"),
        ((["a"], "a"), InputError, "no reference"),
        (("a", ["a"]), InputError, "text 1 is one string"),
        ((["a"], ["a", ["b"]]), InputError, "mix lines and texts"),
        ((["a"], ["a"], ["meteor"]), SettingsError, "no metric 'meteor'; use one of bleu"),
        ((["a"], ["a"], []), SettingsError, "no metric"),
        ((["a"], ["a"], [Bleu(tokeniser="x")]), SettingsError, "no tokenisation 'x'"),
        ((["a"], ["a"], [Bleu(order=99)]), SettingsError, "1 to 16"),
        ((["a"], ["a"], [Gtm(exponent=0.5)]), SettingsError, "exponent"),
        ((["a " * 10_001], ["a"], [Ter()]), LimitError, "10001 words"),
    ],
)
def test_mistakes(arguments, error, said):
    with pytest.raises(error, match=said):
        evaluate(*arguments)


def test_empty_lines():
    found = evaluate(["", "a b"], ["c", ""], list(METRICS))
    assert [score.score for score in found.scores if score.higher_is_better] == [0.0] * 6
    with pytest.raises(KeyError):
        found["meteor"]
