"""Davidson's model: by hand, by brute force, against a naive twin, and where no finite answer exists."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize
from scipy.sparse import csr_array

from tolka.errors import InputError, SettingsError
from tolka.judge import Answer, Choice
from tolka.judge.rank import Counts, Ranker, Rules, regauge
from tolka.judge.rank.choices import Choices
from tolka.judge.rank.outcomes import Outcomes
from tolka.judge.rank.ties import DavidsonRanker, TiedRanking, _Games, _ties_as_left

NAMES = "abcdef"


def answers_of(table, ties):
    """Wins by row over column, and ties above the diagonal."""
    found = []
    for i, j in combinations(range(len(table)), 2):
        found += [Answer(NAMES[i], NAMES[j])] * int(table[i][j])
        found += [Answer(NAMES[i], NAMES[j], Choice.RIGHT)] * int(table[j][i])
        found += [Answer(NAMES[j], NAMES[i], Choice.TIE)] * int(ties[i][j])
    return found


def naive_loglik(parameters, table, ties, prior):
    """The formula as Davidson (1970) prints it, pair by pair."""
    *scores, log_nu = parameters
    strength, nu = [math.exp(x) for x in scores], math.exp(log_nu)
    total = -prior / 2 * sum(one * one for one in parameters)
    for i, j in combinations(range(len(scores)), 2):
        middle = nu * math.sqrt(strength[i] * strength[j])
        rest = strength[i] + strength[j] + middle
        total += table[i][j] * math.log(strength[i] / rest)
        total += table[j][i] * math.log(strength[j] / rest)
        total += ties[i][j] * math.log(middle / rest)
    return total


def brute_force(table, ties, prior):
    size = len(table)

    def cost(free):
        scores = np.append(free[: size - 1], -free[: size - 1].sum())
        return -naive_loglik([*scores, free[-1]], table, ties, prior)

    options = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 40_000, "maxfev": 40_000}
    first = optimize.minimize(cost, np.zeros(size), method="BFGS")
    best = optimize.minimize(cost, first.x, method="Nelder-Mead", options=options)
    return np.append(best.x[: size - 1], -best.x[: size - 1].sum()), best.x[-1], -best.fun


def naive_fit(table, ties, steps=20_000):
    """Davidson's own iteration, one strength and then nu at a time, until nothing moves."""
    size = len(table)
    strength, nu = np.ones(size), 1.0
    for _ in range(steps):
        before = np.append(strength, nu)
        for i in range(size):
            gained, shared = 0.0, 0.0
            for j in range(size):
                if i != j:
                    tied = ties[min(i, j)][max(i, j)]
                    met = table[i][j] + table[j][i] + tied
                    rest = strength[i] + strength[j] + nu * math.sqrt(strength[i] * strength[j])
                    gained += table[i][j] + tied / 2
                    shared += met * (1 + nu / 2 * math.sqrt(strength[j] / strength[i])) / rest
            strength[i] = gained / shared
        strength /= np.exp(np.log(strength).mean())
        number = weight = 0.0
        for i, j in combinations(range(size), 2):
            met = table[i][j] + table[j][i] + ties[i][j]
            root = math.sqrt(strength[i] * strength[j])
            number += ties[i][j]
            weight += met * root / (strength[i] + strength[j] + nu * root)
        nu = number / weight
        if np.abs(np.append(strength, nu) / before - 1).max() < 1e-13:
            break
    return np.log(strength), nu


def in_order(ranking, size):
    scores = dict(zip(ranking.items, ranking.scores, strict=True))
    return np.array([scores[NAMES[i]] for i in range(size)])


counts_of_pairs = st.integers(2, 4).flatmap(
    lambda size: st.tuples(
        st.lists(st.lists(st.integers(1, 9), min_size=size, max_size=size), min_size=size, max_size=size),
        st.lists(st.lists(st.integers(0, 9), min_size=size, max_size=size), min_size=size, max_size=size),
    )
)


def test_by_hand():
    # Two items: 6 to 2 with 4 ties. The odds are 3, and the ties' share of the root of the wins: 4 / sqrt(12).
    found = DavidsonRanker(prior=0).fit(answers_of([[0, 6], [2, 0]], [[0, 4], [0, 0]]))
    assert in_order(found, 2) == pytest.approx([math.log(3) / 2, -math.log(3) / 2], abs=1e-9)
    assert found.nu == pytest.approx(4 / math.sqrt(12), abs=1e-9)
    assert found.equals_tie == pytest.approx(found.nu / (2 + found.nu))
    assert found.loglik == pytest.approx(6 * math.log(0.5) + 2 * math.log(1 / 6) + 4 * math.log(1 / 3), abs=1e-9)
    # The variance of a logarithm of odds: 1/6 + 1/2, whatever the ties.
    assert 2 * found.errors[0] == pytest.approx(math.sqrt(1 / 6 + 1 / 2), abs=1e-9)
    assert (found.tied, found.answers) == (4, 12)


@pytest.mark.parametrize("prior", [0.0, 0.25])
@pytest.mark.parametrize("seed", range(3))
def test_equals_brute_force(seed, prior):
    rng = np.random.default_rng(seed)
    table, ties = rng.integers(0, 5, (3, 3)) + 1, rng.integers(0, 5, (3, 3)) + 1
    found = DavidsonRanker(prior=prior).fit(answers_of(table, ties))
    scores, log_nu, loglik = brute_force(table.tolist(), ties.tolist(), prior)
    assert found.loglik == pytest.approx(loglik, abs=1e-9)
    assert found.loglik >= loglik - 1e-11
    assert in_order(found, 3) == pytest.approx(scores, abs=1e-5)
    assert math.log(found.nu) == pytest.approx(log_nu, abs=1e-5)


@given(counts_of_pairs)
@settings(max_examples=30)
def test_equals_davidsons_iteration(drawn):
    table, ties = drawn
    assume(any(ties[i][j] for i, j in combinations(range(len(table)), 2)))
    found = DavidsonRanker(prior=0, draws=10).fit(answers_of(table, ties))
    scores, nu = naive_fit(table, ties)
    assert in_order(found, len(table)) == pytest.approx(scores, abs=1e-6)
    assert found.nu == pytest.approx(nu, rel=1e-6)


@given(counts_of_pairs, st.lists(st.floats(-2, 2), min_size=5, max_size=5))
@settings(max_examples=30)
def test_derivatives_and_information(drawn, place):
    table, ties = drawn
    size, tied = len(table), []
    games = _Games(Outcomes.of(_ties_as_left(answers_of(table, ties), tied)), np.array(tied, dtype=bool))
    choices, at = games.choices(), np.array(place[: size + 1])
    value, gradient, information = choices.terms(at)
    assert value == pytest.approx(naive_loglik(at, table, ties, 0.0), rel=1e-10)
    steps = 1e-5 * np.eye(size + 1)
    slopes = [(choices.value(at + step) - choices.value(at - step)) / 2e-5 for step in steps]
    assert gradient == pytest.approx(slopes, abs=1e-4)
    bends = [(choices.terms(at - step)[1] - choices.terms(at + step)[1]) / 2e-5 for step in steps]
    assert information == pytest.approx(np.array(bends), abs=1e-4)


def test_without_ties_it_is_bradley_terry():
    answers = answers_of([[0, 8, 9], [3, 0, 7], [2, 4, 0]], np.zeros((3, 3)))
    tied, plain = DavidsonRanker().fit(answers), Ranker().fit(answers)
    assert tied.items == plain.items
    assert tied.nu < 0.1
    assert tied.scores == pytest.approx(plain.scores, abs=0.03)
    with pytest.raises(InputError, match="no ties to learn"):
        DavidsonRanker(prior=0).fit(answers)


def test_many_ties_do_not_make_systems_alike():
    # One in three answers is a tie, half a win for each pulls scores together; the model does not.
    rng = np.random.default_rng(5)
    truth, nu, answers = {"a": 1.0, "b": 0.0, "c": -1.0}, 2.0, []
    for number in range(6000):
        left, right = (str(name) for name in rng.choice(list(truth), 2, replace=False))
        half = (truth[left] - truth[right]) / 2
        chances = np.array([math.exp(half), math.exp(-half), nu])
        choice = rng.choice([Choice.LEFT, Choice.RIGHT, Choice.TIE], p=chances / chances.sum())
        answers.append(Answer(left, right, Choice(choice), segment=str(number % 300)))
    found, halved = DavidsonRanker().fit(answers), Ranker().fit(answers)
    assert found.scores == pytest.approx([1, 0, -1], abs=0.15)
    assert halved.scores[0] < 0.7
    assert found.nu_low < 2 < found.nu_high
    assert found.settings["cluster"] == "segment"
    # Answers are independent here, so that clusters change little.
    plain = DavidsonRanker(cluster="none").fit(answers)
    assert found.errors == pytest.approx(plain.errors, rel=0.2)
    both = DavidsonRanker(cluster="segment").fit([*answers, *answers])
    assert both.errors == pytest.approx(found.errors, rel=0.05)  # the same twice says nothing new
    assert (plain.errors > DavidsonRanker(cluster="none").fit([*answers, *answers]).errors * 1.3).all()


def feasible(wins, tied, size):
    """Whether a direction exists along which nothing becomes less likely, by linear programming."""
    rows, goals = [], []
    for i, j in wins:
        row = np.zeros(size + 1)
        row[[i, j, size]] = -1, 1, 2
        rows.append(row)
        goals.append(0)
    for i, j in tied:
        for one, two in ((i, j), (j, i)):
            row = np.zeros(size + 1)
            row[[one, two, size]] = 1, -1, -2
            rows.append(row)
            goals.append(0)
    fixed = np.zeros((1, size + 1))
    fixed[0, size] = 1
    done = optimize.linprog(np.zeros(size + 1), rows, goals, fixed, [1], bounds=[(None, None)] * (size + 1))
    return done.status == 0


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(lambda pair: pair[0] != pair[1]), max_size=7),
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=4
    ),
)
def test_what_has_no_finite_fit_is_refused(wins, tied):
    answers = [Answer(NAMES[i], NAMES[j]) for i, j in wins]
    answers += [Answer(NAMES[i], NAMES[j], Choice.TIE) for i, j in tied]
    if not Counts.of(answers).is_strongly_connected:
        with pytest.raises(InputError, match="do not connect"):
            DavidsonRanker(prior=0).fit(answers)
    elif feasible(wins, tied, 4):
        with pytest.raises(InputError, match="follow one order"):
            DavidsonRanker(prior=0).fit(answers)
    else:
        assert np.abs(DavidsonRanker(prior=0, draws=10).fit(answers).scores).max() < 20
    assert np.isfinite(DavidsonRanker(draws=10).fit(answers).scores).all()


def test_a_win_and_a_tie_have_no_finite_fit():
    answers = [Answer("a", "b"), Answer("a", "b", Choice.TIE)]
    with pytest.raises(InputError, match="follow one order"):
        DavidsonRanker(prior=0).fit(answers)
    assert isinstance(DavidsonRanker().fit(answers), TiedRanking)


def test_tests_undecided_and_rules():
    answers = [
        *[Answer("a", "b", judge="x")] * 4,
        *[Answer("a", "b", Choice.TIE, judge="y")] * 3,
        Answer("a", "b", Choice.UNDECIDED),
        *[Answer("", "", Choice.TIE, judge="y", test=Choice.LEFT)] * 3,
    ]
    found = DavidsonRanker().fit(answers)
    assert (found.answers, found.tied, found.undecided, found.tests) == (7, 3, 1, 3)
    assert found.warnings == ()
    without = DavidsonRanker(rules=Rules(least_correct=0.5)).fit(answers)
    assert (without.answers, without.tied, without.excluded[0].judge) == (4, 0, "y")


def test_what_people_read():
    found = DavidsonRanker().fit(answers_of([[0, 6], [2, 0]], [[0, 4], [0, 0]]))
    assert found.as_json()["nu"] == found.nu
    assert "|model:davidson|" in found.signature()
    points = regauge(found, "elo")
    assert isinstance(points, TiedRanking)
    assert points.scores.mean() == pytest.approx(1500)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"ties": "drop"}, "has ties of its own"),
        ({"activation": "probit"}, "logistic"),
        ({"activation": "tanh"}, "logistic"),
        ({"judges": "modelled"}, "judges as equal"),
        ({"posterior": "bootstrap"}, "laplace posterior"),
    ],
)
def test_settings(wrong, message):
    with pytest.raises(SettingsError, match=message):
        DavidsonRanker(**wrong)


def test_counts_and_nothing():
    with pytest.raises(SettingsError, match="counts do not know"):
        DavidsonRanker().fit(Counts.from_matrix("ab", [[0, 1], [1, 0]]))
    with pytest.raises(InputError, match="no answers"):
        DavidsonRanker().fit([])


def test_chances_far_out():
    choices = Choices(csr_array(np.eye(2)), np.array([0, 0]), np.array([1.0, 0.0]))
    chance, _ = choices.chances(np.array([2000.0, -2000.0]))
    assert chance.tolist() == [1.0, 0.0]
