"""Constituency forests against trees one by one, and what is refused."""

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.syntax.forests_twin import chances, inside, trees
from tests.syntax.test_constituents import OFTEN, bank

from tolka.errors import FormatError, InputError, LimitError, SettingsError
from tolka.forest import constituent_forest, derived_tree
from tolka.limits import Limits
from tolka.syntax import (
    ConstituencyParser,
    ConstituentForest,
    HeadRules,
    Lexicalised,
    marked,
    parse_penn,
    read_forests,
    write_forests,
)

WORDS = ["I", "saw", "the", "man", "with", "dog"]
LONG = ["I", "saw", "the", "man", "with", "the", "dog", "with", "the", "man"]
MARKED = [
    "(S (NP-SBJ (NP (DT the) (NN man) (POS 's)) (NN dog)) (VP (VBD saw) (SBAR (S (NP-SBJ (PRP I)) (VP (VBD left))))))",
    "(S (NP-SBJ (NP (NN man)) (CC and) (NP (NN dog))) (VP (VBD saw) (NP (PRP I)) (NP-TMP (NN day))))",
    "(S (SBAR (IN that) (S (NP-SBJ (NN dog)) (VP (VBD left)))) (NP-SBJ (NP (DT the) (NN man)) (PP (IN with) (NP (NN dog)))) (VP (VBD saw)))",
    "(NP (NP (NN man) (POS 's)) (NN day))",
]


@pytest.fixture(scope="module")
def often() -> ConstituencyParser:
    return ConstituencyParser(rounds=0, threshold=0.0, best="tree").train(bank(OFTEN))


@pytest.fixture(
    scope="module", params=[{}, {"direction": "head"}, {"direction": "left", "horizontal": 1, "vertical": 2}]
)
def functional(request: pytest.FixtureRequest) -> ConstituencyParser:
    found = ConstituencyParser(rounds=0, threshold=0.0, best="tree", **request.param)
    return found.train([parse_penn(f"(ROOT {line})") for line in MARKED * OFTEN])


@settings(max_examples=25, deadline=None)
@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=8))
def test_unfolded_trees_have_the_chances_of_binarised_ones(often: ConstituencyParser, words: list[str]) -> None:
    if often.log_probability(words) == -math.inf:
        return
    packed = constituent_forest(often, words, least=1e-12)
    wanted = chances([(found.score, derived_tree(often, found)) for found in packed.kbest(10_000)])
    forest = often.forest(words, least=1e-12, marks=False)
    found = chances(trees(forest))
    assert found == pytest.approx(wanted, abs=1e-6)
    assert forest.log_inside == pytest.approx(0.0, abs=1e-6)
    assert str(forest.best()) == str(often.parse([words])[0])


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_marks_and_heads_are_those_of_trees(functional: ConstituencyParser, data: st.DataObject) -> None:
    """Marks made node by node are those that `marked` makes of every tree; so are head words."""
    line = data.draw(st.sampled_from(MARKED))
    words = parse_penn(line).words()
    words[data.draw(st.integers(0, len(words) - 1))] = data.draw(st.sampled_from(["dog", "I", "man"]))
    if functional.log_probability(words) == -math.inf:
        return
    plain = chances(trees(functional.forest(words, least=1e-9, marks=False)))
    wanted: dict[str, float] = {}
    for text, chance in plain.items():
        tree = str(marked(parse_penn(text)))
        wanted[tree] = wanted.get(tree, 0.0) + chance
    forest = functional.forest(words, least=1e-9)
    assert chances(trees(forest)) == pytest.approx(wanted, abs=1e-6)
    heads = {(node.label, node.begin, node.end, node.head) for node in forest.nodes}
    for text in plain:
        tree = parse_penn(text)
        for phrase, marks in zip(Lexicalised(tree).phrases, Lexicalised(marked(tree)).phrases, strict=True):
            key = (marks.node.label, phrase.begin, phrase.end, phrase.head)
            assert key in heads or phrase.parent < 0


def test_split_symbols_and_pruning(often: ConstituencyParser) -> None:
    split = ConstituencyParser(rounds=2, passes=4).train(bank(5))
    for parser in (often, split):
        forest = parser.forest(LONG)
        assert abs(forest.log_inside) < 0.05
        assert min(forest.marginals().edges) >= 1e-4
        smaller = forest.pruned(0.2)
        assert smaller.num_edges < forest.num_edges
        assert set(chances(trees(smaller))) <= set(chances(trees(forest)))
        assert {str(one.tree) for one in forest.nbest(5)} == {
            str(tree) for _, tree in sorted(trees(forest), key=lambda one: -one[0])[:5]
        }
    with pytest.raises(InputError, match="no tree is left"):
        forest.pruned(1.5)
    with pytest.raises(SettingsError, match="between 0 and 1"):
        often.forest(LONG, least=0.0)
    # So large a chance leaves no tree; it is lowered until one is left.
    assert often.forest(LONG, least=0.9).best().words() == LONG


def test_sentences_without_a_tree_and_without_a_common_root() -> None:
    parser = ConstituencyParser(rounds=0).train(bank())
    flat = parser.forest(["dog"] * 300)
    assert (flat.best().label, flat.num_edges) == ("ROOT", 1)
    with pytest.raises(InputError, match="no words"):
        parser.forest([])
    other = ConstituencyParser(rounds=0).train([parse_penn("(S (NN a) (VB b))"), parse_penn("(NP (NN a))")])
    assert str(other.forest(["a", "b"]).best()) == "(ROOT (S (NN a) (VB b)))"
    already = ConstituencyParser(rounds=0, base=True, arguments=True).train(bank())
    words = ["I", "saw", "the", "man"]
    assert str(already.forest(words).best()) == str(already.parse([words])[0])


@settings(max_examples=30, deadline=None)
@given(weights=st.lists(st.floats(-5, 5), min_size=1, max_size=6))
def test_forests_of_trees_have_exactly_these(often: ConstituencyParser, weights: list[float]) -> None:
    listed = [one.tree for one in often.nbest(LONG, len(weights))]
    given_ = list(zip(listed, weights, strict=False))
    forest = ConstituentForest.from_trees(given_)
    assert chances(trees(forest)) == pytest.approx(chances([(weight, tree) for tree, weight in given_]))
    unmarked_heads = {(node.begin, node.end): node.head for node in forest.nodes if node.label == "NP"}
    both = ConstituentForest.from_trees([(marked(tree), weight) for tree, weight in given_])
    heads = {(node.begin, node.end): node.head for node in both.nodes if node.label.startswith("NP")}
    assert heads == unmarked_heads
    assert [one.log_probability for one in forest.nbest(10)] == pytest.approx(
        sorted((w for _, w in given_), reverse=True)
    )
    assert ConstituentForest.from_json(forest.to_json()).to_json() == forest.to_json()
    twice = ConstituentForest.from_trees([*given_, *given_])
    assert twice.log_inside == pytest.approx(forest.log_inside + math.log(2))


def test_forests_of_trees_that_differ() -> None:
    one, two = parse_penn("(S (A a) (B b))"), parse_penn("(X (A a) (B b))")
    forest = ConstituentForest.from_trees([(one, 0.0), (two, -1.0)])
    assert [str(found.tree) for found in forest.nbest(5)] == ["(ROOT (S (A a) (B b)))", "(ROOT (X (A a) (B b)))"]
    assert str(ConstituentForest.from_trees([(parse_penn("(NN a)"), 0.0)]).best()) == "(ROOT (NN a))"
    for wrong, what in [
        ([], "no tree"),
        ([(one, math.nan)], "not a number"),
        ([(one, 0.0), (parse_penn("(A a)"), 0.0)], "words"),
    ]:
        with pytest.raises(InputError, match=what):
            ConstituentForest.from_trees(wrong)


def circular(around: float) -> dict[str, Any]:
    return {
        "words": ["a", "b"],
        "root": 2,
        "nodes": [
            {"label": "A", "span": [0, 1]},
            {"label": "B", "span": [1, 2]},
            {"label": "S", "span": [0, 2], "edges": [[-1.0, [0, 1]], [around, [3]]]},
            {"label": "NP", "span": [0, 2], "edges": [[0, [2]], [-2.0, [0, 1]]]},
        ],
    }


def test_circles() -> None:
    forest = ConstituentForest.from_json(json.dumps(circular(math.log(0.5))))
    assert np.exp(forest.inside()) == pytest.approx(inside(forest))
    [first, second, _, third] = forest.nbest(4)
    assert [str(one.tree) for one in (first, second)] == ["(S (A a) (B b))", "(S (NP (S (A a) (B b))))"]
    assert third.log_probability == pytest.approx(math.log(0.5) - 2)
    assert forest.marginals().edges[1] > forest.marginals().edges[0] / 2
    drawn = forest.sample(2000, seed=3)
    share = sum(str(tree) == str(first.tree) for tree in drawn) / len(drawn)
    assert share == pytest.approx(math.exp(-1 - forest.log_inside), abs=0.04)
    without = forest.reweighted(np.asarray([0.0, -np.inf, 0.0, 0.0]))
    assert len(without.nbest(5)) == 1
    assert ConstituentForest.from_json(without.to_json()).log_inside == -1.0
    with pytest.raises(FormatError, match="weighs 1 or more"):
        ConstituentForest.from_json(json.dumps(circular(0.0)))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda it: it.update(root=9), "no root"),
        (lambda it: it.update(root=None), "the root is no whole number"),
        (lambda it: it.pop("root"), "words, nodes and a root"),
        (lambda it: it.update(extra=1), "unknown key 'extra'"),
        (lambda it: it.update(words="a b"), "no list of texts"),
        (lambda it: it.update(words=["a", ""]), "an empty one"),
        (lambda it: it["words"].append("c"), "not over all words"),
        (lambda it: it["nodes"][2].update(edges=[]), "no edge"),
        (lambda it: it["nodes"][2]["edges"][0].__setitem__(1, [0]), "leave words out"),
        (lambda it: it["nodes"][2]["edges"][0].__setitem__(1, [0, 7]), "no node"),
        (lambda it: it["nodes"][2]["edges"][0].__setitem__(1, [0, -1]), "no whole number"),
        (lambda it: it["nodes"][2]["edges"][0].__setitem__(0, "x"), "no pair of a score"),
        (lambda it: it["nodes"][2]["edges"][0].__setitem__(0, 10**400), "no logarithm"),
        (lambda it: it["nodes"][2]["edges"][0].__setitem__(0, math.nan), "NaN is no number"),
        (lambda it: it["nodes"][2].update(head=5), "head word"),
        (lambda it: it["nodes"][2].update(span=[0, 2, 3]), "no pair of numbers"),
        (lambda it: it["nodes"][2].update(span=[0, 2**32]), "no whole number"),
        (lambda it: it["nodes"][2].update(label=3), "no text"),
        (lambda it: it["nodes"][2].update(label="\ud800"), "no Unicode"),
        (lambda it: it["nodes"][2].update(weight=3), "no object with label"),
        (lambda it: it["nodes"][2]["edges"].pop(0), "no tree"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(tmp_path: Path, change: Any, what: str) -> None:
    forest = circular(-1.0)
    forest["nodes"][3]["edges"].pop()
    good = ConstituentForest.from_json(json.dumps(forest))
    change(forest)
    (tmp_path / "forests").write_text(good.to_json() + "\n" + json.dumps(forest) + "\n")
    reading = read_forests(tmp_path / "forests")
    assert next(reading).words == ("a", "b")
    with pytest.raises(FormatError, match=what) as refused:
        next(reading)
    assert refused.value.line == 2
    assert refused.value.hint


def test_lines_that_are_none_and_limits(tmp_path: Path) -> None:
    for text in ["", "[]", "{", "[" * 100_000, '{"words": []', "null", "(S (NN a))"]:
        with pytest.raises(FormatError):
            ConstituentForest.from_json(text)
    line = json.dumps({"words": ["a"] * 1001, "nodes": [], "root": 0})
    with pytest.raises(LimitError, match="1001 words"):
        ConstituentForest.from_json(line)
    (tmp_path / "long").write_text(line + "\n")
    with pytest.raises(LimitError):
        list(read_forests(tmp_path / "long", limits=Limits(forest_bytes=100)))
    # A chain as long as they get: nothing recurs.
    count = 50_000
    deep = [
        {"label": "A", "span": [0, 1]},
        *({"label": "B", "span": [0, 1], "edges": [[0, [at]]]} for at in range(count)),
    ]
    forest = ConstituentForest.from_json(json.dumps({"words": ["a"], "nodes": deep, "root": count}))
    assert forest.best().words() == ["a"]
    assert len(forest.nbest(2)) == 1


def test_very_many_derivations_of_one_tree() -> None:
    nodes: list[dict[str, Any]] = []
    for word in range(30):
        nodes += [{"label": "A", "span": [word, word + 1]} for _ in range(2)]
        ways = [[0, [3 * word]], [0, [3 * word + 1]]]
        nodes.append({"label": "P", "span": [word, word + 1], "edges": ways})
    nodes.append({"label": "S", "span": [0, 30], "edges": [[0, [3 * word + 2 for word in range(30)]]]})
    forest = ConstituentForest.from_json(json.dumps({"words": ["a"] * 30, "nodes": nodes, "root": 90}))
    assert forest.log_inside == pytest.approx(30 * math.log(2))
    assert len(forest.nbest(2)) == 1


def test_files_come_back(tmp_path: Path, often: ConstituencyParser) -> None:
    forests = [often.forest(LONG), often.forest(["I", "saw", "I"])]
    assert write_forests(tmp_path / "forests.xz", forests) == 2
    again = list(read_forests(tmp_path / "forests.xz"))
    assert [one.to_json() for one in again] == [one.to_json() for one in forests]
    assert [one.nodes for one in again] == [one.nodes for one in forests]
    assert again[0].with_words(["w"] * len(LONG)).words == ("w",) * len(LONG)
    with pytest.raises(InputError, match="not 1"):
        again[0].with_words(["w"])


def test_heads_that_are_not_given_are_found() -> None:
    tree = parse_penn("(S (NP (DT the) (NN man)) (VP (VBD saw) (NP (PRP it))))")
    forest = ConstituentForest.from_trees([(tree, 0.0)])
    bare = json.loads(forest.to_json())
    for node in bare["nodes"]:
        del node["head"]
    again = ConstituentForest.from_json(json.dumps(bare), rules=HeadRules.collins())
    assert again.nodes == forest.nodes


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_changed_lines_are_refused_or_can_be_used(often: ConstituencyParser, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - no secrets here
    text = rng.choice([often.forest(LONG[:7]).to_json(), json.dumps(circular(-0.5))])
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text))
        piece = rng.choice(
            ["", "0", "1", "9", "-", ",", "[", "]", "null", "NaN", "1e999", '"', "{", "}", "true", "\x00"]
        )
        text = text[:at] + piece + text[at + rng.randint(0, 2) :]
    try:
        forest = ConstituentForest.from_json(text)
    except (FormatError, LimitError):
        return
    assert forest.best().words() == list(forest.words)
    assert all(one.tree.words() == list(forest.words) for one in forest.nbest(5))
    assert np.isfinite(forest.marginals().nodes).all()
    assert ConstituentForest.from_json(forest.to_json()).to_json() == forest.to_json()
