"""Trees as pictures."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from tests.syntax.strategies import trees

from tolka.errors import InputError
from tolka.syntax import Tree, draw_tree
from tolka.syntax.draw import _longest_increasing

SVG = "{http://www.w3.org/2000/svg}"


@settings(deadline=None)
@given(trees())
def test_every_tree_can_be_drawn(tree: Tree) -> None:
    image = ET.fromstring(draw_tree(tree))  # noqa: S314 - our own
    width, height = float(image.get("width", 0)), float(image.get("height", 0))
    for text in image.iter(f"{SVG}text"):
        assert 0 <= float(text.get("x", -1)) <= width
        assert 0 <= float(text.get("y", -1)) <= height + 1


def test_texts_and_torn_arcs() -> None:
    tree = Tree(forms=("<b>", "&", "c"), heads=(3, 0, 2), deprels=("x", "root", "y"), upos=("A", "B", "C"))
    image = ET.fromstring(draw_tree(tree))  # noqa: S314 - our own
    texts = [text.text for text in image.iter(f"{SVG}text")]
    assert sorted(map(str, texts)) == sorted(["<b>", "&", "c", "x", "root", "y", "A", "B", "C"])
    assert sum("stroke-dasharray" in path.attrib for path in image.iter(f"{SVG}path")) == 1
    below = ET.fromstring(draw_tree(tree, (2, 0, 1)))  # noqa: S314 - our own
    assert [text.text for text in below.iter(f"{SVG}text")][-3:] == ["c", "<b>", "&"]
    with pytest.raises(InputError, match="no permutation"):
        draw_tree(tree, (0, 0, 1))


def test_words_that_stay() -> None:
    assert _longest_increasing([2, 0, 1, 3]) == [0, 1, 3]
    assert _longest_increasing([]) == []
