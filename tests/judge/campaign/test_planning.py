"""The queue of questions: filled by the question engine, ahead of the judges."""

import random
import time
from collections import Counter

import numpy as np
import pytest

from tolka.errors import SettingsError
from tolka.judge import Answer, Choice
from tolka.judge.ask import PairBelief, SettledRanks
from tolka.judge.campaign import Given, open_campaign
from tolka.judge.campaign.overview import audit_log
from tolka.judge.campaign.planning import Planner, _settled, plan, ranked
from tolka.judge.campaign.questions import Questions
from tolka.judge.rank import Counts, Ranker


class Nothing:
    """Nothing was asked before."""

    def by_this_judge(self, low, high):  # noqa: ARG002
        return set()

    def by_anyone(self, low, high):  # noqa: ARG002
        return {2}


def test_a_plan_asks_what_is_not_known(make):
    campaign = make(ask={"explore": 0.0})
    pairs = [("a", "b"), ("c", "d"), ("a", "c"), ("b", "d"), ("a", "d")]
    known = [Answer(*pair, choice) for pair in pairs for choice in (Choice.LEFT, Choice.RIGHT) for _ in range(40)]
    campaign.import_answers(known, "0" * 64)
    plan(campaign)
    campaign.invite("anna")
    task = campaign.next(campaign.named("anna"))
    assert (task.low, task.high) == (1, 2)  # b and c were never compared


def test_pairs_that_differ_nowhere_are_not_planned(make, rows):
    for row in rows:
        if row["item"] in "ab":
            row["text"] = "the same"
    campaign = make(rows, ask={"explore": 0.0})
    plan(campaign)
    assert (0, 1) not in {pair[:2] for pair in campaign.questions._queue}
    assert len(campaign.questions._queue) == 20


def test_planning_happens_while_judges_answer(make):
    campaign = make(ask={"refit_every": 3, "explore": 0.0})
    campaign.invite("anna")
    anna = campaign.named("anna")
    with Planner(campaign):
        for _ in range(8):
            assert campaign.answer(anna, campaign.next(anna).id, Given(choice=Choice.LEFT)) == "stored"
        until = time.monotonic() + 60
        while not campaign.questions._queue and time.monotonic() < until:
            time.sleep(0.01)
    assert all(gain > 0 for _low, _high, gain in campaign.questions._queue)
    assert not campaign.listeners


@pytest.mark.parametrize("strategy", ["information", "random"])
def test_a_campaign_that_knows_enough_is_paused_once(make, strategy):
    campaign = make(ask={"strategy": strategy, "stop_confidence": 0.9, "stop_width": 2.0})
    plan(campaign)
    assert campaign.state == "running"  # nothing is known yet
    steps = [("a", "b"), ("b", "c"), ("c", "d")]
    campaign.import_answers([Answer(*pair) for pair in steps for _ in range(9)], "0" * 64)
    plan(campaign)
    assert campaign.state == "running"  # sure of the order, but not of the scores
    mixed = [Answer(*pair, choice) for pair in steps for choice in (Choice.LEFT, Choice.RIGHT) for _ in range(20)]
    campaign.import_answers(mixed + [Answer(*pair) for pair in steps for _ in range(40)], "1" * 64)
    plan(campaign)
    assert campaign.state == "paused"
    campaign.turn("running")
    plan(campaign)
    assert campaign.state == "running"  # whoever runs it knows better


STEPS = [("a", "b"), ("b", "c"), ("c", "d")]
MIXED = [Answer(*pair, choice) for pair in STEPS for choice in (Choice.LEFT, Choice.RIGHT)]


@pytest.mark.parametrize(
    ("ask", "enough", "reason"),
    [
        ({"stop_information": 0.01}, 2400, "no question tells more than 0.01 nats"),
        ({"stop_information": 0.05}, 240, "no question tells more than 0.05 nats"),
        ({"stop_settled": 3.0}, 240, "no interval of ranks has changed for 12 answers"),
        ({"stop_settled": 3.0, "stop_width": 1e-3, "stop_when": "any"}, 240, "no interval of ranks has changed"),
    ],
)
def test_every_rule_to_stop_by(make, database, ask, enough, reason):
    campaign = make(ask=ask, database=database)
    campaign.import_answers(MIXED[:6], "0" * 64)
    plan(campaign)
    assert campaign.state == "running"
    campaign.import_answers((MIXED * enough)[:enough], "1" * 64)
    plan(campaign)
    assert campaign.state == "paused"
    assert reason in next(line.detail for line in audit_log(campaign) if line.what == "enough")


def test_all_rules_must_hold_unless_any_is_enough(make):
    for when, state in (("all", "running"), ("any", "paused")):
        campaign = make(ask={"stop_settled": 3.0, "stop_width": 1e-3, "stop_when": when})
        campaign.import_answers(MIXED * 40, "0" * 64)
        plan(campaign)
        assert campaign.state == state


def test_ranks_are_settled_by_the_log_alone(make, clock):
    """A server that was there all along and one that starts now decide alike, answer by answer."""
    campaign = make()
    wait, watching, told, settled = 8, SettledRanks(8), [], []
    rng = random.Random(3)  # noqa: S311

    def decided(campaign):
        belief = PairBelief(campaign.items)
        belief.learn(Counts.of(campaign.tallies(), items=campaign.items))
        return belief, _settled(campaign, belief, wait) is not None

    for number in range(60):
        low, high = sorted(rng.sample("abcd", 2))
        campaign.import_answers([Answer(low, high, judge=str(number))], str(number))
        belief, is_settled = decided(campaign)
        settled.append(is_settled)
        told.append(watching.reason(belief, number + 1) is not None)
        if number % 10 == 9:
            with open_campaign(campaign.directory, clock=clock) as fresh:
                assert decided(fresh)[1] == is_settled
    assert settled[wait:] == told[wait:]
    assert {True, False} == set(settled[wait:])


def test_it_stops_by_the_interval_it_reports(make):
    """Answers that agree within segments look like many and are few: the ranking knows, and so does the rule."""
    sharing = [
        Answer(*pair, choice, segment=f"{pair}{segment}")
        for pair in [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("a", "c"), ("b", "d")]
        for segment, choice in enumerate([Choice.LEFT, Choice.RIGHT] * 4)
        for _ in range(12)
    ]
    plain = Ranker(cluster="none").fit(sharing)
    width = 1.05 * float((plain.high - plain.low).max())
    campaign = make(ask={"stop_width": width, "explore": 0.15})
    campaign.import_answers(sharing, "0" * 64)
    plan(campaign)
    assert campaign.state == "running"  # plain intervals are narrow enough, those that hold are not
    shown = ranked(campaign)
    assert float((shown.high - shown.low).max()) > 2 * width
    wide = make(ask={"stop_width": 1.001 * float((shown.high - shown.low).max()), "explore": 0.15})
    wide.import_answers(sharing, "0" * 64)
    plan(wide)
    assert wide.state == "paused"


def test_few_items_are_asked_about_by_the_criterion_itself(make):
    """The worked example of the specification (9.1): the Gaussian shortcut would ask about a and c."""
    known = ["ab", "ab", "ba", "ac", "bc", "cb", "bd", "bd", "cd", "dc"]
    campaign = make(ask={"strategy": "information", "explore": 0.0})
    campaign.import_answers([Answer(*pair) for pair in known], "0" * 64)
    plan(campaign)
    assert campaign.questions._queue[0][:2] == (2, 3)


def test_an_unknown_strategy_is_told_at_once(make):
    campaign = make(ask={"strategy": "guess"})
    with pytest.raises(SettingsError, match="there is no strategy 'guess'; use one of"):
        Planner(campaign)


@pytest.mark.parametrize("strategy", ["order", "uniform", "adjacent", "trueskill", "random"])
def test_every_strategy_plans(make, strategy):
    campaign = make(ask={"strategy": strategy})
    plan(campaign)
    assert bool(campaign.questions._queue) == (strategy != "random")


def test_the_queue_is_asked_in_turn_and_a_share_at_random():
    texts = np.arange(5 * 6, dtype=np.int32).reshape(5, 6)
    questions = Questions(texts, explore=0.25, overlap=0.5)
    questions.fill([(1, 0, 0.5), (2, 3, 0.4)])
    drawn = [questions.draw(Nothing(), random.Random(seed)) for seed in range(2000)]  # noqa: S311
    pairs = Counter((one.low, one.high) for one in drawn)
    queued = sum(one.information is not None for one in drawn) / len(drawn)
    assert abs(queued - 0.75) < 0.04
    assert abs(pairs[0, 1] - pairs[2, 3]) < 40
    assert len(pairs) == 15
    share = sum(one.segment == 2 for one in drawn) / len(drawn)
    assert abs(share - (0.5 + 0.5 / 5)) < 0.04  # half on purpose, and a fifth of the others by chance


def test_segments_without_a_text_are_never_drawn():
    texts = np.array([[0, 1, -1], [2, 2, 3], [-1, 4, 5]], dtype=np.int32)
    questions = Questions(texts, explore=1.0, overlap=0.0)
    drawn = {questions.draw(Nothing(), random.Random(seed)) for seed in range(200)}  # noqa: S311
    assert {(one.segment, one.low, one.high) for one in drawn} == {(0, 0, 1), (1, 0, 2), (1, 1, 2), (2, 1, 2)}
