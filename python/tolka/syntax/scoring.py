"""How good a parse is: shares of words with the right head, relation and tags."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.syntax.tree import Tree


@dataclass(frozen=True)
class ParseScores:
    """Agreement of a parse with gold trees, in percent of all words, punctuation included.

    Attributes:
        sentences: Sentences compared.
        words: Words compared.
        uas: Words with the right head.
        las: Words with the right head and relation, without the relation's subtype ("obl" for "obl:arg"), as in the
            CoNLL 2018 shared task.
        upos: Words with the right universal tag.
        xpos: Words with the right own tag.
        exact: Sentences, in percent, with all heads right.
    """

    sentences: int
    words: int
    uas: float
    las: float
    upos: float
    xpos: float
    exact: float


def score_parses(gold: Iterable[Tree], parsed: Iterable[Tree]) -> ParseScores:
    """Compare trees over the same words.

    Raises:
        InputError: The two have different sentences.

    Example:
        >>> from tolka.syntax import Tree
        >>> gold = Tree(forms=("er", "liest"), heads=(2, 0), deprels=("nsubj", "root"))
        >>> score_parses([gold], [Tree(forms=("er", "liest"), heads=(2, 0), deprels=("obj", "root"))]).las
        50.0
    """
    sentences = words = heads = relations = upos = xpos = exact = 0
    for number, (one, two) in enumerate(zip_longest(gold, parsed), 1):
        if one is None or two is None:
            raise InputError(f"one of the two has only {number - 1} sentences")
        if one.forms != two.forms:
            raise InputError(f"the words of sentence {number} differ", hint="parse the tokens of the gold trees")
        sentences += 1
        words += len(one)
        right = [a == b for a, b in zip(one.heads, two.heads, strict=True)]
        heads += sum(right)
        exact += all(right)
        relations += sum(
            good and a.partition(":")[0] == b.partition(":")[0]
            for good, a, b in zip(right, one.deprels, two.deprels, strict=True)
        )
        upos += sum(a == b for a, b in zip(one.upos, two.upos, strict=True))
        xpos += sum(a == b for a, b in zip(one.xpos, two.xpos, strict=True))
    if not sentences:
        raise InputError("there are no sentences to compare")
    share = 100 / words
    return ParseScores(
        sentences, words, share * heads, share * relations, share * upos, share * xpos, 100 * exact / sentences
    )
