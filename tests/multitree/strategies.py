"""Random multitrees."""

from hypothesis import strategies as st

from tolka.multitree import Multitree, Multitrees, inverted, leaf, monotonic

words = st.text(
    st.one_of(st.sampled_from("ab()[]<>|\\/@,0\ufeff\u2028"), st.characters(blacklist_categories=("Cs",))),
    min_size=1,
    max_size=4,
).filter(lambda word: not set(word) & set(" \t\n\f\r\0"))
labels = st.text(st.sampled_from("XNPé*-()[]<>|\\/@"), min_size=1, max_size=3)
phrases = st.lists(words, min_size=1, max_size=3)
leaves = st.builds(leaf, phrases, phrases, st.tuples(labels, labels))


def trees(most: int = 8) -> st.SearchStrategy[Multitree]:
    return st.recursive(
        leaves,
        lambda below: st.builds(
            lambda make, left, right, label: make(left, right, label),
            st.sampled_from([monotonic, inverted]),
            below,
            below,
            st.tuples(labels, labels),
        ),
        max_leaves=most,
    )


@st.composite
def pairs(draw: st.DrawFn) -> Multitrees:
    """Trees in any order of the target, with uncovered words between them."""
    found = draw(st.lists(trees(4), max_size=3))
    gaps = st.lists(words, max_size=2)
    order = draw(st.permutations(range(len(found))))
    sides: list[list[str]] = [draw(gaps), draw(gaps)]
    starts: list[dict[int, int]] = [{}, {}]
    for side, sequence in enumerate((range(len(found)), order)):
        for at in sequence:
            starts[side][at] = len(sides[side])
            sides[side] += found[at].source_yield() if side == 0 else found[at].target_yield()
            sides[side] += draw(gaps)
    placed = [tree.moved(starts[0][at], starts[1][at]) for at, tree in enumerate(found)]
    return Multitrees(tuple(sides[0]), tuple(sides[1]), tuple(placed))
