"""Drawings are well-formed, show every word, and carry no markup of the text into the page."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import assume, given, settings
from tests.forest import naive
from tests.forest.test_forest import TOY

from tolka.errors import LimitError
from tolka.forest import Derivation, Forest, Grown, Growth, draw_page

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
    # Phones scroll anyway, so that letters are larger there.
    assert float(re.search(r"--near:(\d+)px", page)[1]) == pytest.approx(0.8 * whole, abs=1)  # type: ignore[index]


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


def _ensemble(parts: int, *, phrases: bool = False) -> dict[str, Any]:
    """A forest whose first rule all parts have, whose others each have one part alone, and whose last is a copied word."""
    data = _phrases(parts + 2) if phrases else deepcopy(TOY)
    data["components"] = [f"part<{at}>" for at in range(parts)]
    for at, rule in enumerate(data["rules"]):
        rule["components"] = [at - 1] if 0 < at <= parts else list(range(parts))
    if phrases:
        data["rules"][-1] |= {"kind": "copied", "components": []}
    return data


@pytest.mark.parametrize("phrases", [False, True])
def test_who_of_an_ensemble_has_a_rule(phrases: bool) -> None:
    forest = Forest.from_dict(_ensemble(2, phrases=phrases))
    best = forest.viterbi()
    assert best is not None
    drawing = best.to_svg()
    texts = _texts(drawing)
    assert {"part<0>", "several"} <= set(texts)
    assert ("copied word" in texts) == phrases
    shapes = ET.fromstring(drawing)  # noqa: S314
    for group in shapes.iter(f"{SVG}g"):
        if "data-step" not in group.attrib:
            continue
        rule = best.steps[int(group.attrib["data-step"])].rule
        drawn = {shape.attrib["class"] for tag in ("rect", "path") for shape in group.iter(f"{SVG}{tag}")}
        alone = [f"phrase{forest.components.index(name)}" for name in rule.components if len(rule.components) == 1]
        assert drawn == set(alone or ["copied" if rule.kind == "copied" else "several"])
    if not phrases:
        # Lines to the words of a rule have its colour, too.
        assert 'class="phrase0-line"' in drawing
        assert {"part<0>", "several"} <= set(_texts(forest.to_svg()))
        assert "by part&lt;0&gt;" in forest.to_svg()


def test_a_page_says_whose_colours_they_are() -> None:
    best = Forest.from_dict(_ensemble(3, phrases=True)).viterbi()
    assert best is not None
    page = "".join(draw_page([best]))
    legend, drawn = page.split("</style>", 1)[1].split("<section>", 1)
    for said in ("part&lt;0&gt;", "part&lt;1&gt;", "part&lt;2&gt;", "several", "copied word"):
        assert legend.count(f"</svg>{said}</span>") == 1
    assert "neighbours" not in legend
    # Said once, and in letters of the page.
    assert "several" not in _texts(drawn[drawn.index("<svg") : drawn.index("</svg>") + 6])
    assert "<th>by" in drawn
    assert [drawn.count(f"<td>{who}<td") for who in ("all", "part&lt;1&gt;", "copied")] == [1, 1, 1]
    assert "<th>by" not in "".join(draw_page([Forest.from_dict(TOY).viterbi()]))  # type: ignore[list-item]


@pytest.mark.parametrize("phrases", [False, True])
def test_more_parts_than_colours_have_numbers(phrases: bool) -> None:
    forest = Forest.from_dict(_ensemble(30, phrases=phrases))
    best = forest.viterbi()
    assert best is not None
    drawing = best.to_svg()
    texts = _texts(drawing)
    speaking = [step.rule.components[0] for step in best.steps if len(step.rule.components) == 1]
    assert speaking
    for name in speaking:
        number = forest.components.index(name) + 1
        assert f"{number} {name}" in texts
        assert any(text == str(number) or text.endswith(f" · {number}") for text in texts)
    # The legend goes on in another line, and stays in the picture.
    width, height = (float(found) for found in re.search('viewBox="0 0 ([0-9]+) ([0-9]+)"', drawing).groups())  # type: ignore[union-attr]
    for text in ET.fromstring(drawing).iter(f"{SVG}text"):  # noqa: S314
        assert 0 <= float(text.attrib["x"]) <= width
        assert 0 <= float(text.attrib["y"]) <= height
    few = Forest.from_dict(_phrases(2)).viterbi()
    assert few is not None
    assert drawing.width < 1500 or phrases
    assert "several" not in _texts(few.to_svg())


def _grown(data: dict[str, Any], how: list[Growth]) -> Derivation:
    """The best derivation, its rules connected in the order that they are listed in."""
    best = Forest.from_dict(data).viterbi()
    assert best is not None
    steps = zip(best.steps, how, strict=True)
    return replace(best, steps=tuple(replace(step, grown=Grown(at, how)) for at, (step, how) in enumerate(steps)))


def _numbers(drawing: str) -> dict[int, int]:
    """The numbers on rules, by step; there is one each."""
    found: dict[int, int] = {}
    for group in ET.fromstring(drawing).iter(f"{SVG}g"):  # noqa: S314
        for text in group.iter(f"{SVG}text"):
            if text.attrib["class"] == "page":
                step = int(group.attrib["data-step"])
                assert step not in found
                found[step] = int(text.text or "")
    return found


GROWTHS: list[tuple[dict[str, Any], list[Growth]]] = [
    (TOY, ["start", "down", "down", "up", "up"]),
    (_phrases(3), ["start", "up", "up"]),
]


@pytest.mark.parametrize(("data", "how"), GROWTHS)
def test_rules_have_numbers_in_the_order_they_were_connected_in(data: dict[str, Any], how: list[Growth]) -> None:
    best = _grown(data, how)
    drawing = best.to_svg()
    assert _numbers(drawing) == {step: step + 1 for step in range(len(how))}
    # A number has a tip unless it is the first; those of the legend are numbers, too.
    said = {"first rule": 0, "put around the tree": how.count("up"), "put into a gap": how.count("down")}
    known = [text for text in said if text in _texts(drawing)]
    assert known == [text for text, count in said.items() if count or text == "first rule"]
    assert len(re.findall('<path class="ink"', drawing)) == len(how) - 1 + len(known) - 1
    assert f"action {len(how)}: put around the tree" in drawing


@pytest.mark.parametrize("data", [TOY, _phrases(3)])
def test_without_an_order_there_are_no_numbers(data: dict[str, Any]) -> None:
    best = Forest.from_dict(data).viterbi()
    assert best is not None
    assert not _numbers(best.to_svg())
    assert "first rule" not in best.to_svg()
    page = "".join(draw_page([best]))
    assert "Numbers" not in page
    assert "<th>action" not in page


def test_steps_of_a_chain_of_glue_have_their_own_numbers() -> None:
    data = _phrases(4)
    data["rules"] = [{"lhs": 1, "source": [f"s{at}"], "target": [f"t{at}"]} for at in range(4)] + [
        {"lhs": 0, "source": [0], "target": [0], "kind": "glue"},
        {"lhs": 0, "source": [0, 1], "target": [0, 1], "kind": "glue"},
    ]
    data["categories"] = ["S", "X"]
    data["nodes"] = [[1, at, at + 1] for at in range(4)] + [[0, 0, at + 1] for at in range(4)]
    glue = [
        {"head": at + 4, "tails": [at + 3, at] if at else [0], "rule": 5 if at else 4, "score": 0} for at in range(4)
    ]
    data["edges"] = [{"head": at, "rule": at, "score": -1} for at in range(4)] + glue
    best = _grown(data, ["start", "up", "down", "up", "down", "up", "down", "up"])
    drawing = best.to_svg()
    assert _texts(drawing).count("glue") == 1
    assert sorted(_numbers(drawing).values()) == list(range(1, 9))


def test_a_page_says_what_numbers_mean_once() -> None:
    first, second = (_grown(*growth) for growth in GROWTHS)
    legend, drawn = "".join(draw_page([first, second])).split("<section>", 1)
    for said in ("first rule", "put around the tree", "put into a gap"):
        assert legend.count(f"</svg>{said}</span>") == 1
        assert said not in _texts(drawn[drawn.index("<svg") : drawn.index("</svg>") + 6])
    assert "<th>#<th>action<th>source" in drawn
    assert drawn.count("<td>1&nbsp;start<td>") == 2
    # Only repairs grow a tree from its top.
    top = list(first.steps)
    top[-1] = replace(top[-1], grown=Grown(0, "start"))
    assert "repaired tree" not in legend
    assert "repaired tree" in "".join(draw_page([replace(first, steps=tuple(top))]))


def test_large_numbers_fit_into_their_circles() -> None:
    best = _grown(_phrases(1200), ["start", *["up"] * 1199])  # type: ignore[list-item]
    sizes = re.findall(r'<text class="page"[^>]*font-size="([\d.]+)"[^>]*>(\d+)<', best.to_svg())
    assert {number: float(size) for size, number in sizes if number in {"9", "99", "999", "1199"}} == {
        "9": 10, "99": 10, "999": 8, "1199": 6.5,
    }  # fmt: skip


def _light(colour: str) -> float:
    """Relative luminance (WCAG 2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_light(one), _light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everything_can_be_seen(theme: Any) -> None:
    """WCAG 2.2 AA: 4.5 to 1 for text, 3 to 1 for lines and rims."""
    best = Forest.from_dict(_ensemble(2)).viterbi()
    assert best is not None
    drawing = best.to_svg(theme=theme)
    colours = {
        name: (fill, rim) for name, fill, rim in re.findall(r"[.]([\w-]+)[{]fill:([#\w]+);stroke:([#\w]+)", drawing)
    }
    page = re.search(r"[.]page[{]fill:(#\w+)", drawing)[1]  # type: ignore[index]
    ink, soft = colours.pop("ink")[0], colours.pop("soft")[0]
    assert _contrast(ink, page) >= 7
    assert _contrast(soft, page) >= 4.5
    assert len(colours) > 15
    for name, (fill, rim) in colours.items():
        if fill != "none":
            # Forests have scores in soft letters on their boxes.
            assert min(_contrast(ink, fill), _contrast(soft, fill)) >= 4.5, name
        assert _contrast(rim, page) >= 3, name
