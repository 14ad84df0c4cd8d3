from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.align import GoldLinks, draw
from tolka.errors import InputError

SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg):
    """The image, and its legend apart."""
    image = ET.fromstring(svg)  # noqa: S314 - our own
    legend = next(group for group in image.iter(f"{SVG}g") if group.get("class") == "legend")
    image.remove(legend)
    return image, [text.text for text in legend.iter(f"{SVG}text")]


def test_one_square_for_each_link():
    image, legend = drawn(draw("das kleine Haus", "the small house", {(0, 0): 0.9, (1, 1): 0.4, (2, 2): 1.0}))
    squares = [rect for rect in image.iter(f"{SVG}rect") if rect.get("fill") == "#1f5fa8"]
    assert len(squares) == 3
    assert [text.text for text in image.iter(f"{SVG}text")] == ["das", "kleine", "Haus", "the", "small", "house"]
    assert legend == ["link", "less probable"]


def test_gold_is_outlined():
    image, legend = drawn(draw("a b", "c d", [(0, 0)], gold=GoldLinks(((0, 0),), ((1, 1),))))
    outlines = [rect for rect in image.iter(f"{SVG}rect") if rect.get("fill") == "none"]
    assert [rect.get("stroke-dasharray") for rect in outlines] == [None, "3 3"]
    assert legend == ["link", "sure in the gold links", "possible"]


def test_escapes_of_tokenisers_are_not_shown():
    image, _ = drawn(draw("l &apos; uomo &amp;", "the man &", [(0, 0)]))
    assert [text.text for text in image.iter(f"{SVG}text")] == ["l", "'", "uomo", "&", "the", "man", "&"]


def test_links_must_be_inside():
    with pytest.raises(InputError, match="1-0"):
        draw("a", "b", [(1, 0)])


@given(st.lists(st.text(min_size=1), max_size=4), st.lists(st.text(min_size=1), max_size=4))
def test_any_words_make_valid_xml(source, target):
    links = [(0, 0)] if source and target else []
    words = [text.text for text in drawn(draw(source, target, links))[0].iter(f"{SVG}text")]
    assert len(words) == len(source) + len(target)
