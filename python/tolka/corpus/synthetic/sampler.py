"""Draws derivations: which rules, which words, how often. All choices come from one generator per example."""

# ruff: noqa: S101, PLR2004 (asserts say what the grammar guarantees and odds and columns are numbers)
from __future__ import annotations

from tolka.corpus.synthetic.choices import adjectives_for, adverbs_of, group, nouns_of, verbs_of, verbs_with
from tolka.corpus.synthetic.derivation import NEGATION, AdverbNode, Clause, NounPhrase
from tolka.corpus.synthetic.inflection import ACC
from tolka.corpus.synthetic.lexicon import BOTH, HOME, Verb, lexicon
from tolka.corpus.synthetic.prng import Urn
from tolka.corpus.synthetic.sampler_phrases import LOCATED, MAX_DEPTH, PhraseSampler

_TENSES = Urn(["present", "past", "future", "modal"], [40, 34, 9, 17])
_KINDS = Urn(
    ["simple", "question", "joined", "complement", "infinitive", "subordinate"],
    [46, 10, 11, 11, 9, 13],
)
_QUESTIONS = Urn(["yes-no", "why", "who", "what", "when"], [45, 18, 15, 12, 10])
_FRAMES = Urn(["object", "none", "recipient", "marked", "dir", "loc"], [56, 13, 11, 12, 5, 3])


_PERSON = frozenset({"person"})
_MASS = frozenset({"foodmass", "drink"})
_SPECIFIC = frozenset({"def", "this", "my", "his", "her", "our", "your", "their"})
_SUBJECTS = {
    HOME: ("person", "animal", "food", "thing", "furniture", "vehicle", "cloth", "text", "room", "part", "door"),
    "tech": ("person", "software", "device", "data", "code", "feature", "problem", "widget"),
}


class Sampler(PhraseSampler):
    """Draws one derivation, from the sentence down."""

    # Sentences

    def sentence(self) -> Clause:
        """A whole derivation."""
        kind = _KINDS.draw(self.prng)
        if kind == "question":
            return self._question()
        if kind == "joined":
            return self._joined()
        if kind == "complement":
            return self._complement()
        if kind == "infinitive":
            top = self._trying()
            self._order(top)
            return top
        top = self.clause("main", 0)
        if kind == "subordinate":
            self._subordinate(top)
        self._order(top)
        return top

    def _question(self) -> Clause:
        kind = _QUESTIONS.draw(self.prng)
        subject = NounPhrase(self.number(), "who") if kind == "who" else None
        verb = None
        if kind == "what":
            while verb is None or verb.objects <= {"person"}:
                verb = verbs_of(self.domain, "object").draw(self.prng)
        top = self.clause("main", 1, subject=subject, verb=verb, question=kind)
        if kind == "what":
            top.object = NounPhrase(self.number(), "what")
        self.labels |= {"question", f"question-{kind}"}
        return top

    def _joined(self) -> Clause:
        """Two clauses; the second takes up the object of the first with a pronoun where it can."""
        top = self.clause("main", 1)
        target = top.object
        second = None
        if target is not None and target.kind == "noun" and target.noun.kind != "person" and not top.polarity:
            second = self._taking_up(target)
        if second is None:
            second = self.clause("main", 1)
        else:
            self.labels.add("anaphora")
        top.joined = second
        top.joiner = "but" if second.polarity or self.prng.chance(0.25) else "and"
        self.labels.add("coordination")
        self._order(top)
        return top

    def _taking_up(self, target: NounPhrase) -> Clause | None:
        noun = target.noun
        again = NounPhrase(self.number(), "same", noun)
        again.plural, again.twin = target.plural, target.twin
        if self.prng.chance(0.4) and not noun.mass:
            adjectives = adjectives_for(self.domain, noun.kind)
            if adjectives is not None:
                clause = Clause(self.number(), "main", again)
                clause.predicate = self.adjective(adjectives, degree=0.4)
                return clause
        verbs = verbs_with(self.domain, "object", noun.kind)
        if verbs is None:
            return None
        verb = verbs.draw(self.prng)
        return self.clause("main", MAX_DEPTH, verb=verb, given=again)

    def _complement(self) -> Clause:
        verb = verbs_of(self.domain, "clause").draw(self.prng)
        role = verb.clauses[self.prng.below(len(verb.clauses))]
        top = Clause(self.number(), "main", self.subject(verb.subjects, 1))
        self._with_verb(top, verb)
        top.tense = "past" if not verb.present and self.prng.chance(0.4) else "present"
        if role == "whether" and "that" in verb.clauses:
            top.polarity = "not"
            self.labels.add("negation")
        tense = "past" if top.tense == "past" else ""
        top.complement = self.clause(role, 1, tense=tense)
        self._tense_label(top)
        return top

    def _trying(self) -> Clause:
        verb = verbs_of(self.domain, "inf").draw(self.prng)
        top = Clause(self.number(), "main", self.subject(verb.subjects, 0))
        self._with_verb(top, verb)
        top.tense = "past" if not verb.present and self.prng.chance(0.6) else "present"
        while True:
            inner = verbs_of(self.domain, _FRAMES.draw(self.prng)).draw(self.prng)
            if "person" in inner.subjects and not inner.present and not inner.fr.reflexive:
                break
        top.infinitive = self.clause("infinitive", 1, verb=inner)
        self.labels.add("zu-infinitive")
        self._tense_label(top)
        return top

    def _subordinate(self, top: Clause) -> None:
        draw = self.prng.unit()
        if draw < 0.55:
            role, tense = "because", ""
        elif draw < 0.85 and top.tense in {"present", "modal", "future"}:
            role, tense = "if", "present"
        elif top.tense == "present":
            role, tense = "while", "present"
        else:
            role, tense = "because", ""
        top.subordinate = self.clause(role, 1, tense=tense)

    # Clauses

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
        """A clause; what is not given is drawn."""
        prng = self.prng
        node = Clause(self.number(), role, subject)
        node.question = question
        if verb is None and not gap and subject is None and question not in {"what", "who"}:
            draw = prng.unit()
            if draw < 0.035 and role != "infinitive":
                return self._idiom(node, tense)
            if draw < 0.19:
                return self._being(node, depth, tense)
        if verb is None:
            frame = _FRAMES.draw(prng)
            verb = verbs_of(self.domain, frame).draw(prng)
            while question == "who" and "person" not in verb.subjects:
                verb = verbs_of(self.domain, frame).draw(prng)
        self._with_verb(node, verb)
        if role != "infinitive":
            self._choose_tense(node, verb, tense, question)
        passive = (
            verb.passive
            and verb.objects - _MASS
            and role != "infinitive"
            and not (gap or given or question in {"who", "what"})
        )
        if passive and node.tense in {"present", "past"} and prng.chance(0.09):
            node.passive = True
            node.subject = self.noun_phrase(verb.objects - _MASS, depth)
        else:
            if role != "infinitive" and node.subject is None:
                node.subject = self.subject(verb.subjects, depth)
            self._complements(node, verb, depth, given)
        self._willing(node)
        if role != "infinitive":
            self._polarity(node)
        self._adverbs(node, verb)
        self._extrapose(node)
        return node

    def _willing(self, node: Clause) -> None:
        """Only people want something; a server can."""
        subject = node.subject
        if node.modal is not None and node.modal[1] == "want" and subject is not None:
            noun = subject.pair[0].word if subject.pair else subject.word
            if noun is not None and noun.kind not in {"person", "animal"}:
                node.modal = lexicon().modals[0]

    def _with_verb(self, node: Clause, verb: Verb) -> None:
        node.verb = verb
        node.twin = verb.twin is not None and self.twin(verb.twin.lemma)
        if verb.de.lemma in lexicon().ambiguous:
            self.labels.add("ambiguous")

    def _choose_tense(self, node: Clause, verb: Verb | None, tense: str, question: str) -> None:
        node.tense = tense or _TENSES.draw(self.prng)
        if verb is not None and verb.present:
            node.tense = "present"
        if question == "when" and node.tense not in {"past", "future"}:
            node.tense = "past"
        if verb is None and node.tense not in {"present", "past"}:
            node.tense = "present"
        if node.tense == "modal":
            node.modal = lexicon().modals[self.prng.below(3)]
        self._tense_label(node)

    def _tense_label(self, node: Clause) -> None:
        self.labels.add({"past": "perfect"}.get(node.tense, node.tense))

    def _idiom(self, node: Clause, tense: str) -> Clause:
        idioms = [idiom for idiom in lexicon().idioms if idiom.domain in {self.domain, BOTH}]
        node.idiom = idioms[self.prng.below(len(idioms))]
        node.subject = self.subject(node.idiom.subjects, MAX_DEPTH)
        node.tense = tense or ("past" if self.prng.chance(0.6) or node.question == "when" else "present")
        self._tense_label(node)
        if node.question != "when":
            self._adverb(node, "time", 0.3)
        return node

    def _being(self, node: Clause, depth: int, tense: str) -> Clause:
        """X is adjective; X is somewhere."""
        located = self.prng.chance(0.25)
        kinds = LOCATED if located else None
        while True:
            nouns = nouns_of(self.domain, kinds or frozenset(_SUBJECTS[self.domain]))
            assert nouns is not None
            noun = nouns.draw(self.prng)
            adjectives = None if located else adjectives_for(self.domain, noun.kind)
            if located or adjectives is not None:
                break
        if noun.kind == "person" and self.prng.chance(0.5):
            node.subject = self.person()
        else:
            node.subject = self.noun_phrase(frozenset({noun.kind}), depth, noun=noun)
        if located:
            node.place = self.place(0, net=False)
        else:
            assert adjectives is not None
            node.predicate = self.adjective(adjectives, degree=0.25)
        self._choose_tense(node, None, tense, "")
        if node.question == "when":
            node.tense = "past"
        self._polarity(node)
        if node.question != "when" and node.tense == "past":
            self._adverb(node, "time", 0.25)
        if not node.polarity and "time" not in node.adverbs:
            self._adverb(node, "frequency", 0.08)
        self._sentence_adverb(node)
        return node

    def _complements(self, node: Clause, verb: Verb, depth: int, given: NounPhrase | None) -> None:
        prng = self.prng
        if given is not None:
            node.object = given
        elif verb.objects and node.question != "what":
            if "person" in verb.objects and prng.chance(0.35):
                node.object = self.person(subject=node.subject)
            else:
                node.object = self.noun_phrase(verb.objects, depth, relative=0.0 if verb.frame == "recipient" else 0.2)
            if node.object.kind == "noun" and prng.chance(0.04):
                node.object = self._pair(node.object, verb.objects)
        if verb.frame == "recipient":
            person = prng.chance(0.55)
            node.recipient = self.person(subject=node.subject) if person else self.noun_phrase(_PERSON, MAX_DEPTH)
        if verb.frame in {"loc", "dir"}:
            node.place = self.place(0 if verb.frame == "loc" else 1, net=False)
        elif prng.chance(0.1) and not verb.present and "place" not in verb.objects and not _located(node):
            node.place = self.place(0, net=verb.frame == "object")

    def _polarity(self, node: Clause) -> None:
        prng = self.prng
        must = node.modal is not None and node.modal[1] == "must"
        if node.question in {"what", "when", "who"} or node.role == "relative" or must:
            return
        draw = prng.unit()
        if draw >= 0.15:
            return
        node.polarity = "not" if draw < 0.12 or node.question else "never"
        if node.polarity == "never" and (node.tense == "future" or (node.verb is not None and node.verb.present)):
            node.polarity = "not"
        self.labels.add("negation")
        if node.subject is not None and node.subject.determiner in {"every", "many"}:
            node.subject.determiner = "def"  # "every … not" says different things in different languages
        target = node.object
        if target is None or target.kind != "noun":
            return
        if target.determiner in {"every", "many", "number"}:
            target.determiner, target.number = "def", None
        preposition = node.verb is not None and (node.verb.de.preposition or node.verb.de.case != ACC)
        if target.determiner in {"indef", "mass"} and not preposition:
            target.negation = node.id + NEGATION
            if node.polarity == "not":
                target.determiner = "no"

    def _adverbs(self, node: Clause, verb: Verb) -> None:
        if node.role == "infinitive":
            if not verb.steady:
                self._adverb(node, "manner", 0.08)
            return
        if verb.present or (node.object is not None and node.object.relative is not None):
            return  # states have no time of day, and an adverb behind a relative clause would seem to belong to it
        if node.question != "when":
            self._adverb(node, "time", 0.22 if node.role != "relative" else 0.08)
        if (
            node.polarity == ""
            and node.tense in {"present", "past"}
            and not node.passive
            and "time" not in node.adverbs
        ):
            self._adverb(node, "frequency", 0.09)
        if node.polarity == "" and not verb.steady and verb.frame not in {"dir", "loc"} and node.role != "relative":
            self._adverb(node, "manner", 0.09)
        self._sentence_adverb(node)

    def _sentence_adverb(self, node: Clause) -> None:
        if node.role == "main" and not node.question:
            self._adverb(node, "sentence", 0.07)

    def _adverb(self, node: Clause, kind: str, probability: float) -> None:
        if self.prng.chance(probability):
            urn = adverbs_of(self.domain, kind, node.tense)
            if urn is not None:
                node.adverbs[kind] = AdverbNode(self.number(), urn.draw(self.prng))

    def _extrapose(self, node: Clause) -> None:
        """Move a relative clause behind the German verb where a verb stands last."""
        bracket = node.tense != "present" or node.passive or node.role != "main" or (node.verb and node.verb.de.prefix)
        for phrase in (node.object, node.subject):
            if phrase is None or phrase.relative is None:
                continue
            lonely = phrase is node.object or (node.verb is not None and node.verb.frame == "none")
            if bracket and lonely and self.prng.chance(0.7):
                phrase.extraposed = True
                self.labels.add("extraposition")
            return

    def _order(self, top: Clause) -> None:
        """Choose what stands first."""
        prng = self.prng
        if top.subordinate is not None and prng.chance(0.4):
            top.front = "clause"
            return
        inner = top.infinitive
        if inner is not None and prng.chance(0.2):
            self._adverb(top, "time", 1)
            top.front, top.front_everywhere = "time", True
            return
        if inner is not None and self._liftable(inner) and prng.chance(0.5):
            top.front = "topic"
            return
        if "sentence" in top.adverbs and prng.chance(0.5):
            top.front = "sentence"
        elif "time" in top.adverbs and prng.chance(0.5):
            top.front, top.front_everywhere = "time", prng.chance(0.5)
        elif top.place is not None and top.verb is not None and prng.chance(0.2):
            top.front, top.front_everywhere = "place", top.verb.frame not in {"dir", "loc"} and prng.chance(0.6)
        elif self._topical(top) and prng.chance(0.1):
            top.front = "object"
            self.labels.add("object-first")

    def _liftable(self, inner: Clause) -> bool:
        """Whether the object of an infinitive may come first and leave the rest behind."""
        target = inner.object
        if inner.verb is None or group(inner.verb) != "object" or inner.place is not None or inner.adverbs:
            return False
        return (
            target is not None and target.kind == "noun" and target.determiner in _SPECIFIC and target.relative is None
        )

    def _topical(self, top: Clause) -> bool:
        """An object may come first if case shows who does what."""
        target, subject = top.object, top.subject
        if target is None or subject is None or top.verb is None or group(top.verb) not in {"object", "recipient"}:
            return False
        if target.kind != "noun" or target.determiner not in _SPECIFIC or target.relative is not None:
            return False
        if subject.kind == "pronoun":
            return subject.name in {"I", "you", "he", "we"}
        marked = not target.plural and target.german_gender == "m"
        return marked or (subject.kind == "noun" and not subject.plural and subject.german_gender == "m")


def _located(node: Clause) -> bool:
    """Whether something in the clause already says where, or could be taken to."""
    phrases = [phrase for phrase in (node.subject, node.object) if phrase is not None]
    return any(phrase.place is not None or phrase.relative is not None for phrase in phrases)
