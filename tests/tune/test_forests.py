"""Tuning on forests: against lists of all their derivations, and in the loop."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.errors import InputError, SettingsError
from tolka.forest import Forest
from tolka.tune import Forests, Hypothesis, NBestLists, Tuner, tune_loop

WORDS = ("the", "a", "house", "sea", "small")
FEATURES = ("f", "g")
REFERENCES = ["the small house by the sea", "a sea house and a small sea"]

value = st.integers(-4, 4).map(lambda number: number / 2)
edge = st.tuples(st.lists(st.integers(0, 3), max_size=2), st.sampled_from(WORDS), st.tuples(value, value))
forest_plan = st.lists(st.lists(edge, min_size=1, max_size=3), min_size=1, max_size=4)


def build(plan, weights=(1.0, 1.0), sparse=()):
    """A forest of nodes of edges: (tails as distances back, a word, features)."""
    rules, edges = [], []
    for node, own in enumerate(plan):
        for back, word, features in own:
            tails = [node - 1 - distance % node for distance in back] if node else []
            gaps = [0 for _ in tails]
            target = list(range(len(tails)))
            rules.append({"lhs": 0, "source": [*gaps, "x"], "target": [*target, word]})
            score = sum(weight * own for weight, own in zip(weights, features, strict=True))
            edges.append(
                {"head": node, "tails": tails, "rule": len(rules) - 1, "score": score, "features": list(features)}
            )
    for own, at in zip(edges, range(len(sparse)), strict=False):
        own["sparse"] = [[at, 1.0]]
    return Forest.from_dict(
        {
            "categories": ["X"],
            "features": list(FEATURES),
            "sparse_features": list(sparse),
            "rules": rules,
            "nodes": [[0, 0, 1] for _ in plan],
            "edges": edges,
        }
    )


def listed(forest):
    return [Hypothesis(found.text, found.features) for found in forest.kbest(5000)]


@settings(max_examples=40, deadline=None)
@given(st.tuples(forest_plan, forest_plan), st.tuples(value, value))
def test_mert_equals_that_on_all_derivations(plans, start):
    forests = [build(plan) for plan in plans]
    both = Forests(REFERENCES, FEATURES), NBestLists(REFERENCES, FEATURES)
    both[0].add(forests)
    both[1].add([listed(forest) for forest in forests])
    # Ties are broken by other orders, so only weights under which there are none give the same score.
    options = {"restarts": 1, "directions": 2, "rounds": 1, "tolerance": 0.0}
    begin = dict(zip(FEATURES, start, strict=True))
    on_forests = Tuner("forest-mert", **options).fit(both[0], begin)
    on_lists = Tuner("mert", **options).fit(both[1], begin)
    best = [reweighted.viterbi().text for reweighted in (forest.reweighted(on_forests.weights_) for forest in forests)]
    assert on_forests.score_ >= on_forests.history_[0]
    if on_forests.weights_ == on_lists.weights_ and _no_ties(forests, on_forests.weights_):
        assert on_forests.score_ == pytest.approx(on_lists.score_)
        assert on_forests.score_ == pytest.approx(both[1].score(best))


def _no_ties(forests, weights):
    for forest in forests:
        scores = [found.score for found in forest.reweighted(weights).kbest(2)]
        if len(scores) > 1 and abs(scores[0] - scores[1]) < 1e-9:
            return False
    return True


def flat(hypotheses, weights):
    """A forest with an edge per translation."""
    rules = [{"lhs": 0, "source": ["x"], "target": one.words.split()} for one in hypotheses]
    edges = [
        {
            "head": 0,
            "tails": [],
            "rule": at,
            "score": sum(weights[name] * one.features[name] for name in FEATURES),
            "features": [one.features[name] for name in FEATURES],
        }
        for at, one in enumerate(hypotheses)
    ]
    return Forest.from_dict(
        {"categories": ["X"], "features": list(FEATURES), "rules": rules, "nodes": [[0, 0, 1]], "edges": edges}
    )


SPACE = [
    [
        Hypothesis("the house small by sea the", {"f": 2.0, "g": 0.3}),
        Hypothesis("the small house by the sea", {"f": 1.0, "g": 0.9}),
        Hypothesis("the small house", {"f": 1.5, "g": 0.4}),
    ],
    [
        Hypothesis("sea a house and small a sea", {"f": 1.7, "g": 0.1}),
        Hypothesis("a sea house and a small sea", {"f": 0.2, "g": 0.8}),
    ],
]


@pytest.mark.parametrize("kind", ["forest-mira", "forest-mert"])
@pytest.mark.parametrize("metric", ["bleu", "chrf", "chrf++", "ter"])
def test_the_loop_finds_the_references(kind, metric):
    def decode(weights):
        return [flat(own, weights) for own in SPACE]

    options = {"aggressiveness": 0.1} if kind == "forest-mira" else {}
    tuner = Tuner(kind, metric=metric, **options)
    result = tune_loop(decode, REFERENCES, tuner, {"f": 0.1, "g": -0.1}, iterations=8)
    assert result.score == pytest.approx(0.0 if metric == "ter" else 100.0)
    assert tune_loop(decode, REFERENCES, tuner, {"f": 0.1, "g": -0.1}, iterations=8) == result
    assert result.history[-1].gathered == 5


def test_flat_forests_are_lists():
    lists, forests = NBestLists(REFERENCES, FEATURES), Forests(REFERENCES, FEATURES)
    start = {"f": 0.1, "g": -0.1}
    lists.add(SPACE)
    assert forests.add([flat(own, start) for own in SPACE]) == 5
    assert forests.add([flat(own, {"f": 1.0, "g": 1.0}) for own in SPACE]) == 0
    options = {"restarts": 3, "directions": 4, "rounds": 5, "tolerance": 1e-4}
    found = [Tuner(kind, **options).fit(own, start) for kind, own in (("mert", lists), ("forest-mert", forests))]
    assert found[0].weights_ == pytest.approx(found[1].weights_)
    assert found[0].score_ == found[1].score_
    assert found[0].history_ == found[1].history_


def test_sparse_features_are_learnt():
    plan = [[([], "sea", (0.0, 0.0)), ([], "house", (0.0, 0.0))]]
    forests = Forests(["house"], FEATURES, metric="chrf")
    forests.add([build(plan, sparse=("says-sea", "says-house"))])
    assert forests.sparse_names == ("says-sea", "says-house")
    weights = Tuner("forest-mira", metric="chrf").fit(forests, {"f": 0.0, "g": 0.0}).weights_
    assert weights["says-house"] > 0 > weights["says-sea"]


def test_what_does_not_fit_is_refused():
    forests = Forests(REFERENCES, ("f",))
    with pytest.raises(InputError, match="2 sentences"):
        forests.add([])
    with pytest.raises(InputError, match="sentence 1 has other features"):
        forests.add([flat(own, {"f": 1.0, "g": 1.0}) for own in SPACE])
    with pytest.raises(InputError, match="no translations"):
        Tuner("forest-mert").fit(forests, {"f": 1.0})
    with pytest.raises(SettingsError, match="learns from lists"):
        Tuner("mert").fit(forests, {"f": 1.0})
    clash = Forests(["house"], FEATURES)
    with pytest.raises(InputError, match="dense and sparse"):
        clash.add([build([[([], "sea", (0.0, 0.0))]], sparse=("f",))])
    assert clash.size == 0
