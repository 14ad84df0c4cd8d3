"""English forms for rewriting: forms of *be*, participles, pronouns' case and agreement, from lists of words."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.assist.rewriting.morphology import Function, Piece

AUXILIARIES = ("be", "have", "do", "modal")
PAST = frozenset({"VBD", "VBN"})
VOWELS = "aeiou"
SIBILANT = re.compile(r"(?:s|x|z|ch|sh|o)es$")
SHORT = re.compile(r"[^aeiou]*(?:qu)?[aeiouy][^aeiouwxy]")
"""A syllable after which a last letter is doubled: *stop*, *quit*."""


class English:
    """English words as functions of outputs need them; the file `english.words` of this package has the lists.

    - `copula(carrier, subject)`: *be* in the form of a verb, or that an auxiliary asks for, agreeing with a subject;
    - `participle(verb)`: the passive participle; verbs that have no passive give nothing;
    - `case(phrase)`: a pronoun in the other case, *I* for *me*; all else as it is;
    - `agree(verb, subject)`: an auxiliary that agrees with another subject;
    - `it_is(verb)`: the *is* of clefts;
    - `fronted(phrase)`: what stood before the subject.

    Args:
        match_tense: Clefts are in the tense of the sentence, *it was*, rather than in the present (Mohammad 2012, table 1.1).
        refront: What stood before the subject comes first in clefts, too, *yesterday it is John*, rather than nowhere.
    """

    def __init__(self, *, match_tense: bool = False, refront: bool = True) -> None:
        self.match_tense, self.refront = match_tense, refront
        self.functions: dict[str, tuple[int, Function]] = {
            "copula": (2, self.copula),
            "participle": (1, self.participle),
            "case": (1, self.case),
            "agree": (2, self.agree),
            "it_is": (1, self.it_is),
            "fronted": (1, self.fronted),
        }
        self.proper = frozenset({"NNP", "NNPS"})
        self.own = frozenset({"I"})
        lists = _lists()
        self._forms = {
            name: {word for line in lists.get(name, []) for word in line} for name in (*AUXILIARIES, "plural")
        }
        self._case = {one: other for pair in lists["case"] for one, other in (pair, pair[::-1])}
        self._doubled = {word for line in lists["doubled"] for word in line}
        self._never = {word for line in lists["never"] for word in line}
        self._participles: dict[str, str] = {}
        self._bases: dict[str, str] = {}
        self._pasts = {past for base, past, _ in lists["irregular"] if past != base}
        for base, past, participle in lists["irregular"]:
            self._participles[base] = participle
            for form in (self._third(base), self._gerund(base), *past.split("/"), participle):
                self._bases.setdefault(form, base)

    @classmethod
    @cache
    def shared(cls) -> Self:
        """English as it is usually wanted."""
        return cls()

    def _kind(self, piece: Piece) -> str:
        word = piece.head.lower()
        return next((name for name in AUXILIARIES if word in self._forms[name]), "")

    def copula(self, pieces: Sequence[Piece]) -> tuple[str, ...]:
        """The form of *be* in the place of a verb, or after an auxiliary, with a subject."""
        carrier, subject = pieces
        kind = self._kind(carrier)
        if carrier.tag in {"MD", "TO"} or kind == "modal":
            return ("be",)
        if kind in {"have", "be"}:
            return ("been" if kind == "have" else "being",)
        return (self._be(self._tag(carrier), subject),)

    def _tag(self, verb: Piece) -> str:
        """The tag of a verb; a form of the past counts as such, even where some parser has "VB" for all verbs."""
        word = verb.head.lower()
        return "VBD" if verb.tag == "VB" and word in self._pasts else verb.tag

    def _be(self, tag: str, subject: Piece) -> str:
        if tag in {"VB", "VBG", "VBN"}:
            return {"VB": "be", "VBG": "being", "VBN": "been"}[tag]
        first = subject.words[-1:] in {("I",), ("me",)} and len(subject.words) == 1
        if self._several(subject):
            return "were" if tag == "VBD" else "are"
        if tag == "VBD":
            return "was"
        return "am" if first else "is"

    def _several(self, subject: Piece) -> bool:
        only = subject.words[0].lower() if len(subject.words) == 1 else ""
        return only in self._forms["plural"] or (subject.number == "plur" and only not in self._singular)

    _singular = frozenset({"i", "me", "he", "him", "she", "her", "it"})

    def agree(self, pieces: Sequence[Piece]) -> tuple[str, ...]:
        """An auxiliary with another subject."""
        verb, subject = pieces
        kind, tag = self._kind(verb), verb.tag
        if tag not in {"VBZ", "VBP", "VBD"} or kind not in {"be", "have", "do"}:
            return verb.words
        if kind == "be":
            return (self._be(tag, subject),)
        if tag == "VBD":
            return verb.words
        me = subject.words in {("I",), ("me",)}
        return ({"have": ("has", "have"), "do": ("does", "do")}[kind][self._several(subject) or me],)

    def case(self, pieces: Sequence[Piece]) -> tuple[str, ...]:
        """A pronoun in the other case."""
        (words,) = (piece.words for piece in pieces)
        if len(words) != 1 or pieces[0].tag == "PRP$":
            return words
        word = words[0] if words[0] == "I" else words[0].lower()
        return (self._case.get(word, words[0]),)

    def it_is(self, pieces: Sequence[Piece]) -> tuple[str, ...]:
        """The *is* of a cleft."""
        (verb,) = pieces
        return ("was" if self.match_tense and verb.tag == "VBD" else "is",)

    def fronted(self, pieces: Sequence[Piece]) -> tuple[str, ...]:
        """What stood before the subject."""
        (piece,) = pieces
        return piece.words if self.refront else ()

    def participle(self, pieces: Sequence[Piece]) -> tuple[str, ...] | None:
        """The passive participle of a verb."""
        (verb,) = pieces
        if len(verb.words) != 1 or not verb.words[0].isalpha():
            return None
        word, tag = verb.words[0].lower(), self._tag(verb)
        base = self._bases.get(word, "") if tag in PAST or tag in {"VBZ", "VBG"} else word
        if self._kind(verb) in {"be", "have", "modal"} or not self._never.isdisjoint({base, *_bases(word, tag)}):
            return None
        if base in self._participles:
            return (self._participles[base],)
        found = self._regular(word, tag)
        return (found,) if found else None

    def _regular(self, word: str, tag: str) -> str:
        """The participle of a verb that has no line in the lists."""
        if tag in PAST:
            return word if word.endswith("ed") else ""
        if tag == "VBG":
            stem = word.removesuffix("ing")
            return stem[:-1] + "ied" if stem.endswith("y") and stem[-2:-1] not in VOWELS else stem + "ed"
        if tag == "VBZ":
            return word[:-1] + "d" if SIBILANT.search(word) or word.endswith("ies") else self._past(word[:-1])
        return self._past(word)

    def _past(self, base: str) -> str:
        if base.endswith("e"):
            return base + "d"
        if base.endswith("y") and base[-2:-1] not in VOWELS:
            return base[:-1] + "ied"
        return self._lengthened(base) + "ed"

    def _third(self, base: str) -> str:
        if base.endswith("y") and base[-2] not in VOWELS:
            return base[:-1] + "ies"
        return base + ("es" if re.search(r"(?:s|x|z|ch|sh|o)$", base) else "s")

    def _gerund(self, base: str) -> str:
        if base.endswith("ie"):
            return base[:-2] + "ying"
        if base.endswith("e") and not base.endswith("ee"):
            return base[:-1] + "ing"
        return self._lengthened(base) + "ing"

    def _lengthened(self, base: str) -> str:
        return base + base[-1] if base in self._doubled or SHORT.fullmatch(base) else base


def _bases(word: str, tag: str) -> set[str]:
    """What a form may be of, among other things, if it is regular."""
    if tag in PAST:
        return {word[:-2], word[:-1], word[:-3]}
    if tag == "VBG":
        return {word[:-3], word[:-3] + "e", word[:-4]}
    return {word[:-1], word[:-2]} if tag == "VBZ" else {word}


@cache
def _lists() -> dict[str, list[list[str]]]:
    text = resources.files("tolka.assist.rewriting").joinpath("english.words").read_text(encoding="utf-8")
    found: dict[str, list[list[str]]] = {}
    for line in text.splitlines():
        name, *words = line.split() or [""]
        if name and not name.startswith("#"):
            found.setdefault(name, []).append(words)
    return found
