"""Makes whole sentences of the outputs over one forest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka import _engine
from tolka.assist.rewriting.morphology import Piece
from tolka.assist.rewriting.rendering import CALL, NODE, Renderer, capitalised, plain
from tolka.corpus import Detokeniser
from tolka.syntax import Constituent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tolka.assist.rewriting.encoding import Encoded
    from tolka.assist.rewriting.morphology import Morphology, Number
    from tolka.syntax import ConstituentForest


class Sentence:
    """A sentence whose outputs become words.

    Args:
        forest: Its trees.
        language: Its language.
        morphology: The functions of its language.
        number: Whether a noun phrase is one or several.
        encoded: The grammars.
    """

    def __init__(
        self,
        forest: ConstituentForest,
        language: str,
        morphology: Morphology,
        number: Callable[[Constituent], Number],
        encoded: Encoded,
    ) -> None:
        self._forest, self._language, self._morphology, self._number = forest, language, morphology, number
        self._pieces: dict[int, Piece] = {}
        calls = [(morphology, name) for _, name in encoded.calls]
        self._renderer = Renderer(forest.words, self._pieces.__getitem__, encoded.literals, calls)
        self._tags: dict[int, str] = {}

    def prepare(self, codes: Sequence[Sequence[int]]) -> None:
        """Look at the nodes that outputs speak of, all at once."""
        nodes = sorted({node for code in codes for node in _nodes(code)})
        if not codes:
            return
        forest = self._forest
        labels, begins, _, heads = (column.tolist() for column in forest.native.nodes)
        for node, _ in forest.native.best()[1]:
            # Of the nodes that begin at a word, the last is its tag: trees are given parents first.
            self._tags[begins[node]] = forest.labels[labels[node]].partition("-")[0]
        found = _engine.RewritingRules.phrases(forest.native, nodes)
        counts = forest.native.places[1].tolist()
        for node, chosen in zip(nodes, found, strict=True):
            stack: list[Constituent] = []
            for one, edge in reversed(chosen):
                if edge is None:
                    stack.append(Constituent(forest.labels[labels[one]], word=forest.words[begins[one]]))
                else:
                    size = counts[edge + 1] - counts[edge]
                    children = tuple(reversed(stack[-size:]))
                    del stack[-size:]
                    stack.append(Constituent(forest.labels[labels[one]], children))
            tree = stack[0]
            tag = tree.category if tree.word else self._tags[heads[node]]
            number = self._number(tree)
            self._pieces[node] = Piece(tuple(tree.words()), tree.label, forest.words[heads[node]], tag, number)

    def words(self, code: Sequence[int], begin: int, end: int) -> tuple[str, ...]:
        """The words of the sentence with an output in the place of some; none if it is nothing new."""
        piece = self._renderer.piece(code)
        if piece is None:
            return ()
        original = self._forest.words
        words = capitalised(
            [*original[:begin], *piece.words, *original[end:]], original, self._tags[0], self._morphology
        )
        return () if words == original else words

    def text(self, words: Sequence[str]) -> str:
        """Words as people write them."""
        return Detokeniser(self._language).detokenise(plain(words)).replace(" n't", "n't")


def _nodes(code: Sequence[int]) -> list[int]:
    """The nodes that a coded output speaks of; see `Renderer.piece`."""
    found: list[int] = []
    _row(code, 1, code[0], found)
    return found


def _row(code: Sequence[int], at: int, tokens: int, found: list[int]) -> int:
    for _ in range(tokens):
        kind, first, second = code[at : at + 3]
        at += 3
        if kind == NODE:
            found.append(first)
        elif kind == CALL:
            for _ in range(second):
                at = _row(code, at + 1, code[at], found)
    return at
