"""French noun phrases: agreement, adjectives behind the noun, elision and contraction."""

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
    Node,
    NounPhrase,
    Place,
)
from tolka.corpus.synthetic.inflection import french_plural, french_vowel
from tolka.corpus.synthetic.words import TIGHT_RIGHT, Phrase, Word

# Subject, direct clitic, indirect clitic, strong form; person of the verb.
PRONOUN = {
    "I": ("je", "me", "me", "moi", 0),
    "you": ("tu", "te", "te", "toi", 1),
    "he": ("il", "le", "lui", "lui", 2),
    "she": ("elle", "la", "lui", "elle", 2),
    "we": ("nous", "nous", "nous", "nous", 3),
    "You": ("vous", "vous", "vous", "vous", 4),
    "they": ("ils", "les", "leur", "eux", 5),
}
_ELIDED = {"je": "j'", "me": "m'", "te": "t'", "se": "s'", "le": "l'", "la": "l'", "ne": "n'", "de": "d'", "que": "qu'"}
# Masculine, feminine, plural; the masculine serves before a vowel.
_POSSESSIVE = {
    "my": ("mon", "ma", "mes"),
    "your": ("ton", "ta", "tes"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
    "our": ("notre", "notre", "nos"),
    "their": ("leur", "leur", "leurs"),
}


# Masculine, feminine, plural.
_DETERMINERS = {
    "def": ("le", "la", "les"),
    "name": ("le", "la", "les"),
    "indef": ("un", "une", "des"),
    "this": ("ce", "cette", "ces"),
    "every": ("chaque", "chaque", "chaque"),
    **_POSSESSIVE,
}


def person(phrase: NounPhrase) -> int:
    """The person and number the verb agrees with."""
    if phrase.kind == "pronoun":
        return PRONOUN[phrase.name][4]
    return 5 if phrase.plural or phrase.pair else 2


def agreement(phrase: NounPhrase) -> tuple[str, bool]:
    """Gender and whether plural, for adjectives and participles."""
    if phrase.pair is not None:
        return "f" if all(agreement(part)[0] == "f" for part in phrase.pair) else "m", True
    if phrase.word is not None:
        return phrase.word.fr.gender, phrase.plural
    return phrase.gender, phrase.name in {"we", "they"}


def agreeing(masculine: str, feminine: str, phrase: NounPhrase) -> str:
    """The form that agrees with a noun phrase."""
    gender, plural = agreement(phrase)
    form = feminine if gender == "f" else masculine
    return french_plural(form) if plural else form


def written(form: str, upos: str, node: Node, anchors: tuple[int, ...], lemma: str = "") -> Word:
    """A word that knows its form before a vowel and whether it clings to the next word."""
    word = Word(form, lemma or form, upos, node, anchors)
    word.before_vowel = _ELIDED.get(form, "")
    if form[-1] == "'":
        word.tight = TIGHT_RIGHT
    return word


class FrenchPhrases(ABC):
    """Realises one derivation; `labels` collects the phenomena it meets, `domain` decides between quand and si."""

    def __init__(self, labels: set[str], domain: str) -> None:
        self.labels = labels
        self.domain = domain

    @abstractmethod
    def clause(self, node: Clause) -> Phrase:
        """A clause; a noun phrase needs one for its relative clause."""

    def noun_phrase(self, node: NounPhrase, *, subject: bool = False, preposition: Word | None = None) -> Phrase:
        """A noun phrase, maybe behind a preposition, which may melt into the article."""
        kind = node.kind
        if kind == "and":
            return self._pair(node, preposition, subject=subject)
        if kind == "noun":
            phrase = self._full(node, preposition.form if preposition is not None else "")
        else:
            head = self._light(node, subject=subject)
            phrase = Phrase("NP", [head], head)
        if preposition is None:
            return phrase
        preposition.under(phrase.head, "case")
        if preposition.form in {"de", "à"} and kind == "noun":
            self._contract(preposition, phrase)
        return Phrase("PP", [preposition, phrase], phrase.head)

    def _light(self, node: NounPhrase, *, subject: bool) -> Word:
        anchors = (node.id + HEAD,)
        kind = node.kind
        if kind == "name":
            return Word(node.name, node.name, "PROPN", node, anchors)
        if kind == "pronoun":
            forms = PRONOUN[node.name]
            return written(forms[0] if subject else forms[3], "PRON", node, anchors, forms[0])
        if kind == "same":
            gender, plural = agreement(node)
            form = ("elle" if gender == "f" else "il") + ("s" if plural else "")
            return Word(form, form, "PRON", node, anchors)
        form = "qui" if subject else "que"
        return written(form, "PRON", node, anchors)

    def _pair(self, node: NounPhrase, preposition: Word | None, *, subject: bool) -> Phrase:
        """Two conjuncts; de and à are said again before the second."""
        assert node.pair is not None
        again = None
        if preposition is not None and preposition.form in {"de", "à"}:
            again = written(preposition.form, "ADP", preposition.node, preposition.anchors)
            first = self.noun_phrase(node.pair[0], preposition=preposition)
        else:
            first = self.noun_phrase(node.pair[0], subject=subject)
        second = self.noun_phrase(node.pair[1], subject=subject, preposition=again).under(first.head, "conj")
        joiner = Word("et", "et", "CCONJ", node, (node.id + JOIN,)).under(second.head, "cc")
        both = Phrase("PP" if again else "NP", [first, joiner, second], first.head)
        if preposition is None or again is not None:
            return both
        return Phrase("PP", [preposition.under(first.head, "case"), both], first.head)

    def _contract(self, preposition: Word, phrase: Phrase) -> None:
        first = phrase.parts[0]
        if not isinstance(first, Word) or first.upos != "DET":
            return
        merged = {("de", "les"): "des", ("à", "les"): "aux", ("de", "le"): "du", ("à", "le"): "au"}
        form = merged.get((preposition.form, first.form))
        if form is None or (first.form == "le" and french_vowel(_first_form(phrase.parts[1]))):
            return
        preposition.form, preposition.before_vowel = form, ""
        preposition.anchors += first.anchors
        del phrase.parts[0]
        self.labels.add("contraction")

    def _full(self, node: NounPhrase, preposition: str) -> Phrase:
        noun, base = node.noun, node.id
        words = [
            written(form, "NOUN", node, tuple(base + part for part in parts), lemma)
            for (form, parts), (lemma, _) in zip(
                noun.fr.plural if node.plural else noun.fr.singular, noun.fr.singular, strict=True
            )
        ]
        head = _compound(words)
        before: list[Phrase | Word] = []
        after: list[Phrase | Word] = []
        if node.number is not None:
            before.append(Word(node.number[2], node.number[2], "NUM", node, (base + NUMBER,)).under(head, "nummod"))
        for adjective in node.adjectives:
            phrase = self._adjective(adjective, node).under(head, "amod")
            (before if adjective.adjective.before else after).append(phrase)
        body: list[Phrase | Word] = [*before, *words, *after]
        early = bool(before) and node.number is None
        parts = [*self._determiner(node, head, _first_form(body[0]), early, preposition), *body]
        if node.determiner == "name":
            owner = Word(node.name, node.name, "PROPN", node, (base + OWNER,)).under(head, "nmod")
            of = written("de", "ADP", node, (base + PREPOSITION,)).under(owner, "case")
            parts.append(Phrase("PP", [of, owner], owner))
        if node.genitive is not None:
            of = written("de", "ADP", node.genitive, (node.genitive.id + PREPOSITION,))
            parts.append(self.noun_phrase(node.genitive, preposition=of).under(head, "nmod"))
        if node.place is not None:
            parts.append(self.place(node.place).under(head, "nmod"))
        if node.relative is not None:
            clause = self.clause(node.relative).under(head, "acl:relcl")
            parts.append(Phrase("SBAR", [clause], clause.head))
        return Phrase("NP", parts, head)

    def _determiner(self, node: NounPhrase, head: Word, following: str, early: bool, preposition: str) -> list[Word]:
        kind, anchors = node.determiner, (node.id + DETERMINER,)
        which = 2 if node.plural else 1 if node.noun.fr.gender == "f" else 0
        if kind == "no" and preposition:  # ne … pas … de holds for plain objects only
            kind = "mass" if node.noun.mass else "indef"
        if node.negation >= 0 and not preposition and kind in {"indef", "mass", "no"}:
            forms = ["de"]
        elif kind in {"indef", "mass"} and preposition == "de" and (node.plural or kind == "mass"):
            forms = []  # de + des, de + du: de alone
        elif kind == "indef" and node.plural and early:
            forms = ["de"]  # de petits verres
        elif kind == "mass":
            self.labels.add("partitive")
            forms = _partitive(following, feminine=which == 1)
        elif kind == "many":
            forms = ["beaucoup", "de"]
        else:
            forms = [_DETERMINERS[kind][which]] if kind in _DETERMINERS else []
        words = [written(form, "DET", node, anchors).under(head, "det") for form in forms]
        if kind == "this":
            words[0].before_vowel = "cet" if words[0].form == "ce" else ""
        elif kind in _POSSESSIVE:
            words[0].before_vowel = "" if node.plural else _POSSESSIVE[kind][0]
        return words

    def _adjective(self, node: AdjectiveNode, agrees: NounPhrase) -> Phrase:
        masculine, feminine, vocalic = node.adjective.fr
        word = Word(agreeing(masculine, feminine, agrees), masculine, "ADJ", node, (node.id + HEAD,))
        if node.adjective.before and agreement(agrees) == ("m", False) and agrees.kind == "noun":
            word.before_vowel = vocalic
        parts: list[Phrase | Word] = [word]
        if node.degree is not None:
            parts.insert(0, self.adverb(node.degree).under(word, "advmod"))
        return Phrase("ADJP", parts, word)

    def place(self, node: Place) -> Phrase:
        """A prepositional phrase."""
        preposition = written(node.adposition.fr, "ADP", node, (node.id + PREPOSITION,))
        return self.noun_phrase(node.phrase, preposition=preposition)

    def adverb(self, node: AdverbNode) -> Phrase:
        """An adverb or a fixed adverbial."""
        words = [written(form, "ADV", node, tuple(node.id + part for part in parts)) for form, parts in node.adverb.fr]
        forms = [word.form for word in words]
        head = words[1] if forms[0] == "la" else words[-1]
        if len(words) > 1 and forms[0] not in {"bien", "à", "aujourd'"}:
            head.upos = "NOUN"
        if forms[0] == "la":  # la semaine dernière
            words[0].anchors = ()
            words[0].upos, words[2].upos = "DET", "ADJ"
            words[0].under(head, "det")
            words[2].under(head, "amod")
        else:
            kinds = {"en": ("ADP", "case"), "avec": ("ADP", "case"), "trois": ("NUM", "nummod"), "à": ("ADP", "case")}
            kinds |= {"chaque": ("DET", "det"), "un": ("DET", "det")}
            for word in words[:-1]:
                word.upos, relation = kinds.get(word.form, ("ADV", "fixed"))
                word.under(head, relation)
        return Phrase("NP" if head.upos == "NOUN" else "ADVP", list(words), head)


def _partitive(following: str, *, feminine: bool) -> list[str]:
    if french_vowel(following):
        return ["de", "l'"]
    return ["de", "la"] if feminine else ["du"]


def _first_form(part: Phrase | Word) -> str:
    while isinstance(part, Phrase):
        part = part.parts[0]
    return part.form


def _compound(words: list[Word]) -> Word:
    """The first word heads a French compound; what follows it hangs below."""
    head = words[0]
    if head.form in {"petit", "petits"}:
        head = words[1]
        words[0].upos = "ADJ"
        words[0].under(head, "amod")
        return head
    for position, word in enumerate(words[1:], start=1):
        if word.form in {"de", "d'", "à"}:
            word.upos = "ADP"
            word.under(words[position + 1], "case")
        elif words[position - 1].form in {"de", "d'", "à"}:
            word.under(head, "nmod")
        else:
            word.under(head, "amod")
    return head
