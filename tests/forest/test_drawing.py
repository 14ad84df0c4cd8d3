"""Drawings are well-formed, show every word, and carry no markup of the text into the page."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import assume, given, settings
from tests.forest import naive
from tests.forest.test_forest import TOY

from tolka.errors import LimitError
from tolka.forest import Derivation, Forest, draw_page

SVG = "{http://www.w3.org/2000/svg}"


def _texts(drawing: str) -> list[str]:
    return ["".join(element.itertext()) for element in ET.fromstring(drawing).iter(f"{SVG}text")]  # noqa: S314


def _phrases(words: int) -> dict[str, Any]:
    """A monotone phrase-based forest, a word at a time."""
    first = [{"lhs": 0, "source": ["s0"], "target": ["t0"], "links": [[0, 0]]}]
    later = [{"lhs": 0, "source": [0, f"s{at}"], "target": [0, f"t{at}"], "links": [[1, 1]]} for at in range(1, words)]
    return {
        "source": [f"s{at}" for at in range(words)],
        "categories": ["S"],
        "rules": first + later,
        "nodes": [[0, 0, at + 1] for at in range(words)],
        "edges": [
            {"head": at, "tails": [at - 1] if at else [], "rule": at, "score": -1.0, "span": [at, at + 1]}
            for at in range(words)
        ],
    }


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_a_forest_shows_its_rules(theme: Any) -> None:
    drawing = Forest.from_dict(TOY).to_svg(theme=theme)
    texts = _texts(drawing)
    assert {"S [0, 4]", "X [0, 1]", "the [2] of [1]", "president", "chairman"} <= set(texts)
    assert ("prefers-color-scheme" in drawing) == (theme == "auto")


def test_trees_show_both_sentences() -> None:
    best = Forest.from_dict(TOY).viterbi()
    assert best is not None
    assert not best.is_phrase_based
    texts = _texts(best.to_svg())
    assert {*best.source, *best.target} <= set(texts)
    assert texts.count("X₄") == 2  # once over the source, once over the target
    assert texts.count("S₅") == 1  # the root is shared
    assert "tm -0.900" in best.to_svg()


def test_phrases_are_blocks_with_links() -> None:
    best = Forest.from_dict(_phrases(4)).viterbi()
    assert best is not None
    assert best.is_phrase_based
    assert best.links == ((0, 0), (1, 1), (2, 2), (3, 3))
    drawing = best.to_svg()
    assert {*best.source, *best.target} <= set(_texts(drawing))
    assert drawing.count('class="link"') == 4


def test_text_stays_text() -> None:
    data = deepcopy(TOY)
    evil = "</title><script>alert(1)</script>\x00\x08&\ufffe"
    data["rules"][1]["target"] = [evil]
    data["source"][0] = evil
    forest = Forest.from_dict(data)
    best = forest.viterbi()
    assert best is not None
    for drawing in (forest.to_svg(), best.to_svg()):
        assert "<script" not in drawing
        assert _texts(drawing)
    page = "".join(draw_page([best], title=evil))
    assert page.count("<script>") == page.count("</script>") == 1
    assert "alert(1)</script>" not in page


@given(naive.forests())
@settings(deadline=None, max_examples=30)
def test_any_forest_can_be_drawn(data: dict[str, Any]) -> None:
    forest = Forest.from_dict(data)
    assume(forest.inside("count")[-1] < 1000)
    assert _texts(forest.to_svg())
    for found in forest.kbest(2):
        texts = _texts(found.to_svg())
        assert all(texts.count(word) >= found.target.count(word) for word in set(found.target))


def test_what_cannot_be_read_is_not_drawn() -> None:
    large = Forest.from_dict(_phrases(2500))
    with pytest.raises(LimitError, match="prune it"):
        large.to_svg()
    best = large.viterbi()
    assert best is not None
    with pytest.raises(LimitError, match="2500 rules"):
        best.to_svg()
    assert "2500 rules cannot be drawn" in "".join(draw_page([best]))


def test_what_is_empty_says_so() -> None:
    empty = Forest.from_dict({"categories": [], "rules": [], "nodes": [], "edges": []})
    assert _texts(empty.to_svg()) == ["(empty)"]
    assert _texts(Derivation((), (), 0.0, ()).to_svg()) == ["(empty)"]
    assert "(empty)" in "".join(draw_page([Derivation((), (), 0.0, ())]))


def test_a_page_explains_the_colours_it_has() -> None:
    """Colours of ordinary phrases are none of those that mean something."""
    data = _phrases(8)
    data["rules"][1]["kind"] = "copied"
    best = Forest.from_dict(data).viterbi()
    assert best is not None
    page = "".join(draw_page([best]))
    legend = page.split("<section>")[0]
    assert "copied word" in legend
    assert "phrases" in legend
    assert "glue" not in legend.split("</style>")[1]
    colours = dict(re.findall(r"[.]([\w-]+)[{]fill:(#\w+)", best.to_svg(theme="light")))
    phrases = {colour for name, colour in colours.items() if name.startswith("phrase")}
    assert phrases.isdisjoint(colours[name] for name in ("copied", "given", "rule", "glue"))


def test_a_wide_drawing_shrinks_before_it_scrolls() -> None:
    best = Forest.from_dict(_phrases(60)).viterbi()
    assert best is not None
    page = "".join(draw_page([best]))
    whole = float(re.search(r'<svg [^>]*width="(\d+)" height="(?!18")', page)[1])  # type: ignore[index]
    least, most = (float(found) for found in re.search(r"min-width:(\d+)px;max-width:(\d+)px", page).groups())  # type: ignore[union-attr]
    assert most == whole
    assert least == pytest.approx(0.6 * whole, abs=1)


def test_escapes_of_tokenisers_are_not_shown() -> None:
    data = _phrases(2)
    data["source"][0], data["rules"][0]["target"] = "&apos;s", ["&quot;"]
    best = Forest.from_dict(data).viterbi()
    assert best is not None
    assert {"'s", '"'} <= set(_texts(best.to_svg()))
    assert "&amp;" not in "".join(draw_page([best])).split("<h1>")[1]


def test_notebooks_show_drawings() -> None:
    forest = Forest.from_dict(TOY)
    best = forest.viterbi()
    assert best is not None
    assert best._repr_svg_() == best.to_svg()
    assert forest._repr_svg_() == forest.to_svg()
