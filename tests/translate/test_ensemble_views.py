"""One sentence as several models see it."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from tolka.corpus import CompoundSplitter, Truecaser
from tolka.decode import Given, Lattice, Sentence
from tolka.translate import TextSettings, TextSteps
from tolka.translate.ensemble import Views, lattice_of

CASING = ["Das Haus ist alt .", "Ich mag das Haus .", "Ist das Haus alt ?", "In dem Wald ist Regen ."]


def paths(lattice):
    """All sentences in a lattice."""
    found = {0: [()]}
    for arc in lattice.arcs:
        found.setdefault(arc.end, [])
        found[arc.end] += [(*before, arc.word) for before in found[arc.start]]
    return set(found[lattice.last])


def cut(word, places, upper):
    """A word cut at some letters, some of its parts in upper case."""
    cuts = [0, *sorted(places), len(word)]
    parts = [word[one:two] for one, two in itertools.pairwise(cuts)]
    return tuple(part.upper() if number in upper else part for number, part in enumerate(parts))


@st.composite
def spelt(draw):
    words = draw(st.lists(st.text("abcß", min_size=1, max_size=7), min_size=1, max_size=5))
    views = []
    for _ in range(draw(st.integers(1, 4))):
        view = []
        for word in words:
            places = draw(st.sets(st.integers(1, len(word) - 1), max_size=3)) if len(word) > 1 else set()
            upper = draw(st.sets(st.integers(0, 3)))
            # What has no small letters of its own is left alone: ß becomes two letters.
            view.append(cut(word, places, upper if "ß" not in word else set()))
        views.append(view)
    return words, views


@given(spelt())
def test_each_view_is_a_path(case):
    words, views = case
    lattice = lattice_of(words, views)
    found = paths(lattice)
    for view in views:
        assert tuple(part for spelling in view for part in spelling) in found
    assert len(set(lattice.arcs)) == len(lattice.arcs)
    # Every path is made of what some view has.
    known = {part for view in views for spelling in view for part in spelling}
    assert {word for path in found for word in path} == known
    if all(view == views[0] for view in views):
        assert len(found) == 1


@given(spelt())
def test_the_order_of_views_does_not_matter(case):
    words, views = case
    assert set(lattice_of(words, views).arcs) == set(lattice_of(words, views[::-1]).arcs)


def test_ways_that_cut_at_the_same_letter_meet():
    lattice = lattice_of(
        ["Regenwald", "."], [[("Regen", "Wald"), (".",)], [("regen", "wald"), (".",)], [("Regenwald",), (".",)]]
    )
    assert lattice.last == 3
    assert len(lattice.arcs) == 6
    # Letters between parts belong to the part before.
    filled = lattice_of(["Arbeitsamt"], [[("Arbeit", "Amt")], [("Arbeits", "amt")]])
    assert filled.last == 2
    # Parts that are not in the word at all still come one after the other.
    odd = lattice_of(["ab"], [[("x", "y", "z")], [("ab",)], [("x", "b")]])
    assert {("x", "y", "z"), ("ab",), ("x", "b")} <= paths(odd)


def steps(*, casing=CASING, compounds=()):
    splitter = CompoundSplitter(min_count=1).train(compounds) if compounds else None
    return TextSteps("de", TextSettings(), Truecaser(language="de").train(casing), splitter)


def test_lines_that_all_see_alike_are_no_lattices():
    lead, other = steps(), steps(casing=["ein Das", "mein Das"])
    split = steps(compounds=["Regen Wald"])
    lines = ["Das Haus ist alt.", "Ich mag Regen.", "Im Regenwald ist das Haus.", ""]
    prepared = [Sentence(line) for line in lead.prepare(lines)]
    assert Views([lead, lead]).inputs(lines, prepared) == prepared
    found = Views([lead, other, split]).inputs(lines, prepared)
    assert found[1] is prepared[1]
    assert found[3] is prepared[3]
    assert isinstance(found[0], Lattice)
    for view in (lead, other, split):
        for line, one in zip(view.prepare(lines), found, strict=True):
            said = paths(one) if isinstance(one, Lattice) else {tuple(one.words)}
            assert tuple(line.split()) in said
    assert ("Im", "Regen", "Wald") in {path[:3] for path in paths(found[2])}
    # Lines of words are taken as well.
    assert Views([lead, other, split]).inputs(lines, lead.prepare(lines))[0] == found[0]


def test_what_a_lattice_has_no_place_for_stays():
    lead, other = steps(), steps(casing=["ein Das"])
    line = "Das Haus ist alt."
    (words,) = lead.prepare([line])
    for one in (
        Sentence(words, [Given(1, 2, [("house", 0.0)])]),
        Sentence(words, values=[("$num_1", "3")]),
        Sentence(words, walls=[2]),
        Sentence("ganz andere Wörter"),
        Lattice([(0, 1, "das")]),
    ):
        assert Views([lead, other]).inputs([line], [one]) == [one]
    assert isinstance(Views([lead, other]).inputs([line], [Sentence(words)])[0], Lattice)
