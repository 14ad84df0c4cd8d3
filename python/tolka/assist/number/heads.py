"""Syntactic heads of rules: what number would come from if it came from the head word, and the back-off of those learnt."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from tolka.syntax import Constituent, HeadRules

if TYPE_CHECKING:
    from tolka.assist.number.flat import Rule

CONJUNCTIONS = frozenset({"CC", "CONJP", "CONJ"})
JOINED = ("cc", "conj")
"""Relations: the conjunction of a conjunct, and a conjunct."""
Heads = Literal["collins", "words", "none"]


def head_place(heads: Heads, rule: Rule) -> int | None:
    """The place of the head among the children of a rule, if anything says which it is.

    Example:
        >>> head_place("collins", ("NP", ("DT", "NN", "PP"))), head_place("words", ("nsubj", ("det", "NOUN", "nmod")))
        (1, 1)
    """
    parent, children = rule
    if heads == "collins":
        rules = _collins()
        if parent not in rules.searches:
            return None
        node = Constituent(parent, tuple(Constituent(child or "_", word="_") for child in children))
        return rules.head(node)
    if heads == "words":  # `phrase_tree` leaves its tag to the word of a phrase, and calls others by their relations.
        return next((at for at, child in enumerate(children) if child.isupper()), None)
    return None


def conjunction_place(rule: Rule) -> int | None:
    """The place of the last child that joins others: a conjunction between phrases, or a conjunct of `phrase_tree`.

    Example:
        >>> conjunction_place(("NP", ("NP", ",", "NP", "CC", "NP"))), conjunction_place(("NP", ("CC", "NP")))
        (3, None)
    """
    _, children = rule
    between = (at for at in range(len(children) - 2, 0, -1) if children[at] in CONJUNCTIONS)
    return next(between, next((at for at, child in enumerate(children) if child in JOINED), None))


@lru_cache(maxsize=1)
def _collins() -> HeadRules:
    return HeadRules.collins()
