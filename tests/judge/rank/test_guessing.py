"""Judges who guess are found, and others are not."""

import numpy as np
import pytest

from tolka.judge import Answer, Choice
from tolka.judge.rank.activations import Logistic
from tolka.judge.rank.guessing import EVIDENCE, PRIOR, suspicions
from tolka.judge.rank.outcomes import Outcomes
from tolka.judge.rank.reliability import JudgeModel

GIVEN = {
    "x": [("a", "b")] * 9 + [("b", "a")] * 2,
    "y": [("a", "b")] * 5 + [("b", "a")] * 6,
    "z": [("a", "b")] * 8 + [("b", "a")],
}


def crowd(seed, *, judges=6, each=80, guessing=1, spread=1.0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, spread, 5)
    found = []
    for judge in range(judges):
        for _ in range(each):
            left, right = rng.choice(5, 2, replace=False)
            chance = 0.5 if judge < guessing else 1 / (1 + np.exp(scores[right] - scores[left]))
            choice = Choice.LEFT if rng.random() < chance else Choice.RIGHT
            found.append(Answer(f"s{left}", f"s{right}", choice, judge=f"j{judge}", segment=str(len(found) % 9)))
    return found


def test_who_guesses_is_found_and_few_others_are():
    found = [one for seed in range(12) for one in suspicions(crowd(seed))]
    guessing = [one.doubted for one in found if one.judge == "j0"]
    others = [one.doubted for one in found if one.judge != "j0"]
    assert np.mean(guessing) >= 0.75
    assert np.mean(others) <= 1 / EVIDENCE
    assert all(one.answers == 80 for one in found)


def test_it_is_the_prediction_from_the_others_answers():
    """Of two items the average over what their difference may be is an integral over one number."""
    answers = [Answer(*pair, judge=judge) for judge, pairs in GIVEN.items() for pair in pairs]
    for one in suspicions(answers):
        rest = Outcomes.of([answer for answer in answers if answer.judge != one.judge])
        fit = JudgeModel(Logistic(), PRIOR).fit(rest).posterior
        middle, spread = fit.mean[0] - fit.mean[1], np.sqrt(np.array([1, -1]) @ fit.covariance @ np.array([1, -1]))
        apart = middle + spread * np.linspace(-8, 8, 4001)
        chance = 0.95 / (1 + np.exp(-apart)) + 0.025
        wins = sum(pair[0] == "a" for pair in GIVEN[one.judge])
        losses = len(GIVEN[one.judge]) - wins
        density = np.exp(-(((apart - middle) / spread) ** 2) / 2)
        ordinary = (chance**wins * (1 - chance) ** losses * density).sum() / density.sum()
        assert one.factor == pytest.approx(0.5 ** (wins + losses) / ordinary, rel=0.1)


def test_test_questions_count():
    fair = crowd(2, guessing=0)
    tests = [Answer("", "", Choice.RIGHT, judge="j1", segment="t", test=Choice.LEFT)] * 3
    before = {one.judge: one.factor for one in suspicions(fair)}
    after = {one.judge: one.factor for one in suspicions([*fair, *tests])}
    assert after["j1"] / before["j1"] == pytest.approx(20**3, rel=0.05)


@pytest.mark.parametrize("number", [0, 1])
def test_with_nobody_to_compare_with_nobody_is_doubted(number):
    assert [one.factor for one in suspicions(crowd(1, judges=number))] == [1.0] * number


def test_answers_without_a_judge_help_to_tell():
    fair = [Answer("a", "b")] * 60
    odd = [Answer(*pair, judge="odd") for pair in [("a", "b"), ("b", "a")] * 15]
    (one,) = suspicions([*fair, *odd])
    assert one.doubted


def test_few_answers_of_others_say_little():
    others = [Answer("a", "b", judge="x")] * 2
    against = [Answer("b", "a", judge="y")] * 8
    assert not any(one.doubted for one in suspicions([*others, *against]))
