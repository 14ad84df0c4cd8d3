"""Random trees and orders."""

from hypothesis import strategies as st


@st.composite
def heads(draw, most=9, roots=2):
    """Heads of a tree or forest: words in some order, each below an earlier one or a root."""
    length = draw(st.integers(1, most))
    words = draw(st.permutations(range(1, length + 1)))
    found = [0] * length
    for place, word in enumerate(words):
        above = draw(st.integers(0, place - 1)) if place >= roots or (place and draw(st.booleans())) else None
        found[word - 1] = words[above] if above is not None else 0
    return tuple(found)


def orders_of(length):
    return st.permutations(range(length)).map(tuple)
