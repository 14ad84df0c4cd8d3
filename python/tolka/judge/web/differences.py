"""Marks the words in which two texts differ.

Example:
    >>> [piece.text for piece in marked("a big house", "a small house")[0] if piece.differs]
    ['big']
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

# Scripts without spaces between words are compared by character: Thai to Khmer, kana, Han. The space before a word
# belongs to it, so that it is neither compared nor marked.
_WORD = re.compile(
    r"(\s*)([\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]|[^\W_]+(?:['\u2019][^\W_]+)*|\S|$)",
    re.DOTALL,
)
# Comparing takes quadratic time; where so much is to be read, marks would not help either.
MOST_WORDS = 400


@dataclass(frozen=True)
class Piece:
    """A stretch of text, and whether the other text lacks it."""

    text: str
    differs: bool


@lru_cache(maxsize=2048)
def marked(left: str, right: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The two texts in pieces that they share and pieces that they do not."""
    one, other = _WORD.findall(left), _WORD.findall(right)
    if len(one) > MOST_WORDS or len(other) > MOST_WORDS:
        return (Piece(left, differs=False),), (Piece(right, differs=False),)
    words = [word for _space, word in one], [word for _space, word in other]
    first: list[Piece] = []
    second: list[Piece] = []
    for kind, a, b, c, d in SequenceMatcher(None, *words, autojunk=False).get_opcodes():
        for pieces, part in ((first, one[a:b]), (second, other[c:d])):
            _add(pieces, part, differs=kind != "equal")
    return tuple(first), tuple(second)


def _add(pieces: list[Piece], words: list[tuple[str, str]], *, differs: bool) -> None:
    if not words:
        return
    before, text = words[0][0], "".join(space + word for space, word in words)
    if differs and before:
        pieces.append(Piece(before, differs=False))
        text = text[len(before) :]
    if text:
        pieces.append(Piece(text, differs))
