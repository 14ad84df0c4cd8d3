"""Random trees for property tests."""

from hypothesis import strategies as st

from tolka.syntax import Tree

text = st.text(st.characters(blacklist_characters="\t\n\r\0", blacklist_categories=("Cs",)), min_size=1, max_size=5)


@st.composite
def heads(draw: st.DrawFn, most: int = 8, *, forests: bool = True) -> tuple[int, ...]:
    """Heads of any tree (or forest): each word of a random order hangs from an earlier one or is a root."""
    length = draw(st.integers(1, most))
    order = draw(st.permutations(range(length)))
    found = [0] * length
    for place, word in enumerate(order):
        if place and not (forests and draw(st.integers(0, 5)) == 0):
            found[word] = order[draw(st.integers(0, place - 1))] + 1
    return tuple(found)


@st.composite
def trees(draw: st.DrawFn, most: int = 8) -> Tree:
    """Trees with any text in their columns."""
    found = draw(heads(most))
    length = len(found)
    row = st.lists(text, min_size=length, max_size=length).map(tuple)
    return Tree(
        forms=draw(row),
        heads=found,
        lemmas=draw(row),
        upos=draw(row),
        deprels=draw(row),
        misc=draw(
            st.lists(st.sampled_from(["_", "SpaceAfter=No", "A=1|B=2"]), min_size=length, max_size=length).map(tuple)
        ),
        order=draw(st.none() | st.permutations(range(length)).map(tuple)),
        comments=draw(st.lists(text.map(lambda value: "# " + value), max_size=2).map(tuple)),
    )
