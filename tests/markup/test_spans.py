"""Spans that belong together and walls, from tags to sentences."""

from __future__ import annotations

import pytest

from tolka.corpus import CompoundSplitter
from tolka.decode import Given, Sentence, Span
from tolka.errors import FormatError
from tolka.markup import Annotator, Piece, Terms, parse_markup
from tolka.translate.reordering import reorder_sentence
from tolka.translate.text import split_sentence


def test_spans_nest_and_walls_stand_between() -> None:
    text = 'er <zone>sah <whole>das <n translation="tiny">kleine</n> haus</whole> ,<wall/> das</zone> <b>fiel</b>'
    sentence = Annotator(markup="exclusive").sentence(text)
    assert sentence.text == "er sah das kleine haus , das fiel"
    assert sentence.spans == (Span(2, 5, "whole"), Span(1, 7))
    assert sentence.walls == (6,)
    assert sentence.given == (Given(3, 4, [("tiny", 0.0)]),)
    plain = Annotator(markup="ignore").sentence(text)
    assert (plain.text, plain.spans, plain.walls) == (sentence.text, (), ())
    assert Annotator().sentence("a <wall/> b").text == "a <wall/> b"


def test_what_separates_nothing_is_left_out() -> None:
    sentence = Annotator(markup="inclusive").sentence("<wall/> a <zone> </zone><wall/><wall/> b <wall/>")
    assert (sentence.text, sentence.spans, sentence.walls) == ("a b", (), (1,))


def test_a_tag_with_a_translation_is_that() -> None:
    assert parse_markup('<zone translation="x">a b</zone>') == [Piece("a b", (("x", 0.0),))]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<wall>a</wall>", "column 1: <wall> makes no sense; write <wall/>"),
        ("a <zone/> b", "column 3: <zone/> makes no sense"),
        ('<n translation="x">a <wall/> b</n>', "column 22: <wall> is inside a tag with a translation"),
        ('<n translation="x"><zone>a</zone></n>', "inside a tag with a translation"),
        ("<zone>a <whole>b</zone> c</whole>", "closes nothing here"),
        ("<zone>a", "<zone> is not closed"),
    ],
)
def test_what_makes_no_sense_is_said(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_markup(text)


def test_addresses_and_terms_go_with_spans() -> None:
    terms = Terms([("das haus", "the house", True), ("haus", "building", True)])
    annotator = Annotator(markup="exclusive", terms=terms, addresses=True)
    sentence = annotator.sentence("<zone>siehe www.example.org , das</zone> haus , <whole>das haus</whole>")
    assert sentence.spans == (Span(0, 4), Span(6, 8, "whole"))
    # A term across the end of a zone is left out.
    assert [(one.start, one.end) for one in sentence.given] == [(1, 2), (6, 8)]


def test_spans_follow_their_words() -> None:
    known = CompoundSplitter(min_count=1).train(["regen wald"])
    sentence = Sentence("im regenwald hier dort", spans=[Span(1, 2, "whole"), Span(0, 3)], walls=[3, 1])
    split = split_sentence(sentence, known)
    assert split.text == "im regen wald hier dort"
    assert split.spans == (Span(1, 3, "whole"), Span(0, 4))
    assert split.walls == (4, 1)
    moved = reorder_sentence(Sentence("a b c d e f", spans=[Span(1, 4)], walls=[2, 5]), [5, 4, 3, 0, 1, 2])
    # The wall before f keeps it last; b c d stay together, and the wall inside goes with them.
    assert (moved.text, moved.spans, moved.walls) == ("e b c d a f", (Span(1, 4),), (2, 5))
    far = reorder_sentence(Sentence("a b c d", spans=[Span(2, 4)], walls=[3]), [2, 3, 0, 1])
    assert (far.text, far.spans, far.walls) == ("c d a b", (Span(0, 2),), (1,))
