"""Folds and samples of a text."""

import math
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.combine.small import one_sentence

from tolka.combine import every_nth, sample_sentences, split_folds
from tolka.errors import InputError, SettingsError

SEEDS = st.integers(0, 2**63 - 1)


@pytest.mark.parametrize(("count", "folds"), [(12_000, 6), (102_000, 51)])
def test_the_folds_of_the_thesis(count, folds):
    # Vector T-12: folds of 2,000, and each model is trained on the rest.
    found = split_folds(count, folds)
    assert Counter(found) == dict.fromkeys(range(folds), 2000)
    assert [fold + 1 for fold in every_nth(51, 5)] == [1, 6, 11, 16, 21, 26, 31, 36, 41, 46, 51]


@given(st.data(), st.integers(2, 12), SEEDS, st.booleans())
def test_every_sentence_is_in_one_fold(data, folds, seed, contiguous):
    count = data.draw(st.integers(folds, 80))
    found = split_folds(count, folds, seed=seed, contiguous=contiguous)
    assert len(found) == count
    sizes = Counter(found)
    assert sizes.keys() == set(range(folds))
    assert max(sizes.values()) - min(sizes.values()) <= 1
    # So each is in the training text of all models but one, and never in what that one is tuned on.
    training = [[at for at, fold in enumerate(found) if fold != without] for without in range(folds)]
    assert Counter(at for own in training for at in own) == dict.fromkeys(range(count), folds - 1)
    assert found == split_folds(count, folds, seed=seed, contiguous=contiguous)
    if contiguous:
        assert found == sorted(found)


@given(st.data(), st.integers(2, 6), SEEDS)
def test_sentences_that_are_alike_stay_together(data, folds, seed):
    kinds = data.draw(st.integers(folds, 20))
    drawn = data.draw(st.lists(st.integers(0, kinds - 1), max_size=60))
    groups = data.draw(st.permutations([*range(kinds), *drawn]))
    found = split_folds(len(groups), folds, seed=seed, groups=groups)
    assert set(found) == set(range(folds))
    places = {}
    for group, fold in zip(groups, found, strict=True):
        assert places.setdefault(group, fold) == fold
    # No fold could be made smaller by giving one of its groups away.
    sizes, members = Counter(found), Counter(groups)
    largest = max(sizes, key=sizes.__getitem__)
    lightest = min(members[group] for group, fold in places.items() if fold == largest)
    assert sizes[largest] - lightest <= min(sizes.values())


def test_shuffling():
    whole = split_folds(1000, 4, seed=1)
    assert whole != split_folds(1000, 4, seed=2)
    assert whole != split_folds(1000, 4, contiguous=True)
    # Neighbours are not together more often than by chance.
    assert 150 < sum(one == two for one, two in pairwise(whole)) < 350


@given(st.integers(1, 300), st.floats(0, 1, exclude_min=True), SEEDS, st.booleans())
def test_samples(count, share, seed, replacement):
    found = sample_sentences(count, share, seed=seed, replacement=replacement)
    assert found == sorted(found)
    assert len(found) == max(1, round(share * count))
    assert 0 <= found[0] <= found[-1] < count
    if not replacement:
        assert len(set(found)) == len(found)
    assert found == sample_sentences(count, share, seed=seed, replacement=replacement)


def test_bagging_draws_some_twice():
    found = sample_sentences(10_000, 1.0, replacement=True)
    # 1 - 1/e of all are drawn.
    assert len(set(found)) / 10_000 == pytest.approx(1 - math.exp(-1), abs=0.02)


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: split_folds(10, 1), SettingsError, "cannot be divided into 1 folds"),
        (lambda: split_folds(10, True), SettingsError, "cannot be divided into True folds"),
        (lambda: split_folds(10, 2.5), SettingsError, "cannot be divided into 2.5 folds"),
        (lambda: split_folds(3, 4), InputError, "3 sentences cannot be divided into 4 folds"),
        (lambda: split_folds(3, 4, contiguous=True), InputError, "3 sentences cannot be divided into 4 folds"),
        (lambda: split_folds(0, 2), InputError, "0 sentences cannot"),
        (lambda: split_folds(4, 3, groups="aabb"), InputError, "2 different sentences cannot"),
        (lambda: split_folds(4, 3, groups="aab"), InputError, "4 sentences and groups of 3"),
        (lambda: split_folds(4, 2, groups="aabb", contiguous=True), SettingsError, "have no groups"),
        (lambda: every_nth(5, 0), SettingsError, "every 0th"),
        (lambda: every_nth(5, True), SettingsError, "every Trueth"),
        (lambda: sample_sentences(5, 0.0), SettingsError, "share cannot be 0.0"),
        (lambda: sample_sentences(5, 1.1), SettingsError, "share cannot be 1.1"),
        (lambda: sample_sentences(5, math.nan), SettingsError, "share cannot be nan"),
        (lambda: sample_sentences(0, 0.5), InputError, "no sentences to draw from"),
    ],
)
def test_what_makes_no_sense(call, kind, said):
    with pytest.raises(kind, match=said) as error:
        call()
    assert one_sentence(error)
