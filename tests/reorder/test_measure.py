"""Scores of orders: worked examples, naive twins, mistakes."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from tolka._engine import Metric, MetricTable
from tolka.errors import InputError
from tolka.reorder import crossing_links, invert, is_permutation, monolingual_bleu, reference_order, score_orders

LINKS = [(0, 0), (2, 4), (3, 5), (4, 6), (5, 2), (6, 3)]
WORDS = ["er", "hat", "das", "Buch", "gestern", "nicht", "gelesen"]
PIECES = [(5, 6), (8, 8), (7, 7), (9, 13), (20, 20), (1, 1), (19, 19), (14, 18), (21, 25), (35, 36), (26, 31), (2, 4)]
PIECES += [(32, 34), (37, 46), (49, 51), (47, 48), (52, 60)]
LONG = [word - 1 for first, last in PIECES for word in range(first, last + 1)]


def test_worked_example():
    reference = reference_order(7, LINKS)
    scores = score_orders([range(7)], [reference])
    assert scores.inversions.tolist() == [6]
    assert scores.tau[0] == pytest.approx(0.428571, abs=5e-7)
    assert scores.tau01[0] == pytest.approx(0.714286, abs=5e-7)
    assert scores.fuzzy[0] == pytest.approx(0.666667, abs=5e-7)
    assert crossing_links([range(7), reference], [LINKS] * 2).tolist() == [6, 0]
    assert monolingual_bleu([WORDS], [range(7)], [reference]) == 0


def test_sentence_bleu_of_the_worked_example():
    reference = [WORDS[word] for word in reference_order(7, LINKS)]
    table = MetricTable()
    texts = table.texts([" ".join(reference)], "none")
    metric = Metric.bleu([texts], order=4, smoothing="none", value=None, effective_order=False, plus_one=True)
    rows = metric.stats(table.texts([" ".join(WORDS)], "none"))
    assert rows[0].tolist() == [7, 7, 7, 4, 1, 0, 7, 6, 5, 4]
    assert metric.sentence_scores(rows)[0] / 100 == pytest.approx(0.467138, abs=5e-7)


def test_long_permutation():
    scores = score_orders([range(60)], [LONG])
    assert scores.inversions.tolist() == [133]
    assert scores.tau[0] == pytest.approx(0.849718, abs=5e-7)
    assert scores.tau01[0] == pytest.approx(0.924859, abs=5e-7)
    assert scores.fuzzy[0] == pytest.approx(0.728814, abs=5e-7)
    distances = np.diff([-1, *LONG])
    assert [(distances == 1).sum(), (distances > 0).sum()] == [43, 54]
    assert [(abs(distances) > 6).sum(), (abs(distances) > 8).sum()] == [7, 6]
    words = [str(number) for number in range(60)]
    assert monolingual_bleu([words], [range(60)], [LONG]) / 100 == pytest.approx(0.622694, abs=5e-7)


ORDERS = st.integers(1, 12).flatmap(
    lambda length: st.tuples(st.permutations(range(length)), st.permutations(range(length)))
)


@given(st.lists(ORDERS, min_size=1, max_size=5))
def test_equals_its_naive_twin(pairs):
    orders, references = zip(*pairs, strict=True)
    scores = score_orders(orders, references, threads=2)
    for k, (order, reference) in enumerate(pairs):
        wrong = sum(
            (order.index(a) < order.index(b)) != (reference.index(a) < reference.index(b))
            for a, b in combinations(range(len(order)), 2)
        )
        follows = set(pairwise(reference))
        breaks = sum(pair not in follows for pair in pairwise(order))
        assert (scores.inversions[k], scores.chunks[k]) == (wrong, breaks + 1)
        assert bool(scores.exact[k]) == (order == reference)
        assert -1 <= scores.tau[k] <= 1
        assert 0 <= scores.fuzzy[k] <= 1


@given(st.permutations(range(6)), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), max_size=10, unique=True))
def test_crossings_equal_their_naive_twin(order, links):
    moved = [(order.index(source), target) for source, target in links]
    naive = sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in combinations(moved, 2))
    assert crossing_links([order], [links]).tolist() == [naive]


@given(st.lists(st.permutations(range(9)), min_size=1, max_size=4))
def test_monolingual_bleu_is_sacrebleus(orders):
    words = list("abcdefghi")
    texts = [" ".join(words[at] for at in order) for order in orders]
    peer = BLEU(tokenize="none", smooth_method="none", force=True).corpus_score(texts, [[" ".join(words)] * len(texts)])
    found = monolingual_bleu([words] * len(orders), orders, [range(9)] * len(orders))
    assert found == pytest.approx(peer.score, abs=1e-9)


def test_mistakes_are_named():
    with pytest.raises(InputError, match="sentence 2: the order of 2 words is no permutation"):
        score_orders([(0,), (0, 0)], [(0,), (0, 1)])
    with pytest.raises(InputError, match="sentence 1: orders of 1 and 2 words"):
        score_orders([(0,)], [(0, 1)])
    with pytest.raises(InputError, match="1 orders and 2 reference orders"):
        score_orders([(0,)], [(0,), (0,)])
    assert not is_permutation((0, 0), 2)
    assert invert(invert((2, 0, 1))) == (2, 0, 1)
