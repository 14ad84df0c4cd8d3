"""The abstract side of the grammar: what is said, before any language says it.

A derivation is a small tree of clauses, noun phrases, places and adverbials. Each rule of the grammar has one right-hand
side per language (`german`, `english`, `french`), so a derivation is realised three times. Every word that is written
remembers the node it comes from and the pieces of it that it renders (its *anchors*); two words of different languages are
linked exactly when they share an anchor. The gold alignment is therefore read off the derivation, not guessed.
"""

# ruff: noqa: S101 (asserts say what the grammar guarantees)
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tolka.corpus.synthetic.lexicon import Adjective, Adposition, Adverb, FrenchVerb, GermanVerb, Idiom, Noun, Verb

# What a node offers for words to render. The parts of a compound or fixed phrase are 0, 1, 2.
HEAD, TENSE, NEGATION, DETERMINER, PREPOSITION, MARK, COMMA, STOP, NUMBER, JOIN, OWNER = (
    0,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    13,
)
SLOTS = 16


class Node:
    """A node of the derivation; `id` counts nodes in the order they were drawn."""

    __slots__ = ("id",)
    label = "X"

    def __init__(self, number: int) -> None:
        self.id = number * SLOTS

    def children(self) -> list[Node]:
        """The nodes below, in abstract order."""
        return []

    def gloss(self) -> str:
        """What the node says itself, for people who read the tree."""
        return ""


class AdjectiveNode(Node):
    """An adjective, maybe with a degree adverb."""

    __slots__ = ("adjective", "degree", "twin")
    label = "ADJ"

    def __init__(self, number: int, adjective: Adjective, degree: AdverbNode | None, *, twin: bool) -> None:
        super().__init__(number)
        self.adjective = adjective
        self.degree = degree
        self.twin = twin

    def children(self) -> list[Node]:
        """The degree adverb, if any."""
        return [self.degree] if self.degree else []

    def gloss(self) -> str:
        """The German lemma."""
        return self.adjective.twin if self.twin and self.adjective.twin else self.adjective.de


class AdverbNode(Node):
    """An adverbial."""

    __slots__ = ("adverb",)
    label = "ADV"

    def __init__(self, number: int, adverb: Adverb) -> None:
        super().__init__(number)
        self.adverb = adverb

    def gloss(self) -> str:
        """The German words."""
        return " ".join(word for word, _ in self.adverb.de)


class NounPhrase(Node):
    """A noun phrase.

    Attributes:
        kind: `noun`, `name`, `pronoun`, `same` (a pronoun for an earlier noun), `who`, `what`, `relative` or `and`.
        word: The noun, for `noun`; that of the antecedent for `same` and `relative`.
        name: The name, or the key of the pronoun.
        determiner: `def`, `indef` (bare in the plural), `mass`, `this`, `every`, `many`, `number`, `name`, a possessor, or
            `no`, which German writes kein and the others as negation of the verb, whose anchor is `negation`.
        gender: Natural gender of a name or pronoun.
        extraposed: German moves the relative clause behind the verb.
        pair: The two conjuncts of `and`.
    """

    __slots__ = (
        "adjectives",
        "determiner",
        "extraposed",
        "gender",
        "genitive",
        "kind",
        "name",
        "negation",
        "number",
        "pair",
        "place",
        "plural",
        "relative",
        "twin",
        "word",
    )
    label = "NP"

    def __init__(self, number: int, kind: str, word: Noun | None = None, name: str = "") -> None:
        super().__init__(number)
        self.kind = kind
        self.word = word
        self.name = name
        self.determiner = ""
        self.plural = False
        self.negation = -1
        self.gender = "m"
        self.twin = False
        self.adjectives: tuple[AdjectiveNode, ...] = ()
        self.number: tuple[str, str, str] | None = None
        self.genitive: NounPhrase | None = None
        self.place: Place | None = None
        self.relative: Clause | None = None
        self.extraposed = False
        self.pair: tuple[NounPhrase, NounPhrase] | None = None

    @property
    def noun(self) -> Noun:
        """The noun of a phrase that has one."""
        assert self.word is not None
        return self.word

    @property
    def german_gender(self) -> str:
        """Gender of the German noun, which a twin may change."""
        noun = self.noun
        return noun.twin.gender if self.twin and noun.twin else noun.de.gender

    def children(self) -> list[Node]:
        """Modifiers and conjuncts."""
        below = [*self.adjectives, self.genitive, self.place, self.relative, *(self.pair or ())]
        return [node for node in below if node is not None]

    def gloss(self) -> str:
        """The German lemma, name or pronoun."""
        if self.kind == "noun":
            noun = self.noun
            return noun.twin.forms[0] if self.twin and noun.twin else noun.de.forms[0]
        return self.name or self.kind


class Place(Node):
    """A preposition with its noun phrase."""

    __slots__ = ("adposition", "phrase")
    label = "PP"

    def __init__(self, number: int, adposition: Adposition, phrase: NounPhrase) -> None:
        super().__init__(number)
        self.adposition = adposition
        self.phrase = phrase

    def children(self) -> list[Node]:
        """The noun phrase."""
        return [self.phrase]

    def gloss(self) -> str:
        """The German preposition."""
        return self.adposition.de


class Clause(Node):
    """A subject, a predicate and what goes with it.

    Attributes:
        role: `main`, `that`, `whether`, `because`, `if`, `while`, `relative` or `infinitive`.
        verb: The verb; None for `to be` with `predicate` or `place`.
        tense: `present`, `past`, `future` or `modal`.
        polarity: Empty, `not` or `never`.
        question: Empty, `yes-no`, `who`, `what`, `why` or `when`.
        front: What German puts before the finite verb: `subject`, `time`, `sentence`, `place`, `object`, `clause`, `topic`.
        front_everywhere: English and French put the same thing first.
    """

    __slots__ = (
        "adverbs",
        "complement",
        "front",
        "front_everywhere",
        "idiom",
        "infinitive",
        "joined",
        "joiner",
        "modal",
        "object",
        "passive",
        "place",
        "polarity",
        "predicate",
        "question",
        "recipient",
        "role",
        "subject",
        "subordinate",
        "tense",
        "twin",
        "verb",
    )
    label = "S"

    def __init__(self, number: int, role: str, subject: NounPhrase | None) -> None:
        super().__init__(number)
        self.role = role
        self.subject = subject
        self.verb: Verb | None = None
        self.twin = False
        self.idiom: Idiom | None = None
        self.predicate: AdjectiveNode | None = None
        self.tense = "present"
        self.modal: tuple[GermanVerb, str, FrenchVerb] | None = None
        self.passive = False
        self.polarity = ""
        self.question = ""
        self.object: NounPhrase | None = None
        self.recipient: NounPhrase | None = None
        self.place: Place | None = None
        self.adverbs: dict[str, AdverbNode] = {}
        self.infinitive: Clause | None = None
        self.complement: Clause | None = None
        self.subordinate: Clause | None = None
        self.joined: Clause | None = None
        self.joiner = ""
        self.front = "subject"
        self.front_everywhere = False

    def children(self) -> list[Node]:
        """Arguments, then adjuncts, then clauses."""
        below = [
            self.subject,
            self.object,
            self.recipient,
            self.predicate,
            self.place,
            *self.adverbs.values(),
            self.infinitive,
            self.complement,
            self.subordinate,
            self.joined,
        ]
        return [node for node in below if node is not None]

    def gloss(self) -> str:
        """The German verb."""
        if self.idiom:
            return f"{' '.join(self.idiom.fixed[0])} {self.idiom.de.lemma}"
        if self.verb is None:
            return "sein"
        return self.verb.twin.lemma if self.twin and self.verb.twin else self.verb.de.lemma
