"""The engine's transducer of forests against the twin, which rewrites one tree after the other."""

import json
import math
from collections import defaultdict
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.assist.rewriting.rewriting_twin import Twin

from tolka.assist.rewriting import Grammar, Rewriter
from tolka.assist.rewriting.morphology import Number, morphology_of
from tolka.syntax import Constituent, ConstituentForest

HERE = Path(__file__).parent
REPEATS = 3
MOST = 300

GRAMMARS = [
    """
language en
root R
words some = saw me
rule R
  <= /A|B/ -> ... x:P ... y:Q ...
  => y.two(x) ... "by" case(y.one) ... x ...
  <= !(/B/ | P) & !/VBD/ -> (/VBD/ | P)* y:Q
  => y.itself participle(y.itself)
rule P
  <= /A/ & !Q
  <= /VBD/[word in some]
rule Q
  <= /B|C/ -> ((P | /C/ /A/) & (/A|C/ (/A/)*))* tail:...
  => one: tail
  => two(z): z tail "and" participle(z)
  <= /C/ -> q:Q
  => one: q.one
  => two(z): q.two(z)
""",
    """
language en
root R
rule R
  <= /A/ -> ... q:R ...
  => ... q ...
  <= /B/ -> first:/.*/ rest:... last:/VBD/
  => case(last) "then" rest first
  <= !R2 & /C/ -> ... ...
  => ... "," ...
rule R2
  <= /C/ -> (!(/A/ & /A/ | !R2 & /B/) | R2 R2)*
""",
    """
language en
root R
rule R
  <= S -> a:(S)* b:(!S)* c:(T T)* d:...
  => d "-" c "-" b "-" a
rule S
  <= /A|C/ & !T
rule T
  <= /B/ -> ((T | /VBD/)* & (... /VBD/ | T))
  <= /VBD/
""",
]


def number(tree: Constituent) -> Number:
    return "sing"


@st.composite
def forests(draw: st.DrawFn, circles: bool) -> ConstituentForest:
    """Forests over few words: for each span some labels, for each of these some ways to make it; weights are below 1."""
    words = draw(
        st.lists(st.sampled_from(["I", "saw", "me", "went", "call"]), min_size=1, max_size=2 if circles else 4)
    )
    count = len(words)
    nodes: list[dict[str, Any]] = [{"label": "VBD", "span": [at, at + 1], "head": at} for at in range(count)]
    over: dict[tuple[int, int], list[int]] = defaultdict(list)
    for at in range(count):
        over[at, at + 1].append(at)
    scores = st.floats(-4, -2)
    for size in range(1, count + 1):
        for begin in range(count - size + 1):
            end = begin + size
            labels = draw(st.lists(st.sampled_from("ABC"), unique=True, min_size=size == count, max_size=2))
            first = len(nodes)
            split = [list(way) for way in _tilings(begin, end, over) if len(way) > 1 or size == 1]
            made = []
            for label in labels:
                chosen = draw(st.lists(st.sampled_from(split), unique_by=tuple, max_size=3)) if split else []
                same = list(range(first, first + len(labels))) if circles else [first + at for at in range(len(made))]
                chosen += (
                    [[one] for one in draw(st.lists(st.sampled_from(same), unique=True, max_size=2))] if same else []
                )
                edges = [[draw(scores), way] for way in chosen]
                made.append({"label": label, "span": [begin, end], "head": begin, "edges": edges})
            if all(one["edges"] for one in made):
                nodes += made
                over[begin, end] += range(first, len(nodes))
    whole = over[0, count]
    # A flat tree besides, as all others may go in circles.
    edges = [[-1.0, [one]] for one in whole if one >= count] + [[-3.0, list(range(count))]]
    nodes.append({"label": "TOP", "span": [0, count], "head": 0, "edges": edges})
    return ConstituentForest.from_json(json.dumps({"words": words, "nodes": nodes, "root": len(nodes) - 1}))


def _tilings(begin: int, end: int, over: dict[tuple[int, int], list[int]]) -> list[tuple[int, ...]]:
    if begin == end:
        return [()]
    return [
        (one, *rest)
        for cut in range(begin + 1, end + 1)
        for rest in _tilings(cut, end, over)
        for one in over[begin, cut]
    ]


def trees(forest: ConstituentForest, node: int, above: tuple[int, ...] = ()) -> list[tuple[Constituent, float]]:
    """All trees, or `MOST`, in which no node is more than a few times in one unary chain, with their weights."""
    found = forest.nodes[node]
    if not found.edges:
        return [(Constituent(found.label, word=forest.words[found.begin]), 0.0)]
    if above.count(node) >= REPEATS:
        return []
    all_trees: list[tuple[Constituent, float]] = []
    for at in found.edges:
        if len(all_trees) >= MOST:
            break
        edge = forest.edges[at]
        chain = (*above, node) if len(edge.children) == 1 else ()
        for parts in islice(product(*(trees(forest, child, chain) for child in edge.children)), MOST):
            weight = edge.score + sum(score for _, score in parts)
            all_trees.append((Constituent(found.label, tuple(tree for tree, _ in parts)), weight))
    return all_trees[:MOST]


def _compare(forest: ConstituentForest, text: str, *, parts: bool, circles: bool) -> None:
    grammar = Grammar.of(text)
    all_trees = trees(forest, forest.root)
    assume(len(all_trees) < MOST)
    twin = Twin(grammar, morphology_of("en"), number)
    total = forest.log_inside
    masses: dict[tuple[str, ...], float] = defaultdict(float)
    sets: dict[frozenset[tuple[str, ...]], float] = defaultdict(float)
    original = forest.words
    for tree, score in all_trees:
        yielded = set()
        for begin, end, words in twin.outputs(tree, parts=parts):
            whole = (*original[:begin], *words, *original[end:])
            yielded.add(tuple(word.lower() for word in whole))
        yielded.discard(tuple(word.lower() for word in original))
        for one in yielded:
            masses[one] += math.exp(score - total)
        sets[frozenset(yielded)] += math.exp(score - total)
    seen = sum(sets.values())
    rewritten = Rewriter([grammar], number=number, parts=parts).rewritten(forest)
    assert rewritten.exact
    assert rewritten.dropped == 0
    found: dict[tuple[str, ...], float] = defaultdict(float)
    for one in rewritten.rewrites:
        found[tuple(word.lower() for word in one.tokens)] += one.mass
    assert set(found) == set(masses)
    left = 1 - seen + 1e-9
    assert left < 0.5 if circles else left < 1e-6
    for words, mass in masses.items():
        assert mass - 1e-9 <= found[words] <= mass + left
    cells: dict[frozenset[tuple[str, ...]], float] = defaultdict(float)
    for members, mass in rewritten.cells:
        cells[frozenset(tuple(word.lower() for word in rewritten.rewrites[one].tokens) for one in members)] += mass
    assert {cell for cell, mass in cells.items() if mass > 0} == set(sets)
    for cell, mass in sets.items():
        assert mass - 1e-9 <= cells[cell] <= mass + left
    assert rewritten.forest.log_inside == pytest.approx(forest.log_inside)


@pytest.mark.parametrize("text", GRAMMARS, ids=["arguments", "cyclic", "rows"])
@pytest.mark.parametrize("parts", [False, True])
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(forest=forests(circles=False))
def test_outputs_and_masses_are_those_of_all_trees(forest: ConstituentForest, text: str, parts: bool) -> None:
    _compare(forest, text, parts=parts, circles=False)


@pytest.mark.parametrize("text", GRAMMARS, ids=["arguments", "cyclic", "rows"])
@pytest.mark.parametrize("parts", [False, True])
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(forest=forests(circles=True))
def test_circles(forest: ConstituentForest, text: str, parts: bool) -> None:
    _compare(forest, text, parts=parts, circles=True)


def test_outputs_without_end_are_told() -> None:
    """On a circle, a grammar that adds a word at each turn has infinitely many outputs: trees without the circle are looked at."""
    line = {
        "words": ["it", "rains"],
        "root": 4,
        "nodes": [
            {"label": "N", "span": [0, 1]},
            {"label": "V", "span": [1, 2]},
            {"label": "S", "span": [0, 2], "edges": [[-1.0, [0, 1]], [-2.0, [3]]]},
            {"label": "S", "span": [0, 2], "edges": [[-1.0, [2]]]},
            {"label": "TOP", "span": [0, 2], "edges": [[0.0, [2]]]},
        ],
    }
    forest = ConstituentForest.from_json(json.dumps(line))
    grammar = Grammar.of(
        "language en\nroot R\nrule R\n  <= /TOP/ -> s:X\n  => s\nrule X\n  <= /S/ -> a:/N/ ...\n  => ... a\n"
        '  <= /S/ -> s:X\n  => "very" s\n'
    )
    rewritten = Rewriter([grammar]).rewritten(forest)
    assert not rewritten.exact
    assert [one.text for one in rewritten.rewrites] == ["rains it"]
    assert rewritten.kept == pytest.approx(1 - math.exp(-3))


def test_too_many_ways() -> None:
    """A flat sentence and a grammar that cuts it up in all ways: nothing rather than hours."""
    tree = Constituent("S", tuple(Constituent("X", word="x") for _ in range(200)))
    grammar = Grammar.of("language en\nroot S\nrule S\n  <= /S/ -> ... ... ... ... ... ...\n  => ... ...\n")
    rewritten = Rewriter([grammar], trees=2).rewritten(ConstituentForest.from_trees([(tree, 0.0)]))
    assert (rewritten.exact, rewritten.rewrites, rewritten.kept) == (False, (), 0.0)
