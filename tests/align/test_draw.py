from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.align import GoldLinks, draw
from tolka.errors import InputError

SVG = "{http://www.w3.org/2000/svg}"


def test_one_square_for_each_link():
    image = ET.fromstring(draw("das kleine Haus", "the small house", {(0, 0): 0.9, (1, 1): 0.4, (2, 2): 1.0}))  # noqa: S314 - our own
    squares = [rect for rect in image.iter(f"{SVG}rect") if rect.get("fill") == "#1f5fa8"]
    assert len(squares) == 3
    assert [text.text for text in image.iter(f"{SVG}text")] == ["das", "kleine", "Haus", "the", "small", "house"]


def test_gold_is_outlined():
    image = ET.fromstring(draw("a b", "c d", [(0, 0)], gold=GoldLinks(((0, 0),), ((1, 1),))))  # noqa: S314 - our own
    outlines = [rect for rect in image.iter(f"{SVG}rect") if rect.get("fill") == "none"]
    assert [rect.get("stroke-dasharray") for rect in outlines] == [None, "3 3"]


def test_links_must_be_inside():
    with pytest.raises(InputError, match="1-0"):
        draw("a", "b", [(1, 0)])


@given(st.lists(st.text(min_size=1), max_size=4), st.lists(st.text(min_size=1), max_size=4))
def test_any_words_make_valid_xml(source, target):
    links = [(0, 0)] if source and target else []
    words = [text.text for text in ET.fromstring(draw(source, target, links)).iter(f"{SVG}text")]  # noqa: S314 - our own
    assert len(words) == len(source) + len(target)
