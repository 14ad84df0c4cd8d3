"""Statistics and correlations of reordering, on small text that can be counted by hand and against scipy."""

import numpy as np
import pytest
from scipy import stats

from tolka.errors import InputError
from tolka.reorder import Automaton
from tolka.reorder.analysis import analyse, correlate, render
from tolka.syntax import Tree, synthetic_treebank

CLAUSE = Tree(forms=tuple("abcdefgh"), heads=(2, 7, 8, 5, 7, 5, 8, 0))
ORDER = (0, 1, 2, 3, 6, 7, 4, 5)
FLAT = Tree(forms=("a", "b"), heads=(0, 1))


def test_counts_of_two_sentences():
    found = analyse([CLAUSE, FLAT], [ORDER, (0, 1)])
    assert (found.sentences, found.words, found.reordered) == (2, 10, 0.5)
    # Distances 1 1 1 1 3 1 -3 1, and 1 1.
    assert (found.all.fragments, found.all.monotone, found.all.forward) == (10, 0.8, 0.9)
    assert found.all.forward_unless_monotone == 0.5
    assert (found.nonlocal_.fragments, found.nonlocal_sentences, found.words_each) == (3, 0.5, 10 / 3)
    assert found.nonlocal_.monotone == pytest.approx(2 / 3)
    assert [(tail.limit, tail.fragments, tail.sentences) for tail in found.tails] == [(6, 0, 0), (8, 0, 0)]
    [tail] = analyse([CLAUSE, FLAT], [ORDER, (0, 1)], limits=[2]).tails
    assert (tail.fragments, tail.sentences_with, tail.sentences) == (pytest.approx(1 / 3), 1, 0.5)
    strange = found.nonprojective
    assert (strange.relations, strange.sentences, strange.words_each) == (1, 0.5, 10)
    assert (strange.per_sentence.mean, strange.excursion.mean, strange.excursion.median) == (0.5, 6, 6)
    columns = {name: values.tolist() for name, values in found.per_sentence().items()}
    assert columns == {
        "nonlocal fragments": [3, 0],
        "longest nonlocal distance": [3, 0],
        "sum of nonlocal distances": [5, 0],
        "nonprojective relations": [1, 0],
        "longest nonprojective excursion": [6, 0],
    }


def test_equals_the_readable_automaton():
    text = synthetic_treebank(3, 60)
    found = analyse(text.trees, text.orders)
    slow = [Automaton(tree.heads).fragments(order) for tree, order in zip(text.trees, text.orders, strict=True)]
    assert found.nonlocal_.fragments == sum(f.nonlocal_ for fragments in slow for f in fragments)
    longest = [max([abs(f.distance) for f in fragments if f.nonlocal_], default=0) for fragments in slow]
    assert found.per_sentence()["longest nonlocal distance"].tolist() == longest


def test_correlations_are_those_of_scipy():
    text = synthetic_treebank(5, 80)
    found = analyse(text.trees, text.orders)
    references = [" ".join(words) for words in text.targets]
    generator = np.random.default_rng(1)
    baseline = [" ".join(generator.permutation(words)) for words in text.targets]
    related = correlate(found, baseline=baseline, oracle=references, references=references)
    assert related.gap is not None
    assert related.gap.oracle_bleu == pytest.approx(100)
    assert related.gap.bleu > 0
    assert related.gap.ter > 0
    rows = {(row.x, row.y): row for row in related.rows}
    assert len(related.rows) == 5 * 4 + 2
    gains, ter = rows["nonlocal fragments", "gap of TER"], rows["nonlocal fragments", "TER"]
    # The oracle is the reference, whose TER is 0: the gap is the baseline's TER.
    assert (gains.rho, gains.slope) == (pytest.approx(ter.rho), pytest.approx(ter.slope))
    moved = found.fragments.by_word(found.fragments.nonlocal_).astype(float)
    strange = found.own.by_word(found.own.nonlocal_).astype(float)
    row = rows["word is nonprojective", "word moves nonlocally"]
    assert row.rho == pytest.approx(stats.spearmanr(strange, moved).statistic)
    assert row.r == pytest.approx(np.corrcoef(strange, moved)[0, 1])
    assert [test.signed for test in related.differences] == [False, True, False, True]


def test_nothing_to_correlate():
    related = correlate(analyse([FLAT], [(0, 1)]))
    assert {row.y for row in related.rows} == {"word moves nonlocally"}
    assert related.rows[0].rho is None
    assert related.gap is None
    assert related.differences[0].statistic is None


def test_mistakes_are_named():
    with pytest.raises(InputError, match="no sentence"):
        analyse([], [])
    found = analyse([FLAT], [(0, 1)])
    with pytest.raises(InputError, match="references"):
        correlate(found, baseline=["a"])
    with pytest.raises(InputError, match="1 sentences and 2 lines of oracle"):
        correlate(found, baseline=["a"], oracle=["a", "b"], references=["a"])


def test_the_page_is_safe_and_whole():
    page = render(analyse([CLAUSE], [ORDER]), correlate(analyse([CLAUSE], [ORDER])), title="<script>x</script>")
    assert "<script" not in page
    assert page.count("<svg") == 5
