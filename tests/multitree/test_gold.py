"""Multitrees from links and trees, against enumeration of all of them."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.errors import InputError, LimitError
from tolka.multitree import Constituents, Multitree, leaf, maximum_cover, maximum_covers, monotonic, multitree_of_links
from tolka.syntax import Constituent, parse_penn

LETTERS = "abcdefghij"


def separable(order: tuple[int, ...]) -> bool:
    """Whether neighbours can be joined again and again until one is left (Wu 1997), tried from the bottom up."""
    stack: list[tuple[int, int]] = []
    for value in order:
        stack.append((value, value + 1))
        while len(stack) > 1:
            (a, b), (c, d) = stack[-2:]
            if b != c and d != a:
                break
            stack[-2:] = [(min(a, c), max(b, d))]
    return len(stack) == 1


def all_trees(order: tuple[int, ...], start: int, end: int) -> list[list[tuple[int, int]]]:
    """The source spans of each binary tree over some words whose nodes are contiguous on the target side too."""
    values = order[start:end]
    if max(values) - min(values) != end - start - 1:
        return []
    if end - start == 1:
        return [[(start, end)]]
    return [
        [(start, end), *left, *right]
        for cut in range(start + 1, end)
        for left in all_trees(order, start, cut)
        for right in all_trees(order, cut, end)
    ]


@st.composite
def brackets(draw: st.DrawFn, low: int, high: int) -> Constituent:
    """Any tree over the letters from low to high."""
    if high - low == 1:
        return Constituent("T", word=LETTERS[low])
    cuts = sorted(draw(st.sets(st.integers(low + 1, high - 1), min_size=1)))
    return Constituent("N", tuple(draw(brackets(a, b)) for a, b in zip([low, *cuts], [*cuts, high], strict=True)))


@pytest.mark.parametrize("size", range(1, 6))
def test_orders_that_have_a_tree(size: int) -> None:
    for order in permutations(range(size)):
        words = list(LETTERS[:size])
        found = multitree_of_links(words, words, list(enumerate(order)))
        assert found.complete == separable(order) == bool(all_trees(order, 0, size))
        assert found.uncovered == ((), ())
        assert found.links() == list(enumerate(order))


@settings(deadline=None)
@given(st.data())
def test_as_few_crossed_constituents_as_can_be(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 6))
    tree = data.draw(brackets(0, size))
    order = data.draw(st.permutations(range(size)).map(tuple))
    words = tree.words()
    found = multitree_of_links(words, words, list(enumerate(order)), source_tree=tree)
    side = Constituents(words, tree)
    ways = [sum(map(side.crossed, spans)) for spans in all_trees(order, 0, size)]
    if ways:
        assert sum(side.crossed(node.source) for node in found.trees[0]) == min(ways)
    else:
        assert not found.complete


@settings(deadline=None)
@given(st.integers(1, 7), st.integers(1, 7), st.data())
def test_leaves_hold_the_links(long: int, wide: int, data: st.DataObject) -> None:
    place = st.tuples(st.integers(0, long - 1), st.integers(0, wide - 1))
    links = data.draw(st.sets(place, max_size=7))
    source, target = list(LETTERS[:long]), list(LETTERS[:wide].upper())
    found = multitree_of_links(source, target, links)
    if not links:
        assert not found.trees
        return
    assert found.uncovered == ((), ())
    for one in found.leaves():
        inside = [(i in range(*one.source), j in range(*one.target)) for i, j in links]
        assert all(i == j for i, j in inside)  # No link leaves a leaf,
        assert any(i for i, _ in inside)  # and each holds one.
    # Leaves are as small as they can be: none can be cut in two that hold links.
    for one in found.leaves():
        for i in range(one.source[0] + 1, one.source[1]):
            for j in range(one.target[0] + 1, one.target[1]):
                sides = [(a < i, b < j) for a, b in links if a in range(*one.source)]
                for same in (True, False):
                    apart = all((x == y) == same for x, y in sides)
                    assert not (apart and len({x for x, _ in sides}) == 2)


def test_the_words_of_one_language() -> None:
    # "not" beside ne and pas takes in the verb; des has no English word and goes with its noun; the comma with what is before.
    source, target = (
        ["users", "do", "not", "sleep", "yesterday", "they", "ran"],
        ["des", "gens", "ne", "dorment", "pas", "hier", ",", "ils", "ont", "couru"],
    )
    links = [(0, 1), (2, 2), (2, 4), (3, 3), (4, 5), (5, 7), (6, 8), (6, 9)]
    found = multitree_of_links(source, target, links)
    assert [" ".join(words) for one in found.leaves() for words in one.words] == [
        *("users", "des gens"),
        *("do not sleep", "ne dorment pas"),
        *("yesterday", "hier ,"),
        *("they", "ils"),
        *("ran", "ont couru"),
    ]
    # A tree says where they belong.
    tree = parse_penn("(S (NP (DT a) (NN b) (RP c)) (VP (V d)))")
    found = multitree_of_links(tree.words(), ["x", "y"], [(1, 0), (3, 1)], source_tree=tree)
    assert [one.words[0] for one in found.leaves()] == [("a", "b", "c"), ("d",)]


def test_the_joint_debate() -> None:
    # Galron (2012, figure 4.4): only the inverted composition agrees with the links, and it is the NP.
    tree = parse_penn("(S (NP (JJ joint) (NN debate)) (VP (VB goes) (PP (IN on))))")
    links = [(0, 1), (1, 0), (2, 2), (3, 2)]
    found = multitree_of_links(tree.words(), ["discussion", "commune", "continue"], links, source_tree=tree)
    assert str(found.trees[0]) == "(S <NP [JJ joint | commune] [NN debate | discussion]> [VP goes on | continue])"
    side = Constituents(tree.words(), tree)
    assert [side.crossed(span) for span in [(0, 2), (1, 3), (0, 3), (2, 4)]] == [0, 2, 1, 0]


def test_a_maximum_cover() -> None:
    # Largest first; of equals the cheapest; nothing that overlaps what is taken, on either side.
    large = monotonic(leaf("a", "x"), leaf("b c", "y"))
    cheap, dear = leaf("d", "z", "C", at=(3, 2)), leaf("d", "z", "D", at=(3, 2))
    elsewhere = leaf("e f g", "y", at=(4, 1))
    small = leaf("e", "w", at=(4, 3))
    assert maximum_cover([small, dear, elsewhere, cheap, large], {dear: 2.0, cheap: 1.0}) == [large, cheap, small]
    assert maximum_cover([]) == []
    # What one cover has taken no other has, and in the end nothing is left.
    pool = [small, dear, elsewhere, cheap, large, small]
    costs = {dear: 2.0, cheap: 1.0}
    assert maximum_covers(pool, 9, costs) == [[large, cheap, small], [dear, elsewhere], [small]]
    assert maximum_covers(pool, 1, costs) == [maximum_cover(pool, costs)]
    assert maximum_covers(pool, 0) == maximum_covers([], 3) == []
    order = (1, 3, 0, 2, 4)
    found = multitree_of_links(list("abcde"), list("vwxyz"), list(enumerate(order)))
    assert len(found.trees) == 5


def test_mistakes() -> None:
    with pytest.raises(InputError, match="0-1 is outside sentences of 1 and 1 words"):
        multitree_of_links(["a"], ["b"], [(0, 1)])
    with pytest.raises(InputError, match="other words"):
        multitree_of_links(["a"], ["b"], [(0, 0)], source_tree=parse_penn("(A b)"))
    with pytest.raises(InputError, match="2 heads for the 1 words"):
        multitree_of_links(["a"], ["b"], [(0, 0)], source_tree=parse_penn("(A a)"), source_heads=[0, 1])
    with pytest.raises(LimitError, match="301 words"):
        multitree_of_links(["a"], ["b"] * 301, [(0, 0)])
    found: list[Multitree] = list(multitree_of_links([], [], []).trees)
    assert found == []
