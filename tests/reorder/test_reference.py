"""Reference orders: the worked example, a naive twin, mistakes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.errors import InputError, SettingsError
from tolka.reorder import POLICIES, map_links, reference_order, reference_orders

LINKS = [(0, 0), (2, 4), (3, 5), (4, 6), (5, 2), (6, 3)]


@pytest.mark.parametrize(
    ("policy", "order"),
    [
        ("previous", [1, 2, 6, 7, 3, 4, 5]),
        ("following", [1, 6, 7, 2, 3, 4, 5]),
        ("begin", [2, 1, 6, 7, 3, 4, 5]),
        ("drop", [1, 6, 7, 3, 4, 5]),
    ],
)
def test_worked_example(policy, order):
    assert [word + 1 for word in reference_order(7, LINKS, policy)] == order


def naive(length, links, policy):
    leftmost = {word: min((t for s, t in links if s == word), default=None) for word in range(length)}
    if not links and policy != "drop":
        return tuple(range(length))
    keys = {}
    for word in range(length):
        if leftmost[word] is not None:
            keys[word] = leftmost[word]
            continue
        before = [leftmost[w] for w in range(word) if leftmost[w] is not None]
        after = [leftmost[w] for w in range(word, length) if leftmost[w] is not None]
        previous = before[-1] if before else -1
        if policy == "previous":
            keys[word] = previous
        elif policy == "following":
            keys[word] = after[0] if after else previous
        elif policy == "begin":
            keys[word] = -1
    return tuple(sorted(keys, key=lambda word: (keys[word], word)))


SENTENCES = st.integers(1, 9).flatmap(
    lambda length: st.tuples(
        st.just(length), st.lists(st.tuples(st.integers(0, length - 1), st.integers(0, 9)), max_size=12)
    )
)


@given(st.lists(SENTENCES, min_size=1, max_size=5), st.sampled_from(POLICIES))
def test_equals_its_naive_twin(sentences, policy):
    lengths, links = zip(*sentences, strict=True)
    found = reference_orders(lengths, links, policy)
    assert found == [naive(length, row, policy) for length, row in sentences]
    assert found == reference_orders(lengths, links, policy, threads=2)


def test_mistakes_are_named():
    with pytest.raises(SettingsError, match="no policy"):
        reference_order(2, [], "sideways")
    with pytest.raises(InputError, match="sentence 2: a link goes from word 2"):
        reference_orders([2, 2], [[], [(2, 0)]])
    with pytest.raises(InputError, match="2 sentences and 1 lines of links"):
        reference_orders([2, 2], [[]])
    with pytest.raises(InputError, match="negative"):
        reference_order(2, [(-1, 0)])


def test_links_move_with_their_words():
    order = reference_order(7, LINKS)
    moved = map_links(LINKS, order)
    assert [target for _, target in moved] == sorted(target for _, target in LINKS)
    assert map_links([(0, 0), (1, 1)], (1,)) == [(0, 1)]
