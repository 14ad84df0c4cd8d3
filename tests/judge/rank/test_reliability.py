"""Judges with their own reliability, side bias and lapses."""

import numpy as np
import pytest
from scipy.special import expit

from tolka.errors import LimitError
from tolka.judge import Answer, Choice
from tolka.judge.rank import JudgeModel, Logistic, Outcomes, Probit, Ranker, reliability

TRUTH = np.array([1.0, 0.4, -0.2, -1.2])


def made(seed, judges, answers=150, tests=6):
    """Answers of judges given as (beta, gamma, eps)."""
    rng = np.random.default_rng(seed)
    found = []
    for k, (beta, gamma, eps) in enumerate(judges):
        for segment in range(answers):
            i, j = rng.choice(4, 2, replace=False)
            p = (1 - eps) * expit(beta * (TRUTH[i] - TRUTH[j]) + gamma) + eps / 2
            choice = Choice.LEFT if rng.random() < p else Choice.RIGHT
            found.append(Answer("abcd"[i], "abcd"[j], choice, f"j{k}", str(segment % 40), sided=True))
        for _ in range(tests):
            choice = Choice.LEFT if rng.random() < 1 - eps / 2 else Choice.RIGHT
            found.append(Answer("right", "wrong", choice, f"j{k}", test=Choice.LEFT, sided=True))
    return found


def naive_value(answers, fit, tau):
    """The posterior's logarithm, one answer at a time."""
    x = dict(zip(fit.posterior.items, fit.posterior.mean, strict=True))
    judges = {judge.name: judge for judge in fit.judges}
    total = -tau / 2 * sum(score**2 for score in x.values())
    for judge in fit.judges:
        total -= np.log(judge.reliability) ** 2 / (2 * 0.25) + judge.bias**2 / (2 * 0.25)
        total += np.log(judge.lapse) + 19 * np.log(1 - judge.lapse)
    for answer in answers:
        judge = judges[answer.judge]
        if answer.test is not None:
            total += np.log(1 - judge.lapse / 2 if answer.choice is answer.test else judge.lapse / 2)
            continue
        side = (1 if answer.choice is Choice.LEFT else -1) if answer.sided else 0
        eta = judge.reliability * (x[answer.winner] - x[answer.loser]) + side * judge.bias
        total += np.log((1 - judge.lapse) * expit(eta) + judge.lapse / 2)
    return total


def test_the_top_is_a_top():
    answers = made(1, [(1, 0, 0.02), (0.3, 0, 0.1), (1, 1.5, 0.02)])
    fit = JudgeModel(Logistic(), 0.25, tolerance=1e-12).fit(Outcomes.of(answers))
    value = naive_value(answers, fit, 0.25)
    assert fit.loglik == pytest.approx(value, abs=1e-8)
    from dataclasses import replace  # noqa: PLC0415

    for k in range(3):
        for name in ("reliability", "bias", "lapse"):
            for change in (-1e-3, 1e-3):
                judges = list(fit.judges)
                judges[k] = replace(judges[k], **{name: getattr(judges[k], name) + change})
                assert naive_value(answers, replace(fit, judges=tuple(judges)), 0.25) <= value + 1e-9
    for i in range(4):
        for change in (-1e-3, 1e-3):
            mean = fit.posterior.mean + change * np.eye(4)[i]
            moved = replace(fit, posterior=replace(fit.posterior, mean=mean))
            assert naive_value(answers, moved, 0.25) <= value + 1e-9


def test_judges_are_told_apart():
    ordinary = [(1, 0, 0.02)] * 5
    answers = made(2, [*ordinary, (1, 0, 0.98), (1, 2.0, 0.02), (3, 0, 0.02)], answers=400, tests=15)
    ranking = Ranker(judges="modelled").fit(answers)
    judges = {judge.name: judge for judge in ranking.judges}
    guesser, leaning, sure = judges["j5"], judges["j6"], judges["j7"]
    assert guesser.lapse > 0.2
    assert guesser.reliability < 0.6
    assert leaning.bias == pytest.approx(2.0, abs=0.5)
    assert all(abs(judges[f"j{k}"].bias) < 0.4 for k in range(5))
    assert sure.reliability > 1.7
    assert (guesser.tests, guesser.answers) == (15, 400)
    equal = Ranker().fit(answers)

    def miss(found):
        return np.abs(found.scores - TRUTH[["abcd".index(item) for item in found.items]]).max()

    assert miss(ranking) < miss(equal)


def test_test_questions_count():
    answers = made(3, [(1, 0, 0.02)] * 3, tests=0)
    wrong = [Answer("right", "wrong", Choice.RIGHT, "j0", test=Choice.LEFT)] * 10
    before, after = (
        {judge.name: judge.lapse for judge in Ranker(judges="modelled").fit(given).judges}
        for given in (answers, answers + wrong)
    )
    assert after["j0"] > before["j0"] + 0.1
    assert after["j1"] == pytest.approx(before["j1"], abs=0.02)


def test_few_answers_leave_a_judge_ordinary():
    answers = [*made(4, [(1, 0, 0.02)] * 3), Answer("d", "a", judge="new", sided=True)]
    new = {judge.name: judge for judge in Ranker(judges="modelled").fit(answers).judges}["new"]
    assert 0.5 < new.reliability < 1.1
    assert abs(new.bias) < 0.4
    assert new.lapse < 0.15


def test_like_equal_judges_when_all_are_alike():
    answers = made(5, [(1, 0, 0.0)] * 40, answers=60, tests=20)
    equal, modelled = Ranker(cluster="none").fit(answers), Ranker(judges="modelled", cluster="none").fit(answers)
    assert modelled.items == equal.items
    np.testing.assert_allclose(modelled.p_better, equal.p_better, atol=0.05)


def test_clusters_and_coverage():
    hits, total = 0, 0
    judges = [(1.5, 0.5, 0.02), (0.5, -0.5, 0.1), (1, 0, 0.02), (1, 0, 0.3), (0.8, 0.2, 0.05), (1.2, -0.3, 0.05)]
    for seed in range(40):
        ranking = Ranker(judges="modelled", cluster="none").fit(made(50 + seed, judges, answers=80))
        difference, error = ranking.posterior.differences()
        upper = np.triu_indices(4, 1)
        # Reliability trades against the scale of scores: compare differences relative to the whole spread.
        scale = ranking.posterior.mean @ TRUTH / (TRUTH @ TRUTH)
        wanted = scale * (TRUTH[:, None] - TRUTH[None, :])
        hits += int((np.abs(difference - wanted) < 1.96 * error)[upper].sum())
        total += 6
    assert hits / total > 0.93
    clustered = Ranker(judges="modelled", cluster="segment").fit(made(6, judges))
    assert clustered.settings["cluster"] == "segment"
    assert np.isfinite(clustered.errors).all()


def test_nameless_judges_are_one():
    answers = [Answer("a", "b"), Answer("b", "a", judge="x"), Answer("a", "b")]
    ranking = Ranker(judges="modelled").fit(answers)
    assert [(judge.name, judge.answers) for judge in ranking.judges] == [("x", 1), ("", 2)]


def test_other_activations():
    answers = made(7, [(1, 0, 0.02)] * 3)
    for activation in (Probit(), "student-t", "laplace"):
        ranking = Ranker(activation, judges="modelled").fit(answers)
        assert ranking.items[0] == "a"
        assert ranking.items[-1] == "d"


def test_too_many_judges(monkeypatch):
    monkeypatch.setattr(reliability, "_MOST_NUMBERS", 11)
    with pytest.raises(LimitError, match="3 judges of 4 items are too many to model; take judges as equal"):
        Ranker(judges="modelled").fit(made(8, [(1, 0, 0.02)] * 3))
