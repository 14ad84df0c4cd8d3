"""Trees: what is refused, what is filled in, and the arrays they become."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.errors import InputError, SettingsError
from tolka.syntax import Symbols, Tree, pack
from tolka.syntax.tree import check_heads


def reaches_roots(heads):
    at = list(range(1, len(heads) + 1))
    for _ in heads:
        at = [heads[word - 1] if word else 0 for word in at]
    return not any(at)


@given(st.integers(1, 7).flatmap(lambda n: st.lists(st.integers(0, n), min_size=n, max_size=n)))
def test_circles_are_found(heads):
    if reaches_roots(heads):
        check_heads(heads)
    else:
        with pytest.raises(InputError, match="circle"):
            check_heads(heads)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"forms": (), "heads": ()}, "no words"),
        ({"heads": (0,)}, "1 heads"),
        ({"heads": (0, 3)}, "word 2 of 2 has head 3"),
        ({"heads": (0, -1)}, "head -1"),
        ({"upos": ("X",)}, "1 upos"),
        ({"order": (0, 0)}, "permutation"),
    ],
)
def test_what_is_no_tree_is_refused(change, what):
    with pytest.raises(InputError, match=what):
        Tree(**{"forms": ("a", "b"), "heads": (0, 1)} | change)


def test_forests_are_trees_too():
    assert Tree(forms=("a", "b", "c"), heads=(0, 1, 0)).roots == (0, 2)


def test_arrays():
    trees = [
        Tree(forms=("a", "b"), heads=(2, 0), xpos=("X", "Y"), deprels=("d", "root")),
        Tree(forms=("c",), heads=(0,), xpos=("Z",)),
    ]
    symbols = Symbols(["xpos", "deprels"])
    symbols.learn(trees[:1])
    packed = pack(trees, symbols)
    assert len(packed) == 2
    assert packed.offsets.tolist() == [0, 2, 3]
    assert packed.heads.tolist() == [2, 0, 0]
    assert packed.columns["xpos"].tolist() == [3, 4, 0]
    again = Symbols(symbols.columns, symbols.values)
    assert pack(trees, again).columns["deprels"].tolist() == packed.columns["deprels"].tolist() == [3, 4, 0]
    with pytest.raises(SettingsError, match="no column 'colour'"):
        Symbols(["colour"])
