"""Estimation against the naive twin, and what every model must satisfy."""

import gzip
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twin import estimate, log_prob, read_arpa, score

from tolka.errors import InputError, LimitError, SettingsError
from tolka.lm import LanguageModel, LanguageModelTrainer

SENTENCE = st.lists(st.sampled_from("abcdefg"), max_size=7).map(" ".join)
CORPUS = st.lists(SENTENCE, min_size=1, max_size=25)


def arpa_of(tmp_path, model: LanguageModel):
    path = tmp_path / "m.arpa"
    model.save(path)
    return read_arpa(path)


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for gram, values in expected.items():
        assert found[gram] == pytest.approx(values, abs=1e-5), gram


@settings(max_examples=150, deadline=None)
@given(
    corpus=CORPUS,
    order=st.integers(1, 8),
    prune=st.lists(st.integers(0, 2), max_size=2).map(sorted).map(tuple),
    smoothing=st.sampled_from(["kneser-ney", "witten-bell"]),
)
def test_equals_the_twin(tmp_path_factory, corpus, order, prune, smoothing):
    prune = prune[:order]
    model = LanguageModelTrainer(order, smoothing, prune=prune).train(corpus)
    assert_same(arpa_of(tmp_path_factory.mktemp("arpa"), model), estimate(corpus, order, prune, smoothing))


@settings(max_examples=40, deadline=None)
@given(corpus=CORPUS, order=st.integers(1, 4), context=st.lists(st.sampled_from(["<s>", *"abcx"]), max_size=3))
@pytest.mark.parametrize("smoothing", ["kneser-ney", "witten-bell"])
@pytest.mark.parametrize("prune", [(), (0, 1)])
def test_probabilities_sum_to_one(tmp_path_factory, corpus, order, context, smoothing, prune):
    model = LanguageModelTrainer(order, smoothing, prune=prune[:order]).train(corpus)
    grams = arpa_of(tmp_path_factory.mktemp("arpa"), model)
    words = [gram[0] for gram in grams if len(gram) == 1 and gram != ("<s>",)]
    context = ["<unk>" if (word,) not in grams else word for word in context]
    total = math.fsum(10 ** log_prob(grams, (*context, word)[-order:]) for word in words)
    assert total == pytest.approx(1.0, abs=1e-5)


@settings(max_examples=60, deadline=None)
@given(corpus=CORPUS, text=st.lists(st.lists(st.sampled_from("abcdexyz"), max_size=9).map(" ".join), max_size=40))
@pytest.mark.parametrize("order", [1, 2, 4])
def test_scores_are_those_of_the_definition(corpus, text, order):
    model = LanguageModelTrainer(order).train(corpus)
    twin = estimate(corpus, order)
    assert list(model.scores(text)) == pytest.approx([score(twin, line, order) for line in text], abs=1e-4)


def test_threads_and_input_form_do_not_matter(tmp_path):
    lines = [" ".join(f"w{(i * j) % 37}" for j in range(1, 9)) for i in range(3000)]
    path = tmp_path / "text"
    path.write_text("\n".join(lines) + "\n")
    one = LanguageModelTrainer(4, threads=1).train(path)
    two = LanguageModelTrainer(4, threads=2).train(iter(lines))
    for name, model in (("1.arpa", one), ("2.arpa", two), ("1.tlm", one), ("2.tlm", two)):
        model.save(tmp_path / name)
    assert (tmp_path / "1.arpa").read_bytes() == (tmp_path / "2.arpa").read_bytes()
    assert (tmp_path / "1.tlm").read_bytes() == (tmp_path / "2.tlm").read_bytes()
    assert list(one.scores(lines, threads=1)) == list(one.scores(lines, threads=2))


@pytest.mark.parametrize("prune", [(), (0, 1)])
def test_sorting_on_disk_gives_the_same_bytes(tmp_path, prune):
    lines = [" ".join(f"w{(i * j * j) % 199}" for j in range(1, 9)) for i in range(4000)]
    large = LanguageModelTrainer(4, prune=prune)
    small = LanguageModelTrainer(4, prune=prune, memory=1 << 20)
    large.train(lines).save(tmp_path / "1.arpa")
    small.train(lines).save(tmp_path / "2.arpa")
    report = small.train_to(tmp_path / "3.arpa.gz", lines)
    assert (tmp_path / "1.arpa").read_bytes() == (tmp_path / "2.arpa").read_bytes()
    assert gzip.decompress((tmp_path / "3.arpa.gz").read_bytes()) == (tmp_path / "1.arpa").read_bytes()
    assert report == large.report_
    with pytest.raises(SettingsError, match="too few"):
        LanguageModelTrainer(memory=1000).train(lines)


def test_tiny_text_falls_back_and_says_so():
    trainer = LanguageModelTrainer(3)
    model = trainer.train(["hello"])
    assert trainer.report_ is not None
    assert trainer.report_.fallback == (1, 2, 3)
    assert trainer.report_.discounts == ((0.5, 1.0, 1.5),) * 3
    assert "too small" in trainer.report_.warnings[0]
    assert model.score("hello") > model.score("goodbye")


def test_reserved_words_in_text_are_skipped_and_counted():
    trainer = LanguageModelTrainer(2)
    model = trainer.train(["a <s> b </s> <unk>"])
    assert trainer.report_ is not None
    assert (trainer.report_.skipped, trainer.report_.tokens) == (3, 2)
    assert model.words() == ["<unk>", "<s>", "</s>", "a", "b"]
    assert model.word_scores("<s>")[0].oov


def test_blank_lines_are_sentences():
    model = LanguageModelTrainer(2).train(["", "", "a"])
    assert model.score("") > model.score("a")


@pytest.mark.parametrize("order", [0, 9])
def test_order_out_of_range(order):
    with pytest.raises(SettingsError, match="between 1 and 8"):
        LanguageModelTrainer(order).train(["a"])


@pytest.mark.parametrize(("prune", "complaint"), [((1, 0), "decrease"), ((0, 0, 0), "3 thresholds for order 2")])
def test_bad_thresholds(prune, complaint):
    with pytest.raises(SettingsError, match=complaint):
        LanguageModelTrainer(2, prune=prune).train(["a"])


def test_empty_corpus(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    for text in ([], tmp_path / "empty"):
        with pytest.raises(InputError, match="the corpus is empty"):
            LanguageModelTrainer(3).train(text)


def test_long_line(tmp_path):
    path = tmp_path / "long"
    path.write_text("x " * (1 << 20))
    with pytest.raises(LimitError):
        LanguageModelTrainer(3).train(path)
    # From memory there is no limit, and nothing is quadratic.
    assert LanguageModelTrainer(3).train(["x " * (1 << 20)]).counts == (4, 3, 3)
