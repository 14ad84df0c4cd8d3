"""Rankings: order, intervals, groups, what they say of themselves."""

import json

import numpy as np
import pytest

import tolka
from tolka.errors import InputError, SettingsError
from tolka.judge import Answer, Choice
from tolka.judge.rank import Counts, Ranker, Rules, regauge
from tolka.judge.rank.ranking import groups

CLEAR = [[0, 90, 99], [10, 0, 92], [1, 8, 0]]


def test_a_clear_case():
    ranking = Ranker().fit(Counts.from_matrix(["c", "b", "a"], CLEAR))
    assert ranking.items == ("c", "b", "a")
    assert ranking.groups == (("c",), ("b",), ("a",))
    assert ranking.rank.tolist() == ranking.rank_low.tolist() == ranking.rank_high.tolist() == [1, 2, 3]
    assert (ranking.low < ranking.scores).all()
    assert (ranking.scores < ranking.high).all()
    np.testing.assert_allclose(ranking.p_better + ranking.p_better.T, 1)
    np.testing.assert_allclose(ranking.rank_probabilities.sum(axis=1), 1)
    np.testing.assert_allclose(ranking.rank_probabilities.sum(axis=0), 1)
    np.testing.assert_allclose(ranking.expected_wins, [0.945, 0.51, 0.045])
    assert ranking.comparisons.tolist() == [200, 200, 200]


def test_equal_items_are_one_group_in_the_order_of_names():
    ranking = Ranker().fit(Counts.from_matrix(["b", "a"], [[0, 50], [50, 0]]))
    assert (ranking.items, ranking.groups) == (("a", "b"), (("a", "b"),))
    assert (ranking.rank_low.tolist(), ranking.rank_high.tolist()) == ([1, 1], [2, 2])
    assert ranking.p_better[0, 1] == pytest.approx(0.5)


def test_groups_are_cut_where_all_above_beat_all_below():
    p = np.full((4, 4), 0.5)
    p[0, 2:] = p[1, 2:] = 0.99
    p[0, 1], p[2, 3] = 0.8, 0.976
    assert groups(("a", "b", "c", "d"), p, 0.95) == (("a", "b"), ("c",), ("d",))
    p[1, 3] = 0.96  # the interval of one pair across takes in 0, and both cuts before and after c go
    assert groups(("a", "b", "c", "d"), p, 0.95) == (("a", "b", "c", "d"),)


def test_every_setting_is_in_the_signature():
    ranking = Ranker("probit", prior=0.5, level=0.9, ties="drop", seed=3).fit([Answer("a", "b"), Answer("b", "a")])
    assert ranking.signature() == (
        "claire|items:2|answers:2|activation:probit|prior:0.5|posterior:laplace|ties:drop|cluster:none|judges:equal|"
        f"design:fixed|level:0.9|seed:3|version:{tolka.__version__}"
    )
    ruled = Ranker(rules=Rules(least_seconds=1), posterior="bootstrap", rounds=50).fit([Answer("a", "b")])
    assert "|posterior:bootstrap|rounds:50|" in ruled.signature()
    assert "|least_seconds:1|" in ruled.signature()


def test_json():
    answers = [Answer("a", "b", judge="j", seconds=9)] * 6 + [Answer("a", "b", Choice.TIE), Answer("b", "a", seconds=1)]
    ranking = Ranker(rules=Rules(least_seconds=2), judges="modelled").fit(answers)
    found = json.loads(json.dumps(ranking.as_json(tables=True), allow_nan=False))
    assert list(found["items"][0])[:7] == ["item", "score", "low", "high", "rank", "rank_low", "rank_high"]
    assert [item["item"] for item in found["items"]] == ["a", "b"]
    assert found["excluded"] == [
        {
            "rule": "least_seconds",
            "judge": "",
            "answers": 1.0,
            "reason": "1 of 2 answers took less than 2 s",
            "kept": False,
        }
    ]
    assert [judge["name"] for judge in found["judges"]] == ["j", ""]
    assert (found["answers"], found["tied"]) == (7.0, 1.0)
    assert len(found["p_better"]) == 2
    assert "p_better" not in ranking.as_json()


@pytest.mark.parametrize("posterior", ["laplace", "importance", "bootstrap"])
def test_same_seed_same_bytes(posterior):
    counts = Counts.from_matrix("abc", [[0, 5, 9], [4, 0, 6], [2, 5, 0]])
    one, two = (json.dumps(Ranker(posterior=posterior, seed=5).fit(counts).as_json(tables=True)) for _ in range(2))
    assert one == two
    other = json.dumps(Ranker(posterior=posterior, seed=6).fit(counts).as_json(tables=True))
    assert one != other


def test_importance_reports_its_size():
    ranking = Ranker(posterior="importance").fit(Counts.from_matrix("ab", [[0, 5], [2, 0]]))
    assert 100 < ranking.ess <= 4000


def test_gauges():
    ranking = Ranker().fit(Counts.from_matrix("abc", CLEAR))
    least = regauge(ranking, "min")
    assert least.scores.min() == 0
    np.testing.assert_allclose(least.high - least.scores, ranking.high - ranking.scores)
    elo = regauge(ranking, "elo")
    np.testing.assert_allclose(elo.scores - 1500, 173.7178 * ranking.scores, rtol=1e-6)
    thesis = regauge(Ranker("tanh").fit(Counts.from_matrix("abc", CLEAR)), "elo")
    np.testing.assert_allclose(thesis.scores, elo.scores, rtol=1e-9)
    pinned = regauge(ranking, pin="b")
    assert (pinned.scores[1], pinned.errors[1]) == (0, 0)
    _, errors = ranking.posterior.differences()
    assert pinned.errors[0] == pytest.approx(errors[0, 1])
    assert pinned.settings["pin"] == "b"
    with pytest.raises(SettingsError, match="'z' is not among the items"):
        regauge(ranking, pin="z")
    with pytest.raises(SettingsError, match="unknown gauge"):
        regauge(ranking, "median")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"posterior": "exact"}, "unknown posterior 'exact'; choose one of laplace, importance, bootstrap"),
        ({"ties": "third"}, "unknown tie policy"),
        ({"cluster": "word"}, "unknown cluster"),
        ({"judges": "best"}, "unknown treatment of judges"),
        ({"level": 1.0}, "level must be"),
        ({"draws": 0}, "at least one draw"),
        ({"judges": "modelled", "prior": 0}, "modelled judges need a prior"),
        ({"judges": "modelled", "posterior": "importance"}, "come with the laplace posterior"),
        ({"cluster": "segment", "posterior": "importance"}, "takes answers as independent"),
        ({"activation": "cubic"}, "unknown activation"),
    ],
)
def test_wrong_settings(settings, message):
    with pytest.raises(SettingsError, match=message):
        Ranker(**settings)


def test_counts_know_no_judges():
    counts = Counts.from_matrix("ab", [[0, 1], [1, 0]])
    for settings in ({"judges": "modelled"}, {"cluster": "judge"}, {"rules": Rules(least_seconds=1)}):
        with pytest.raises(SettingsError, match="counts name no judges"):
            Ranker(**settings).fit(counts)
    with pytest.raises(SettingsError, match="bootstrap needs a prior"):
        Ranker(posterior="bootstrap", prior=0).fit(counts)
    with pytest.raises(InputError, match="name fewer than two segments"):
        Ranker(cluster="segment").fit([Answer("a", "b")])
