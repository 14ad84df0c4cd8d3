"""Gaps, crossing arcs and nesting, against definitions written out."""

import itertools

import pytest
from hypothesis import given, settings
from tests.syntax.strategies import heads

from tolka.errors import InputError
from tolka.syntax import (
    Tree,
    edge_degree,
    gap_degree,
    is_projective,
    is_well_nested,
    nonprojective_edges,
    synthetic_treebank,
    treebank_statistics,
)


def of(found: tuple[int, ...]) -> Tree:
    return Tree(forms=("w",) * len(found), heads=found)


def below(found: tuple[int, ...], word: int) -> set[int]:
    """Naive twin: all words from which one climbs to `word` (counted from 1; 0 holds all)."""
    held = set()
    for start in range(1, len(found) + 1):
        at = start
        while at and at != word:
            at = found[at - 1]
        if at == word:
            held.add(start)
    return held


def naive_edges(found: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(
        word - 1
        for word, head in enumerate(found, 1)
        if head and not set(range(min(word, head) + 1, max(word, head))) <= below(found, head)
    )


def naive_nested(found: tuple[int, ...]) -> bool:
    spans = [below(found, word) for word in range(1, len(found) + 1)]
    for one, two in itertools.permutations(spans, 2):
        if one & two:
            continue
        if any(
            a < b < c < d
            for a, c in itertools.combinations(sorted(one), 2)
            for b, d in itertools.combinations(sorted(two), 2)
        ):
            return False
    return True


@settings(deadline=None)
@given(heads())
def test_against_the_definitions(found: tuple[int, ...]) -> None:
    tree = of(found)
    assert nonprojective_edges(tree) == naive_edges(found)
    assert is_projective(tree) == (not naive_edges(found))
    gaps = []
    for word in range(1, len(found) + 1):
        held = sorted(below(found, word))
        gaps.append(sum(b - a > 1 for a, b in itertools.pairwise(held)))
    assert gap_degree(tree) == max(gaps)
    assert is_well_nested(tree) == naive_nested(found)
    assert (gap_degree(tree) == 0) == is_projective(tree)
    assert (edge_degree(tree) == 0) == is_projective(tree)


def test_known_trees() -> None:
    clause = of((2, 7, 8, 5, 7, 5, 8, 0))  # die Währungsreserven anfangs lediglich zur Verteidigung dienen sollten
    assert not is_projective(clause)
    assert (gap_degree(clause), edge_degree(clause), is_well_nested(clause)) == (1, 1, True)
    assert nonprojective_edges(clause) == (1,)
    crossing = of((0, 1, 1, 2, 3))  # A(B: 2,4) and C(3,5) interleave
    assert not is_well_nested(crossing)


def test_statistics() -> None:
    trees = [of((0,)), of((3, 0, 2)), of((0, 0))]
    found = treebank_statistics(trees)
    assert (found.sentences, found.words, found.forests, found.projective, found.longest) == (3, 6, 1, 2, 3)
    assert found.gap_degrees == {0: 2, 1: 1}
    assert found.mean_arc == pytest.approx(1.5)
    assert found.relations == {"_": 6}
    bank = synthetic_treebank(1, 300).trees
    assert treebank_statistics(bank).projective == sum(map(is_projective, bank))
    with pytest.raises(InputError, match="no tree"):
        treebank_statistics([])
