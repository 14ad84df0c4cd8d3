"""Marks the words in which two texts differ.

Example:
    >>> marked("a big house", "a small house")[0]
    (Piece(text='a ', differs=False), Piece(text='big', differs=True), Piece(text=' house', differs=False))
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

# Scripts without spaces between words are compared by character: Thai to Khmer, kana, Han.
_WORD = re.compile(
    r"[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]+|\d+|\s+|.", re.DOTALL
)
# Comparing takes quadratic time; where so much is to be read, marks would not help either.
MOST_WORDS = 600


@dataclass(frozen=True)
class Piece:
    """A stretch of text, and whether the other text has it too."""

    text: str
    differs: bool


@lru_cache(maxsize=2048)
def marked(left: str, right: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The two texts in pieces that they share and pieces that they do not."""
    one, other = _WORD.findall(left), _WORD.findall(right)
    if len(one) > MOST_WORDS or len(other) > MOST_WORDS:
        return (Piece(left, differs=False),), (Piece(right, differs=False),)
    first: list[Piece] = []
    second: list[Piece] = []
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        for pieces, words in ((first, one[a:b]), (second, other[c:d])):
            text = "".join(words)
            if text:
                pieces.append(Piece(text, differs=kind != "equal" and not text.isspace()))
    return tuple(first), tuple(second)
