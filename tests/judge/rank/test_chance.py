"""Judges who answer at random: found, and honest ones left alone."""

import math
from itertools import permutations, product

import numpy as np
import pytest

from tolka.errors import SettingsError
from tolka.judge import Answer, Choice
from tolka.judge.rank.chance import _fisher, _Own, _tail, random_judges

NAMES = list("abcde")


def campaign(rng, kinds, *, number=80, spread=1.0, sided=True):
    """Judges of several kinds on the same systems and segments."""
    truth, segments = rng.normal(0, spread, 5), rng.normal(0, 0.5, (40, 5))
    answers = []
    for at, kind in enumerate(kinds):
        for _ in range(number):
            one, two = rng.choice(5, 2, replace=False)
            segment = int(rng.integers(40))
            gap = truth[one] - truth[two] + segments[segment, one] - segments[segment, two]
            chance = {"honest": 1 / (1 + math.exp(-gap)), "coin": 0.5, "left": 1.0, "mixed up": 1 / (1 + math.exp(gap))}
            left = rng.random() < chance[kind]
            judge, where = f"{kind} {at}", str(segment)
            if sided:
                choice = Choice.LEFT if left else Choice.RIGHT
                answers.append(Answer(NAMES[one], NAMES[two], choice, judge, where, sided=True))
            else:
                better, worse = (one, two) if left else (two, one)
                answers.append(Answer(NAMES[better], NAMES[worse], judge=judge, segment=where))
    return answers


@pytest.mark.parametrize("sided", [True, False])
def test_who_is_who(sided):
    rng = np.random.default_rng(5)
    kinds = ["honest"] * 5 + ["coin", "mixed up"] + (["left"] if sided else [])
    found = random_judges(campaign(rng, kinds, number=150, spread=1.5, sided=sided))
    verdicts = {one.judge.rstrip(" 0123456789"): one for one in found}
    assert verdicts["honest"].verdict == "attentive"
    assert verdicts["honest"].p_value < 0.01
    assert verdicts["honest"].agreed > 0.6
    assert verdicts["coin"].verdict == "random"
    assert verdicts["mixed up"].verdict == "against"
    assert verdicts["mixed up"].doubtful
    if sided:
        assert verdicts["left"].verdict == "random"
        assert verdicts["left"].p_value == 1


@pytest.mark.parametrize("sided", [True, False])
def test_a_coin_is_told_apart_as_often_as_the_level_says(sided):
    rng = np.random.default_rng(3)
    p_values = []
    for _ in range(25):
        found = random_judges(campaign(rng, ["honest"] * 3 + ["coin"] * 8, number=30, sided=sided))
        p_values += [one.p_value for one in found if one.judge.startswith("coin")]
    assert 0.02 <= np.mean(np.array(p_values) <= 0.05) <= 0.09
    assert 0.40 <= np.mean(np.array(p_values) <= 0.5) <= 0.60


def test_honest_judges_are_seldom_called_random():
    rng = np.random.default_rng(4)
    called = total = 0
    for spread in (0.2, 0.7, 1.5):
        for _ in range(8):
            found = random_judges(campaign(rng, ["honest"] * 6 + ["coin"], number=60, spread=spread))
            called += sum(one.doubtful for one in found if one.judge.startswith("honest"))
            total += 6
    assert called / total <= 0.05


def own(pulls, chosen, *, sided=True, segments=None):
    found = _Own()
    where = segments or [""] * len(pulls)
    found.rows = [(0, 1, value, segment, sided) for value, segment in zip(chosen, where, strict=True)]
    found.hold(np.array(pulls, dtype=float))
    return found


def test_dealing_equals_every_permutation():
    pulls, chosen = [0.9, -0.4, 0.3, -0.8, 0.1, 0.5], [1, -1, 1, -1, -1, 1]
    observed = np.dot(pulls, chosen)
    every = [np.dot(pulls, order) for order in permutations(chosen)]
    exact = np.mean([value >= observed - 1e-12 for value in every])
    assert own(pulls, chosen).p_values(np.random.default_rng(1))[0] == pytest.approx(exact, abs=0.02)


def test_turning_equals_every_coin():
    pulls, chosen = [0.9, 0.4, 0.3, 0.8, 0.1], [1, -1, 1, 1, -1]
    observed = np.dot(pulls, chosen)
    every = [np.dot(pulls, coins) for coins in product([-1, 1], repeat=5)]
    exact = np.mean([value >= observed - 1e-12 for value in every])
    found = own(pulls, chosen, sided=False)
    assert found.p_values(np.random.default_rng(1))[0] == pytest.approx(exact, abs=0.04)
    # Answers of one segment turn together: all agree, and one coin in two does as well.
    together = own([0.5] * 6, [1] * 6, sided=False, segments=["s"] * 6)
    assert together.p_values(np.random.default_rng(1))[0] == pytest.approx(0.5, abs=0.04)
    assert together.power(3.0, 0.05) == 0
    assert own([0.5] * 6, [1] * 6, sided=False).power(5.0, 0.05) > 0.5


@pytest.mark.parametrize("sided", [True, False])
def test_many_answers_by_the_normal_distribution(sided):
    rng = np.random.default_rng(6)
    pulls = rng.uniform(-1, 1, 201)
    chosen = np.where(rng.random(201) < 0.55, 1, -1)
    long, rng = own(pulls, chosen.tolist(), sided=sided), np.random.default_rng(1)
    exact = [
        np.dot(pulls, rng.permutation(chosen) if sided else rng.choice([-1, 1], 201)) >= np.dot(pulls, chosen)
        for _ in range(4000)
    ]
    assert long.p_values(rng)[0] == pytest.approx(np.mean(exact), abs=0.03)
    assert sum(long.p_values(rng)) == pytest.approx(1)


def test_test_questions():
    tests = [Answer("", "", Choice.LEFT, "good", test=Choice.LEFT)] * 12
    tests += [Answer("", "", Choice.LEFT if i % 2 else Choice.RIGHT, "coin", test=Choice.LEFT) for i in range(12)]
    tests += [Answer("", "", Choice.LEFT, f"other {i}", test=Choice.LEFT) for i in range(12) for _ in range(9)]
    found = {one.judge: one for one in random_judges(tests)}
    assert found["good"].verdict == "attentive"
    assert found["good"].p_value == pytest.approx(1 / 2**12)
    assert found["good"].agreed is None
    assert found["coin"].verdict == "random"
    assert (found["coin"].tests, found["coin"].passed) == (12, 6)
    assert str(found["coin"]).startswith("coin: random (6 of 12 test questions right, p = 0.61)")


def test_one_judge_alone_cannot_be_judged():
    [alone] = random_judges([Answer("a", "b", judge="x")] * 50)
    assert (alone.verdict, alone.answers, alone.p_value, alone.power) == ("too few", 0, 1, 0)
    assert random_judges([]) == ()
    [tied] = random_judges([Answer("a", "b", Choice.TIE, judge="x"), Answer("a", "b", Choice.UNDECIDED, judge="x")])
    assert tied.verdict == "too few"


def test_closed_forms():
    assert _tail(5, 0, 0.5) == 1
    assert _tail(5, 4, 0.5) == pytest.approx(6 / 32)
    assert _tail(5, 6, 0.5) == 0
    # A chi-square of four degrees of freedom at -2 ln(0.05 * 0.05).
    assert _fisher(0.05, 0.05) == pytest.approx(0.0174787, abs=1e-6)
    assert _fisher(0, 1) == 0


def test_the_same_every_time_and_whatever_the_order():
    answers = campaign(np.random.default_rng(8), ["honest", "honest", "coin"], number=30)
    assert random_judges(answers) == random_judges(answers)
    for one, two in zip(random_judges(answers), random_judges(answers[::-1]), strict=True):
        assert (one.judge, one.answers, one.agreed) == (two.judge, two.answers, two.agreed)
        assert one.p_value == pytest.approx(two.p_value, abs=0.05)


def test_settings():
    for wrong in ({"level": 0}, {"power": 1}, {"level": 2}):
        with pytest.raises(SettingsError):
            random_judges([], **wrong)
