"""Leaving answers out by rule, and saying so."""

import pytest

from tolka.errors import InputError, SettingsError
from tolka.judge import Answer, Choice
from tolka.judge.rank import Exclusion, Ranker, Rules, exclude, self_agreement


def test_nothing_is_left_out_unasked():
    answers = [Answer("a", "b", seconds=0.01, test=Choice.RIGHT)] * 9
    assert exclude(answers, Rules()) == (answers, ())


def test_failed_tests():
    passed = [Answer("r", "w", Choice.LEFT, "good", test=Choice.LEFT)] * 3
    failed = [Answer("r", "w", Choice.RIGHT, "bad", test=Choice.LEFT)] * 2 + [
        Answer("r", "w", Choice.LEFT, "bad", test=Choice.LEFT)
    ]
    few = [Answer("r", "w", Choice.RIGHT, "new", test=Choice.LEFT)] * 2
    real = [Answer("a", "b", judge=name) for name in ("good", "bad", "new", "", "none")]
    given = [*passed, *failed, *few, *real]
    kept, excluded = exclude(given, Rules(least_correct=0.6))
    assert {answer.judge for answer in kept} == {"good", "", "none"}
    assert excluded == (
        Exclusion("least_correct", "bad", 1.0, "1 of 3 test questions were right"),
        Exclusion("least_correct", "new", 1.0, "0 of 2 test questions were right"),
        Exclusion("least_correct", "", 0.0, "no test question was answered by those not named, none", kept=True),
    )
    ranking = Ranker(rules=Rules(least_correct=0.6)).fit(given)
    assert ranking.excluded == excluded
    assert (ranking.answers, ranking.tests) == (3, 3)


def test_a_threshold_is_never_silent():
    failed = [Answer("r", "w", Choice.RIGHT, "new", test=Choice.LEFT)] * 2 + [Answer("a", "b", judge="new")]
    kept, excluded = exclude(failed, Rules(least_correct=0.7, least_tests=3))
    assert kept == failed
    reason = "0 of 2 test questions were right, too few for a rule that asks for 3"
    assert excluded == (Exclusion("least_correct", "new", 0.0, reason, kept=True),)
    assert Rules(least_correct=0.7, least_tests=3).active == {"least_correct": 0.7, "least_tests": 3}
    always = [Answer("a", "b", judge="x", sided=True)] * 4
    _, excluded = exclude(always, Rules(most_one_sided=0.9))
    assert [(one.kept, one.reason) for one in excluded] == [
        (True, "4 of 4 choices were of one side, too few for a rule that asks for 20")
    ]
    fickle = [Answer("a", "b", judge="y", segment="1"), Answer("b", "a", judge="y", segment="1")]
    _, excluded = exclude(fickle, Rules(least_agreement=0.9))
    assert [one.kept for one in excluded] == [True]


def test_left_out_by_name():
    answers = [Answer("a", "b", judge=name) for name in ("anna", "bert", "bert", "carl")]
    kept, excluded = exclude(answers, Rules(without=("bert",)))
    assert [answer.judge for answer in kept] == ["anna", "carl"]
    assert excluded == (Exclusion("without", "bert", 2.0, "left out by name"),)
    assert "|without:bert|" in Ranker(rules=Rules(without=("bert",))).fit(answers).signature()
    with pytest.raises(InputError, match=r"there is no judge 'bret' to leave out; did you mean 'bert'\?"):
        exclude(answers, Rules(without=("bret",)))


def test_too_fast_answers_go_one_by_one():
    answers = [Answer("a", "b", judge="x", seconds=s) for s in (0.5, 2.0, None)] + [Answer("b", "a", seconds=0.1)]
    kept, excluded = exclude(answers, Rules(least_seconds=2))
    assert [answer.seconds for answer in kept] == [2.0, None]
    assert [(one.judge, one.answers) for one in excluded] == [("", 1.0), ("x", 1.0)]


def test_repeats():
    steady = [Answer("a", "b", judge="x", segment=str(i)) for i in range(5) for _ in range(2)]
    fickle = [
        Answer(left, right, judge="y", segment=str(i)) for i in range(5) for left, right in (("a", "b"), ("b", "a"))
    ]
    assert self_agreement(steady) == (5, 5)
    assert self_agreement(fickle) == (0, 5)
    assert self_agreement([Answer("a", "b", segment="1"), Answer("b", "a", Choice.RIGHT, segment="1")]) == (1, 1)
    _, excluded = exclude(steady + fickle, Rules(least_agreement=0.6))
    assert excluded == (Exclusion("least_agreement", "y", 10.0, "0 of 5 repeated questions were answered alike"),)


def test_one_side_only():
    always = [Answer("a", "b", judge="x", sided=True)] * 20
    unknown = [Answer("a", "b", judge="y")] * 20
    _, excluded = exclude(always + unknown, Rules(most_one_sided=0.95))
    assert [one.reason for one in excluded] == [
        "20 of 20 choices were of one side",
        "no side is known of the answers of y",
    ]


def test_wrong_rules():
    for rules in ({"least_correct": 2}, {"least_seconds": -1}, {"least_agreement": float("nan")}):
        with pytest.raises(SettingsError, match="must be"):
            Rules(**rules)
