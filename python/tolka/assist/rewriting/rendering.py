"""Makes words of outputs: forms from the language, capitals, text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.assist.rewriting.morphology import Piece

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tolka.assist.rewriting.morphology import Morphology

BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}
WORDS, NODE, LITERAL, CALL = 0, 1, 2, 4
Tokens = "Sequence[tuple[int, int, int, list[Tokens]]]"


class Renderer:
    """Renders outputs over one sentence.

    Args:
        words: The words of the sentence.
        piece: What a node of the forest is.
        literals: Words that grammars give.
        calls: The morphology and the function behind each number.
    """

    def __init__(
        self,
        words: Sequence[str],
        piece: Callable[[int], Piece],
        literals: Sequence[tuple[str, ...]],
        calls: Sequence[tuple[Morphology, str]],
    ) -> None:
        self._words, self._piece, self._literals, self._calls = words, piece, literals, calls

    def piece(self, code: Sequence[int]) -> Piece | None:
        """The words of an output; None if a form that it needs does not exist.

        The code has, for each token, its kind, a number, another (the end of words, or how many arguments follow) and then
        its arguments, each of which says first how many tokens it has.
        """
        found, at = self._row(code, 0)
        if at != len(code):
            raise ValueError("the code of an output goes on after its end")
        return found

    def _row(self, code: Sequence[int], at: int) -> tuple[Piece | None, int]:
        count, at = code[at], at + 1
        found: list[Piece] = []
        lost = False
        for _ in range(count):
            kind, first, second = code[at : at + 3]
            at += 3
            piece: Piece | None
            if kind == CALL:
                given: list[Piece | None] = []
                for _ in range(second):
                    argument, at = self._row(code, at)
                    given.append(argument)
                morphology, name = self._calls[first]
                ready = [one for one in given if one is not None]
                words = morphology.functions[name][1](ready) if len(ready) == len(given) else None
                piece = None if words is None else Piece(words)
            elif kind == WORDS:
                piece = Piece(tuple(self._words[first:second]))
            else:
                piece = self._piece(first) if kind == NODE else Piece(self._literals[first])
            if piece is None:
                lost = True
            elif piece.words:
                found.append(piece)
        if lost:
            return None, at
        return found[0] if len(found) == 1 else Piece(tuple(word for piece in found for word in piece.words)), at


def capitalised(
    words: Sequence[str], original: Sequence[str], first_tag: str, morphology: Morphology
) -> tuple[str, ...]:
    """An output that begins as its sentence does: with a capital or not; the word that was first loses a capital of its place.

    Example:
        >>> from tolka.assist.rewriting.morphology import morphology_of
        >>> capitalised(["the", "dog", "sees", "The", "man"], ["The", "man"], "DT", morphology_of("en"))
        ('The', 'dog', 'sees', 'the', 'man')
    """
    first = original[0]
    found = list(words)
    if not found or not first[:1].isupper():
        return tuple(found)
    shouted = len(first) > 1 and first.isupper()
    if first_tag not in morphology.proper and first not in morphology.own and not shouted:
        found = [first[:1].lower() + first[1:] if word == first else word for word in found]
    for at, word in enumerate(found):
        if word[:1].isalnum():
            found[at] = word[:1].upper() + word[1:]
            break
    return tuple(found)


def plain(words: Sequence[str]) -> list[str]:
    """Words without the treebank's names for brackets and quotation marks."""
    return [BRACKETS.get(word, word) for word in words]
