"""Multitrees as pictures, and two of them side by side."""

import math
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from tests.multitree.strategies import pairs, trees

from tolka.errors import InputError
from tolka.multitree import Multitree, Multitrees, compare_multitrees, draw_multitree, inverted, leaf, monotonic

SVG = "{http://www.w3.org/2000/svg}"
NP = inverted(leaf("joint", "commune", "JJ"), leaf("debate", "discussion", "NN"), "NP")


def drawn(picture: str) -> ET.Element:
    return ET.fromstring(picture)  # noqa: S314 - our own


def texts(image: ET.Element) -> list[str]:
    return [str(text.text) for text in image.iter(f"{SVG}text")]


@settings(deadline=None)
@given(pairs())
def test_every_pair_can_be_drawn(pair: Multitrees) -> None:
    image = drawn(draw_multitree(pair))
    width, height = float(image.get("width", 0)), float(image.get("height", 0))
    for text in image.iter(f"{SVG}text"):
        assert 0 <= float(text.get("x", -1)) <= width
        assert 0 <= float(text.get("y", -1)) <= height
    boxes = [box for box in image.iter(f"{SVG}rect") if box.get("rx") == "5"]
    rest = sum(map(len, pair.uncovered))
    assert len(boxes) == 2 * len(pair.leaves()) + rest
    for box in boxes:
        assert 0 <= float(box.get("x", -1)) <= width - float(box.get("width", 0))


def test_what_a_picture_says() -> None:
    image = drawn(draw_multitree(NP, {NP.spans: 0.5, NP.children[0].spans: 1.25}, heading="<one>"))
    said = texts(image)
    assert {"joint", "debate", "discussion", "commune", "NP", "JJ", "NN", "0.50", "1.25", "<one>"} <= set(said)
    assert said[-2:] == ["order swapped", "highest cost"]
    assert sum(box.get("stroke") == "#b3261e" for box in image.iter(f"{SVG}rect")) == 3  # name, phrase, legend
    assert "order kept" in texts(drawn(draw_multitree(monotonic(NP, leaf("a", "b")))))
    # A part of a larger tree, and a tree of the target's own labels.
    assert {"joint", "SN"} <= set(texts(drawn(draw_multitree(leaf("joint", "commun", ("JJ", "SN"), at=(4, 7))))))


def test_ce_and_cet() -> None:
    # The costs of Galron (2012, section 5.5): what each classifier says of "This aspect" without and with exploration.
    def tree(word: str) -> Multitree:
        return monotonic(leaf("This", word, "DT"), leaf("aspect", "aspect", "NN"), "NP")

    the, noun, both = ((0, 1), (0, 1)), ((1, 2), (1, 2)), ((0, 2), (0, 2))
    found = compare_multitrees(
        tree("Ce"), tree("Cet"), ({the: 1.36, noun: 2.598, both: 0.484}, {the: 3.336, noun: 2.598, both: 0.484})
    )
    assert (found.minmerge, found.viterbi) == (0, 0)
    assert found.sequences == ((2.598, 1.36, 0.484), (3.336, 2.598, 0.484))
    found = compare_multitrees(
        tree("Ce"), tree("Cet"), ({the: 1.361, both: 3.976}, {the: 3.575, both: 2.927}), ("<Ce>", "Cet")
    )
    assert (found.minmerge, found.viterbi) == (1, 0)
    assert found.worst == (both, the)
    assert [node.spans for node in found.only[0]] == [both, the]
    assert "highest cost first (MinMerge): Cet, 3.5750 < 3.9760" in found.text()
    page = found.page()
    assert page.count("<svg") == 2
    assert "&lt;Ce&gt;" in page
    assert "<Ce>" not in page + found._repr_html_()
    # Two models that weigh differently have no costs in common.
    found = compare_multitrees(*found.trees, found.costs, comparable=False)
    assert found.verdicts() == [("costs", "cannot be compared, since the models weigh differently")]
    assert "MinMerge" not in found.text() + found.page()


def test_what_is_shared_is_not_listed() -> None:
    one, two = monotonic(NP, leaf("goes on", "continue")), monotonic(NP, leaf("goes on", "dure"))
    found = compare_multitrees(one, two)
    assert [[node.source for node in nodes] for nodes in found.only] == [[(0, 4), (2, 4)]] * 2
    assert found.verdicts() == []
    assert found.minmerge is None
    assert "only in first: X joint debate goes on | discussion commune continue; X goes on | continue" in found.text()
    same = compare_multitrees(NP, NP, ({NP.spans: 1.0}, {NP.spans: 1.0}))
    assert [said for _, said in same.verdicts()] == ["neither", "neither"]
    longer = compare_multitrees(NP, NP, ({NP.spans: 1.0, NP.children[0].spans: 0.0}, {NP.spans: 1.0}))
    assert [said for _, said in longer.verdicts()] == ["second, which has fewer steps", "neither"]


@settings(deadline=None, max_examples=30)
@given(trees(), trees())
def test_trees_of_other_sentences(one: Multitree, two: Multitree) -> None:
    if one.source_yield() == two.source_yield():
        assert compare_multitrees(one, two).text()
    else:
        with pytest.raises(InputError, match="different sentences"):
            compare_multitrees(one, two)
    with pytest.raises(InputError, match="not a number"):
        compare_multitrees(one, one, ({one.spans: math.nan}, {}))
