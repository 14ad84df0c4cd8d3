"""Forests of a sentence's constituency trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.errors import InputError
from tolka.forest.forest import Forest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.forest.derivation import Derivation
    from tolka.syntax import ConstituencyParser, Constituent

_WORD, _KEPT, _UNARY = 0, 1, 2


def constituent_forest(parser: ConstituencyParser, sentence: Sequence[str], *, least: float = 1e-4) -> Forest:
    """The forest of a sentence's trees whose parts have a chance of at least `least` to be in the right one.

    Scores are logarithms of chances given the node, so that the chances of all trees add up to 1: the product over rules that
    comes nearest to the parser's distribution (Matsuzaki et al., 2005), and exact if its symbols were not split. The feature
    `chance` is the logarithm of the chance of an edge itself. Nodes are symbols of the binarised grammar, parts of phrases
    among them (`@NP`), and stand in two storeys: made of two nodes or a word, and above that perhaps by one unary rule.
    `derived_tree` makes a tree of a derivation.

    Raises:
        InputError: The grammar has no tree for the sentence, or it is empty.

    Example:
        >>> from tolka.syntax import ConstituencyParser, parse_penn
        >>> bank = ["(S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN man))))", "(S (NP (NN man)) (VP (VBD left)))"]
        >>> parser = ConstituencyParser(rounds=0).train(map(parse_penn, bank))
        >>> forest = constituent_forest(parser, ["I", "left"])
        >>> best = forest.viterbi()
        >>> print(derived_tree(parser, best))
        (S (NP (PRP I)) (VP (VBD left)))
    """
    found = parser.packed_forest(sentence, least=least)
    if found is None:
        raise InputError("the grammar has no tree for the sentence", hint="parse gives a flat tree for it")
    return Forest(found)


def derived_tree(parser: ConstituencyParser, derivation: Derivation | None) -> Constituent:
    """The tree of a derivation of such a forest.

    Raises:
        InputError: The derivation is of another forest.
    """
    if derivation is None or any(step.rule.id is None for step in derivation.steps):
        raise InputError("this is no derivation of a forest of trees")
    words: list[str] = []
    nodes: list[tuple[int, int, int]] = []
    grammar = parser.grammar
    for step in derivation.steps:
        table, number = step.rule.id or (0, 0)
        if table == _WORD:
            nodes.append((number, 0, len(words)))
            words += step.rule.source
        elif table == _UNARY:
            _, parent, chain = grammar.unary(number)
            nodes.append((parent, 1, chain))
        elif table != _KEPT:
            nodes.append((grammar.binary(number)[2], 2, 0))
    return parser.restored(words, nodes)
