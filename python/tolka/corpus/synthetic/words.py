"""Words as they are written, the phrases they stand in, and the line they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tolka.corpus.synthetic.derivation import Node

TIGHT_LEFT, TIGHT_RIGHT = 1, 2  # no space before, no space after


class Word:
    """One token.

    Attributes:
        node: The node of the derivation it was written for.
        anchors: The pieces of the derivation it renders.
        head: The word it depends on; None for the root.
        before_vowel: Its form before a vowel (l', an, cet); empty if that does not matter.
        tight: Whether it clings to its neighbours.
    """

    __slots__ = ("anchors", "before_vowel", "form", "head", "index", "lemma", "node", "relation", "tight", "upos")

    def __init__(self, form: str, lemma: str, upos: str, node: Node, anchors: tuple[int, ...]) -> None:
        self.form = form
        self.lemma = lemma
        self.upos = upos
        self.node = node
        self.anchors = anchors
        self.head: Word | None = None
        self.relation = "root"
        self.before_vowel = ""
        self.tight = 0
        self.index = -1

    def under(self, head: Word, relation: str) -> Word:
        """Make this word depend on another."""
        self.head = head
        self.relation = relation
        return self


class Phrase:
    """A constituent: a label, its parts in order, and the word that heads it."""

    __slots__ = ("head", "label", "parts")

    def __init__(self, label: str, parts: list[Phrase | Word], head: Word) -> None:
        self.label = label
        self.parts = parts
        self.head = head

    def under(self, head: Word, relation: str) -> Phrase:
        """Make the head of this phrase depend on another word."""
        self.head.head = head
        self.head.relation = relation
        return self


def comma(node: Node, head: Word, anchors: tuple[int, ...] = ()) -> Word:
    """A comma; `line` drops it where another mark follows."""
    word = Word(",", ",", "PUNCT", node, anchors)
    word.tight = TIGHT_LEFT
    return word.under(head, "punct")


def leaves(phrase: Phrase, into: list[Word]) -> list[Word]:
    """The words of a phrase, in order."""
    for part in phrase.parts:
        if part.__class__ is Word:
            into.append(part)
        else:
            leaves(part, into)  # type: ignore[arg-type]
    return into


def line(phrase: Phrase, vowel: Callable[[str], bool] | None) -> list[Word]:
    """The words as written: one mark where two would meet, forms before vowels chosen, indices set."""
    found = leaves(phrase, [])
    kept: list[Word] = []
    last = len(found) - 1
    for position, word in enumerate(found):
        if word.form == "," and (not kept or position == last or found[position + 1].upos == "PUNCT"):
            continue
        word.index = len(kept)
        kept.append(word)
    if vowel is not None:
        for position in range(len(kept) - 2, -1, -1):
            word = kept[position]
            if word.before_vowel and vowel(kept[position + 1].form):
                word.form = word.before_vowel
                if word.form[-1] == "'":
                    word.tight |= TIGHT_RIGHT
    return kept


def capitalised(form: str) -> str:
    """The form at the beginning of a sentence."""
    return form[0].upper() + form[1:]


def typed(words: list[Word], question_space: str = "") -> str:
    """The line as a person would type it."""
    pieces = [capitalised(words[0].form)]
    tight = words[0].tight
    for word in words[1:]:
        if word.form == "?" and question_space:
            pieces.append(question_space)
        elif not (tight & TIGHT_RIGHT or word.tight & TIGHT_LEFT):
            pieces.append(" ")
        pieces.append(word.form)
        tight = word.tight
    return "".join(pieces)
