"""Tallies: who beat whom how often, and whether chance would do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from tolka.errors import InputError
from tolka.judge import Answer, Choice
from tolka.judge.rank import Tally, tally

ITEMS = st.sampled_from("abc")


@given(st.lists(st.tuples(ITEMS, ITEMS, st.sampled_from(Choice)).filter(lambda one: one[0] != one[1]), max_size=40))
def test_as_counted_one_by_one(rows):
    found = tally([Answer(left, right, choice) for left, right, choice in rows])
    for one in found:
        assert one.item != one.other
        met = [Answer(*row) for row in rows if {row[0], row[1]} == {one.item, one.other}]
        assert one.wins == sum(answer.winner == one.item for answer in met)
        assert one.losses == sum(answer.winner == one.other for answer in met)
        assert one.ties == sum(answer.choice is Choice.TIE for answer in met)
        assert one.wins >= one.losses
        if one.wins + one.losses:
            assert one.p == pytest.approx(binomtest(one.wins, one.wins + one.losses).pvalue)
        else:
            assert one.p == 1.0
    counted = sum(one.wins + one.losses + one.ties for one in found)
    assert counted == sum(choice is not Choice.UNDECIDED for *_, choice in rows)


def test_weights_and_many_answers():
    [one] = tally([Answer("a", "b", weight=3), Answer("b", "a"), Answer("a", "b", test=Choice.LEFT)])
    assert one == Tally("a", "b", 3, 1, 0, 0.625)
    [many] = tally([Answer("a", "b", weight=60_000), Answer("b", "a", weight=59_000)])
    assert many.p == pytest.approx(binomtest(60_000, 119_000).pvalue)
    assert tally([]) == ()
    with pytest.raises(InputError, match=r"stands for 0\.5 answers"):
        tally([Answer("a", "b", weight=0.5)])
