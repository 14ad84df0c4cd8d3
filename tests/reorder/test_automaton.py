"""The automaton: the worked clause, exhaustive counts, and fragments against the engine's."""

from itertools import permutations, product
from math import factorial

import numpy as np
import pytest
import reorder_trees as trees
from hypothesis import given
from hypothesis import strategies as st

from tolka.errors import InputError
from tolka.reorder import Action, Automaton, find_fragments
from tolka.syntax import Tree

CLAUSE = (2, 7, 8, 5, 7, 5, 8, 0)
ORDER = tuple(word - 1 for word in (1, 2, 3, 4, 7, 8, 5, 6))


def rows(fragments):
    """As the specification prints them: actions, NTL, distance, top, excursion; positions from 1."""

    def said(action, forced):
        if action.kind == "UP":
            return "UP!" if forced else "UP"
        return f"DOWN{action.vertex + 1}"

    return [
        (
            " ".join(said(a, f) for a, f in zip(fragment.actions[:-1], fragment.forced, strict=False)),
            fragment.nonlocal_,
            fragment.distance,
            fragment.top + 1,
            fragment.excursion,
        )
        for fragment in fragments
    ]


def test_the_german_clause():
    assert rows(Automaton(CLAUSE).fragments(ORDER)) == [
        ("DOWN7 DOWN2 DOWN1", False, 1, 8, 8),
        ("UP!", False, 1, 2, 1),
        ("UP! UP DOWN3", True, 1, 8, 6),
        ("UP! DOWN7 DOWN5 DOWN4", False, 1, 8, 5),
        ("UP! UP", True, 3, 7, 3),
        ("UP", True, 1, 8, 1),
        ("DOWN7 DOWN5", False, -3, 8, 3),
        ("DOWN6", False, 1, 5, 1),
    ]


def test_the_german_clause_in_its_own_order():
    strange = [fragment for fragment in Automaton(CLAUSE).fragments(range(8)) if fragment.nonlocal_]
    assert rows(strange) == [("UP! UP DOWN3", True, 1, 8, 6)]
    assert strange[0].word == 2


def rooted_trees(length):
    """Heads of all labelled rooted trees of a length."""
    for heads in product(range(length + 1), repeat=length):
        if heads.count(0) == 1:
            try:
                Automaton(heads)
            except InputError:
                continue
            yield heads


@pytest.mark.parametrize(("length", "number", "stuck"), [(2, 2, 0), (3, 9, 6), (4, 64, 60)])
def test_counts(length, number, stuck):
    found = list(rooted_trees(length))
    assert len(found) == number
    for heads in found:
        ends = list(Automaton(heads).executions())
        assert all(final for _, final in ends)
        orders = [Automaton(heads).order(actions) for actions, _ in ends]
        assert sorted(orders) == sorted(permutations(range(length)))
        assert len(ends) == factorial(length)
    dead = sum(any(not final for _, final in Automaton(heads, printed=True).executions()) for heads in found)
    assert dead == stuck


def test_counts_of_some_larger_trees():
    # All 625 trees of 5 words take a minute; a star is the one shape that cannot get stuck as printed.
    star, chain = (0, 1, 1, 1, 1), (0, 1, 2, 3, 4)
    assert all(final for _, final in Automaton(star, printed=True).executions())
    assert not all(final for _, final in Automaton(chain, printed=True).executions())
    for heads in (star, chain, (2, 3, 0, 3, 4), (5, 1, 1, 3, 0)):
        ends = list(Automaton(heads).executions())
        assert len(ends) == factorial(5)
        assert all(final for _, final in ends)


def test_the_dead_end_of_a_chain():
    automaton = Automaton((0, 1, 2), printed=True)
    state = automaton.start
    for action in (Action("EMIT", 0), Action("DOWN", 1), Action("EMIT", 1), Action("UP", 1)):
        state = automaton.step(state, action)
    assert automaton.enabled(state) == []
    with pytest.raises(InputError, match="UP 1 is not enabled"):
        Automaton((0, 1, 2)).order([Action("EMIT", 0), Action("DOWN", 1), Action("EMIT", 1), Action("UP", 1)])


@given(st.data())
def test_executions_and_orders_are_one(data):
    heads = data.draw(trees.heads())
    order = data.draw(trees.orders_of(len(heads)))
    automaton = Automaton(heads)
    assert automaton.order(automaton.execution(order)) == order


@given(st.data())
def test_the_fast_path_equals_the_slow_one(data):
    some = data.draw(st.lists(trees.heads(), min_size=1, max_size=4))
    orders = [data.draw(trees.orders_of(len(heads))) for heads in some]
    sentences = [Tree(forms=("w",) * len(heads), heads=heads) for heads in some]
    fast = find_fragments(sentences, orders, threads=2)
    slow = [(heads, f) for heads, order in zip(some, orders, strict=True) for f in Automaton(heads).fragments(order)]
    assert fast.word.tolist() == [f.word for _, f in slow]
    assert fast.ups.tolist() == [sum(a.kind == "UP" for a in f.actions) for _, f in slow]
    assert fast.downs.tolist() == [sum(a.kind == "DOWN" for a in f.actions) for _, f in slow]
    assert fast.top.tolist() == [-1 if f.top == len(heads) else f.top for heads, f in slow]
    assert fast.distance.tolist() == [f.distance for _, f in slow]
    assert fast.excursion.tolist() == [f.excursion for _, f in slow]
    assert fast.nonlocal_.tolist() == [f.nonlocal_ for _, f in slow]
    forced = [o for _, f in slow for a, o in zip(f.actions, f.forced, strict=True) if a.kind == "UP"]
    assert fast.forced.tolist() == forced


@given(trees.heads())
def test_a_tree_is_projective_if_its_own_order_has_no_unforced_step(heads):
    def between(word):
        head = heads[word] - 1
        return range(min(word, head) + 1, max(word, head)) if head >= 0 else ()

    def above(word):
        while word >= 0:
            yield word
            word = heads[word] - 1

    # Every word between a word and its head must be below that head.
    projective = all(heads[w] - 1 in above(v) for w in range(len(heads)) for v in between(w))
    # Words that stand between two roots' subtrees belong to the silent root, which covers everything.
    roots = [word for word, head in enumerate(heads) if not head]
    for root in roots:
        below = [word for word in range(len(heads)) if root in above(word)]
        projective &= below == list(range(below[0], below[-1] + 1))
    tree = Tree(forms=("w",) * len(heads), heads=heads)
    assert bool(np.any(find_fragments([tree]).nonlocal_)) != projective


def test_values_by_word():
    tree = Tree(forms=("a", "b", "c"), heads=(2, 0, 2))
    fragments = find_fragments([tree, tree], [(1, 0, 2), (2, 1, 0)])
    assert fragments.by_word(fragments.distance).tolist() == [-1, 2, 2, -1, -1, 3]


def test_mistakes_are_named():
    tree = Tree(forms=("a", "b"), heads=(0, 1))
    with pytest.raises(InputError, match="sentence 2: the order of 2 words is no permutation"):
        find_fragments([tree, tree], [(0, 1), (1, 1)])
    with pytest.raises(InputError, match="sentence 1: 2 words and an order of 1"):
        find_fragments([tree], [(0,)])
    with pytest.raises(InputError, match="1 sentences and 2 orders"):
        find_fragments([tree], [(0, 1), (0, 1)])
    with pytest.raises(InputError, match="no permutation"):
        Automaton((0, 1)).execution((0, 0))
    with pytest.raises(InputError, match="emits 1 of 2"):
        Automaton((0, 1)).order([Action("EMIT", 0)])
