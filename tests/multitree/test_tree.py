"""Multitrees: what they refuse, and what they say."""

import pytest
from hypothesis import given, settings
from tests.multitree.strategies import trees

from tolka.errors import InputError, LimitError
from tolka.multitree import KINDS, NOTHING, Inference, Multitree, inverted, join, leaf, monotonic, parse_tree

TWO = leaf("joint", "commune", "JJ"), leaf("debate", "discussion", "NN")


def test_the_two_orders_of_two_words() -> None:
    # The 2x2 compositions of Galron (2012, table 4.3): spans of the consequent, and of the antecedents.
    same, swapped = monotonic(*TWO, "NP"), inverted(*TWO, "NP")
    assert same.spans == swapped.spans == ((0, 2), (0, 2))
    assert [child.spans for child in same.children] == [((0, 1), (0, 1)), ((1, 2), (1, 2))]
    assert [child.spans for child in swapped.children] == [((0, 1), (1, 2)), ((1, 2), (0, 1))]
    assert (same.target_yield(), swapped.target_yield()) == (("commune", "discussion"), ("discussion", "commune"))
    assert (same.orientation, swapped.orientation, same.children[0].orientation) == ("monotonic", "inverted", "leaf")
    assert swapped.inferences()[-1] == Inference(
        "inverted", ((0, 2), (0, 2)), (((0, 1), (1, 2)), ((1, 2), (0, 1)))
    )  # fmt: skip


def test_steps_of_one_language_branch_to_the_right() -> None:
    steps = leaf("a b c", "x", at=(2, 4)).inferences(monolingual=True)
    assert [step.kind for step in steps] == [*["source-scan"] * 3, *["source-fuse"] * 2, "target-scan", "bilingual"]
    assert steps[3] == Inference("source-fuse", ((3, 5), NOTHING), (((3, 4), NOTHING), ((4, 5), NOTHING)))
    assert steps[4] == Inference("source-fuse", ((2, 5), NOTHING), (((2, 3), NOTHING), ((3, 5), NOTHING)))
    assert steps[-1] == Inference("bilingual", ((2, 5), (4, 5)), (((2, 5), NOTHING), (NOTHING, (4, 5))))


@settings(deadline=None)
@given(trees())
def test_what_holds_of_every_tree(tree: Multitree) -> None:
    assert tree.spans == ((0, len(tree.source_yield())), (0, len(tree.target_yield())))
    assert len(tree.nodes()) == 2 * len(tree.leaves()) - 1
    assert len({node.spans for node in tree}) == len(tree.nodes())
    steps = tree.inferences(monolingual=True)
    assert {step.kind for step in steps} <= set(KINDS)
    made = set()
    for step in steps:  # Antecedents come first, and each is used once.
        assert set(step.antecedents) <= made
        made -= set(step.antecedents)
        assert step.consequent not in made
        made.add(step.consequent)
    assert made == {tree.spans}
    scans = sum(map(len, (tree.source_yield(), tree.target_yield())))
    assert len(steps) == 2 * scans - 1
    sources, targets = {i for i, _ in tree.links()}, {j for _, j in tree.links()}
    assert (sources, targets) == (set(range(tree.source[1])), set(range(tree.target[1])))
    assert tree.moved(3, 1).moved(-3, -1) == tree
    assert hash(tree.moved(0, 0)) == hash(tree)
    assert len(tree.pretty({tree.spans: 1.0}).split("\n")) >= len(tree.nodes())


def test_equality() -> None:
    assert monotonic(*TWO) != inverted(*TWO)
    assert monotonic(*TWO) != monotonic(*TWO, "NP")
    assert leaf("a", "b") != "a"
    assert repr(monotonic(*TWO, ("NP", "SN"))) == "<Multitree NP/SN 0-2 | 0-2>"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: leaf("", "a"), "'' is no word"),
        (lambda: leaf([], ["a"]), "from 0 to 0"),
        (lambda: leaf(["a b"], ["a"]), "'a b' is no word"),
        (lambda: leaf("a", "\ud800"), "is no word"),
        (lambda: leaf("a", "b", at=(-1, 0)), "from -1 to 0"),
        (lambda: leaf("a", "b", ""), "'' is no label"),
        (lambda: leaf("a", "b", "N P"), "'N P' is no label"),
        (lambda: leaf("a", "b", ("N", "\x07")), "is no label"),
        (lambda: join(leaf("a", "x"), leaf("b", "y")), "source spans 0-1 and 0-1 do not make 0-1"),
        (lambda: join(leaf("a", "x"), leaf("b", "y", at=(1, 2))), "target spans 0-1 and 2-3 do not make 0-3"),
        (lambda: join(leaf("a", "x"), leaf("b", "y", at=(1, 0))), "target spans"),
        (lambda: Multitree((0, 1), (0, 1), children=(leaf("a", "b"),)), "1 children"),
        (lambda: Multitree((0, 2), (0, 1), words=(("a",), ("b",))), "1 words cannot stand from 0 to 2"),
        (lambda: Multitree((0, 2), (0, 2), children=monotonic(*TWO).children, words=(("a",), ())), "both children"),
    ],
)
def test_what_is_no_multitree(make, said: str) -> None:
    with pytest.raises(InputError, match=said):
        make()


def test_depth_is_bounded_and_needs_no_recursion() -> None:
    tree = leaf("a", "b")
    for _ in range(999):
        tree = join(tree, leaf("a", "b", at=(tree.source[1], tree.target[1])))
    assert tree.depth == 1000
    assert parse_tree(str(tree)) == tree
    assert len(tree.pretty().split("\n")) == 1999
    with pytest.raises(LimitError, match="deep"):
        monotonic(tree, leaf("a", "b"))
