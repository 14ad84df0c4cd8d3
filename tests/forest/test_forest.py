"""The forests of the engine against lists of all their derivations."""

from __future__ import annotations

import math
import operator
from collections import Counter
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.forest import naive

from tolka.errors import InputError, SettingsError
from tolka.forest import Derivation, Forest, Semiring

# Gesmundo & Henderson 2014, section 4: the forest of "zhuxi de jiu fangzi" without its language model. One target word
# is worth 0.5 / ln 10.
WORD = 0.5 / math.log(10)
RULES: list[tuple[int, list[Any], list[Any], float]] = [
    (0, ["zhuxi"], ["chairman"], -1.25),
    (0, ["zhuxi"], ["president"], -0.70),
    (0, ["fangzi"], ["house"], -0.25),
    (0, ["zhuxi", "de"], ["presidential"], -0.20),
    (1, [0], [0], 0.0),
    (0, ["jiu", 0], ["old", 0], -0.55),
    (0, [0, "de", 0], ["the", 1, "of", 0], -0.90),
    (1, [1, 0], [0, 1], -3.00),
]
NODES = [[0, 0, 1], [0, 3, 4], [0, 0, 2], [1, 0, 2], [0, 2, 4], [0, 0, 4], [1, 0, 4]]
EDGES = [
    (0, [], 0),
    (0, [], 1),
    (1, [], 2),
    (2, [], 3),
    (3, [2], 4),
    (4, [1], 5),
    (5, [0, 4], 6),
    (6, [5], 4),
    (6, [3, 4], 7),
]


def _words(rule: int) -> int:
    return sum(isinstance(symbol, str) for symbol in RULES[rule][2])


TOY: dict[str, Any] = {
    "source": ["zhuxi", "de", "jiu", "fangzi"],
    "categories": ["X", "S"],
    "features": ["tm", "wp"],
    "rules": [{"lhs": lhs, "source": source, "target": target} for lhs, source, target, _ in RULES],
    "nodes": NODES,
    "edges": [
        {
            "head": head,
            "tails": tails,
            "rule": rule,
            "score": RULES[rule][3] + WORD * _words(rule),
            "features": [RULES[rule][3], -_words(rule) / math.log(10)],
        }
        for head, tails, rule in EDGES
    ],
}


@pytest.fixture
def toy() -> Forest:
    return Forest.from_dict(TOY)


def test_the_toy_forest_has_the_published_numbers(toy: Forest) -> None:
    scores = [-1.0329, -0.4829, -0.0329, 0.0171, 0, -0.3329, -0.4657, 0, -3.0]
    assert toy.edges.score.tolist() == pytest.approx(scores, abs=5e-5)
    inside = [-0.4829, -0.0329, 0.0171, 0.0171, -0.3657, -1.3143, -1.3143]
    outside = [-0.8314, -1.2814, -3.3657, -3.3657, -0.9486, 0, 0]
    # The specification rounds each number on its own.
    assert toy.inside("viterbi").tolist() == pytest.approx(inside, abs=1e-4)
    assert toy.outside("viterbi").tolist() == pytest.approx(outside, abs=1e-4)
    best = toy.viterbi()
    assert best is not None
    assert best.text == "the old house of president"
    assert best.score == pytest.approx(-1.3143, abs=1e-4)
    assert best.features == pytest.approx({"tm": -2.40, "wp": -5 / math.log(10)})
    assert [found.text for found in toy.kbest(9)] == [
        "the old house of president",
        "the old house of chairman",
        "presidential old house",
    ]


def test_reweighting_by_its_weights_gives_the_toy_its_scores(toy: Forest) -> None:
    other = toy.reweighted({"tm": 1.0, "wp": -0.5})
    assert other.edges.score.tolist() == pytest.approx(toy.edges.score.tolist(), abs=1e-6)
    assert toy.reweighted({}).edges.score.tolist() == [0.0] * 9
    # Several components mix to the weights that their sum comes to.
    mixed = toy.remixed([{"tm": 1.0}, {"tm": 2.0, "wp": -2.0}], [0.5, 0.25], operation="prod")
    np.testing.assert_allclose(mixed.edges.score, other.edges.score)
    with pytest.raises(InputError, match="2 shares for 1 components"):
        toy.remixed([{"tm": 1.0}], [1.0, 1.0])
    with pytest.raises(InputError, match="no feature 'lm'"):
        toy.reweighted({"lm": 1.0})
    with pytest.raises(InputError, match="finite"):
        toy.reweighted({"tm": float("nan")})
    with pytest.raises(InputError, match="score of an edge is not a finite number"):
        toy.remixed([{"tm": 1e308}], [1e308], operation="prod")


def test_rules_are_placed_in_both_sentences(toy: Forest) -> None:
    best = toy.viterbi()
    assert best is not None
    spans = {str(step.rule): (step.source_span, step.target_span) for step in best.steps}
    assert spans == {
        "[X] ||| zhuxi ||| president": ((0, 1), (4, 5)),
        "[X] ||| fangzi ||| house": ((3, 4), (2, 3)),
        "[X] ||| jiu [X] ||| old [1]": ((2, 4), (1, 3)),
        "[X] ||| [X] de [X] ||| the [2] of [1]": ((0, 4), (0, 5)),
        "[S] ||| [X] ||| [1]": ((0, 4), (0, 5)),
    }
    own = {str(step.rule): (step.source_words, step.target_words) for step in best.steps}
    assert own["[X] ||| [X] de [X] ||| the [2] of [1]"] == ((1,), (0, 3))
    assert own["[X] ||| jiu [X] ||| old [1]"] == ((2,), (1,))


def test_links_follow_the_rules() -> None:
    data = {**TOY, "rules": [dict(rule) for rule in TOY["rules"]]}
    data["rules"][6]["links"] = [[1, 2]]
    data["rules"][5]["links"] = [[0, 0]]
    data["rules"][2]["links"] = [[0, 0]]
    best = Forest.from_dict(data).viterbi()
    assert best is not None
    assert best.links == ((1, 3), (2, 1), (3, 2))
    assert [best.source[source] + " " + best.target[target] for source, target in best.links] == [
        "de of",
        "jiu old",
        "fangzi house",
    ]


def test_min_merge_prefers_the_even_spread() -> None:
    # Galron 2012, figure 4.2, with a total cost of 4 in four inferences.
    def chain(costs: list[float]) -> list[tuple[list[int], float]]:
        return [([] if at == 0 else [at - 1], cost) for at, cost in enumerate(costs)]

    data: dict[str, Any] = {
        "categories": ["X"],
        "rules": [{"lhs": 0, "source": ["w"], "target": ["w"]}, {"lhs": 0, "source": [0], "target": [0, "w"]}],
        "nodes": [[0, 0, 1]] * 7,
        "edges": [],
    }
    for start, costs in ((0, [1.0, 1.0, 1.0]), (3, [4.0, 0.0, 0.0])):
        for tails, cost in chain(costs):
            shifted = [tail + start for tail in tails]
            at = start + (shifted[0] - start + 1 if shifted else 0)
            data["edges"].append({"head": at, "tails": shifted, "rule": len(tails), "score": -cost})
    data["edges"] += [
        {"head": 6, "tails": [2], "rule": 1, "score": -1.0},
        {"head": 6, "tails": [5], "rule": 1, "score": -0.0},
    ]
    forest = Forest.from_dict(data)
    assert forest.inside("minmerge")[-1] == (1.0, 1.0, 1.0, 1.0)
    assert forest.inside("viterbi")[-1] == -4.0
    assert [found.score for found in forest.kbest(3)] == [-4.0, -4.0]


def _trees(data: dict[str, Any]) -> list[tuple[naive.Tree, float]]:
    count = Forest.from_dict(data).inside("count")[-1]
    assume(count <= 400)
    found = naive.probabilities(data)
    assert len(found) == count
    return found


def _edges(found: Derivation) -> list[int]:
    return [step.edge for step in found.steps]


@given(naive.forests(), st.sampled_from([0.5, 1.0, 2.0]))
@settings(deadline=None)
def test_sums_are_those_over_all_derivations(data: dict[str, Any], scale: float) -> None:
    trees = [tree for tree, _ in _trees(data)]
    forest = Forest.from_dict(data)
    likely = naive.probabilities(data, scale)
    total = math.log(sum(math.exp(scale * naive.score(data, tree)) for tree in trees))
    assert forest.inside(scale=scale)[-1] == pytest.approx(total)
    assert forest.inside("viterbi")[-1] == pytest.approx(max(naive.score(data, tree) for tree in trees))
    uses = np.zeros(len(data["edges"]))
    for tree, probability in likely:
        for edge in naive.edges(tree):
            uses[edge] += probability
    assert forest.marginals(scale=scale) == pytest.approx(uses)
    heads = np.array([edge["head"] for edge in data["edges"]])
    nodes = [uses[heads == node].sum() for node in range(len(data["nodes"]))]
    assert forest.posteriors(scale=scale) == pytest.approx(nodes)
    # Outside times inside is the sum of what goes through a node, where no derivation uses it twice.
    through = forest.inside(scale=scale) + forest.outside(scale=scale) - total
    assert np.exp(through) == pytest.approx(nodes)
    worst = min(
        tuple(sorted((-data["edges"][edge]["score"] for edge in naive.edges(tree)), reverse=True)) for tree in trees
    )
    assert forest.inside("minmerge")[-1] == worst
    assert forest.outside("minmerge")[-1] == ()


def _score(forest: Forest, edge: int) -> float:
    return float(forest.edges.score[edge])


@given(naive.forests())
def test_semirings_in_python_are_those_of_the_engine(data: dict[str, Any]) -> None:
    forest = Forest.from_dict(data)
    best = Semiring(-math.inf, 0.0, max, operator.add, _score)
    count = Semiring(0, 1, operator.add, operator.mul, lambda _, __: 1)
    for own, name in ((best, "viterbi"), (count, "count")):
        assert forest.inside(own) == pytest.approx(forest.inside(name).tolist())  # type: ignore[call-overload, var-annotated]
        assert forest.outside(own) == pytest.approx(forest.outside(name).tolist())  # type: ignore[call-overload, var-annotated]


@given(naive.forests())
def test_a_semiring_of_strings_spells_all_derivations(data: dict[str, Any]) -> None:
    forest = Forest.from_dict(data)
    # A value is the bag of the derivations' edges, from the root downwards.
    listed: Semiring[tuple[tuple[int, ...], ...]] = Semiring(
        (), ((),), operator.add, lambda a, b: tuple(x + y for x in a for y in b), lambda _, edge: ((edge,),)
    )
    trees, _ = zip(*_trees(data), strict=True)
    assert sorted(map(sorted, forest.inside(listed)[-1])) == sorted(sorted(naive.edges(tree)) for tree in trees)


@given(naive.forests(), st.sampled_from([0.5, 1.0]))
@settings(deadline=None)
def test_expectations_are_those_over_all_derivations(data: dict[str, Any], scale: float) -> None:
    _trees(data)
    expected = Counter[str]()
    entropy = score = 0.0
    for tree, probability in naive.probabilities(data, scale):
        entropy -= probability * math.log(probability)
        score += probability * naive.score(data, tree)
        for edge in naive.edges(tree):
            row = data["edges"][edge]
            for name, value in zip(data["features"], row["features"], strict=True):
                expected[name] += probability * value
            for name, value in row["sparse"]:
                expected[data["sparse_features"][name]] += probability * value
    found = Forest.from_dict(data).expectation(scale=scale)
    assert found.entropy == pytest.approx(entropy, abs=1e-9)
    assert found.score == pytest.approx(score, abs=1e-9)
    names = (*data["features"], *data["sparse_features"])
    assert found.features == pytest.approx({name: expected[name] for name in names}, abs=1e-9)


@given(naive.forests())
@settings(deadline=None)
def test_derivations_come_best_first(data: dict[str, Any]) -> None:
    trees = [tree for tree, _ in _trees(data)]
    forest = Forest.from_dict(data)
    found = list(forest.kbest(1000))
    assert sorted(_edges(one) for one in found) == sorted(naive.edges(tree) for tree in trees)
    scores = [one.score for one in found]
    assert scores == pytest.approx(sorted((naive.score(data, tree) for tree in trees), reverse=True))
    texts = {tuple(naive.edges(tree)): " ".join(naive.words(data, tree)) for tree in trees}
    for one in found:
        assert one.text in {text for edges, text in texts.items() if list(edges) == _edges(one)} or len(texts) < len(
            trees
        )
        assert one.score == pytest.approx(sum(step.score for step in one.steps))
        covered = sorted(at for step in one.steps for at in step.target_words)
        assert covered == list(range(len(one.target)))
        for step in one.steps:
            own = [one.target[at] for at in step.target_words]
            assert own == [word for at, word in enumerate(step.rule.target) if at not in step.rule.target_gaps]
    by_worst = [
        sorted((-step.score for step in one.steps), reverse=True) for one in forest.kbest(1000, semiring="minmerge")
    ]
    assert by_worst == sorted(sorted((-step.score for step in one.steps), reverse=True) for one in found)
    unique = list(forest.kbest(1000, unique=True))
    assert len({one.text for one in unique}) == len(unique) == len({one.text for one in found})
    assert [one.text for one in unique] == list(dict.fromkeys(one.text for one in found))


@given(naive.forests(most_nodes=4), st.integers(0, 2**64 - 1), st.sampled_from([0.5, 1.0, 3.0]))
@settings(deadline=None, max_examples=20)
def test_samples_are_as_likely_as_their_scores(data: dict[str, Any], seed: int, temperature: float) -> None:
    _trees(data)
    likely = naive.probabilities(data, 1 / temperature)
    assume(len(likely) <= 40)
    forest = Forest.from_dict(data)
    drawn = forest.sample(1500, seed=seed, temperature=temperature)
    counts = Counter(tuple(_edges(one)) for one in drawn)
    expected = Counter[tuple[int, ...]]()
    for tree, probability in likely:
        expected[tuple(naive.edges(tree))] += probability * 1500
    assert set(counts) <= set(expected)
    # Six standard deviations, and a little for the rare ones: it fails by chance less than once in a million runs.
    for edges, mean in expected.items():
        assert abs(counts[edges] - mean) < 6 * math.sqrt(mean) + 6
    assert [_edges(one) for one in forest.sample(7, seed=seed, temperature=temperature)] == [
        _edges(one) for one in drawn[:7]
    ]


def test_sampling_matches_the_toy_by_a_chi_square_test(toy: Forest) -> None:
    drawn = Counter(one.text for one in toy.sample(20_000, seed=1))
    scores = {one.text: math.exp(one.score) for one in toy.kbest(3)}
    chi = sum(
        (drawn[text] - 20_000 * share / sum(scores.values())) ** 2 / (20_000 * share / sum(scores.values()))
        for text, share in scores.items()
    )
    assert chi < 13.8  # 2 degrees of freedom, one in a thousand; the seed is fixed
    cold = toy.sample(200, seed=2, temperature=0.01)
    assert {one.text for one in cold} == {"the old house of president"}


@given(naive.forests(), st.floats(0, 3))
@settings(deadline=None)
def test_pruning_keeps_what_is_good_enough(data: dict[str, Any], beam: float) -> None:
    trees = [tree for tree, _ in _trees(data)]
    forest = Forest.from_dict(data)
    scores = [naive.score(data, tree) for tree in trees]
    kept = forest.pruned(beam)
    best = {
        edge: max(
            (score for tree, score in zip(trees, scores, strict=True) if edge in naive.edges(tree)), default=-math.inf
        )
        for edge in range(len(data["edges"]))
    }
    wanted = sorted(data["edges"][edge]["score"] for edge, score in best.items() if score >= max(scores) - beam - 1e-9)
    assert sorted(kept.edges.score.tolist()) == wanted
    assert kept.viterbi() is not None
    nothing = forest.pruned(posterior=0.0)
    assert nothing.inside("count")[-1] == len(trees)
    likely = forest.pruned(posterior=0.2)
    assert all(use >= 0.2 for use in forest.marginals() if use in likely.marginals())


def test_an_empty_forest_has_no_derivation() -> None:
    empty = Forest.from_dict({"categories": [], "rules": [], "nodes": [], "edges": []})
    assert empty.viterbi() is None
    assert empty.goal is None
    assert empty.sample(3) == []
    assert empty.expectation().entropy == 0.0
    assert len(empty.edges) == len(empty.nodes) == 0
    barren = Forest.from_dict({"categories": ["X"], "rules": [], "nodes": [[0, 0, 1]], "edges": []})
    assert barren.viterbi() is None
    assert barren.inside().tolist() == [-math.inf]
    assert barren.inside("minmerge") == [None]
    assert barren.sample(2) == []
    assert barren.pruned(1.0).goal is None


def test_what_makes_no_sense_is_refused(toy: Forest) -> None:
    with pytest.raises(SettingsError, match="unknown semiring"):
        toy.inside("tropical")  # type: ignore[call-overload]
    with pytest.raises(SettingsError, match="finite"):
        toy.marginals(scale=float("inf"))
    with pytest.raises(SettingsError, match="temperature"):
        toy.sample(1, temperature=0.0)
    with pytest.raises(SettingsError, match="cannot be drawn"):
        toy.sample(-1)
    with pytest.raises(SettingsError, match="seed"):
        toy.sample(1, seed=-1)
    with pytest.raises(SettingsError, match="beam"):
        toy.pruned(-1.0)
    with pytest.raises(SettingsError, match="beam"):
        toy.pruned(float("nan"))
    with pytest.raises(SettingsError, match="one of the three"):
        toy.pruned()
    with pytest.raises(SettingsError, match="one of the three"):
        toy.pruned(1.0, edges=3)
    with pytest.raises(SettingsError, match="at least 1"):
        toy.pruned(edges=0)
    assert toy.pruned(edges=1).viterbi().text == toy.viterbi().text
    with pytest.raises(SettingsError, match="between 0 and 1"):
        toy.pruned(posterior=2.0)
    with pytest.raises(SettingsError, match="at least 1"):
        next(toy.kbest(0))
    with pytest.raises(SettingsError, match="viterbi or minmerge"):
        next(toy.kbest(1, semiring=cast("Any", "log")))
