"""Labels that spread: worked numbers, the naive way on random graphs, and what makes no sense."""

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.graph import naive

from tolka.errors import InputError, SettingsError
from tolka.graph import AdsorptionSettings, Graph, Labels, Text, objective, propagate, solve

SIZE = 8
EDGES = st.dictionaries(
    st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)).filter(lambda pair: pair[0] < pair[1]),
    st.floats(0.01, 1.0),
    max_size=20,
)
SEEDS = st.dictionaries(
    st.integers(0, SIZE - 1),
    st.dictionaries(st.integers(0, 9), st.floats(0.01, 1.0), min_size=1, max_size=4),
    min_size=1,
)
MU = st.tuples(st.floats(0.1, 2.0), st.floats(0.001, 1.0), st.floats(0.001, 1.0))


def graph_of(edges):
    parts = [list(one) for one in zip(*[(a, b, w) for (a, b), w in edges.items()], strict=True)] or [[], [], []]
    return Graph.of(SIZE, tuple(parts))


def as_dictionary(labels, node):
    ids, values = labels.row(node)
    return {None: float(labels.dummy[node])} | dict(zip(ids.tolist(), values.tolist(), strict=True))


def same(one, other, within):
    for label in {*one, *other}:
        assert one.get(label, 0.0) == pytest.approx(other.get(label, 0.0), abs=within)


def worked():
    """l1, l2, u and o of the worked example."""
    graph = Graph.of(4, ([0, 0, 1, 1, 2], [2, 3, 2, 3, 3], [0.8, 0.2, 0.4, 0.3, 0.6]))
    return graph, Labels.of(4, {0: {1: 0.7, 2: 0.3}, 1: {2: 1.0}})


def test_the_worked_example():
    graph, seeds = worked()
    labels = propagate(graph, seeds)
    same(as_dictionary(labels, 3), {None: 0.253736, 1: 0.142596, 2: 0.268785}, 1e-6)
    solved = solve(graph, seeds)
    same(as_dictionary(solved, 3), {None: 0.253738, 1: 0.142597, 2: 0.268786}, 1e-6)
    assert dict(solved.best(3)) == pytest.approx({1: 0.346629, 2: 0.653371}, abs=1e-6)
    assert [label for label, _ in solved.best(3)] == [2, 1]
    assert solved.best(3, 1, normalise=False) == [(2, pytest.approx(0.268786, abs=1e-6))]
    assert objective(graph, seeds, seeds) == pytest.approx(0.035307951, abs=1e-9)
    assert objective(graph, seeds, labels) == pytest.approx(0.026383423, abs=1e-9)
    even = solve(graph, seeds, AdsorptionSettings(mu=(1.0, 1.0, 1.0)))
    same(as_dictionary(even, 3), {None: 0.308702, 1: 0.021599, 2: 0.053174}, 1e-6)
    assert dict(even.best(3)) == pytest.approx({1: 0.288861, 2: 0.711139}, abs=1e-6)


def test_the_steps_of_the_worked_example():
    """All nodes after one, two and ten steps and in the end, with the objective."""
    graph, seeds = worked()
    steps = {
        1: ((0.192589, 0.077124, 0.190617), (0.143779, 0.221921, 0.246163), (0.001630, 0.644677, 0.276290), 0.026855222),
        2: ((0.234894, 0.136031, 0.252548), (0.185283, 0.220791, 0.271957), (0.008360, 0.653122, 0.286585), 0.026422802),
        10: ((0.253736, 0.142596, 0.268785), (0.201982, 0.238414, 0.293526), (0.010936, 0.654277, 0.288933), 0.026383423),
        None: ((0.253738, 0.142597, 0.268786), (0.201983, 0.238414, 0.293528), (0.010937, 0.654277, 0.288933), 0.026383423),
    }  # fmt: skip
    for step, (*rows, value) in steps.items():
        labels = solve(graph, seeds) if step is None else propagate(graph, seeds, AdsorptionSettings(iterations=step))
        for node, row in zip((3, 2, 0), rows, strict=True):
            same(as_dictionary(labels, node), dict(zip((None, 1, 2), row, strict=True)), 1e-6)
        assert objective(graph, seeds, labels) == pytest.approx(value, abs=1e-9)


def test_a_seed_with_one_neighbour_and_a_word_behind_a_bridge():
    """The chain l - u - o: l's entropy is 0, so that nearly all of it is injected; o is reached in two steps."""
    graph, seeds = Graph.of(3, ([0, 1], [1, 2], [0.8, 0.6])), Labels.of(3, {0: {1: 0.7, 2: 0.3}})
    steps = {
        1: (0.0, 0.0, 0.0),
        2: (0.072652, 0.071519, 0.030651),
        10: (0.090283, 0.087538, 0.037516),
        None: (0.090309, 0.087562, 0.037526),
    }
    for step, row in steps.items():
        labels = solve(graph, seeds) if step is None else propagate(graph, seeds, AdsorptionSettings(iterations=step))
        same(as_dictionary(labels, 2), dict(zip((None, 1, 2), row, strict=True)), 1e-6)
        if step != 1:
            assert dict(labels.best(2)) == pytest.approx({1: 0.7, 2: 0.3}, abs=1e-6)


@given(EDGES, SEEDS, MU, st.floats(1.5, 4.0), st.integers(0, 6))
def test_labels_are_those_of_the_naive_way(edges, seeds, mu, beta, iterations):
    graph, start = graph_of(edges), Labels.of(SIZE, seeds)
    how = AdsorptionSettings(mu=mu, beta=beta, iterations=iterations)
    labels = propagate(graph, start, how, threads=2)
    wanted, chances = naive.adsorb(SIZE, edges, seeds, mu, beta, iterations)
    for node in range(SIZE):
        same(as_dictionary(labels, node), wanted[node], 1e-10)
    found = objective(graph, start, labels, how)
    assert found == pytest.approx(naive.objective(edges, seeds, wanted, mu, chances), rel=1e-9, abs=1e-12)


@settings(max_examples=30)
@given(EDGES, SEEDS, st.tuples(st.floats(0.1, 2.0), st.floats(0.01, 1.0), st.floats(0.2, 1.0)))
def test_steps_lead_to_the_solution_and_down(edges, seeds, mu):
    graph, start = graph_of(edges), Labels.of(SIZE, seeds)

    def after(iterations):
        return propagate(graph, start, AdsorptionSettings(mu=mu, iterations=iterations))

    solved, reached = solve(graph, start, AdsorptionSettings(mu=mu), tolerance=1e-12), after(2500)
    for node in range(SIZE):
        same(as_dictionary(solved, node), as_dictionary(reached, node), 1e-8)
    values = [objective(graph, start, labels, AdsorptionSettings(mu=mu)) for labels in (after(0), after(3), solved)]
    assert values[2] <= min(values[:2]) + 1e-9


@given(EDGES, SEEDS)
def test_only_the_most_probable_are_kept(edges, seeds):
    graph, start = graph_of(edges), Labels.of(SIZE, seeds)
    every = propagate(graph, start, AdsorptionSettings(iterations=1))
    some = propagate(graph, start, AdsorptionSettings(iterations=1, keep=2))
    np.testing.assert_array_equal(some.dummy, every.dummy)
    for node in range(SIZE):
        assert some.best(node, 9, normalise=False) == every.best(node, 2, normalise=False)
    solved, cut = solve(graph, start), solve(graph, start, AdsorptionSettings(keep=1))
    for node in range(SIZE):
        assert cut.best(node, normalise=False) == solved.best(node, 1, normalise=False)


def test_neighbours_make_a_graph_of_words():
    lines = [
        "the cat drinks milk",
        "the dog drinks water",
        "a cat eats fish",
        "a dog eats meat",
        "the feline drinks milk",
    ]
    profiles = Text.of(lines).profiles(window=2).weigh("ppmi")
    graph = Graph.of(len(profiles), profiles.neighbours(3).edges())
    cat, dog, feline = (profiles.id(word) for word in ("cat", "dog", "feline"))
    labels = propagate(graph, Labels.of(len(profiles), {cat: {0: 1.0}, dog: {1: 1.0}}))
    assert labels.best(feline)[0][0] == 0


def test_nodes_without_edges_keep_what_they_have():
    graph = Graph.of(3, ([0], [1], [1.0]))
    labels = propagate(graph, Labels.of(3, {2: {4: 1.0}}))
    assert labels.row(0)[0].tolist() == []
    assert labels.best(2) == [(4, 1.0)]
    same(as_dictionary(labels, 2), {4: 0.99 / (0.99 + 0.01)}, 1e-12)
    assert len(labels) == 3


def test_graphs_keep_edges_once():
    graph = Graph.of(4, ([0, 1, 2, 3, 0], [1, 0, 2, 0, 2], [0.5, 0.75, 1.0, 0.25, 0.0]))
    assert [graph.row(node) for node in range(4)] == [[(1, 0.75), (3, 0.25)], [(0, 0.75)], [], [(0, 0.25)]]
    assert repr(graph) == "Graph(4 nodes, 2 edges)"


def test_labels_come_as_arrays_too():
    seeds = Labels.of(3, ([0, 2, 2, 3], [4, 7, 4], [0.3, 0.7, 1.0]))
    other = Labels.of(3, {0: {7: 0.7, 4: 0.3}, 2: {4: 1.0}})
    for one, two in zip(
        (seeds.starts, seeds.ids, seeds.probabilities), (other.starts, other.ids, other.probabilities), strict=True
    ):
        np.testing.assert_array_equal(one, two)


class Heard:
    """What work tells of itself; it is stopped after so many reports."""

    def __init__(self, most=10**9):
        self.tasks, self.most = {}, most

    @contextmanager
    def task(self, name, *, total=None, unit=""):
        self.tasks[name] = [total, unit, 0]

        def advance(units):
            self.tasks[name][2] += units
            self.most -= 1
            if not self.most:
                raise KeyboardInterrupt

        yield advance


def test_work_tells_how_far_it_is_and_can_be_stopped():
    graph, heard = Graph.of(30, (range(29), range(1, 30), [1.0] * 29)), Heard()
    seeds = Labels.of(30, {node: {node: 1.0} for node in range(20)})
    propagate(graph, seeds, progress=heard)
    solve(graph, seeds, progress=heard, threads=1)
    profiles = Text.of(["a b c", "b c d"]).profiles().weigh("ppmi")
    profiles.neighbours(2, [0, 2], progress=heard)
    assert heard.tasks == {
        "spreading labels": [10, "steps", 10],
        "solving for labels": [20, "labels", 20],
        "neighbours": [2, "nodes", 2],
    }
    for work in (propagate, solve):
        with pytest.raises(KeyboardInterrupt):
            work(graph, seeds, progress=Heard(2), threads=1)


def lone(**how):
    return propagate(Graph.of(2, ([0], [1], [1.0])), Labels.of(2, {0: {0: 1.0}}), AdsorptionSettings(**how))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: Graph.of(2, ([0], [2], [1.0])), "an edge leads from node 0 to node 2"),
        (lambda: Graph.of(2, ([0], [1], [float("nan")])), "weighs NaN"),
        (lambda: Graph.of(2, ([0], [1], [-1.0])), "weighs -1"),
        (lambda: Graph.of(2, ([0], [1], [float("inf")])), "weighs inf"),
        (lambda: Graph.of(2, ([0], [1, 0], [1.0])), "1 beginnings and 2 ends"),
        (lambda: Graph.of(2, ([-1], [1], [1.0])), "nodes of edges must be from 0"),
        (lambda: Graph.of(2, ([0.5], [1], [1.0])), "nodes of edges must be whole numbers"),
        (lambda: Graph.of(2, ([0], [1])), "edges are three lists"),
        (lambda: Graph.of(2, ([0], [1], ["a"])), "weights of edges must be numbers"),
        (lambda: Graph.of(-1, ([], [], [])), "size must be a whole number"),
        (lambda: Graph.of(2, ([], [], [])).row(2), "there is no node 2"),
        (lambda: Labels.of(2, {2: {0: 1.0}}), "there is no node 2"),
        (lambda: Labels.of(2, ([0, 1], [0], [1.0])), "do not fit"),
        (lambda: Labels.of(2, ([0, 1], [0])), "three lists"),
        (lambda: Labels.of(2, {}).row(-1), "there is no node -1"),
        (lambda: propagate(Graph.of(2, ([], [], [])), Labels.of(3, {})), "do not fit a graph of 2 nodes"),
        (lambda: propagate(Graph.of(1, ([], [], [])), Labels.of(1, {0: {0: -1.0}})), "the probability -1"),
        (lambda: propagate(Graph.of(1, ([], [], [])), Labels.of(1, {0: {0: float("nan")}})), "the probability NaN"),
        (lambda: propagate(Graph.of(1, ([], [], [])), Labels.of(1, ([0, 2], [1, 1], [0.5, 0.5]))), "do not ascend"),
        (lambda: lone(mu=(1.0, -1.0, 1.0)), "mu cannot be"),
        (lambda: lone(mu=(1.0, 1.0)), "mu are three weights"),
        (lambda: lone(beta=1.0), "beta must be greater than 1, not 1"),
        (lambda: lone(iterations=-1), "iterations must be a whole number"),
        (lambda: lone(keep=1.5), "keep must be a whole number"),
        (lambda: solve(*worked(), tolerance=0.0), "the tolerance must be between 0 and 1"),
        (lambda: objective(*worked(), Labels.of(4, {0: {9: 1.0}})), "there is a label 9, but no seed has it"),
    ],
)
def test_what_makes_no_sense_is_said_in_a_sentence(wrong, sentence):
    with pytest.raises((InputError, SettingsError)) as error:
        wrong()
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
