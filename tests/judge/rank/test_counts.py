"""Counting answers."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.errors import InputError, SettingsError
from tolka.judge import Answer, Choice
from tolka.judge.rank import Counts, Outcomes

NAMES = "abcde"
ANSWERS = st.lists(
    st.tuples(st.permutations(NAMES), st.sampled_from(list(Choice)), st.sampled_from([1.0, 2.0, 0.5])).map(
        lambda given: Answer(given[0][0], given[0][1], given[1], weight=given[2])
    ),
    max_size=30,
)


def naive(answers, ties):
    """Dictionaries and nothing else."""
    wins = Counter()
    for answer in answers:
        if answer.choice is Choice.TIE and ties == "half":
            wins[answer.left, answer.right] += answer.weight / 2
            wins[answer.right, answer.left] += answer.weight / 2
        elif answer.winner is not None:
            wins[answer.winner, answer.loser] += answer.weight
    return wins


@given(ANSWERS, st.randoms(use_true_random=False), st.sampled_from(["half", "drop"]))
def test_like_dictionaries_in_any_order(answers, random, ties):
    wanted = naive(answers, ties)
    shuffled = list(answers)
    random.shuffle(shuffled)
    for counts in (
        Counts.of(answers, ties=ties, items=NAMES),
        Counts.of(shuffled, ties=ties, items=NAMES),
        Outcomes.of(shuffled, ties=ties, items=NAMES).counts(),
    ):
        found = {
            (counts.items[i], counts.items[j]): n
            for i, j, n in zip(counts.winner, counts.loser, counts.wins, strict=True)
        }
        assert found == wanted
        assert counts.tied == sum(a.weight for a in answers if a.choice is Choice.TIE)
        assert counts.undecided == sum(a.weight for a in answers if a.choice is Choice.UNDECIDED)
        again = Counts.from_matrix(NAMES, counts.matrix())
        np.testing.assert_array_equal(again.wins, counts.wins)
        np.testing.assert_array_equal(again.winner, counts.winner)
        first, second, ahead, behind = counts.pairs
        assert (first < second).all()
        assert ahead.sum() + behind.sum() == pytest.approx(counts.total)


def test_many_items_are_sorted_instead_of_tabled():
    rng = np.random.default_rng(0)
    names = [str(i) for i in range(5000)]
    winner = rng.integers(0, 5000, 3000)
    loser = (winner + rng.integers(1, 5000, 3000)) % 5000
    doubled = Counts.from_pairs(names, np.tile(winner, 2), np.tile(loser, 2))
    once = Counter(zip(winner.tolist(), loser.tolist(), strict=True))
    found = {
        (i, j): n
        for i, j, n in zip(doubled.winner.tolist(), doubled.loser.tolist(), doubled.wins.tolist(), strict=True)
    }
    assert found == {pair: 2.0 * n for pair, n in once.items()}


def test_tests_are_not_counted():
    counts = Counts.of([Answer("a", "b"), Answer("x", "x", test=Choice.LEFT)])
    assert (counts.items, counts.total, counts.tests) == (("a", "b"), 1.0, 1.0)


def test_components():
    def parts(*pairs):
        return Counts.of([Answer(*pair) for pair in pairs]).components()

    assert parts("ab", "ba") == [["a", "b"]]
    assert parts("ab", "bc", "cb") == [["a"], ["b", "c"]]
    assert parts("cd", "ba") == [["b"], ["a"], ["c"], ["d"]]
    assert parts("ca", "cb", "ab", "bc") == [["a", "b", "c"]]


def test_what_cannot_be_counted():
    with pytest.raises(InputError, match="'a' is compared with itself"):
        Counts.of([Answer("a", "a")])
    with pytest.raises(InputError, match="weight of an answer must be a positive number, not nan"):
        Counts.of([Answer("a", "b", weight=float("nan"))])
    with pytest.raises(InputError, match="a and b are tied; say how ties count"):
        Counts.of([Answer("a", "b", Choice.TIE)], ties="error")
    with pytest.raises(InputError, match="answers about 'c', which is not among the items"):
        Counts.of([Answer("a", "c")], items=["a", "b"])
    with pytest.raises(SettingsError, match="unknown tie policy"):
        Counts.of([], ties="third")
    with pytest.raises(InputError, match="outside the 2 items"):
        Counts.from_pairs(["a", "b"], [0], [2])
    with pytest.raises(InputError, match="2 winners but 1 losers"):
        Counts.from_pairs(["a", "b"], [0, 1], [1])
    with pytest.raises(InputError, match="from 0, with 0 where an item meets itself"):
        Counts.from_matrix(["a", "b"], [[1, 0], [0, 0]])
    with pytest.raises(InputError, match="named twice"):
        Counts.of([Answer("a", "b")], items=["a", "b", "a"])
