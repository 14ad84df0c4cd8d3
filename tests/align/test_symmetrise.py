from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.align import Aligner, GoldLinks, alignment_error_rate, grow_posteriors, symmetrise
from tolka.errors import InputError, SettingsError

spec = importlib.util.spec_from_file_location("naive", Path(__file__).with_name("naive.py"))
assert spec is not None
assert spec.loader is not None
naive = importlib.util.module_from_spec(spec)
spec.loader.exec_module(naive)

links = st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=14)
METHODS = ["intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and"]


@given(forward=links, backward=links, method=st.sampled_from(METHODS))
def test_equals_naive(forward, backward, method):
    got = symmetrise(list(forward), list(backward), method)
    assert got == sorted(naive.symmetrise(forward, backward, method))


@given(forward=links, backward=links)
def test_methods_nest(forward, backward):
    found = [set(symmetrise(list(forward), list(backward), method)) for method in METHODS]
    inner, outer, grown, final, final_and = found
    assert inner <= grown <= final_and <= outer
    assert grown <= final <= outer


def test_a_long_sentence_takes_no_time():
    # A full square of links is the worst case: quadratic visits here would take minutes.
    diagonal = [(i, i) for i in range(1000)]
    many = [(i, j) for i in range(1000) for j in range(max(0, i - 20), min(1000, i + 20))]
    assert len(symmetrise(diagonal, many, "grow-diag-final-and")) == 1000


@pytest.mark.parametrize("bad", [(-1, 0), (0, 70000)])
def test_impossible_positions(bad):
    with pytest.raises(InputError, match="too large"):
        symmetrise([bad], [], "union")


def test_unknown_method():
    with pytest.raises(SettingsError, match="grow-diag"):
        symmetrise([], [], "grow")


@given(st.lists(st.tuples(links, links, links), max_size=5))
def test_error_rate_equals_naive(rows):
    proposed, sure, possible = ([list(row[n]) for row in rows] for n in range(3))
    gold = [GoldLinks(tuple(s), tuple(p)) for s, p in zip(sure, possible, strict=True)]
    wanted = naive.aer(*([set(row) for row in column] for column in (proposed, sure, possible)))
    assert alignment_error_rate(proposed, gold).aer == pytest.approx(wanted)


def test_error_rate_wants_equal_numbers():
    with pytest.raises(InputError, match="1 pairs and gold for 0"):
        alignment_error_rate([[]], [])


@given(
    weights=st.dictionaries(st.tuples(st.integers(0, 6), st.integers(0, 6)), st.floats(0, 1), max_size=20),
    sparse=st.floats(0.3, 1),
    share=st.floats(0.1, 1),
)
def test_grown_posteriors_equal_naive(weights, sparse, share):
    dense = sparse * share
    grown = grow_posteriors(weights, sparse=sparse, dense=dense)
    inner, outer = ({link for link, weight in weights.items() if weight >= least} for least in (sparse, dense))
    assert sorted(naive.symmetrise(inner, outer, "grow-diag-final-and")) == list(grown)
    assert inner <= set(grown) <= outer
    assert all(weights[link] == weight for link, weight in grown.items())
    assert list(grow_posteriors(weights, sparse=sparse, dense=dense, method="intersection")) == sorted(inner)
    assert list(grow_posteriors(weights, sparse=sparse, dense=dense, method="union")) == sorted(outer)


def test_grown_posteriors_of_an_aligner():
    pairs = [("das Haus", "the house"), ("das Buch", "the book"), ("ein Buch", "a book")] * 5
    found = Aligner(model="hmm").train(pairs).posteriors([("ein Haus", "a house")])[0]
    grown = grow_posteriors(found)
    assert list(grown) == [(0, 0), (1, 1)]
    assert grown[0, 0] == pytest.approx(sum(found[0, 0]) / 2)


@pytest.mark.parametrize(("sparse", "dense"), [(0.3, 0.5), (1.5, 0.5), (0.5, 0.0), (float("nan"), 0.3)])
def test_thresholds_that_make_no_sense(sparse, dense):
    with pytest.raises(SettingsError, match="make no sense"):
        grow_posteriors({}, sparse=sparse, dense=dense)


@pytest.mark.parametrize("bad", [1.5, -0.1, float("nan")])
def test_no_probability(bad):
    with pytest.raises(InputError, match="0-1 is not between"):
        grow_posteriors({(0, 1): bad})
