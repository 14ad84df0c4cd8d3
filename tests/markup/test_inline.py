"""Inline tags: taken out, and put around the words that translate what they enclosed."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.markup import Annotator, lift, put_back, without_tags

TOKEN = re.compile(r"</?\w+(?: [^<>]*)?/?>|\*\*|`|\*")


def places_of(text):
    return [found.span() for found in re.finditer(r"\S+", text)]


def carried(text, target, links):
    """What becomes of a text whose words become those of the target."""
    plain, tags = lift(text)
    return put_back(target, places_of(target), tags, places_of(plain), links)


@pytest.mark.parametrize(
    ("text", "plain", "pairs"),
    [
        ("a <b>c d</b> e", "a c d e", [("<b>", "c d")]),
        ('see <a href="x>y">the page</a>.', "see the page.", [('<a href="x>y">', "the page")]),
        ("**bold** and *x*", "bold and x", [("**", "bold"), ("*", "x")]),
        ("`a *b* c` _d_ __e__", "`a *b* c` d e", [("_", "d"), ("__", "e")]),
        ("<p>One <i>two</i></p>", "One two", [("<p>", "One two"), ("<i>", "two")]),
        ("un<b>real</b>ly", "unreally", [("<b>", "real")]),
        ("<li>a</li><li>b</li>", "a b", [("<li>", "a"), ("<li>", "b")]),
        ("**a <i>b** c</i>", "**a b** c", [("<i>", "b** c")]),
        ("<B>x</b>", "x", [("<B>", "x")]),
        ("Use <file> or 2 * 3 * 4, *.txt, snake_case_x, a < b, c > d", None, []),
        ("`foo' and `bar'", None, []),
        ("javasettings_${_OS}_${_ARCH}.xml, {_a}_b", None, []),
    ],
)
def test_what_a_tag_is(text, plain, pairs):
    found, tags = lift(text)
    assert found == (text if plain is None else plain)
    assert [(tag.opening, found[tag.start : tag.end]) for tag in tags] == pairs


@pytest.mark.parametrize(
    "text", ["a<br/>b", "a <br> b", "</b> a", "<p>a", '<img src="x.png"> a', "a <!-- c --> b", "<b></b>"]
)
def test_tags_that_stand_alone_come_back(text):
    plain, tags = lift(text)
    assert all(tag.alone for tag in tags) or text == "<b></b>"
    words = places_of(plain)
    back = put_back(plain, words, tags, words, [(at, at) for at in range(len(words))])
    assert "".join(back.split()) == "".join(text.split())


def test_tags_follow_the_links():
    assert carried("the <b>white house</b> .", "la casa bianca .", [(0, 0), (1, 2), (2, 1), (3, 3)]) == (
        "la <b>casa bianca</b> ."
    )
    # Another's word that came between does not part them; one that went far away is left out.
    assert carried("<b>a b c</b> d", "A D B C", [(0, 0), (1, 2), (2, 3), (3, 1)]) == "<b>A D B C</b>"
    far = [(0, 0), (1, 3), (2, 4), (3, 1), (4, 2)]
    assert carried("<b>a b c</b> d e", "A D E B C", far) == "A D E <b>B C</b>"
    # Words that translate nothing are inside if they are between.
    assert carried("a <b>b c</b>", "A x B x C x", [(0, 0), (1, 2), (2, 4)]) == "A x <b>B x C</b> x"
    # Pairs side by side stay apart, pairs inside stay inside.
    assert carried("<b>a</b> <i>b</i>", "B A", [(0, 1), (1, 0)]) == "<i>B</i> <b>A</b>"
    assert carried("<b>a <i>b</i></b> c", "C B A", [(0, 2), (1, 1), (2, 0)]) == "C <b><i>B</i> A</b>"
    # Words that became nothing leave an empty pair.
    assert carried("a <b>b</b> c", "A C", [(0, 0), (2, 1)]) == "A <b></b>C"
    assert carried("<b>a</b>", "", []) == "<b></b>"


def test_lines_of_tags_alone_stay_in_training():
    assert without_tags(["<b>a</b> *b*", "<br/>", "a"]) == ["a b", "<br/>", "a"]


def test_ignored_markup_needs_not_be_sound():
    annotator = Annotator(markup="ignore")
    assert annotator.sentence('<!DOCTYPE html><p class="x">a < b &amp; <br>c</i>').text == "a < b & c"


@st.composite
def tagged_texts(draw, depth=2):
    """Words, some of them in pairs of tags, well nested."""
    pieces = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["word", "word", "pair", "alone"]))
        if kind == "word" or depth == 0:
            pieces.append(draw(st.sampled_from(["a", "bc", "%s", "d."])))
        elif kind == "alone":
            pieces.append(draw(st.sampled_from(["<br/>", '<img src="x">'])))
        else:
            opening, closing = draw(st.sampled_from([("<b>", "</b>"), ('<a href="u v">', "</a>"), ("<i>", "</i>")]))
            pieces.append(opening + draw(tagged_texts(depth=depth - 1)) + closing)
    return " ".join(pieces)


def is_balanced(text):
    stack = []
    for tag in TOKEN.findall(text):
        name = re.match(r"</?(\w+)", tag)[1]
        if tag.startswith("</"):
            if not stack or stack.pop() != name:
                return False
        elif name not in {"br", "img"}:
            stack.append(name)
    return not stack


@given(text=tagged_texts(), data=st.data())
def test_tags_come_back_each_once_and_balanced(text, data):
    plain, tags = lift(text)
    sources = places_of(plain)
    count = data.draw(st.integers(0, 8))
    target = " ".join(f"w{at}" for at in range(count))
    pairs = st.tuples(st.integers(0, max(0, len(sources) - 1)), st.integers(0, max(0, count - 1)))
    links = data.draw(st.lists(pairs, max_size=12))
    found = put_back(target, places_of(target), tags, sources, links)
    assert Counter(TOKEN.findall(found)) == Counter(TOKEN.findall(text))
    assert is_balanced(found)
    assert TOKEN.sub("", found).split() == target.split() or any(tag.alone for tag in tags)
    assert "".join(TOKEN.sub("", found).split()) == "".join(target.split())


@given(st.text(st.sampled_from("<>/ab *_`~\"' br=!-"), max_size=40))
def test_any_text_can_be_lifted(text):
    plain, tags = lift(text)
    words = places_of(plain)
    back = put_back(plain, words, tags, words, [(at, at) for at in range(len(words))])
    assert Counter("".join(back.split())) == Counter("".join(text.split()))


@pytest.mark.parametrize("unit", ["<a ", "<b>", "</b>", "*a ", "`", "`a ", '<a "', "<!--", "**", "<b>a</b>", "_a_ "])
def test_hostile_lines(unit):
    lift(unit * (200_000 // len(unit)))
