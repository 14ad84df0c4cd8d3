"""German noun phrases: case, gender, endings, articles that melt into prepositions."""

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
from tolka.corpus.synthetic.inflection import GEN
from tolka.corpus.synthetic.words import Phrase, Word, comma

Endings = dict[str, tuple[str, ...]]

# Rows: masculine, feminine, neuter, plural. Columns: nominative, accusative, dative, genitive.
_DEFINITE: Endings = {
    "m": ("der", "den", "dem", "des"),
    "f": ("die", "die", "der", "der"),
    "n": ("das", "das", "dem", "des"),
    "p": ("die", "die", "den", "der"),
}
_RELATIVE: Endings = {**_DEFINITE, "p": ("die", "die", "denen", "deren")}
_EIN: Endings = {
    "m": ("", "en", "em", "es"),
    "f": ("e", "e", "er", "er"),
    "n": ("", "", "em", "es"),
    "p": ("e", "e", "en", "er"),
}
_DIESER: Endings = {**_EIN, "m": ("er", "en", "em", "es"), "n": ("es", "es", "em", "es")}
_WEAK: Endings = {
    "m": ("e", "en", "en", "en"),
    "f": ("e", "e", "en", "en"),
    "n": ("e", "e", "en", "en"),
    "p": ("en",) * 4,
}
_MIXED: Endings = {**_WEAK, "m": ("er", "en", "en", "en"), "n": ("es", "es", "en", "en")}
_STRONG: Endings = {
    "m": ("er", "en", "em", "en"),
    "f": ("e", "e", "er", "er"),
    "n": ("es", "es", "em", "en"),
    "p": ("e", "e", "en", "er"),
}
POSSESSIVE = {"my": "mein", "your": "dein", "his": "sein", "her": "ihr", "our": "unser", "their": "ihr"}

# Stem, lemma, endings of the word itself, endings left to the adjectives.
_DETERMINERS: dict[str, tuple[str, str, Endings, Endings]] = {
    "def": ("", "der", _DEFINITE, _WEAK),
    "this": ("dies", "dieser", _DIESER, _WEAK),
    "every": ("jed", "jeder", _DIESER, _WEAK),
    "many": ("viel", "viel", _STRONG, _STRONG),
    "indef": ("ein", "ein", _EIN, _MIXED),
    "no": ("kein", "kein", _EIN, _MIXED),
    **{owner: (stem, stem, _EIN, _MIXED) for owner, stem in POSSESSIVE.items()},
}

# Nominative, accusative, dative.
PRONOUN: dict[str, tuple[str, str, str]] = {
    "I": ("ich", "mich", "mir"),
    "you": ("du", "dich", "dir"),
    "he": ("er", "ihn", "ihm"),
    "she": ("sie", "sie", "ihr"),
    "we": ("wir", "uns", "uns"),
    "You": ("Sie", "Sie", "Ihnen"),
    "they": ("sie", "sie", "ihnen"),
}
PERSONS = {"I": 0, "you": 1, "he": 2, "she": 2, "we": 3, "You": 5, "they": 5}
_SAME = {
    "m": ("er", "ihn", "ihm"),
    "f": ("sie", "sie", "ihr"),
    "n": ("es", "es", "ihm"),
    "p": ("sie", "sie", "ihnen"),
}
_CONTRACTED = {
    ("in", "dem"): "im",
    ("in", "das"): "ins",
    ("an", "dem"): "am",
    ("an", "das"): "ans",
    ("von", "dem"): "vom",
    ("zu", "dem"): "zum",
    ("zu", "der"): "zur",
}


def person(phrase: NounPhrase) -> int:
    """The person and number the verb agrees with."""
    if phrase.kind == "pronoun":
        return PERSONS[phrase.name]
    return 5 if phrase.plural or phrase.pair else 2


def _key(phrase: NounPhrase) -> str:
    return "p" if phrase.plural else phrase.german_gender


class GermanPhrases(ABC):
    """Realises one derivation; `labels` collects the phenomena it meets."""

    def __init__(self, labels: set[str]) -> None:
        self.labels = labels
        self.moved: list[Phrase] = []  # relative clauses waiting for the place behind the verb

    @abstractmethod
    def clause(self, node: Clause) -> Phrase:
        """A clause; a noun phrase needs one for its relative clause."""

    def noun_phrase(self, node: NounPhrase, case: int, preposition: Word | None = None) -> Phrase:
        """A noun phrase in a case; a preposition goes in front and may swallow the article."""
        kind = node.kind
        if kind == "noun":
            return self._full(node, case, preposition)
        if kind == "and":
            return self._pair(node, case, preposition)
        anchors = (node.id + HEAD,)
        if kind == "name":
            head = Word(node.name, node.name, "PROPN", node, anchors)
        elif kind == "pronoun":
            head = Word(PRONOUN[node.name][case], PRONOUN[node.name][0], "PRON", node, anchors)
        elif kind == "same":
            forms = _SAME[_key(node)]
            head = Word(forms[case], forms[0], "PRON", node, anchors)
        elif kind == "relative":
            head = Word(_RELATIVE[_key(node)][case], "der", "PRON", node, anchors)
        else:
            form = {"who": ("wer", "wen", "wem"), "what": ("was", "was", "was")}[kind][case]
            head = Word(form, kind, "PRON", node, anchors)
            head.lemma = form
        if preposition is None:
            return Phrase("NP", [head], head)
        return Phrase("PP", [preposition.under(head, "case"), head], head)

    def _pair(self, node: NounPhrase, case: int, preposition: Word | None) -> Phrase:
        assert node.pair is not None
        first, second = self.noun_phrase(node.pair[0], case), self.noun_phrase(node.pair[1], case)
        joiner = Word("und", "und", "CCONJ", node, (node.id + JOIN,)).under(second.head, "cc")
        second.under(first.head, "conj")
        self.labels.add("coordination")
        both = Phrase("NP", [first, joiner, second], first.head)
        if preposition is None:
            return both
        return Phrase("PP", [preposition.under(first.head, "case"), both], first.head)

    def _full(self, node: NounPhrase, case: int, preposition: Word | None) -> Phrase:
        noun, key, base = node.noun, _key(node), node.id
        german = noun.twin if node.twin and noun.twin else noun.de
        form = german.forms[case + 4 if node.plural else case]
        head = Word(form, german.forms[0], "NOUN", node, tuple(base + part for part in noun.de.parts))
        shown = (
            ("compound", len(noun.de.parts) > 1),
            ("plural", node.plural),
            ("number", node.number is not None),
            ("attributive", bool(node.adjectives)),
            ("possessive", node.determiner in POSSESSIVE or node.determiner == "name"),
        )
        self.labels.update(label for label, present in shown if present)
        parts: list[Phrase | Word] = []
        determiner, endings = self._determiner(node, key, case)
        if preposition is not None and determiner is not None and self._melts(node, preposition, determiner):
            determiner = None
        if determiner is not None:
            parts.append(determiner.under(head, "nmod:poss" if node.determiner == "name" else "det"))
        if node.number is not None:
            parts.append(Word(node.number[0], node.number[0], "NUM", node, (base + NUMBER,)).under(head, "nummod"))
        parts += [self._adjective(adjective, endings[key][case]).under(head, "amod") for adjective in node.adjectives]
        parts.append(head)
        parts += self._modifiers(node, head)
        phrase = Phrase("NP", parts, head)
        if preposition is None:
            return phrase
        return Phrase("PP", [preposition.under(head, "case"), phrase], head)

    def _melts(self, node: NounPhrase, preposition: Word, article: Word) -> bool:
        """Melt in and dem into im; not where a relative clause needs the article."""
        merged = _CONTRACTED.get((preposition.form, article.form))
        if merged is None or node.determiner != "def" or node.relative is not None:
            return False
        preposition.form = merged
        preposition.anchors += article.anchors
        self.labels.add("contraction")
        return True

    def _modifiers(self, node: NounPhrase, head: Word) -> list[Phrase | Word]:
        """What follows the noun; a relative clause may wait for the end of the clause instead."""
        parts: list[Phrase | Word] = []
        if node.genitive is not None:
            parts.append(self.noun_phrase(node.genitive, GEN).under(head, "nmod"))
            self.labels.add("genitive")
        if node.place is not None:
            parts.append(self.place(node.place).under(head, "nmod"))
        if node.relative is not None:
            clause = self.clause(node.relative).under(head, "acl")
            opening, closing = comma(node, clause.head), comma(node, clause.head)
            wrapped = Phrase("SBAR", [opening, clause, closing], clause.head)
            if node.extraposed:
                self.moved.append(wrapped)
            else:
                parts.append(wrapped)
        return parts

    def _determiner(self, node: NounPhrase, key: str, case: int) -> tuple[Word | None, Endings]:
        """The determiner, and the endings it leaves to the adjectives."""
        kind = node.determiner
        if kind == "name":
            owner = Word(node.name + "s", node.name, "PROPN", node, (node.id + OWNER, node.id + PREPOSITION))
            return owner, _STRONG
        if kind not in _DETERMINERS or (kind == "indef" and node.plural):
            return None, _STRONG
        stem, lemma, own, left = _DETERMINERS[kind]
        anchors: tuple[int, ...] = (node.id + DETERMINER,)
        if kind == "no":
            self.labels.add("kein")
            anchors = (node.negation, *anchors)
        elif case == GEN:
            anchors += (node.id + PREPOSITION,)  # "des" renders both words of "of the"
        return Word(stem + own[key][case], lemma, "DET", node, anchors), left

    def _adjective(self, node: AdjectiveNode, ending: str) -> Phrase:
        adjective = node.adjective
        stem, lemma = adjective.stem, adjective.de
        if node.twin and adjective.twin:
            stem = lemma = adjective.twin
        word = Word(stem + ending if ending else lemma, lemma, "ADJ", node, (node.id + HEAD,))
        parts: list[Phrase | Word] = [word]
        if node.degree is not None:
            parts.insert(0, self.adverb(node.degree).under(word, "advmod"))
        return Phrase("ADJP", parts, word)

    def place(self, node: Place) -> Phrase:
        """A prepositional phrase."""
        preposition = Word(node.adposition.de, node.adposition.de, "ADP", node, (node.id + PREPOSITION,))
        return self.noun_phrase(node.phrase, node.adposition.case, preposition)

    def adverb(self, node: AdverbNode) -> Phrase:
        """An adverb or a fixed adverbial."""
        words = [
            Word(form, form, "ADV", node, tuple(node.id + part for part in parts)) for form, parts in node.adverb.de
        ]
        head = words[-1]
        if len(words) > 1:
            head.upos = "NOUN"
            for word in words[:-1]:
                preposition = word.form in {"am", "im", "vor", "mit"}
                word.upos = (
                    "ADP"
                    if preposition
                    else "NUM"
                    if word.form == "drei"
                    else "ADJ"
                    if word.form[-2:] == "te"
                    else "DET"
                )
                word.under(head, {"ADP": "case", "NUM": "nummod", "ADJ": "amod", "DET": "det"}[word.upos])
            return Phrase("NP", list(words), head)
        return Phrase("ADVP", list(words), head)
