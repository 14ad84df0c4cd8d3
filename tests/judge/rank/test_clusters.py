"""Answers that depend on each other, and intervals that know it."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.judge import Answer, Choice
from tolka.judge.rank import Likelihood, Logistic, Outcomes, Posterior, Ranker, bootstrap
from tolka.judge.rank.clusters import Gradients, cluster_ids, sandwich
from tolka.judge.rank.posterior import design_effect, no_narrower


def made(seed, *, segments=200, per_segment=3, copies=1, effect=0.0):
    """Answers about four items; copies of an answer share its segment, and so does a random effect per segment."""
    rng = np.random.default_rng(seed)
    x = np.array([0.6, 0.2, -0.2, -0.6])
    answers = []
    for segment in range(segments):
        local = x + rng.normal(0, effect, 4)
        for _ in range(per_segment):
            i, j = rng.choice(4, 2, replace=False)
            choice = Choice.LEFT if rng.random() < 1 / (1 + np.exp(local[j] - local[i])) else Choice.RIGHT
            judge = f"judge{rng.integers(9)}"
            answers += [Answer("abcd"[i], "abcd"[j], choice, judge, f"s{segment}")] * copies
    return answers


def test_copies_in_a_segment_add_nothing():
    once, thrice = made(1), made(1, copies=3)
    alone = Ranker(prior=0.001, cluster="none").fit(once).errors
    naive = Ranker(prior=0.001, cluster="none").fit(thrice).errors
    robust = Ranker(prior=0.001).fit(thrice)
    assert robust.settings["cluster"] == "segment"
    np.testing.assert_allclose(naive, alone / 3**0.5, rtol=0.01)
    np.testing.assert_allclose(robust.errors, alone, rtol=0.15)


def test_independent_answers_change_little():
    answers = made(2, segments=900, per_segment=1)
    plain, robust = (Ranker(cluster=kind).fit(answers) for kind in ("none", "segment"))
    np.testing.assert_allclose(robust.errors, plain.errors, rtol=0.1)
    np.testing.assert_array_equal(robust.scores, plain.scores)


def test_like_loops():
    answers = made(3, segments=20)
    outcomes = Outcomes.of(answers)
    x = np.array([0.3, 0.1, -0.1, -0.3])
    pull = outcomes.weight * Logistic().slope(x[outcomes.winner] - x[outcomes.loser])
    [(_, ids)] = cluster_ids(outcomes, "segment")
    found = Gradients(ids, outcomes.winner, outcomes.loser, pull, 4)
    wanted = np.zeros((len(outcomes.segments), 4))
    for row in range(len(pull)):
        wanted[outcomes.segment[row], outcomes.winner[row]] += pull[row]
        wanted[outcomes.segment[row], outcomes.loser[row]] -= pull[row]
    np.testing.assert_allclose(found.squared(), wanted.T @ wanted, atol=1e-12)
    # Two more parameters, each pulled at by half of the answers, take something of it up.
    solved = np.array([[0.1, 0.2, -0.3, 0.0], [0.5, 0.0, -0.2, -0.3]])
    other = np.arange(len(pull)) % 2
    left = wanted.copy()
    for row in range(len(pull)):
        left[outcomes.segment[row]] -= 2 * pull[row] * solved[other[row]]
    explained = Gradients(ids, outcomes.winner, outcomes.loser, pull, 4)
    explained.explain([(other, 2 * pull)], 2, solved)
    np.testing.assert_allclose(explained.squared(), left.T @ left, atol=1e-12)
    inverse = np.linalg.pinv(Likelihood(outcomes.counts()).information(x))
    number = len(wanted)
    meat = sum(np.outer(row, row) for row in wanted) * number / (number - 3) + 0.5 * np.eye(4)
    np.testing.assert_allclose(sandwich(inverse, 0.5, [(1.0, ids)], [found]), inverse @ meat @ inverse, atol=1e-12)


def test_the_bootstrap_of_segments_says_the_same():
    answers = made(4, effect=2.0, per_segment=8)
    sandwich = Ranker().fit(answers)
    resampled = Ranker(posterior="bootstrap", rounds=600).fit(answers)
    plain = Ranker(cluster="none").fit(answers)
    np.testing.assert_allclose(resampled.errors, sandwich.errors, rtol=0.12)
    assert (sandwich.errors > 1.1 * plain.errors).all()


def test_random_effects_are_covered():
    """With a random effect per segment, plain intervals miss too often and cluster-robust ones do not."""
    hits = {"none": 0, "segment": 0}
    truth = np.array([0.6, 0.2, -0.2, -0.6])
    total = 0
    for seed in range(60):
        answers = made(100 + seed, segments=120, per_segment=10, effect=1.5)
        for kind in hits:
            ranking = Ranker(cluster=kind, prior=0.01).fit(answers)
            difference, error = ranking.posterior.differences()
            # A random effect flattens the curve (Zeger et al. 1988): compare with the marginal difference.
            flat = 1 / np.sqrt(1 + 0.346 * 2 * 1.5**2)
            wanted = flat * (truth[:, None] - truth[None, :])
            upper = np.triu_indices(4, 1)
            hits[kind] += int((np.abs(difference - wanted) < 1.96 * error)[upper].sum())
        total += 6
    assert hits["none"] / total < 0.9
    assert 0.92 <= hits["segment"] / total <= 0.985


def test_judges_and_both():
    answers = made(5)
    by = {kind: Ranker(cluster=kind).fit(answers).posterior.covariance for kind in ("segment", "judge", "both")}
    assert (np.linalg.eigvalsh(by["both"]) > -1e-12).all()
    assert not np.allclose(by["judge"], by["segment"])


def test_answers_without_segment_stand_alone():
    outcomes = Outcomes.of([Answer("a", "b", segment="1"), Answer("a", "b"), Answer("b", "a"), Answer("b", "a")])
    [(_, ids)] = cluster_ids(outcomes, "segment")
    assert len(set(ids.tolist())) == 4
    assert Ranker().fit([Answer("a", "b")] * 50).settings["cluster"] == "none"


def test_bootstrap_all_at_once_like_one_by_one(monkeypatch):
    likelihood = Likelihood(Outcomes.of(made(6, segments=60)).counts(), prior=0.25)
    together = bootstrap(likelihood, rounds=40, seed=2)
    monkeypatch.setattr(sys.modules["tolka.judge.rank.bootstrap"], "_TOGETHER", 0)
    singly = bootstrap(likelihood, rounds=40, seed=2)
    np.testing.assert_allclose(singly.draws, together.draws, atol=1e-6)
    np.testing.assert_array_equal(bootstrap(likelihood, rounds=40, seed=2).draws, singly.draws)


def test_bootstrap_errors_like_laplace():
    likelihood = Likelihood(Outcomes.of(made(7, segments=400)).counts(), prior=0.05)
    found = bootstrap(likelihood, rounds=1000)
    np.testing.assert_allclose(found.errors, Posterior.laplace(likelihood, found.mean).errors, rtol=0.1)


@pytest.mark.parametrize("rounds", [1, 7])
def test_rounds(rounds):
    likelihood = Likelihood(Outcomes.of(made(8, segments=30)).counts(), prior=0.25)
    assert bootstrap(likelihood, rounds=rounds).draws.shape == (rounds, 4)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), segments=st.integers(2, 60), effect=st.sampled_from([0.0, 1.5]))
def test_never_narrower_than_plain(seed, segments, effect):
    """Of scores and of differences, by whatever clusters: chance may make a sandwich too thin."""
    answers = made(seed, segments=segments, effect=effect)
    plain = Ranker(cluster="none").fit(answers).posterior
    for kind in ("segment", "judge", "both"):
        robust = Ranker(cluster=kind).fit(answers).posterior
        assert (robust.errors >= plain.errors * (1 - 1e-9)).all()
        assert (robust.differences()[1] >= plain.differences()[1] * (1 - 1e-9)).all()


def test_no_narrower_is_the_least_of_its_kind():
    rng = np.random.default_rng(1)
    roots = rng.normal(size=(2, 4, 9))
    centre = np.eye(4) - 0.25
    one, plain = (centre @ root @ root.T @ centre for root in roots)
    found = no_narrower(one, plain)
    assert np.linalg.eigvalsh(found - plain).min() > -1e-9
    assert np.linalg.eigvalsh(found - one).min() > -1e-9
    np.testing.assert_allclose(no_narrower(3 * plain, plain), 3 * plain)
    np.testing.assert_allclose(no_narrower(plain / 3, plain), plain)
    assert design_effect(3 * plain, plain) == pytest.approx(3)
    # Draws are stretched as their covariance is.
    draws = rng.multivariate_normal(np.zeros(4), one, 500)
    draws -= draws.mean(axis=0)
    covariance = draws.T @ draws / 500
    stretched = Posterior(tuple("abcd"), np.zeros(4), covariance, draws=draws, weights=np.full(500, 1 / 500))
    stretched = stretched.no_narrower_than(plain)
    np.testing.assert_allclose(stretched.draws.T @ stretched.draws / 500, stretched.covariance, atol=1e-9)
    np.testing.assert_allclose(stretched.covariance, no_narrower(covariance, plain), atol=1e-9)
