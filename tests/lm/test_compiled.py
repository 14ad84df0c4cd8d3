"""Compiled models: the same scores, safe files, small sizes."""

import random

import pytest

from tolka.errors import FormatError, SettingsError, TolkaError
from tolka.lm import LanguageModel, LanguageModelTrainer

RANDOM = random.Random(7)  # noqa: S311 this makes test data
WORDS = [f"w{i}" for i in range(60)]
LINES = [" ".join(RANDOM.choices(WORDS, weights=range(60, 0, -1), k=RANDOM.randrange(12))) for _ in range(1500)]
TEXT = [" ".join(RANDOM.choices([*WORDS, "unseen"], k=RANDOM.randrange(12))) for _ in range(300)]


@pytest.fixture(scope="module")
def model():
    return LanguageModelTrainer(5).train(LINES)


@pytest.mark.parametrize("form", ["fast", "small"])
def test_same_scores(model, tmp_path, form):
    path = tmp_path / "m.tlm"
    model.save(path, form=form)
    opened = LanguageModel.load(path, verify=True)
    assert (opened.form, opened.order, opened.counts) == (form, model.order, model.counts)
    assert list(opened.scores(TEXT)) == list(model.scores(TEXT))
    assert opened.words() == model.words()
    assert "w3" in opened
    assert "unseen" not in opened


def test_quantised_is_close_and_smaller(model, tmp_path):
    model.save(tmp_path / "exact.tlm", form="small")
    model.save(tmp_path / "8.tlm", form="small", bits=8)
    opened = LanguageModel.load(tmp_path / "8.tlm")
    assert (tmp_path / "8.tlm").stat().st_size < 0.7 * (tmp_path / "exact.tlm").stat().st_size
    exact, close = model.perplexity(TEXT).perplexity, opened.perplexity(TEXT).perplexity
    assert close == pytest.approx(exact, rel=0.02)


def test_states(model):
    state = model.state()
    total = 0.0
    for word in [*TEXT[0].split(), "</s>"]:
        prob, state = model.score_word(state, word)
        total += prob
    assert total == pytest.approx(model.score(TEXT[0]), abs=1e-5)
    # Nothing was seen after the end of a sentence, nor after an unknown word: both leave no context.
    assert state == model.state(bos=False)
    assert model.score_word(model.state(), "unseen")[1] == model.state(bos=False)
    assert len({model.state(), model.state(), model.state(bos=False)}) == 2


def test_bad_forms(model, tmp_path):
    with pytest.raises(SettingsError, match="cannot be quantised"):
        model.save(tmp_path / "m.tlm", bits=8)
    with pytest.raises(SettingsError, match="2 to 16 bits"):
        model.save(tmp_path / "m.tlm", form="small", bits=40)
    model.save(tmp_path / "m.tlm")
    with pytest.raises(SettingsError, match="cannot be taken apart"):
        LanguageModel.load(tmp_path / "m.tlm").save(tmp_path / "m.arpa")


def test_kenlm_binary_is_recognised(tmp_path):
    path = tmp_path / "lm.binary"
    path.write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0" + bytes(100))
    with pytest.raises(FormatError, match=r"KenLM binary; .*ARPA"):
        LanguageModel.load(path)


@pytest.mark.parametrize("form", ["fast", "small"])
def test_damage_is_an_error_never_a_crash(tmp_path, form):
    path = tmp_path / "m.tlm"
    LanguageModelTrainer(3).train(["a b c", "a b d"]).save(path, form=form)
    good = path.read_bytes()
    for size in range(0, len(good), 7):
        path.write_bytes(good[:size])
        with pytest.raises(TolkaError):
            LanguageModel.load(path)
    for at in range(0, len(good), 3):
        path.write_bytes(good[:at] + bytes([good[at] ^ 0x41]) + good[at + 1 :])
        with pytest.raises(TolkaError):
            LanguageModel.load(path)


def test_perplexity(model):
    found = model.perplexity(TEXT)
    assert found.sentences == len(TEXT)
    assert found.tokens == sum(len(line.split()) for line in TEXT)
    assert found.oovs == sum(line.split().count("unseen") for line in TEXT)
    assert found.log10 == pytest.approx(float(model.scores(TEXT).sum()))
    assert found.perplexity == pytest.approx(10 ** (-found.log10 / (found.tokens + found.sentences)))
    assert found.perplexity_without_oovs < found.perplexity
    with pytest.raises(TolkaError, match="no lines"):
        model.perplexity([])
