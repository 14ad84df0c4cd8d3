"""Reservoirs: worked figures, the naive twin, and that states settle wherever they start."""

import naive_rerank
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka._engine import GraphReservoir, rerank_matrix
from tolka.errors import InputError, SettingsError
from tolka.lm import Embeddings
from tolka.rerank import Entry, GesnFeatures, GesnSettings, NBestList, Source, draw_matrices

INPUT = np.array([[0.5, -0.3], [0.2, 0.4]])
LEFT, RIGHT = np.array([[0.6, -0.8], [0.8, 0.6]]), np.array([[1.0, 0.5], [-0.5, 1.0]])
ALIGN, PARENT = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[1.0, 1.0], [0.0, 1.0]])
CHILD = np.array([[2.0, 0.0], [0.0, 1.0]])
TARGET = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, -0.5]]) @ INPUT.T
SOURCE = np.array([[0.2, 0.1], [-0.3, 0.4], [0.5, -0.5]]) @ INPUT.T


def scaled(matrix, wanted):
    return matrix * wanted / np.linalg.norm(matrix, 2)


def reservoir(source, target, **settings):
    fixed = {
        "links": 1.0,
        "children": 1.0,
        "prune": False,
        "mean": False,
        "tolerance": 1e-6,
        "most": 500,
        "bounded": True,
    }
    return GraphReservoir(source, target, **{**fixed, **settings})


def single(array):
    return np.asarray(array, dtype=np.float32)


# The figures are those of a double-precision computation of Miceli Barone's equations 5.3 and 5.9.


def test_a_sequence_settles_as_computed_by_hand():
    matrices = [scaled(LEFT, 0.495), scaled(RIGHT, 0.495)]
    np.testing.assert_allclose(matrices[1], [[0.442741, 0.221371], [-0.221371, 0.442741]], atol=1e-6)
    empty = single(np.zeros((0, 2)))
    _, first, _ = reservoir([], matrices, most=1).states(empty, single(TARGET), [], [], start=0.0)
    np.testing.assert_allclose(first, [[0.462117, 0.197375], [-0.291313, 0.379949], [0.379949, -0.099668]], atol=1e-6)
    _, last, steps = reservoir([], matrices).states(empty, single(TARGET), [], [], start=0.0)
    np.testing.assert_allclose(last, [[0.450707, 0.490394], [-0.330130, 0.595152], [0.066175, -0.053919]], atol=2e-6)
    assert steps == 26
    twin = {"target.left": matrices[0], "target.right": matrices[1]}
    _, slow, steps = naive_rerank.settle(np.zeros((0, 2)), TARGET, twin, tolerance=1e-12)
    assert steps == 50
    np.testing.assert_allclose(slow.sum(axis=0), [0.186751, 1.031627], atol=1e-6)


def test_a_pair_with_dependencies_settles_as_computed_by_hand():
    source = [scaled(matrix, 0.99 / 5) for matrix in (LEFT, RIGHT, ALIGN, PARENT, CHILD)]
    target = [scaled(matrix, 0.99 / 3) for matrix in (LEFT, RIGHT, ALIGN)]
    found = reservoir(source, target, tolerance=1e-7).states(
        single(SOURCE), single(TARGET), [2, 0, 0], [(0, 1), (1, 0)], start=0.0
    )
    np.testing.assert_allclose(
        found[0], [[0.190345, 0.115332], [-0.107768, 0.211602], [0.339635, -0.091674]], atol=1e-6
    )
    np.testing.assert_allclose(
        found[1], [[0.534783, 0.342165], [-0.187185, 0.557261], [0.212531, -0.039059]], atol=1e-6
    )
    np.testing.assert_allclose(found[1].sum(axis=0), [0.560128, 0.860367], atol=2e-6)


words = st.lists(st.sampled_from("abcde"), max_size=6)


@st.composite
def pairs(draw):
    source, target = draw(st.lists(st.sampled_from("abcde"), min_size=1, max_size=6)), draw(words)
    heads = tuple(draw(st.integers(0, word)) for word in range(len(source)))
    links = ()
    if target:
        link = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
        links = tuple(draw(st.lists(link, max_size=10)))
    return source, target, heads, links


def table(seed):
    return Embeddings(["a", "b", "c", "d", "</s>"], np.random.default_rng(seed).normal(size=(5, 3)))


@given(
    pairs(),
    st.sampled_from(["gesn-sequence", "gesn-bilingual", "gesn-dependency"]),
    st.sampled_from(["average", "prune"]),
    st.sampled_from(["sum", "mean"]),
    st.booleans(),
    st.integers(1, 40),
    st.sampled_from([1.0, 2.0]),
    st.integers(0, 5),
)
def test_native_and_naive_states_agree(pair, kind, degree, pooling, shared, size, links, seed):
    source, target, heads, own_links = pair
    settings = GesnSettings(
        size=size,
        input_scale=0.5,
        degree=degree,
        pooling=pooling,
        shared=shared,
        links=links,
        seed=seed,
        tolerance=1e-7,
    )
    features = GesnFeatures(kind, settings, table(1), table(2))
    entry = Entry(" ".join(target), links=own_links)
    [row] = features.rows([NBestList(0, (entry,))], [Source(tuple(source), heads)])
    inputs = {
        side: vectors.vectors([*line, "</s>"]) @ features.matrices[f"{side}.input"].T
        for side, vectors, line in (
            *(() if features.source is None else (("source", features.source, source),)),
            ("target", features.target, target),
        )
    }
    none = np.zeros((0, size))
    _, states, _ = naive_rerank.settle(
        inputs.get("source", none),
        inputs["target"],
        features.matrices,
        links=own_links if kind != "gesn-sequence" else (),
        heads=heads if kind == "gesn-dependency" else (),
        d=links,
        prune=degree == "prune",
        tolerance=1e-10,
    )
    pooled = states.sum(axis=0) if pooling == "sum" else states.mean(axis=0)
    np.testing.assert_allclose(row, pooled, atol=2e-5)


@given(pairs(), st.floats(-1, 1), st.integers(0, 3))
def test_states_settle_wherever_they_start(pair, start, seed):
    source, target, heads, links = pair
    settings = GesnSettings(size=7, input_scale=1.0, seed=seed)
    features = GesnFeatures("gesn-dependency", settings, table(1), table(2))
    inputs = [
        single(vectors.vectors([*line, "</s>"]) @ features.matrices[f"{side}.input"].T)
        for side, vectors, line in (("source", table(2), source), ("target", table(1), target))
    ]
    found = [features.native.states(*inputs, [*heads, 0], links, start=begin) for begin in (0.0, start)]
    np.testing.assert_allclose(found[0][0], found[1][0], atol=2e-5)
    np.testing.assert_allclose(found[0][1], found[1][1], atol=2e-5)


@given(
    st.integers(1, 12), st.floats(0.1, 1.0), st.integers(0, 1000), st.sampled_from(["spectral", "frobenius", "radius"])
)
def test_matrices_have_the_size_asked_for(size, density, seed, norm):
    made = rerank_matrix(size, size, bound=1.0, density=density, seed=seed, stream=0, norm=norm, wanted=0.3)
    found = {
        "spectral": lambda: np.linalg.norm(made, 2),
        "frobenius": lambda: np.linalg.norm(made),
        "radius": lambda: abs(np.linalg.eigvals(made)).max(),
    }[norm]()
    # A sparse matrix may have no eigenvalue but 0.
    assert found == pytest.approx(0.3, rel=1e-6) or (norm == "radius" and found < 1e-3) or not made.any()


def test_matrices_keep_states_contracting():
    settings = GesnSettings(size=6, links=2.0, children=1.0)
    degrees = {"gesn-sequence": (0, 2), "gesn-bilingual": (4, 4), "gesn-dependency": (6, 4)}
    for kind, (source, target) in degrees.items():
        found = draw_matrices(kind, settings, table(1), table(1))
        for name, matrix in found.items():
            if not name.endswith("input"):
                degree = source if name.startswith("source") else target
                assert np.linalg.norm(matrix, 2) == pytest.approx(0.99 / degree)
            else:
                assert abs(matrix).max() <= 0.01
    shared = draw_matrices("gesn-dependency", GesnSettings(size=6, shared=True), table(1), table(1))
    np.testing.assert_array_equal(shared["source.left"], shared["target.left"])


def test_matrices_that_may_not_settle_are_refused():
    with pytest.raises(SettingsError, match=r"sum to a size of 1\.100"):
        reservoir([], [scaled(LEFT, 0.6), scaled(RIGHT, 0.5)])
    reservoir([], [scaled(LEFT, 0.6), scaled(RIGHT, 0.5)], bounded=False)
    with pytest.raises(SettingsError, match="do not fit"):
        reservoir([LEFT], [LEFT, RIGHT])


def test_equal_translations_have_equal_states_whatever_the_threads():
    features = GesnFeatures("gesn-bilingual", GesnSettings(size=5), table(1), table(2))
    entries = tuple(Entry(text, links=((0, 0),)) for text in ("a b", "b a", "a b", "c"))
    lists, sources = [NBestList(0, entries), NBestList(1, entries[:1])], [Source(("a",)), Source(("b",))]
    rows = features.rows(lists, sources, threads=1)
    np.testing.assert_array_equal(rows, features.rows(lists, sources, threads=3))
    np.testing.assert_array_equal(rows[0], rows[2])
    assert (rows[0] != rows[4]).any()


def test_states_that_do_not_settle_are_counted():
    settings = GesnSettings(size=5, iterations=1)
    features = GesnFeatures("gesn-sequence", settings, table(1))
    features.rows([NBestList(0, (Entry("a b"), Entry("b")))], [Source(())])
    assert features.unsettled_ == 2


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"size": 0}, "size"),
        ({"contractivity": 1.0}, "contractivity"),
        ({"density": 0.0}, "density"),
        ({"input_scale": float("nan")}, "input_scale"),
        ({"norm": "l7"}, "norm"),
        ({"pooling": "max"}, "pooling"),
        ({"seed": -1}, "seed"),
    ],
)
def test_settings_that_make_no_sense_are_refused(change, what):
    with pytest.raises(SettingsError, match=what):
        GesnSettings(**change)


def test_links_and_heads_that_lead_outside_are_refused():
    features = GesnFeatures("gesn-dependency", GesnSettings(size=4), table(1), table(2))
    for links, heads in (((0, 1),), (0,)), (((1, 0),), (0,)), (((0, 0),), (2,)):
        with pytest.raises(InputError, match="outside"):
            features.rows([NBestList(0, (Entry("a", links=links),))], [Source(("a",), heads)])
