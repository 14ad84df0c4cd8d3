"""Features of phrases on dependencies: the worked example and the naive twin."""

import naive_rerank
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.errors import InputError
from tolka.forest import Segment
from tolka.rerank import Entry, NBestList, PhraseFeatures, Source


def entry(spans):
    return Entry("", segments=tuple(Segment(span, (place, place + 1)) for place, span in enumerate(spans)))


def rows(heads, *derivations):
    lists = [NBestList(0, tuple(map(entry, derivations)))]
    return PhraseFeatures().rows(lists, [Source(("w",) * len(heads), tuple(heads))]).tolist()


def test_the_favourite_book():
    # Mary legge il suo libro preferito . (Miceli Barone 2015, section 5.2)
    [found] = rows([2, 0, 5, 5, 2, 5, 2], [(0, 2), (2, 4), (5, 6), (4, 5), (6, 7)])
    assert found == [1, 2, 4, 5, 5, 5, 5, 4, 3, 4, 3, 4, 0, 1, 2, 1, 1, 0, 1, 0, 0]


@st.composite
def derivations(draw):
    length = draw(st.integers(1, 9))
    order = draw(st.permutations(range(length)))
    # Any tree: each word hangs from one that stands before it in some order.
    heads = [0] * length
    for place, word in enumerate(order[1:], 1):
        heads[word] = draw(st.sampled_from([0, *(order[before] + 1 for before in range(place))]))
    cuts = sorted(draw(st.sets(st.integers(1, length - 1)))) if length > 1 else []
    spans = list(zip([0, *cuts], [*cuts, length], strict=True))
    return heads, draw(st.permutations(spans))[: draw(st.integers(1, len(spans)))]


@given(derivations())
def test_native_and_naive_features_agree(derivation):
    heads, spans = derivation
    assert rows(heads, spans) == [naive_rerank.phrase_features(heads, spans)]


@pytest.mark.parametrize("spans", [[(0, 2), (1, 3)], [(0, 4)], [(1, 1)]])
def test_phrases_that_do_not_fit_are_refused(spans):
    with pytest.raises(InputError):
        rows([2, 0, 2], spans)
