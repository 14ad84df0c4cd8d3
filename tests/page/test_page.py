"""Pages load nothing and run nothing of the texts they show; drawings are well-formed whatever their texts are."""

import hashlib
import re
from base64 import b64encode
from html import unescape
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from tolka.page import chip, chips, document, made_by, page_style, section, table, tiles
from tolka.page.frame import COLOURS
from tolka.page.svg import clean, image, inline, line, row_of_grid, short, text, width_of

SVG = "{http://www.w3.org/2000/svg}"
ANY = st.text(st.characters(codec=None))


def test_only_the_page_s_own_style_and_script_may_run():
    page = document("t", "<p>x</p>", style="p{}", script="1")
    policy = unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1])
    for inside in ("p{}", "1"):
        assert f"'sha256-{b64encode(hashlib.sha256(inside.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "script-src" not in document("t", "", style="")


@given(ANY)
def test_no_text_becomes_markup(words):
    page = document(words, section("a", words, "", tiles([(words, "1")]) + chip(0, words)), style="")
    assert set(re.findall(r"<[/!]?([a-z0-9]+)", page)) <= {
        *("doctype", "html", "head", "meta", "title", "style", "body", "section", "h2", "p", "div", "b", "span", "i"),
        "bdi",
    }


@given(st.lists(ANY, min_size=1, max_size=3))
def test_any_text_can_be_drawn(words):
    drawn = [text(1, 2.5, word) for word in words]
    picture = ET.fromstring(image(10, 10, drawn, title=words[0], style=".page{fill:#000}").encode())  # noqa: S314
    shown = [one.text or "" for one in picture.iter(f"{SVG}text")]
    # What a parser of XML gives back is what was cleaned.
    assert shown == [unescape(clean(word)) for word in words]
    assert ET.fromstring(inline(10, 10, words[0], [])).get("aria-label") == unescape(clean(words[0]))  # noqa: S314


def test_letters_that_shape_words_stay():
    # Persian and Hindi need the joiners, which are no "printable" characters to Python.
    for word in ("\u0645\u06cc\u200c\u062e", "\u0915\u094d\u200d\u0937", "a\u00a0b", "co\u00adop"):
        assert clean(word) == word
    assert clean("\x00\x1b\x7f\x85\ud800\uffff\n") == "\ufffd" * 7


def test_numbers_stand_as_they_are_given():
    assert line(0, 1.25, 3, 4.0) == '<line class="grid" x1="0" x2="3" y1="1.2" y2="4.0"/>'
    assert row_of_grid(40, 90, 10, "5 %").count("<") == 3
    assert text(1, 2, "a", kind="note", anchor="end") == '<text class="note" x="1" y="2" text-anchor="end">a</text>'


def test_widths():
    assert width_of("", 10) == 0
    assert width_of("e\u0301", 10) == width_of("e", 10)  # an accent takes no room
    assert width_of("i", 10) < width_of("a", 10) < width_of("W", 10) < width_of("\u6f22", 10)
    assert short("a" * 28) == "a" * 28
    assert short("a" * 29) == "a" * 27 + "…"


def test_colours_begin_again():
    style = page_style()
    assert all(f".s{number}{{" in style for number in range(COLOURS))
    assert f".s{COLOURS}{{" not in style
    assert 'class="chip s0"' in chip(COLOURS, "a")
    assert chips(["a", "b"]) == f"{chip(0, 'a')} {chip(1, 'b')}"


def test_tables_name_their_rows_and_columns():
    made = table("Scores", ["system", "BLEU"], [["a", "1"], ["b", "2"]])
    assert made.count('scope="col"') == 2
    assert made.count('scope="row"') == 2
    assert made_by().startswith("<footer>Made by tolka ")
