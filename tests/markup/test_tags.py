"""Tags in text, as Moses reads them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.errors import FormatError, TolkaError
from tolka.markup import Piece, parse_markup


def test_the_example_of_moses() -> None:
    text = '<np translation="the house||a house" prob="0.8||0.2">das haus</np> ist <x translation="tiny">klein</x>'
    assert parse_markup(text) == [
        Piece("das haus", (("the house", math.log(0.8)), ("a house", math.log(0.2)))),
        Piece(" ist "),
        Piece("klein", (("tiny", 0.0),)),
    ]


def test_entities_stand_for_the_signs_of_tags() -> None:
    assert parse_markup("a &lt; b &amp; c &quot;d&quot; R&D &foo; &#91;") == [Piece('a < b & c "d" R&D &foo; [')]
    assert parse_markup("<a translation='AT&amp;T &lt;x&gt;'>b</a>") == [Piece("b", (("AT&T <x>", 0.0),))]


def test_tags_without_translations_leave_their_text() -> None:
    assert parse_markup('a <b>c <i translation="x">d</i></b> e<br/>f') == [
        Piece("a c "),
        Piece("d", (("x", 0.0),)),
        Piece(" ef"),
    ]
    assert parse_markup("") == []


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("a < b", "does not begin a tag", 3),
        ("a <b", "does not begin a tag", 3),
        ('a <b translation=x">c</b>', "does not begin a tag", 3),
        ("a <b>c", "<b> is not closed", 3),
        ("a </b>", "closes nothing", 3),
        ("<a>b</c>", "closes nothing", 5),
        ('<a translation="x"> </a>', "no words", 1),
        ('xy <a translation="x"/>', "no words", 4),
        ('<a translation="">b</a>', "empty", 1),
        ('<a translation="x||">b</a>', "empty", 1),
        ('<a translation="x" prob="1||2">b</a>', "1 translations and 2 of prob", 1),
        ('<a translation="x" prob="0">b</a>', "not a number above 0", 1),
        ('<a translation="x" prob="nan">b</a>', "not a number above 0", 1),
        ('<a translation="x" prob="many">b</a>', "not a number above 0", 1),
        ('<a prob="1">b</a>', "no translation", 1),
        ('<a english="x">b</a>', "attribute english", 1),
        ('<a translation="x" translation="y">b</a>', "twice", 1),
        ('<a translation="x">b <c translation="y">d</c></a>', "inside another", 22),
    ],
)
def test_malformed_tags_name_line_and_column(text: str, message: str, column: int) -> None:
    with pytest.raises(FormatError, match=message) as refused:
        parse_markup(text, line=7)
    assert refused.value.line == 7
    assert f"column {column}:" in str(refused.value)
    assert "\n" not in str(refused.value)


@given(st.text(alphabet="<>/=\"'| &;abtranslion", max_size=60))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        pieces = parse_markup(text)
    except TolkaError:
        return
    assert sum(len(piece.text) for piece in pieces) <= len(text)


@given(st.text(max_size=40), st.text(min_size=1, max_size=20).filter(str.strip))
def test_escaped_text_comes_back(before: str, words: str) -> None:
    def escaped(text: str) -> str:
        for sign, name in (("&", "&amp;"), ("<", "&lt;"), ('"', "&quot;")):
            text = text.replace(sign, name)
        return text

    pieces = parse_markup(f'{escaped(before)}<a translation="x">{escaped(words)}</a>')
    assert "".join(piece.text for piece in pieces) == before + words
    assert pieces[-1] == Piece(words, (("x", 0.0),))
