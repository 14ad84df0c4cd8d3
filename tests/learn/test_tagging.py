"""The tagger: what exploration is for, baselines, files, bad input."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tolka.errors import FormatError, InputError, LimitError, SettingsError
from tolka.learn import Tagger
from tolka.limits import Limits

if TYPE_CHECKING:
    from pathlib import Path

Sentence = tuple[list[str], list[str]]
# "her" and "fish" mean different things; whoever goes from left to right sees it too late.
PIECES = ["her/DET fish/NOUN", "her/PRON often/ADV", "they/PRON fish/VERB", "the/DET fish/NOUN", "cats/NOUN sleep/VERB"]
WEIGHTS = [2, 3, 1, 1, 1]


def language(number: int, seed: int) -> list[Sentence]:
    drawn = random.Random(seed)  # noqa: S311
    made = []
    for _ in range(number):
        pieces = drawn.choices(PIECES, WEIGHTS, k=drawn.randint(1, 4))
        words, tags = zip(*(token.split("/") for piece in pieces for token in piece.split()), strict=True)
        made.append((list(words), list(tags)))
    return made


def accuracy(found: list[list[str]], right: list[Sentence]) -> float:
    pairs = [pair for tags, (_, gold) in zip(found, right, strict=True) for pair in zip(tags, gold, strict=True)]
    return sum(one == other for one, other in pairs) / len(pairs)


def most_frequent(train: list[Sentence], test: list[Sentence]) -> float:
    counts: dict[str, Counter[str]] = {}
    for words, tags in train:
        for word, tag in zip(words, tags, strict=True):
            counts.setdefault(word, Counter())[tag] += 1
    return accuracy([[counts[word].most_common(1)[0][0] for word in words] for words, _ in test], test)


TRAIN, TEST = language(200, 1), language(100, 2)
SENTENCES = [words for words, _ in TEST]


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger(behind=0, known=1, threads=2).train(TRAIN)


def test_exploration_teaches_what_follows_a_mistake(tagger: Tagger) -> None:
    bold = accuracy(tagger.tag(SENTENCES), TEST)
    timid = accuracy(Tagger(behind=0, known=1, explore=0).train(TRAIN).tag(SENTENCES), TEST)
    assert bold > 0.99
    assert timid < 0.93
    assert bold > most_frequent(TRAIN, TEST) + 0.1
    assert [epoch.explored for epoch in tagger.curve_] == [0, 1, 1]
    assert tagger.curve_[1].wrong > tagger.curve_[0].wrong


@pytest.mark.parametrize("semiring", ["minmerge", "viterbi"])
def test_words_around_tell(semiring: str) -> None:
    tagger = Tagger(semiring=semiring).train(TRAIN)  # type: ignore[arg-type]
    assert accuracy(tagger.tag(SENTENCES), TEST) > 0.99
    # A word that was never seen gets some label.
    assert all(tag in tagger.labels_ for tag in tagger.tag([["her", "zebra"]])[0])


def test_a_tagger_says_how_sure_it_is(tagger: Tagger) -> None:
    found = tagger.explain(["her", "fish"])
    assert [(one.word, one.label) for one in found] == [("her", "DET"), ("fish", "NOUN")]
    assert all(one.cost >= 0 for one in found)
    # "her" alone could be either; "fish" behind a determiner is sure.
    assert found[0].cost > found[1].cost
    shares = tagger.feature_mass()
    assert sum(positive for _, positive, _ in shares) == pytest.approx(1)
    assert {name for name, _, _ in shares} >= {"word", "label-1", "end"}


def test_it_is_the_same_from_a_file_and_with_other_threads(tagger: Tagger, tmp_path: Path) -> None:
    tagger.save(tmp_path / "one")
    Tagger(behind=0, known=1, threads=1).train(TRAIN).save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    again = Tagger.load(tmp_path / "one")
    assert again.tag(SENTENCES) == tagger.tag(SENTENCES)
    assert (again.behind, again.beam, again.labels_) == (0, 20, tagger.labels_)
    (tmp_path / "one").write_bytes((tmp_path / "two").read_bytes()[:-9])
    with pytest.raises(FormatError):
        Tagger.load(tmp_path / "one")
    with pytest.raises(LimitError):
        Tagger.load(tmp_path / "two", limits=Limits(model_bytes=100))


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not learnt anything"):
        Tagger().tag([["a"]])
    with pytest.raises(InputError, match="not learnt anything"):
        Tagger().save(tmp_path / "none")
    with pytest.raises(InputError, match="2 words have 1 labels"):
        Tagger().train([(["a", "b"], ["X"])])
    with pytest.raises(InputError, match="no labels"):
        Tagger().train([])
    with pytest.raises(InputError, match="lines of text"):
        Tagger().train([(["a"], ["X\nY"])])
    with pytest.raises(SettingsError, match="epochs cannot be -1"):
        Tagger(epochs=-1)
    for wrong in (Tagger(epochs=0), Tagger(beam=0), Tagger(before=3), Tagger(least=2.0)):
        with pytest.raises(SettingsError):
            wrong.train([(["a"], ["X"])])
    with pytest.raises(SettingsError, match="unknown semiring"):
        Tagger(semiring="best").train([(["a"], ["X"])])  # type: ignore[arg-type]


def test_empty_sentences_have_no_labels(tagger: Tagger) -> None:
    assert tagger.tag([[], ["her", "fish"], []]) == [[], ["DET", "NOUN"], []]
    assert Tagger().train([([], []), (["a"], ["X"])]).tag([["b"]]) == [["X"]]
