"""Plackett and Luce's model: brute force over orders, Hunter's iteration, and Bradley and Terry for two."""

import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.errors import InputError, LimitError, SettingsError
from tolka.judge import Answer, Choice
from tolka.judge.rank import Counts, Ranker, Rules
from tolka.judge.rank.plackett_luce import PlackettLuceRanker
from tolka.judge.rankings import Ranked, ranked_pair

ITEMS = "abcd"


def strict(text):
    return Ranked(tuple((item,) for item in text))


def orders(ranked):
    """Every strict order that the ties of a ranking allow."""
    for parts in product(*(permutations(group) for group in ranked.groups)):
        yield [item for part in parts for item in part]


def naive_loglik(scores, rankings):
    """The mean over orders of the logarithm of the product of choices."""
    total = 0.0
    for ranked in rankings:
        every = list(orders(ranked))
        for order in every:
            for place in range(len(order)):
                rest = sum(math.exp(scores[item]) for item in order[place:])
                total += ranked.weight / len(every) * math.log(math.exp(scores[order[place]]) / rest)
    return total


def hunter(rankings, items):
    """Hunter's (2004) minorisation-maximisation on every order of every ranking."""
    strength = dict.fromkeys(items, 1.0)
    for _ in range(20_000):
        gained, shared = dict.fromkeys(items, 0.0), dict.fromkeys(items, 0.0)
        for ranked in rankings:
            every = list(orders(ranked))
            for order in every:
                for place in range(len(order) - 1):
                    share = ranked.weight / len(every)
                    gained[order[place]] += share
                    rest = sum(strength[item] for item in order[place:])
                    for item in order[place:]:
                        shared[item] += share / rest
        after = {item: gained[item] / shared[item] for item in items}
        middle = math.exp(sum(map(math.log, after.values())) / len(items))
        after = {item: value / middle for item, value in after.items()}
        moved = max(abs(math.log(after[item] / strength[item])) for item in items)
        strength = after
        if moved < 1e-11:
            break
    return {item: math.log(value) for item, value in strength.items()}


def by_item(ranking):
    return dict(zip(ranking.items, ranking.scores.tolist(), strict=True))


@st.composite
def ranked(draw):
    chosen = draw(st.permutations(ITEMS))[: draw(st.integers(2, 4))]
    places = [draw(st.integers(0, 2)) for _ in chosen]
    groups = tuple(
        tuple(item for item, at in zip(chosen, places, strict=True) if at == place) for place in sorted(set(places))
    )
    return Ranked(groups, weight=draw(st.sampled_from([1.0, 0.5, 2.0])))


@given(st.lists(ranked(), min_size=1, max_size=6))
@settings(max_examples=40)
def test_equals_hunters_iteration_and_beats_its_neighbours(rankings):
    counts = Counts.of(answer for one in rankings for answer in one.answers())
    if not counts.is_strongly_connected:
        with pytest.raises(InputError, match="do not connect"):
            PlackettLuceRanker(prior=0).fit_rankings(rankings)
        return
    found = PlackettLuceRanker(prior=0, draws=10).fit_rankings(rankings)
    scores = by_item(found)
    assert found.loglik == pytest.approx(naive_loglik(scores, rankings), abs=1e-8)
    assert scores == pytest.approx(hunter(rankings, counts.items), abs=1e-5)
    rng = np.random.default_rng(1)
    for _ in range(5):
        near = {item: score + rng.normal(0, 0.05) for item, score in scores.items()}
        assert naive_loglik(near, rankings) <= found.loglik + 1e-12


@given(st.lists(ranked(), min_size=1, max_size=5))
@settings(max_examples=30)
def test_a_prior_keeps_it_finite(rankings):
    found = PlackettLuceRanker(prior=0.25, draws=10).fit_rankings(rankings)
    scores = by_item(found)
    penalty = 0.125 * sum(value * value for value in scores.values())
    assert found.loglik == pytest.approx(naive_loglik(scores, rankings) - penalty, abs=1e-8)
    assert np.isfinite(found.errors).all()


def test_three_items_by_hand():
    # Every order once, and a > b > c twice more. At the top, a is chosen as often as expected: 4 times among all three,
    # and twice among two, of the eight rankings and of those that another item leads.
    rankings = [strict(order) for order in permutations("abc")] + [strict("abc")] * 2
    scores = by_item(PlackettLuceRanker(prior=0).fit_rankings(rankings))
    a, b, c = (math.exp(scores[item]) for item in "abc")
    assert pytest.approx(8 * a / (a + b + c) + 2 * a / (a + b) + 2 * a / (a + c), abs=1e-8) == 4 + 2
    assert a > b > c


@given(st.lists(st.tuples(st.permutations("abc"), st.sampled_from(list(Choice))), min_size=1, max_size=25))
@settings(max_examples=40)
def test_of_two_it_is_bradley_terry(drawn):
    answers = [Answer(order[0], order[1], choice) for order, choice in drawn]
    if all(answer.choice is Choice.UNDECIDED for answer in answers):
        return
    ours, theirs = PlackettLuceRanker(draws=10).fit(answers), Ranker(draws=10).fit(answers)
    assert by_item(ours) == pytest.approx(by_item(theirs), abs=1e-7)
    assert ours.errors == pytest.approx(theirs.errors, abs=1e-7)
    assert ours.loglik == pytest.approx(theirs.loglik, abs=1e-8)


def sample(rng, truth):
    left, order = dict(truth), ""
    while left:
        strength = np.exp(list(left.values()))
        taken = str(rng.choice(list(left), p=strength / strength.sum()))
        order += taken
        del left[taken]
    return order


def test_finds_the_truth_and_its_errors_are_right():
    rng = np.random.default_rng(3)
    truth = {"a": 1.0, "b": 0.4, "c": -0.4, "d": -1.0}
    inside = total = 0
    for _ in range(40):
        rankings = [strict(sample(rng, truth)) for _ in range(120)]
        found = PlackettLuceRanker(prior=0.001, cluster="none").fit_rankings(rankings)
        for item, low, high in zip(found.items, found.low, found.high, strict=True):
            inside += low <= truth[item] <= high
            total += 1
    assert 0.90 <= inside / total <= 0.99


def test_clusters():
    rng = np.random.default_rng(4)
    truth = {"a": 0.5, "b": 0.0, "c": -0.5}
    once = [
        Ranked(tuple((item,) for item in sample(rng, truth)), judge=f"j{at % 5}", segment=str(at)) for at in range(300)
    ]
    found = PlackettLuceRanker().fit_rankings(once)
    assert found.settings["cluster"] == "segment"
    plain = PlackettLuceRanker(cluster="none").fit_rankings(once)
    assert found.errors == pytest.approx(plain.errors, rel=0.2)
    again = PlackettLuceRanker().fit_rankings(once * 3)
    assert again.errors == pytest.approx(found.errors, rel=0.05)
    assert (found.answers, found.comparisons.tolist()) == (300, [300, 300, 300])
    assert "|model:plackett-luce|" in found.signature()


def test_refusals():
    tied = Ranked((("a", "b"), ("c",)))
    with pytest.raises(InputError, match="a and b are tied"):
        PlackettLuceRanker(ties="error").fit_rankings([tied])
    with pytest.raises(SettingsError, match="cannot drop"):
        PlackettLuceRanker(ties="drop")
    with pytest.raises(InputError, match="no answers"):
        PlackettLuceRanker().fit_rankings([])
    with pytest.raises(LimitError, match="11 items are tied"):
        PlackettLuceRanker().fit_rankings([Ranked((tuple("abcdefghijk"),))])


def test_rules_leave_whole_judges_out():
    same = [Ranked((("a",), ("b",), ("c",)), "x", "1"), Ranked((("c",), ("b",), ("a",)), "x", "1")] * 3
    others = [Ranked((("a",), ("b",), ("c",)), "y", str(i)) for i in range(5)]
    found = PlackettLuceRanker(rules=Rules(least_agreement=0.9)).fit_rankings([*same, *others])
    assert (found.answers, found.items[0]) == (5, "a")
    assert [(one.judge, one.answers) for one in found.excluded if one.answers] == [("x", 6)]
    assert found.settings["least_agreement"] == 0.9


def test_rankings_themselves():
    for wrong, message in (((("a",), ("b", "a")), "twice"), ((("a",),), "two items"), ((("a", ""),), "names")):
        with pytest.raises(InputError, match=message):
            Ranked(wrong)
    with pytest.raises(InputError, match="weight"):
        Ranked((("a", "b"),), weight=0)
    assert ranked_pair(Answer("a", "b", Choice.UNDECIDED)) is None
    assert ranked_pair(Answer("a", "b", Choice.RIGHT, "j", "s")) == Ranked((("b",), ("a",)), "j", "s")
    assert ranked_pair(Answer("a", "b", Choice.TIE)) == Ranked((("a", "b"),))
