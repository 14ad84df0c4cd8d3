"""Conversations about a parse, and simulations of many."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.assist import GoneError
from tolka.assist.parsing import (
    Candidate,
    Noisy,
    Oracle,
    ParseDialogue,
    Penalty,
    Recorded,
    Reliability,
    simulate_parsing,
)
from tolka.errors import InputError, SettingsError
from tolka.syntax import Constituent, ConstituentForest, parse_penn

HIGH = "(S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN man)) (PP (IN with) (NP (DT a) (NN dog)))))"
LOW = "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT the) (NN man)) (PP (IN with) (NP (DT a) (NN dog))))))"
RIGHT = {
    HIGH: ["the man was seen by me with a dog", "it is the man that I saw with a dog"],
    LOW: ["the man with a dog was seen by me", "it is the man with a dog that I saw"],
}
CANDIDATES = [
    Candidate(text, grammar, grammar)
    for at, grammar in enumerate(("en.passive", "en.cleft"))
    for text in (RIGHT[HIGH][at], RIGHT[LOW][at])
]
YIELDS = [[at for at, one in enumerate(CANDIDATES) if one.text in RIGHT[tree]] for tree in (LOW, HIGH)]


def forest(low: float) -> ConstituentForest:
    return ConstituentForest.from_trees([(parse_penn(LOW), math.log(low)), (parse_penn(HIGH), math.log(1 - low))])


def talk(low: float = 0.6, **settings: Any) -> ParseDialogue:
    return ParseDialogue(forest(low), CANDIDATES, YIELDS, parsed=parse_penn(LOW), **settings)


def test_an_answer_changes_the_tree_and_is_accounted_for() -> None:
    asking = talk()
    question = asking.question
    assert question is not None
    assert asking.result == LOW
    answers = Oracle([RIGHT[HIGH]]).judge(0, question.choices)
    asking.answer(question.id, answers, by="anna")
    assert asking.result == HIGH
    [effect] = asking.account()
    assert (effect.before, effect.after, effect.by, effect.changed) == (LOW, HIGH, "anna", True)
    assert effect.gained is not None
    assert effect.gained > 0


def test_the_same_question_is_not_asked_twice_and_an_old_one_is_gone() -> None:
    asking = talk(least=0.0)
    seen = []
    while (question := asking.question) is not None:
        seen.append(question.id)
        asking.answer(question.id, [None] * len(question.choices))
    assert len(seen) == len(set(seen)) == 2
    assert asking.result == LOW
    with pytest.raises(GoneError):
        asking.answer(seen[0], [True, True])


def test_who_cannot_tell_changes_nothing() -> None:
    asking = talk()
    before = asking.belief.posterior
    assert asking.question is not None
    asking.answer(asking.question.id, [None, None])
    assert asking.belief.posterior == pytest.approx(before)


def test_a_judge_who_guesses_changes_nothing_either() -> None:
    asking = talk(right={"coin": 0.5}.get)
    before = asking.belief.posterior
    assert asking.question is not None
    asking.answer(asking.question.id, [True, False], by="coin")
    assert asking.belief.posterior == pytest.approx(before)


def test_grammars_are_trusted_each_for_itself() -> None:
    asking = talk(trust={"en.passive": Reliability(0.5, 0.5), "": Penalty(10)}, least=0.001)
    assert asking.question is not None
    assert set(asking.question.choices) == {RIGHT[HIGH][1], RIGHT[LOW][1]}
    asking.answer(asking.question.id, [True, False])
    assert asking.question is None  # what is left tells nothing


def test_more_rewrites_than_are_shown_together_are_asked_about_in_turn() -> None:
    asking = talk(most=1, least=0.0)
    assert asking.question is not None
    assert len(asking.question.choices) == 1


@given(st.floats(0.05, 0.95), st.lists(st.sampled_from([True, False, None]), min_size=4, max_size=4))
def test_answers_given_again_lead_to_the_same_place(low: float, answers: list[bool | None]) -> None:
    first, second = talk(low), talk(low)
    for asking in (first, second):
        given_ = list(answers)
        while (question := asking.question) is not None:
            asking.answer(question.id, [given_.pop() for _ in question.choices])
    assert first.result == second.result
    assert [one.question.id for one in first.account()] == [one.question.id for one in second.account()]


@pytest.mark.parametrize("settings", [{"least": -1.0}, {"most": 0}, {"trees": 0}, {"order": "alphabet"}, {"seed": -1}])
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        talk(**settings)


def test_a_table_that_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match="2 edges of the root"):
        ParseDialogue(forest(0.5), CANDIDATES, [[0]])


def test_a_rewrite_that_there_is_not_is_refused() -> None:
    with pytest.raises(InputError, match="there are 4"):
        ParseDialogue(forest(0.5), CANDIDATES, [[0], [4]])


def test_a_rewrite_that_comes_twice_is_refused() -> None:
    with pytest.raises(InputError, match="the same"):
        ParseDialogue(forest(0.5), [CANDIDATES[0]] * 2, [[0], [1]])


def golds(count: int) -> list[Constituent]:
    return [parse_penn(HIGH if at % 3 else LOW) for at in range(count)]


def test_an_oracle_repairs_every_tree_and_a_coin_none() -> None:
    gold = golds(12)
    right = [RIGHT[str(tree)] for tree in gold]
    found = simulate_parsing([talk] * 12, gold, Oracle(right))
    assert found.after["f1"] == pytest.approx(100)
    assert found.before["f1"] < 100
    assert (found.better, found.worse, found.asked_about) == (8, 0, 12)
    assert found.error_reduction == pytest.approx(1)
    assert len(found.curve) == 21
    assert found.curve[-1].questions == found.questions == 24
    assert found.curve[0].f1 == pytest.approx(found.before["f1"])
    assert found.curve[-1].f1 == pytest.approx(found.after["f1"])
    slips = Noisy(Oracle(right), same_if_true=0.0, same_if_false=1.0)  # always wrong
    assert simulate_parsing([talk] * 12, gold, slips).after["f1"] < found.before["f1"]


def test_a_budget_is_kept_and_shared() -> None:
    gold = golds(6)
    oracle = Oracle([RIGHT[str(tree)] for tree in gold])
    for pooled in (True, False):
        found = simulate_parsing([talk] * 6, gold, oracle, questions=3, each=1, pooled=pooled)
        assert found.questions == 3
        assert found.curve[-1].questions == 3


def test_recorded_answers_are_what_was_written() -> None:
    asked = Recorded({(0, RIGHT[HIGH][0].upper()): True, (0, RIGHT[LOW][0]): False})
    assert asked.judge(0, [RIGHT[HIGH][0], RIGHT[LOW][0], "never asked"]) == [True, False, None]


def test_slips_are_as_frequent_as_was_said_and_the_same_each_time() -> None:
    texts = [f"sentence {at}" for at in range(4000)]
    user = Noisy(Oracle([texts[:2000]]), same_if_true=0.8, same_if_false=0.3, seed=7)
    said = user.judge(0, texts)
    assert said == user.judge(0, texts)
    assert np.mean([bool(one) for one in said[:2000]]) == pytest.approx(0.8, abs=0.04)
    assert np.mean([bool(one) for one in said[2000:]]) == pytest.approx(0.3, abs=0.04)
