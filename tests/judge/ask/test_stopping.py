"""Rules to stop by, and the planner."""

import numpy as np
import pytest

from tolka.errors import SettingsError
from tolka.judge import Answer, Choice
from tolka.judge.ask import (
    Budget,
    Interview,
    LittleToLearn,
    NarrowEnough,
    PairBelief,
    SettledRanks,
    SureOfOrder,
    answers_needed,
    smallest_gap,
)


# The table of the specification, 6.4.
@pytest.mark.parametrize(
    ("win", "expected"),
    [
        (0.55, (1526, 2289, 3434, 7250)),
        (0.60, (374, 561, 841, 1776)),
        (0.65, (160, 241, 361, 762)),
        (0.70, (86, 128, 193, 407)),
        (0.75, (51, 76, 115, 242)),
    ],
)
def test_planner(win, expected):
    plans = [answers_needed(items, win=win) for items in (5, 7, 10, 20)]
    # The specification rounds z to 1.96, which makes 2290 of 2289.49.
    assert [plan.answers for plan in plans] == list(expected)
    assert plans[0].gap == pytest.approx(np.log(win / (1 - win)))


def test_planner_backwards():
    assert smallest_gap(7, 200).win == pytest.approx(0.664, abs=5e-4)
    assert smallest_gap(7, answers_needed(7, win=0.6).answers).win == pytest.approx(0.6, abs=1e-3)


def test_planner_by_simulation():
    """A balanced design of the planned size tells the planned gap apart half of the time or a little more."""
    plan = answers_needed(5, win=0.65)
    rng = np.random.default_rng(3)
    seen = 0
    truth = np.array([plan.gap / 2, -plan.gap / 2, 0, 0, 0])
    left, right = np.triu_indices(5, 1)
    each = round(plan.answers / len(left))
    for _ in range(200):
        belief = PairBelief("abcde", prior=1e-6)
        for i, j in zip(left, right, strict=True):
            won = rng.binomial(each, 1 / (1 + np.exp(truth[j] - truth[i])))
            names = belief.items[i], belief.items[j]
            belief.learn([Answer(*names)] * won + [Answer(*names[::-1])] * (each - won))
        variance = belief.covariance[0, 0] + belief.covariance[1, 1] - 2 * belief.covariance[0, 1]
        seen += (belief.mean[0] - belief.mean[1]) / np.sqrt(variance) > 1.96
    assert 0.4 < seen / 200 < 0.62


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: answers_needed(1, win=0.6),
        lambda: answers_needed(5, win=0.5),
        lambda: smallest_gap(5, 0),
        lambda: smallest_gap(5, 10, level=1),
        lambda: Budget(0),
        lambda: NarrowEnough(0),
    ],
)
def test_impossible_plans(wrong):
    with pytest.raises(SettingsError):
        wrong()


def alphabet(pair):
    return Choice.LEFT if pair.left < pair.right else Choice.RIGHT


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (Budget(7), "the budget of 7 answers is spent"),
        (LittleToLearn(0.05), "no question tells more than 0.05 nats"),
        (NarrowEnough(4.0), "every 95% interval is at most 4 wide"),
        (SureOfOrder(0.9), "every two neighbours are told apart at 90%"),
        (SettledRanks(12), "no interval of ranks has changed for 12 answers"),
    ],
)
def test_rules(rule, reason):
    interview = Interview(PairBelief("abcd"), stop=[rule, Budget(500)], seed=1)
    assert interview.run(alphabet).stopped_ == reason
    assert len(interview.steps_) < 500


def test_a_narrow_interval_is_the_one_that_rank_reports():
    belief = PairBelief("abc")
    belief.learn([Answer("a", "b"), Answer("b", "c"), Answer("c", "a")] * 10)
    widest = 2 * 1.959964 * belief.posterior.errors.max()
    assert NarrowEnough(widest + 1e-6).reason(belief, 0)
    assert NarrowEnough(widest - 1e-6).reason(belief, 0) is None
