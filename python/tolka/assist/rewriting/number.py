"""Whether a noun phrase is one or several, by its head: what is done without a model that has learnt it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tolka.syntax import HeadRules

if TYPE_CHECKING:
    from tolka.assist.rewriting.morphology import Number
    from tolka.syntax import Constituent

PLURAL = frozenset({"NNS", "NNPS"})
_rules = cache(HeadRules.collins)


def head_number(tree: Constituent) -> Number:
    """Several if the head is a plural noun, or things are joined by *and*; otherwise one.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> head_number(parse_penn("(NP (DT the) (NNS men))")), head_number(parse_penn("(NP (NNP Ann) (CC and) (NNP Bob))"))
        ('plur', 'plur')
    """
    node = tree
    while node.children:
        if any(child.category == "CC" and child.word.lower() == "and" for child in node.children):
            return "plur"
        node = node.children[_rules().head(node)]
    return "plur" if node.category in PLURAL else "sing"
