"""Translations that come with a sentence; the engine compares both searches under them with enumeration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from tolka.decode import Decoder, Given, Sentence
from tolka.errors import InputError
from tolka.grammar import Extractor
from tolka.lm import LanguageModelTrainer

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = ["das haus ist klein", "das kleine haus", "ein haus", "das ist ein kleines haus", "ist das klein"]
TARGET = ["the house is small", "the small house", "a house", "this is a small house", "is this small"]
LINKS = ["0-0 1-1 2-2 3-3", "0-0 1-1 2-2", "0-0 1-1", "0-0 1-1 2-2 3-3 4-4", "0-0 1-1 2-2"]
KINDS = [("hiero", "chart"), ("phrase", "phrase")]


@pytest.fixture(scope="module", params=KINDS, ids=["chart", "phrase"])
def decoder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    kind, strategy = request.param
    path: Path = tmp_path_factory.mktemp("grammar") / "g.tbl"
    lm = LanguageModelTrainer(order=3, smoothing="witten-bell").train(TARGET)
    return Decoder(Extractor(kind).extract(SOURCE, TARGET, LINKS, path), lm, kind=strategy)


def test_an_exclusive_translation_is_the_only_one(decoder: Decoder) -> None:
    sentence = Sentence("das kleine haus", [Given(2, 3, [("Gebäude XY", 0.0)])])
    assert decoder.translate([sentence]) == ["the small Gebäude XY"]
    for candidate in decoder.nbest([sentence], 50)[0]:
        assert "Gebäude XY" in candidate.text
        assert "house" not in candidate.text
    whole = Sentence("das kleine haus", [Given(0, 3, [("nothing else", -1.5)])])
    (only,) = decoder.nbest([whole], 50)[0]
    assert only.text == "nothing else"
    assert only.features["given"] == pytest.approx(-1.5)
    assert only.features["word_count"] == 2
    assert only.score == pytest.approx(sum(decoder.weights[n] * v for n, v in only.features.items()), abs=1e-3)


def test_of_several_the_better_wins(decoder: Decoder) -> None:
    def best(first: float, second: float) -> str:
        targets = [("qqq", first), ("rrr", second)]
        return decoder.translate([Sentence("das haus", [Given(1, 2, targets)])])[0]

    assert best(-0.1, -2.0).endswith("qqq")
    assert best(-2.0, -0.1).endswith("rrr")


def test_preferred_translations_compete(decoder: Decoder) -> None:
    def texts(weight: float) -> list[str]:
        sentence = Sentence("das haus", [Given(1, 2, [("building", weight)], exclusive=False)])
        return [candidate.text for candidate in decoder.nbest([sentence], 20)[0]]

    assert texts(20.0)[0] == "the building"
    assert texts(-20.0)[0] == "the house"
    assert {"the building", "the house"} <= set(texts(0.0))


def test_strings_and_sentences_mix_and_threads_do_not_matter(decoder: Decoder) -> None:
    marked = Sentence(SOURCE[0], [Given(3, 4, [("tiny", 0.0)])])
    mixed: list[str | Sentence] = [*SOURCE, marked, Sentence(SOURCE[1])]
    expected = [*TARGET, "the house is tiny", TARGET[1]]
    assert decoder.translate(mixed, threads=1) == decoder.translate(mixed, threads=4) == expected


def test_sentences_are_values() -> None:
    assert Sentence("a b", [Given(0, 1, [("x", 0)])]) == Sentence("a b", (Given(0, 1, (("x", 0.0),)),))
    assert len({Given(0, 1, [("x", 0.0)]), Given(0, 1, [("x", 0.0)])}) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([Given(0, 3, [("x", 0.0)])], "words 0 to 3 of a sentence of 2"),
        ([Given(1, 1, [("x", 0.0)])], "words 1 to 1"),
        ([Given(-1, 1, [("x", 0.0)])], "word -1"),
        ([Given(0, 1, [])], "no translation"),
        ([Given(0, 1, [("  ", 0.0)])], "without words"),
        ([Given(0, 1, [("x", float("nan"))])], "finite"),
        ([Given(0, 2, [("x", 0.0)]), Given(1, 2, [("y", 0.0)], exclusive=False)], "overlap"),
    ],
)
def test_wrong_spans_are_errors(decoder: Decoder, given: list[Given], message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        decoder.translate(["das haus", Sentence("das haus", given)])
    assert message.startswith("word -1") or refused.value.line == 2


def test_one_sentence_is_not_a_list(decoder: Decoder) -> None:
    for one in ("das haus", Sentence("das haus")):
        with pytest.raises(InputError, match="put it into a list"):
            decoder.translate(cast("Any", one))
