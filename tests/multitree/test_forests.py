"""Forests out of the searches for multitrees, and the parser of pairs."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.multitree.test_translator import SMALL, pairs

from tolka.errors import InputError, SettingsError
from tolka.multitree import KINDS, MultitreeTranslator, parse_pair
from tolka.syntax import parse_penn

TREE = parse_penn("(ROOT (NP (DT the) (JJ red) (NN door)))")
WORDS = ["the", "red", "door"]


@pytest.fixture(scope="module", params=["minmerge", "viterbi"])
def trained(request: pytest.FixtureRequest) -> MultitreeTranslator:
    made, trees, links = pairs(60, 1)
    chosen = replace(SMALL, semiring=request.param)
    return MultitreeTranslator(chosen, threads=1).train(made, trees, links=links)


def test_the_best_derivation_is_the_translation(trained: MultitreeTranslator) -> None:
    new, trees, _ = pairs(20, 3)
    sources = [source for source, _ in new]
    found = trained.translate(sources, trees)
    for source, one, forest in zip(sources, found, trained.forests(sources, trees), strict=True):
        assert forest is not None
        assert forest.source == tuple(source)
        (best,) = forest.kbest(1, semiring=trained.settings.semiring)
        costs = sorted((-forest.edges.score[step.edge] for step in best.steps), reverse=True)
        # What was compared is all costs, or their sum.
        told = costs if trained.settings.semiring == "minmerge" else [math.fsum(costs)]
        assert told == pytest.approx(list(one.costs), abs=1e-6)
        assert best.target == one.words


def test_word_classes_count_in_forests_too() -> None:
    made, _, links = pairs(60, 1)
    classes = {word: f"C{len(word) % 3}" for source, _ in made for word in source}
    trained = MultitreeTranslator(SMALL, classes=classes, threads=1).train(made, links=links)
    new = [source for source, _ in pairs(20, 3)[0]]
    for found, forest in zip(trained.translate(new), trained.forests(new), strict=True):
        assert forest is not None
        (best,) = forest.kbest(1, semiring="minmerge")
        assert best.target == found.words


def test_a_forest_is_one_of_the_house(trained: MultitreeTranslator) -> None:
    [forest] = trained.forests([WORDS], [TREE])
    assert forest is not None
    assert forest.feature_names == ("source fuse", "target fuse", "bilingual", "monotonic", "inverted")
    listed = list(forest.kbest(50))
    assert ("la", "porte", "rouge") in {one.target for one in listed}
    scores = [one.score for one in listed]
    assert scores == sorted(scores, reverse=True)
    # Costs by type of inference are features, and weigh -1.
    again = forest.reweighted(dict.fromkeys(forest.feature_names, -1.0))
    assert again.edges.score == pytest.approx(forest.edges.score, abs=1e-5)
    assert forest.inside("log")[forest.goal] >= scores[0] - 1e-9
    assert forest.posteriors().max() <= 1 + 1e-9
    assert "<svg" in forest.to_svg()
    kinds = {KINDS[rule.id[0] - 1] for rule in forest.rules if rule.id}
    assert kinds <= {"source-fuse", "target-fuse", "bilingual", "monotonic", "inverted"}
    assert {"bilingual", "inverted"} <= kinds
    # Leaves have the words of both sides, at their places.
    best = listed[0]
    assert sorted(at for step in best.steps for at in step.source_words) == [0, 1, 2]
    assert "NP" in forest.categories


def test_what_has_no_tree_has_no_forest(trained: MultitreeTranslator) -> None:
    # A word nobody knows is copied.
    [forest] = trained.forests([["the", "zebra"]])
    assert forest is not None
    assert ("la", "zebra") in {one.target for one in forest.kbest(20)}
    assert any(rule.kind == "copied" for rule in forest.rules)
    assert trained.forests([]) == []
    with pytest.raises(InputError, match="2 trees for 1"):
        trained.forests([WORDS], [TREE, TREE])
    with pytest.raises(SettingsError, match="nothing was learnt"):
        MultitreeTranslator(SMALL).forests([WORDS])


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 5), st.integers(0, 10**6), st.sampled_from(["minmerge", "viterbi"]))
def test_a_pair_is_parsed_as_its_forest_says(length: int, seed: int, semiring: str) -> None:
    drawn = random.Random(seed)  # noqa: S311
    order = drawn.sample(range(length), length)
    links = [(at, place, drawn.uniform(0.2, 0.95)) for at, place in enumerate(order)]
    source, target = [f"s{at}" for at in range(length)], [f"t{at}" for at in range(length)]
    found = parse_pair(source, target, links, semiring=semiring, most_crossings=None)  # type: ignore[arg-type]
    assert all(tree.source_yield() == tuple(source[slice(*tree.source)]) for tree in found.trees)
    if found.forest is None:
        # Only what turns inside out has no tree: four words and more (Wu 1997).
        assert length > 3
        return
    assert len(found.trees) == 1
    assert found.trees[0].target_yield() == tuple(target)
    (best,) = found.forest.kbest(1, semiring=semiring)  # type: ignore[arg-type]
    assert best.target == tuple(target)
    # Phrases are free to fuse here, so that fuses cost nothing.
    costs = sorted((-found.forest.edges.score[step.edge] for step in best.steps), reverse=True)
    told = sorted(found.costs.values(), reverse=True)
    assert [cost for cost in costs if cost > 0] == pytest.approx([cost for cost in told if cost > 0])
    if semiring == "viterbi":
        assert found.forest.viterbi().score == pytest.approx(-math.fsum(told))  # type: ignore[union-attr]


def test_pairs_without_a_tree_are_covered() -> None:
    # Wu 1997: 2 4 1 3 cannot be made of neighbours; leaves of two words are too short.
    links = [(0, 1, 0.9), (1, 3, 0.9), (2, 0, 0.9), (3, 2, 0.9)]
    found = parse_pair(list("abcd"), list("wxyz"), links, longest=(1, 1))
    assert found.forest is None
    assert found.trees
    assert set(found.links) <= {(at, place) for at, place, _ in links}
    whole = parse_pair(list("abcd"), list("wxyz"), links, longest=(4, 4))
    assert len(whole.trees) == 1
    for source, target, wrong in (([], ["a"], []), (["a"], [], []), (["a"], ["b"], [(0, 7, 0.5)])):
        with pytest.raises(InputError):
            parse_pair(source, target, wrong)
