"""Weights go as far from the start as helps on sentences that were left out."""

import math
import statistics
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.rerank.learning import SHARES, Table, deviations, learn
from tolka.tune import Tuner

QUICK = Tuner("mira", epochs=5)


def drawn(sentences, *, seed=1, signal=2.0, names=("score", "good", "noise"), entries=6):
    """Translations with more or less of the reference's words; the score knows little of it, `good` more."""
    random = np.random.default_rng(seed)
    references, words, rows = [], [], []
    for sentence in range(sentences):
        reference = [f"w{sentence}.{place}" for place in range(8)]
        references.append(" ".join(reference))
        for _ in range(entries):
            right = int(random.integers(3, 9))
            words.append(" ".join(reference[:right] + ["x"] * (8 - right)))
            quality = (right - 5.5) / 2
            rows.append(np.array([0.3 * quality, signal * quality, 0.0]) + random.normal(size=3))
    dense = np.array(rows, dtype=np.float32)
    for list_of in range(sentences):
        own = slice(list_of * entries, (list_of + 1) * entries)
        order = np.argsort(-dense[own, 0], kind="stable")
        dense[own] = dense[own][order]
        words[own] = [words[own.start + place] for place in order]
    return Table(names, [references], [entries] * sentences, words, dense, [])


START = {"score": 1.0, "good": 0.0, "noise": 0.0}


def test_a_feature_that_tells_is_learnt():
    learnt = learn(drawn(60), START, QUICK, folds=5)
    assert learnt.share > 0
    assert learnt.before < learnt.held_out <= learnt.oracle
    assert learnt.weights["good"] > 3 * abs(learnt.weights["noise"])
    fresh = drawn(100, seed=2)
    judge = fresh.lists()
    before, after = (judge.score(fresh.best(fresh.scores(weights))) for weights in (START, learnt.weights))
    assert after > before + 5


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_changed_where_nothing_is_to_be_learnt(seed):
    table = drawn(60, seed=seed)
    # The score knows all, so every step away from it does harm.
    quality = np.array([words.split().index("x") if "x" in words.split() else 8 for words in table.words])
    table = replace(table, dense=np.column_stack([quality, table.dense[:, 2], -table.dense[:, 2]]).astype(np.float32))
    learnt = learn(table, START, QUICK, folds=5)
    assert learnt.share == 0
    assert learnt.before == learnt.after == learnt.held_out
    assert table.best(table.scores(learnt.weights)) == table.best(table.scores(START))


def test_few_sentences_are_not_cut_into_parts():
    learnt = learn(drawn(49), START, QUICK, folds=5)
    assert learnt.held_out is None
    assert learnt.share in {0.0, 1.0}
    assert learn(drawn(60), START, QUICK, folds=0).held_out is None


def test_the_held_out_choice_is_the_one_made_by_hand():
    table = drawn(40, signal=0.3)
    learnt = learn(table, START, QUICK, folds=2)
    spread = deviations(table.dense, table.counts)
    first = {"score": 1.0, "good": 0.0, "noise": 0.0}
    scaled = replace(table, dense=(table.dense / spread).astype(np.float32))
    is_odd = np.arange(40) % 2 == 1
    halves = [scaled.part(is_odd), scaled.part(~is_odd)]
    found = [Tuner("mira", epochs=5).fit(half.lists(), first).weights_ for half in halves]
    tried = {}
    for share in SHARES:
        lines = [""] * 40
        for fold, weights in enumerate(found):
            own = scaled.part(is_odd if fold else ~is_odd)
            mixed = {name: (1 - share) * first[name] + share * weights[name] for name in first}
            lines[fold::2] = own.best(own.scores(mixed))
        tried[share] = table.lists().score(lines)
    assert learnt.held_out == pytest.approx(max(tried.values()))
    assert tried[learnt.share] == max(tried.values())
    mean = {name: (found[0][name] + found[1][name]) / 2 for name in first}
    for name, unit in zip(table.names, spread, strict=True):
        wanted = (first[name] + learnt.share * (mean[name] - first[name])) / unit
        assert learnt.weights[name] == pytest.approx(wanted, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("factors", [(1024.0, 1.0, 0.5), (1.0, 1 / 1024, 64.0)])
def test_units_of_features_do_not_matter(factors):
    table = drawn(50)
    other = replace(table, dense=(table.dense * np.array(factors)).astype(np.float32))
    one, two = learn(table, START, QUICK, folds=5), learn(other, START, QUICK, folds=5)
    assert (two.share, two.held_out, two.after) == (one.share, one.held_out, one.after)
    for name, factor in zip(table.names, factors, strict=True):
        assert two.weights[name] * factor == pytest.approx(one.weights[name])


def test_no_features_but_sparse_ones():
    table = drawn(60)
    sparse = [{"right": 1.0} if "x" not in words.split() else {"wrong": 1.0} for words in table.words]
    bare = replace(table, names=(), dense=np.zeros((len(table.words), 0), dtype=np.float32), sparse=sparse)
    learnt = learn(bare, {}, QUICK, folds=5)
    assert learnt.weights["right"] > learnt.weights.get("wrong", 0.0)
    assert learnt.after > learnt.before


def test_sentences_without_translations_count_for_nothing():
    table = drawn(60)
    counts = [*table.counts, 0]
    wider = replace(table, counts=counts, references=[[*table.references[0], "nothing of this"]])
    learnt = learn(wider, START, QUICK, folds=5)
    assert learnt.held_out > learnt.before
    assert wider.best(wider.scores(learnt.weights))[-1] == ""


Lists = st.lists(st.lists(st.floats(-50, 50, width=32), max_size=5), min_size=1, max_size=6)


@given(Lists)
@settings(max_examples=60, deadline=None)
def test_deviations_are_those_of_the_textbook(lists):
    flat = np.array([value for own in lists for value in own], dtype=np.float64).reshape(-1, 1)
    squares = [(value - statistics.fmean(own)) ** 2 for own in lists for value in own]
    wanted = math.sqrt(statistics.fmean(squares)) if squares else 0.0
    found = deviations(flat, [len(own) for own in lists])[0]
    largest = max((abs(value) for own in lists for value in own), default=0.0)
    assert found == pytest.approx(wanted if wanted > 1e-6 * largest else 1.0, rel=1e-6)


@given(st.integers(0, 1000), st.sampled_from(SHARES), st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_parts_are_the_whole(seed, share, parts):
    table = drawn(7, seed=seed, entries=3)
    weights = {"score": 1.0 - share, "good": share, "noise": 0.1}
    lines = [""] * 7
    for part in range(parts):
        own = table.part(np.arange(7) % parts == part)
        lines[part::parts] = own.best(own.scores(weights))
    assert lines == table.best(table.scores(weights))
