"""Search graphs: the worked example of Mohammad's chapter 2, every path by itself, and what makes no sense."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.assist.senses import twins

from tolka.assist.senses import SearchGraph
from tolka.errors import FormatError, InputError, SettingsError
from tolka.forest import Forest

EXAMPLE = [
    (0, 1, "there is", None, -0.2),
    (0, 2, "it", None, -1.6),
    (2, 1, "gives", None, -0.4),
    (1, 3, "a", None, -0.3),
    (1, 3, "one", None, -1.5),
    (3, 4, "house", None, -0.1),
    (3, 4, "home", None, -2.4),
    (1, 4, "a house", None, -0.9),
]


def test_worked_example():
    graph = SearchGraph.from_edges(EXAMPLE)
    betas = [1.303477, 1.366234, 0.915814, 0.995555, 1.0]
    assert np.exp(graph.outside).tolist() == pytest.approx(betas, abs=1e-6)
    wanted = [0.858149, 0.141851, 0.141851, 0.539824, 0.162592, 0.638410, 0.064006, 0.297584]
    assert graph.posteriors().tolist() == pytest.approx(wanted, abs=1e-6)
    # The most uncertain edge is "a".
    coin = [-p * math.log(p) - (1 - p) * math.log(1 - p) for p in graph.posteriors().tolist()]
    assert coin.index(max(coin)) == 3
    assert max(coin) == pytest.approx(0.689972, abs=1e-6)
    best = graph.best()
    assert (best.words, best.edges) == ("there is a house", (0, 3, 5))
    assert best.weight == pytest.approx(-0.6)


@st.composite
def graphs(draw):
    """Small graphs: a chain that makes every node useful, and more edges."""
    nodes = draw(st.integers(2, 5))
    numbers = draw(st.permutations(range(0, 3 * nodes, 3)))
    score = st.floats(-3, 3)
    word = st.sampled_from(["a", "b", "c d", ""])
    ends = [(at, at + 1) for at in range(nodes - 1)]
    ends += draw(
        st.lists(
            st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1)).filter(lambda one: one[0] < one[1]),
            max_size=7,
        )
    )
    edges = [(numbers[one], numbers[other], draw(word), None, draw(score)) for one, other in ends]
    order = draw(st.permutations(range(len(edges))))
    return SearchGraph.from_edges([edges[at] for at in order], scale=draw(st.floats(0.1, 2)))


@st.composite
def forests(draw):
    """Small forests of a chart, with up to two tails an edge."""
    length = draw(st.integers(1, 3))
    spans = [(begin, begin + size) for size in range(1, length + 1) for begin in range(length - size + 1)]
    rules, edges = [], []
    for head, (begin, end) in enumerate(spans):
        ways = [()] + [((begin, cut), (cut, end)) for cut in range(begin + 1, end)]
        for way in ways[: 1 + draw(st.integers(0, 2))]:
            for _ in range(draw(st.integers(1, 2))):
                words = [f"w{at}" for at in range(begin, end)]
                gaps = draw(st.permutations(range(len(way))))
                word = draw(st.sampled_from(["x", "y", "z"]))
                rules.append({"lhs": 0, "source": [0, 0] if way else words, "target": [*gaps, word]})
                tails = [spans.index(part) for part in way]
                edges.append({"head": head, "tails": tails, "rule": len(rules) - 1, "score": draw(st.floats(-3, 3))})
    # What no way of the goal leads through is pruned.
    made = {"categories": ["X"], "rules": rules, "nodes": [[0, *span] for span in spans], "edges": edges}
    return Forest.from_dict({**made, "source": [f"w{at}" for at in range(length)]})


@given(graphs())
def test_every_path(graph):
    every = twins.paths(graph)
    assert graph.posteriors().tolist() == pytest.approx(twins.posteriors(graph), abs=1e-9)
    total = math.log(math.fsum(math.exp(twins.weight(graph, path)) for path in every))
    assert graph.log_sum == pytest.approx(total, abs=1e-9)
    best = graph.best()
    assert best.weight == pytest.approx(max(twins.weight(graph, path) for path in every), abs=1e-9)
    assert best.words == twins.spelled(graph, list(best.edges)[::-1])
    shares = [math.exp(twins.weight(graph, path) - total) for path in every]
    assert graph.entropy == pytest.approx(-math.fsum(p * math.log(p) for p in shares), abs=1e-7)


@given(forests())
def test_every_derivation_of_a_chart(forest):
    graph = SearchGraph.from_forest(forest)
    every = twins.paths(graph)
    assert graph.posteriors().tolist() == pytest.approx(twins.posteriors(graph), abs=1e-9)
    assert graph.posteriors().sum() == pytest.approx(forest.marginals().sum())
    best = graph.best()
    assert best.weight == pytest.approx(max(twins.weight(graph, path) for path in every), abs=1e-9)
    assert best.words == twins.spelled(graph, list(best.edges)[::-1])
    again = SearchGraph.from_json(graph.to_json())
    assert again.to_json() == graph.to_json()
    assert again.best() == best


@given(graphs(), st.data())
def test_what_answers_add(graph, data):
    changes = np.array(data.draw(st.lists(st.floats(-2, 2), min_size=len(graph), max_size=len(graph))))
    changed = graph.added_to(changes)
    assert changed.posteriors().tolist() == pytest.approx(twins.posteriors(changed), abs=1e-9)
    # What is added is not scaled, and what was there stays as it was.
    sharper = changed.with_scale(2.0)
    assert sharper.weights.tolist() == pytest.approx((2 * graph.scores + changes).tolist())
    assert graph.added.tolist() == [0.0] * len(graph)


def test_of_equal_translations_the_first():
    graph = SearchGraph.from_edges([(0, 1, "one", None, -1.0), (0, 1, "two", None, -1.0)])
    assert graph.best().words == "one"


def test_long_chains_do_not_recurse():
    edges = [(at, at + 1, "w", (at, at + 1), -0.1) for at in range(3000)]
    graph = SearchGraph.from_edges(edges)
    assert graph.best().words == " ".join(["w"] * 3000)
    assert graph.posteriors().min() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("edges", "settings", "what"),
    [
        ([], {}, "no edges"),
        ([(0, 1, "a", None, 0.0), (1, 2, "b", None, 0.0), (2, 1, "c", None, 0.0)], {"goal": 2}, "cycle"),
        ([(0, 1, "a", None, 0.0), (1, 1, "b", None, 0.0)], {"goal": 1}, "cycle"),
        ([(0, 1, "a", None, 0.0), (1, 0, "b", None, 0.0)], {}, "0 nodes instead of one that may be its root"),
        ([(0, 2, "a", None, 0.0), (1, 2, "b", None, 0.0)], {}, "2 nodes instead of one that may be its root"),
        ([(0, 1, "a", None, 0.0), (0, 2, "b", None, 0.0)], {}, "2 nodes instead of one that may be its goal"),
        ([(0, 1, "a", None, 0.0), (1, 2, "b", None, 0.0)], {"start": 1}, "no root: an edge leads to node"),
        ([(0, 1, "a", None, 0.0), (2, 3, "b", None, 0.0)], {"start": 0, "goal": 1}, "on no way"),
        ([(0, 1, "a", None, 0.0), (0, 2, "b", None, 0.0)], {"goal": 1}, "on no way"),
        ([(0, 1, "a", None, math.nan)], {}, "nan, not a finite number"),
        ([(0, 1, "a", None, -math.inf)], {}, "not a finite number"),
        ([(-1, 1, "a", None, 0.0)], {}, "negative"),
        ([(0, 1, "a", (1, 1), 0.0)], {}, "no span"),
        ([(0, 1, "a", (0, 3), 0.0)], {"source": "x y"}, "does not have"),
    ],
)
def test_what_is_no_graph(edges, settings, what):
    with pytest.raises(InputError, match=what) as caught:
        SearchGraph.from_edges(edges, **settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan, math.inf])
def test_scales(scale):
    with pytest.raises(SettingsError, match="scale"):
        SearchGraph.from_edges(EXAMPLE, scale=scale)


@pytest.mark.parametrize("changes", [np.zeros(3), np.full(8, np.nan)])
def test_changes_fit(changes):
    with pytest.raises(InputError, match="finite number for each of 8 edges"):
        SearchGraph.from_edges(EXAMPLE).added_to(changes)


def _damaged():
    good = json.loads(SearchGraph.from_edges(EXAMPLE, source="es gibt ein haus").to_json())
    yield "{", FormatError
    yield "[]", FormatError
    for change, error in [
        ({"more": 1}, FormatError),
        ({"tolka_search_graph": 2}, FormatError),
        ({"goal": 99}, InputError),
        ({"goal": None}, FormatError),
        ({"nodes": 10**12}, InputError),
        ({"edges": []}, InputError),
        ({"edges": [[1, 0, -1, 99, 0.0]]}, InputError),
        ({"edges": [[1, 0]]}, FormatError),
        ({"edges": [[1, 0, -1, 0, "x"]]}, FormatError),
        ({"edges": [[1, 0, -1, True, 0.0]]}, FormatError),
        ({"edges": [[10**30, 0, -1, 0, 0.0]]}, FormatError),
        ({"pieces": [[["a", 1], [], []]] * 8}, InputError),
        ({"pieces": [["a"]]}, FormatError),
        ({"start": None}, InputError),
        ({"scale": 0}, SettingsError),
        ({"source": 3}, FormatError),
    ]:
        yield json.dumps({**good, **change}), error


@pytest.mark.parametrize(("line", "error"), list(_damaged()))
def test_damaged_lines(line, error):
    with pytest.raises(error) as caught:
        SearchGraph.from_json(line)
    assert "\n" not in str(caught.value)
