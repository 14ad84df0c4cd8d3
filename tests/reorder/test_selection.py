"""Which sentences to train on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.align import Aligner
from tolka.errors import InputError, SettingsError
from tolka.reorder import link_confidence, link_confidences, most_confident, short_enough, subsample

TABLE = {("das", "the"): 0.7, ("das", "book"): 0.1, ("Buch", "the"): 0.1, ("Buch", "book"): 0.8}


def test_worked_example():
    def both(source, target):
        return (TABLE[source, target],) * 2

    source, target, links = ["das", "Buch"], ["the", "book"], [(0, 0), (1, 1)]
    assert link_confidence(source, target, links, both, mean=False) == pytest.approx(0.777778, abs=5e-7)
    assert link_confidence(source, target, links, both) == pytest.approx(0.881917, abs=5e-7)
    assert link_confidence(source, target, [], both) == 0
    assert link_confidence(source, target, links, lambda *_: (0.0, 0.1)) == 0


PAIRS = [("das Haus", "the house"), ("das Buch", "the book"), ("ein Buch", "a book"), ("ein Haus", "a house")]


@pytest.fixture(scope="module")
def aligner():
    return Aligner(model="ibm1").train(PAIRS * 5)


@settings(max_examples=30)
@given(data=st.data())
def test_the_batch_equals_its_naive_twin(aligner, data):
    word = st.sampled_from(["das", "ein", "Haus", "Buch", "neu"])
    other = st.sampled_from(["the", "a", "house", "book", "new"])
    sources = data.draw(st.lists(word, min_size=1, max_size=5))
    targets = data.draw(st.lists(other, min_size=1, max_size=5))
    link = st.tuples(st.integers(0, len(sources) - 1), st.integers(0, len(targets) - 1))
    links = data.draw(st.lists(link, max_size=6, unique=True))
    for mean in (True, False):
        [found] = link_confidences(aligner, [(" ".join(sources), " ".join(targets))], [links], mean=mean)
        naive = link_confidence(sources, targets, links, aligner.probability, mean=mean)
        assert found == pytest.approx(naive, rel=1e-4, abs=1e-12)


def test_mistakes_are_named(aligner):
    with pytest.raises(InputError, match="link 0-2 is outside a pair of 2 and 2 words"):
        link_confidences(aligner, PAIRS[:1], [[(0, 2)]])
    with pytest.raises(InputError, match="1 pairs and 2 lines of links"):
        link_confidences(aligner, PAIRS[:1], [[], []])
    with pytest.raises(InputError, match="sentence 2 has a confidence that is no number"):
        most_confident([0.5, float("nan")], 1)
    with pytest.raises(SettingsError, match="positive"):
        most_confident([0.5], 0)
    with pytest.raises(SettingsError, match="positive"):
        subsample(5, 0)


def test_choices():
    assert most_confident(np.array([0.2, 0.9, 0.9, 0.9]), 2) == [1, 2]
    assert most_confident([0.2], 5) == [0]
    assert short_enough([1, 5, 9], 5, shortest=2) == [1]
    chosen = subsample(100, 10, seed=3)
    assert chosen == sorted(set(chosen))
    assert chosen == subsample(100, 10, seed=3)
    assert chosen != subsample(100, 10, seed=4)
