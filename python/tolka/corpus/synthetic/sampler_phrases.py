"""Draws noun phrases: determiner, number, adjectives, possessors, places, relative clauses."""

# ruff: noqa: S101, PLR2004 (asserts say what the grammar guarantees and odds and columns are numbers)
from __future__ import annotations

from abc import ABC, abstractmethod

from tolka.corpus.synthetic.choices import adjectives_for, adverbs_of, nouns_of, verbs_with
from tolka.corpus.synthetic.derivation import AdjectiveNode, AdverbNode, Clause, NounPhrase, Place
from tolka.corpus.synthetic.lexicon import Adjective, Noun, Verb, lexicon
from tolka.corpus.synthetic.prng import Prng, Urn

MAX_DEPTH = 2  # clauses within clauses, and noun phrases within noun phrases
PLACES = frozenset({"place", "room"})
# What can belong to what: the roof of the house, the dog of the neighbour, the version of the program.
_OWNERS = {
    "part": "room",
    "door": "room",
    "thing": "person",
    "text": "person",
    "cloth": "person",
    "vehicle": "person",
    "animal": "person",
    "data": "person software",
    "code": "software",
    "feature": "software",
    "widget": "software",
    "problem": "software device",
}
LOCATED = frozenset({"person", "animal", "thing", "furniture", "device", "vehicle"})
_PRONOUNS = Urn(["he", "she", "I", "we", "they", "you", "You"], [22, 22, 20, 12, 10, 8, 6])
_DETERMINERS = Urn(
    ["def", "indef", "my", "this", "his", "her", "name", "number", "every", "many", "our", "your", "their"],
    [48, 25, 4, 5, 3, 3, 2, 3, 2, 2, 2, 1, 1],
)
_PLACE_DETERMINERS = Urn(["def", "this", "indef", "our"], [85, 5, 6, 4])
_OWNED = frozenset({"my", "your", "his", "her", "our", "their", "name"})


class PhraseSampler(ABC):
    """Draws the noun phrases of one derivation.

    Attributes:
        labels: The phenomena met, by name.
    """

    def __init__(self, prng: Prng, domain: str, rare: float, held: frozenset[str] | None) -> None:
        self.prng = prng
        self.domain = domain
        self.rare = rare
        self.held = held
        self.labels: set[str] = set()
        self._count = 0

    def number(self) -> int:
        """The next node's number."""
        self._count += 1
        return self._count

    def twin(self, lemma: str) -> bool:
        """Whether the rare twin takes the place of the frequent word."""
        chosen = self.rare > 0 and (self.held is None or lemma in self.held) and self.prng.chance(self.rare)
        if chosen:
            self.labels.add("rare-twin")
        return chosen

    @abstractmethod
    def clause(
        self,
        role: str,
        depth: int,
        *,
        subject: NounPhrase | None = None,
        verb: Verb | None = None,
        given: NounPhrase | None = None,
        gap: str = "",
        tense: str = "",
        question: str = "",
    ) -> Clause:
        """A clause; a noun phrase needs one for its relative clause."""

    def subject(self, kinds: frozenset[str], depth: int) -> NounPhrase:
        """A noun phrase, name or pronoun that can be the subject."""
        if "person" in kinds and self.prng.chance(0.42):
            return self.person(names=True)
        phrase = self.noun_phrase(kinds, depth, relative=0.08)
        if self.prng.chance(0.04):
            return self._pair(phrase, kinds)
        return phrase

    def person(self, *, subject: NounPhrase | None = None, names: bool = True) -> NounPhrase:
        """A pronoun or a name, other than the subject."""
        prng = self.prng
        if names and prng.chance(0.4):
            gender, name = lexicon().names[min(prng.below(len(lexicon().names)), prng.below(len(lexicon().names)))]
            if subject is None or subject.name != name:
                phrase = NounPhrase(self.number(), "name", None, name)
                phrase.gender = gender
                self.labels.add("name")
                return phrase
        while True:
            name = _PRONOUNS.draw(prng)
            if subject is None or _different(name, subject.name):
                break
        phrase = NounPhrase(self.number(), "pronoun", None, name)
        phrase.gender = "f" if name == "she" else "m"
        self.labels.add("pronoun")
        return phrase

    def _pair(self, first: NounPhrase, kinds: frozenset[str]) -> NounPhrase:
        second = self.noun_phrase(frozenset({first.noun.kind}) & kinds, MAX_DEPTH)
        if (
            second.noun is first.noun
            or first.relative is not None
            or first.genitive is not None
            or first.place is not None
        ):
            return first
        both = NounPhrase(self.number(), "and")
        both.pair = (first, second)
        return both

    def noun_phrase(
        self, kinds: frozenset[str], depth: int, *, noun: Noun | None = None, relative: float = 0.0
    ) -> NounPhrase:
        """A noun with its determiner and modifiers."""
        prng = self.prng
        if noun is None:
            urn = nouns_of(self.domain, kinds)
            assert urn is not None
            noun = urn.draw(prng)
        node = NounPhrase(self.number(), "noun", noun)
        node.gender = "f" if noun.fr.gender == "f" else "m"
        node.twin = noun.twin is not None and self.twin(noun.twin.forms[0])
        if noun.de.forms[0] in lexicon().ambiguous:
            self.labels.add("ambiguous")
        self._determine(node)
        adjectives = adjectives_for(self.domain, noun.kind)
        if adjectives is not None and prng.chance(0.24):
            node.adjectives = (self.adjective(adjectives, degree=0.1, attributive=True),)
        if depth < MAX_DEPTH:
            self._modify(node, depth, relative)
        return node

    def _determine(self, node: NounPhrase) -> None:
        prng, noun = self.prng, node.noun
        if noun.mass:
            node.determiner = "mass" if prng.chance(0.6) else "def"
            return
        kind = _DETERMINERS.draw(prng)
        node.plural = prng.chance(0.22)
        if kind == "every":
            node.plural = False
        elif kind in {"many", "number"}:
            node.plural = True
        if kind == "number":
            numbers = lexicon().numbers
            digits = str(13 + min(prng.below(80), prng.below(80)))
            node.number = (digits, digits, digits) if prng.chance(0.3) else numbers[min(prng.below(11), prng.below(11))]
        elif kind == "name":
            node.name = lexicon().names[prng.below(len(lexicon().names))][1]
        if not noun.owned and kind in _OWNED:
            kind = "def"
        node.determiner = kind

    def _modify(self, node: NounPhrase, depth: int, relative: float) -> None:
        prng, noun = self.prng, node.noun
        draw = prng.unit()
        if draw < 0.09 and node.determiner in {"def", "this"}:
            owners = _OWNERS.get(noun.kind)
            kinds = frozenset(owners.split()) if owners else frozenset()
            if kinds and nouns_of(self.domain, kinds) is not None:
                node.genitive = self.noun_phrase(kinds, MAX_DEPTH)
                if node.genitive.plural or node.genitive.determiner not in {"def", "my", "our", "his", "her"}:
                    node.genitive.determiner, node.genitive.number = "def", None
        elif draw < 0.12 and noun.kind in LOCATED and node.determiner != "name":
            node.place = self.place(0, net=False)
        elif draw > 1 - relative and node.determiner not in {"every", "name", "many"} and not noun.mass:
            self._relative(node, depth)

    def _relative(self, node: NounPhrase, depth: int) -> None:
        noun = node.noun
        gap = NounPhrase(self.number(), "relative", noun)
        gap.plural, gap.twin, gap.gender = node.plural, node.twin, node.gender
        role = "object" if self.prng.chance(0.5) else "subject"
        verbs = verbs_with(self.domain, role, noun.kind)
        if verbs is None:
            role = "subject" if role == "object" else "object"
            verbs = verbs_with(self.domain, role, noun.kind)
        if verbs is None:
            return
        verb = verbs.draw(self.prng)
        subject = gap if role == "subject" else None
        given = gap if role == "object" else None
        clause = self.clause("relative", depth + 1, subject=subject, verb=verb, given=given, gap=role)
        clause.place = None if clause.verb is None or clause.verb.frame not in {"loc", "dir"} else clause.place
        node.relative = clause
        self.labels |= {"relative", "verb-final"}

    def adjective(self, adjectives: Urn[Adjective], degree: float, *, attributive: bool = False) -> AdjectiveNode:
        """An adjective, maybe with a degree adverb."""
        adjective = adjectives.draw(self.prng)
        adverb = None
        if self.prng.chance(degree):
            urn = adverbs_of(self.domain, "degree", "")
            assert urn is not None
            word = urn.draw(self.prng)
            adverb = AdverbNode(self.number(), urn.things[0] if attributive else word)
        twin = adjective.twin is not None and self.twin(adjective.twin)
        if adjective.de in lexicon().ambiguous:
            self.labels.add("ambiguous")
        return AdjectiveNode(self.number(), adjective, adverb, twin=twin)

    def place(self, whither: int, *, net: bool) -> Place:
        """A place where something is, or whither it goes."""
        urn = nouns_of(self.domain, PLACES)
        assert urn is not None
        noun = urn.draw(self.prng)
        while noun.place == "net" and not net:
            noun = urn.draw(self.prng)
        adposition = lexicon().places[noun.place][whither]
        phrase = self.noun_phrase(PLACES, MAX_DEPTH, noun=noun)
        phrase.determiner, phrase.number = _PLACE_DETERMINERS.draw(self.prng), None
        phrase.plural = False
        return Place(self.number(), adposition, phrase)


def _different(name: str, other: str) -> bool:
    """Whether an object pronoun cannot mean the subject: I see him, never I see me or we see me."""
    first, second = {"I", "we"}, {"you", "You"}
    if name in first:
        return other not in first
    if name in second:
        return other not in second
    return name != other
