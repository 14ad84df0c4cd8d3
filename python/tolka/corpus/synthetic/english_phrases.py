"""English noun phrases: articles, possessives, compounds."""

# ruff: noqa: S101 (asserts say what the grammar guarantees)
from __future__ import annotations

from abc import ABC, abstractmethod

from tolka.corpus.synthetic.derivation import (
    DETERMINER,
    HEAD,
    JOIN,
    NUMBER,
    OWNER,
    PREPOSITION,
    AdjectiveNode,
    AdverbNode,
    Clause,
    NounPhrase,
    Place,
)
from tolka.corpus.synthetic.words import TIGHT_LEFT, Phrase, Word

# Subject, object; person of the verb (only the third singular and `be` care).
PRONOUN = {
    "I": ("I", "me", 0),
    "you": ("you", "you", 1),
    "he": ("he", "him", 2),
    "she": ("she", "her", 2),
    "we": ("we", "us", 3),
    "You": ("you", "you", 4),
    "they": ("they", "them", 5),
}


def person(phrase: NounPhrase) -> int:
    """The person and number the verb agrees with."""
    if phrase.kind == "pronoun":
        return PRONOUN[phrase.name][2]
    return 5 if phrase.plural or phrase.pair else 2


class EnglishPhrases(ABC):
    """Realises one derivation; `labels` collects the phenomena it meets, `domain` decides between if and when."""

    def __init__(self, labels: set[str], domain: str) -> None:
        self.labels = labels
        self.domain = domain

    @abstractmethod
    def clause(self, node: Clause) -> Phrase:
        """A clause; a noun phrase needs one for its relative clause."""

    def noun_phrase(self, node: NounPhrase, *, subject: bool = False, preposition: Word | None = None) -> Phrase:
        """A noun phrase, maybe behind a preposition."""
        kind = node.kind
        anchors = (node.id + HEAD,)
        if kind == "noun":
            phrase = self._full(node)
        elif kind == "and":
            assert node.pair is not None
            first, second = (self.noun_phrase(part, subject=subject) for part in node.pair)
            joiner = Word("and", "and", "CCONJ", node, (node.id + JOIN,)).under(second.head, "cc")
            second.under(first.head, "conj")
            phrase = Phrase("NP", [first, joiner, second], first.head)
        else:
            if kind == "name":
                head = Word(node.name, node.name, "PROPN", node, anchors)
            elif kind == "pronoun":
                forms = PRONOUN[node.name]
                head = Word(forms[0] if subject else forms[1], forms[0], "PRON", node, anchors)
            elif kind == "same":
                form = ("they" if subject else "them") if node.plural else "it"
                head = Word(form, "they" if node.plural else "it", "PRON", node, anchors)
            elif kind == "relative":
                form = "who" if node.noun.kind == "person" and subject else "that"
                head = Word(form, form, "PRON", node, anchors)
            else:
                head = Word(kind, kind, "PRON", node, anchors)
            phrase = Phrase("NP", [head], head)
        if preposition is None:
            return phrase
        return Phrase("PP", [preposition.under(phrase.head, "case"), phrase], phrase.head)

    def _full(self, node: NounPhrase) -> Phrase:
        noun, base = node.noun, node.id
        words = [
            Word(form, lemma, "NOUN", node, tuple(base + part for part in parts))
            for (form, parts), (lemma, _) in zip(
                noun.en.plural if node.plural else noun.en.singular, noun.en.singular, strict=True
            )
        ]
        head = words[-1]
        parts: list[Phrase | Word] = []
        if node.determiner == "name":
            owner = Word(node.name, node.name, "PROPN", node, (base + OWNER,)).under(head, "nmod:poss")
            mark = Word("'s", "'s", "PART", node, (base + PREPOSITION,)).under(owner, "case")
            mark.tight = TIGHT_LEFT
            parts.append(Phrase("NP", [owner, mark], owner))
        else:
            determiner = _determiner(node)
            if determiner:
                word = Word(determiner, determiner, "DET", node, (base + DETERMINER,)).under(head, "det")
                if determiner == "a":
                    word.before_vowel = "an"
                parts.append(word)
        if node.number is not None:
            parts.append(Word(node.number[1], node.number[1], "NUM", node, (base + NUMBER,)).under(head, "nummod"))
        parts += [self._adjective(adjective).under(head, "amod") for adjective in node.adjectives]
        parts += [word.under(head, "compound") for word in words[:-1]]
        parts.append(head)
        if node.genitive is not None:
            of = Word("of", "of", "ADP", node.genitive, (node.genitive.id + PREPOSITION,))
            parts.append(self.noun_phrase(node.genitive, preposition=of).under(head, "nmod"))
        if node.place is not None:
            parts.append(self.place(node.place).under(head, "nmod"))
        if node.relative is not None:
            clause = self.clause(node.relative).under(head, "acl:relcl")
            parts.append(Phrase("SBAR", [clause], clause.head))
        return Phrase("NP", parts, head)

    def _adjective(self, node: AdjectiveNode) -> Phrase:
        word = Word(node.adjective.en, node.adjective.en, "ADJ", node, (node.id + HEAD,))
        parts: list[Phrase | Word] = [word]
        if node.degree is not None:
            parts.insert(0, self.adverb(node.degree).under(word, "advmod"))
        return Phrase("ADJP", parts, word)

    def place(self, node: Place) -> Phrase:
        """A prepositional phrase."""
        preposition = Word(node.adposition.en, node.adposition.en, "ADP", node, (node.id + PREPOSITION,))
        return self.noun_phrase(node.phrase, preposition=preposition)

    def adverb(self, node: AdverbNode) -> Phrase:
        """An adverb or a fixed adverbial."""
        words = [
            Word(form, form, "ADV", node, tuple(node.id + part for part in parts)) for form, parts in node.adverb.en
        ]
        head = words[-1]
        if len(words) == 1 or words[0].form == "of":
            for word in words[:-1]:
                word.under(head, "fixed")
            return Phrase("ADVP", list(words), head)
        if head.form == "ago":
            words[0].upos, words[1].upos = "NUM", "NOUN"
            words[0].under(words[1], "nummod")
            words[1].under(head, "obl:npmod")
            return Phrase("ADVP", list(words), head)
        head.upos = "NOUN"
        for word in words[:-1]:
            kinds = {"on": "ADP", "in": "ADP", "with": "ADP", "last": "ADJ", "next": "ADJ"}
            word.upos = kinds.get(word.form, "DET")
            word.under(head, {"ADP": "case", "ADJ": "amod", "DET": "det"}[word.upos])
        return Phrase("NP", list(words), head)


def _determiner(node: NounPhrase) -> str:
    kind = node.determiner
    if kind in {"indef", "no"}:
        return "" if node.plural or node.noun.mass else "a"
    if kind == "this":
        return "these" if node.plural else "this"
    return {"def": "the", "mass": "", "number": ""}.get(kind, kind)
