"""Text to sentences, and through a decoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tolka.corpus import Detokeniser, Tokeniser, Truecaser
from tolka.decode import Decoder, Given, Sentence
from tolka.errors import FormatError, SettingsError
from tolka.grammar import Extractor
from tolka.lm import LanguageModelTrainer
from tolka.markup import NUMBER_STYLES, Annotator, Terms

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

GERMAN = ["das Haus ist klein .", "das kleine Haus .", "ein Haus kostet 20 Euro .", "siehe das Haus ."]
ENGLISH = ["the house is small .", "the small house .", "a house costs twenty euros .", "see the house ."]
LINKS = ["0-0 1-1 2-2 3-3 4-4", "0-0 1-1 2-2 3-3", "0-0 1-1 2-2 3-3 4-4 5-5", "0-0 1-1 2-2 3-3"]


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    path: Path = tmp_path_factory.mktemp("grammar") / "g.tbl"
    lm = LanguageModelTrainer(order=3, smoothing="witten-bell").train(ENGLISH)
    return Decoder(Extractor("hiero").extract(GERMAN, ENGLISH, LINKS, path), lm)


def test_modes() -> None:
    text = '<a translation="x y">das &amp; Haus</a> steht'
    sentence = Annotator(markup="exclusive").sentence(text)
    assert sentence == Sentence("das & Haus steht", [Given(0, 3, [("x y", 0.0)])])
    assert not Annotator(markup="inclusive").sentence(text).given[0].exclusive
    assert Annotator(markup="ignore").sentence(text) == Sentence("das & Haus steht")
    assert Annotator().sentence(text) == Sentence(text)


def test_spans_are_counted_in_tokens_and_case_is_folded_over_sentences() -> None:
    tokeniser = Tokeniser("de")
    truecaser = Truecaser().train(["heute ist das Haus da ."] * 3)
    annotator = Annotator(
        cut=tokeniser.lines,
        cut_target=Tokeniser("en").lines,
        fold=truecaser.truecase_lines,
        markup="exclusive",
        addresses=True,
        escape=True,
    )
    sentence = annotator.sentence('Heute, <a translation="it\'s there">ist so da</a>: https://a.org/?b=1&c=2.')
    assert sentence.text == "heute , ist so da : https://a.org/?b=1&amp;c=2 ."
    assert sentence.given == (
        Given(2, 5, [("it &apos;s there", 0.0)]),
        Given(6, 7, [("https://a.org/?b=1&amp;c=2", 0.0)]),
    )


def test_tags_go_before_terms_and_terms_before_numbers() -> None:
    terms = Terms([("b", "B", True), ("20 kg", "XX", False)])
    annotator = Annotator(markup="exclusive", terms=terms, numbers="all")
    given = annotator.sentence('<a translation="x">b</a> b 20 kg 30').given
    assert sorted((one.start, one.end, one.targets[0][0]) for one in given) == [
        (0, 1, "x"),
        (1, 2, "B"),
        (2, 4, "XX"),
        (4, 5, "30"),
    ]


def test_only_unknown_numbers_are_converted() -> None:
    def knows(tokens: Sequence[str]) -> list[bool]:
        return [number == "20" for number in tokens]

    styles = NUMBER_STYLES["de"], NUMBER_STYLES["en"]
    annotator = Annotator(numbers="unknown", knows=knows, styles=styles)
    assert annotator.sentence("20 oder 3,5 oder x").given == (Given(2, 3, [("3.5", 0.0)], exclusive=False),)


def test_errors_name_the_line() -> None:
    with pytest.raises(FormatError, match="column 3") as refused:
        Annotator(markup="exclusive").sentences(["fine", "a <b"], first=10)
    assert refused.value.line == 11
    for wrong in ({"markup": "xml"}, {"numbers": "some"}, {"numbers": "unknown"}):
        with pytest.raises(SettingsError):
            Annotator(**wrong)  # type: ignore[arg-type]


def test_through_a_decoder(decoder: Decoder) -> None:
    tokeniser = Tokeniser("de")
    annotator = Annotator(
        cut=tokeniser.lines,
        cut_target=Tokeniser("en").lines,
        markup="exclusive",
        terms=Terms([("kleine", "tiny", True)]),
        addresses=True,
        numbers="unknown",
        styles=(NUMBER_STYLES["de"], NUMBER_STYLES["en"]),
        knows=decoder.translates,
        escape=True,
    )
    texts = [
        "Siehe https://a.org/?b=1&c=2.",
        "das kleine Haus.",
        'das <n translation="Villa Hügel">Haus</n> ist klein.',
        "ein Haus kostet 1.234,50 Euro.",
        "ein Haus kostet 20 Euro.",
    ]
    words = decoder.translate(annotator.sentences(texts))
    assert Detokeniser("en").lines(words) == [
        "Siehe https://a.org/?b=1&c=2.",
        "the tiny house.",
        "the Villa Hügel is small.",
        "a house costs 1,234.50 euros.",
        "a house costs twenty euros.",
    ]


def test_tokens_are_those_of_the_decoder(decoder: Decoder) -> None:
    # A no-break space is part of a token for decoders, so it is for spans.
    text = "das\u00a0x Haus \u2028 ."
    sentence = Annotator(terms=Terms([("Haus", "hou\u00a0se", True)])).sentence(text)
    assert sentence.words == ("das\u00a0x", "Haus", "\u2028", ".")
    assert sentence.given == (Given(1, 2, [("hou\u00a0se", 0.0)]),)
    assert "hou\u00a0se" in decoder.translate([sentence])[0]
