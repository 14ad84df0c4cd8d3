"""The engine's statistics and scores are sacrebleu's, number by number."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

from tolka._engine import Metric, MetricTable, MetricTexts
from tolka.errors import InputError, SettingsError

WORDS = ["a", "b", "the", "c.", "(d)", "1,5", "x-y", "naïve", "“e”", "&quot;", "3-4", "...", "f's", "\u3042", "A"]
LINES = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join) | st.text(
    alphabet=st.characters(codec="utf-8", exclude_characters="\r"), max_size=20
)


@st.composite
def corpora(draw, lines=LINES):
    size = draw(st.integers(1, 4))
    one = st.lists(lines, min_size=size, max_size=size)
    return draw(one), draw(st.lists(one, min_size=1, max_size=3))


def bleu(references, order=4, smoothing="exp", value=None, effective_order=False, plus_one=False):
    return Metric.bleu(
        references, order=order, smoothing=smoothing, value=value, effective_order=effective_order, plus_one=plus_one
    )


def agree(metric, hypotheses, peer, lines, references):
    rows = metric.stats(hypotheses)
    assert np.array_equal(rows, np.array(peer._extract_corpus_statistics(lines, references), dtype=float))
    expected = peer.corpus_score(lines, references).score
    assert metric.score(rows.sum(0)) == pytest.approx(expected, abs=1e-9)
    for score, line, *others in zip(metric.sentence_scores(rows), lines, *references, strict=True):
        peer.effective_order = True
        assert score == pytest.approx(peer.sentence_score(line, others).score, abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(
    corpora(),
    st.sampled_from(["13a", "none", "char"]),
    st.sampled_from([("exp", None), ("floor", 0.2), ("floor", None), ("add-k", 1), ("add-k", None), ("none", None)]),
    st.integers(1, 5),
    st.booleans(),
)
def test_bleu(corpus, tokeniser, smoothing, order, effective):
    lines, references = corpus
    table = MetricTable()
    metric = bleu([table.texts(text, tokeniser) for text in references], order, *smoothing, effective)
    peer = BLEU(
        tokenize=tokeniser,
        smooth_method=smoothing[0],
        smooth_value=smoothing[1],
        max_ngram_order=order,
        effective_order=effective,
    )
    agree(metric, table.texts(lines, tokeniser), peer, lines, references)


@settings(max_examples=150, deadline=None)
@given(corpora(), st.integers(1, 6), st.integers(0, 2), st.integers(1, 3))
def test_chrf(corpus, characters, words, beta):
    lines, references = corpus
    table = MetricTable()
    texts = [table.texts(text, "none") for text in references]
    hypotheses = table.texts(lines, "none")
    metric = Metric.chrf(texts, table, characters=characters, words=words, beta=beta)
    agree(metric, hypotheses, CHRF(char_order=characters, word_order=words, beta=beta), lines, references)


SHORT = st.lists(st.sampled_from("abcdef"), max_size=12).map(" ".join)
LONG = st.lists(st.integers(0, 60).map(str), min_size=20, max_size=70).map(" ".join)


@settings(max_examples=100, deadline=None)
@given(corpora(SHORT))
def test_ter(corpus):
    lines, references = corpus
    table = MetricTable()
    metric = Metric.ter([table.texts(text, "none") for text in references])
    agree(metric, table.texts(lines, "none"), TER(), lines, references)


@settings(max_examples=15, deadline=None)
@given(st.tuples(LONG, LONG | SHORT), st.booleans())
def test_ter_beyond_the_beam(pair, turned):
    line, reference = pair[::-1] if turned else pair
    table = MetricTable()
    metric = Metric.ter([table.texts([reference], "none")])
    agree(metric, table.texts([line], "none"), TER(), [line], [[reference]])


def test_rows_of_an_nbest_list():
    table = MetricTable()
    references = table.texts(["a b c d", "e f g"], "none")
    ids, ends = table.texts(["a b c d", "a b x d", "e f g", "g"], "none").arrays()
    assert (ids.dtype, ends.tolist()) == (np.uint32, [4, 8, 11, 12])
    hypotheses = MetricTexts.from_arrays(ids, ends)
    metric = bleu([references], plus_one=True)
    rows = metric.stats(hypotheses, np.array([0, 0, 1, 1], dtype=np.uint32))
    assert rows[:, 2].tolist() == [4, 3, 3, 1]
    assert metric.sentence_scores(rows)[1] == pytest.approx(100 * (3 / 4 * 2 / 4 * 1 / 3 * 1 / 2) ** 0.25)
    assert np.array_equal(rows, metric.stats(hypotheses, np.array([0, 0, 1, 1], dtype=np.uint32), threads=2))
    with pytest.raises(InputError, match="do not fit"):
        metric.stats(hypotheses, np.array([0, 0, 1, 2], dtype=np.uint32))
    with pytest.raises(InputError, match="do not fit"):
        metric.stats(hypotheses)
    with pytest.raises(InputError, match="must rise"):
        MetricTexts.from_arrays(ids, ends[:-1])


def test_wrong_settings():
    table = MetricTable()
    texts = [table.texts(["a"], "none")]
    with pytest.raises(SettingsError, match='no smoothing "x"'):
        bleu(texts, smoothing="x")
    with pytest.raises(SettingsError, match="n-grams of 1 to"):
        bleu(texts, order=0)
    with pytest.raises(SettingsError, match="no tokenisation"):
        table.texts(["a"], "intl")
    with pytest.raises(InputError, match="no reference"):
        Metric.ter([])
    with pytest.raises(InputError, match="1 and 2 sentences"):
        Metric.ter([*texts, table.texts(["a", "b"], "none")])
    chrf = Metric.chrf(texts, table, characters=6, words=0, beta=2)
    with pytest.raises(InputError, match="no token 2"):
        chrf.stats(table.texts(["new"], "none"))
    with pytest.raises(InputError, match="has 2 numbers, not 3"):
        Metric.ter(texts).score(np.zeros(3))
    with pytest.raises(InputError, match="not from 1 sentences"):
        Metric.ter(texts).bootstrap(np.zeros((1, 2)), np.array([[1]]))
