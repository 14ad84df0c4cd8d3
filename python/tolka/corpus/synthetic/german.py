"""The German right-hand sides: verb second, verb last, case, endings, separable prefixes."""

# ruff: noqa: S101 (asserts say what the grammar guarantees)
from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.corpus.synthetic.derivation import COMMA, HEAD, JOIN, MARK, NEGATION, PREPOSITION, STOP, TENSE, Clause
from tolka.corpus.synthetic.german_phrases import POSSESSIVE, GermanPhrases, person
from tolka.corpus.synthetic.inflection import ACC, DAT, NOM
from tolka.corpus.synthetic.words import TIGHT_LEFT, Phrase, Word, comma, leaves

if TYPE_CHECKING:
    from tolka.corpus.synthetic.lexicon import GermanVerb

_HABEN: tuple[str, ...] = ("habe", "hast", "hat", "haben", "habt", "haben")
_SEIN: tuple[str, ...] = ("bin", "bist", "ist", "sind", "seid", "sind")
_WAR: tuple[str, ...] = ("war", "warst", "war", "waren", "wart", "waren")
_WERDEN: tuple[str, ...] = ("werde", "wirst", "wird", "werden", "werdet", "werden")
_WURDE: tuple[str, ...] = ("wurde", "wurdest", "wurde", "wurden", "wurdet", "wurden")
_MARKS = {"that": "dass", "whether": "ob", "because": "weil", "if": "wenn", "while": "während"}
_WH = {"why": "warum", "when": "wann"}
_JOINERS = {"and": "und", "but": "aber"}
_KNOWN = {"def", "this", *POSSESSIVE}


class German(GermanPhrases):
    """Realises a derivation, clause by clause."""

    def sentence(self, top: Clause) -> Phrase:
        """The whole sentence with its full stop or question mark."""
        clause = self.clause(top)
        parts: list[Phrase | Word] = [clause]
        if top.joined is not None:
            second = self.clause(top.joined)
            joiner = Word(_JOINERS[top.joiner], _JOINERS[top.joiner], "CCONJ", top, (top.id + JOIN,))
            joiner.under(second.head, "cc")
            second.under(clause.head, "conj")
            if top.joiner == "but":
                parts.append(comma(top, second.head, (top.id + COMMA,)))
            parts += [joiner, second]
        mark = "?" if top.question else "."
        stop = Word(mark, mark, "PUNCT", top, (top.id + STOP,)).under(clause.head, "punct")
        stop.tight = TIGHT_LEFT
        return Phrase("TOP", [*parts, stop], clause.head)

    def clause(self, node: Clause, topic: list[Phrase] | None = None) -> Phrase:
        """A clause in the order its role asks for; `topic` receives an object that the clause above puts first."""
        outer, self.moved = self.moved, []
        finite, cluster, main = self._verbs(node)
        middle, fronted = self._middle(node, main, topic)
        after: list[Phrase | Word] = list(self.moved)
        self.moved = outer
        if node.infinitive is not None and node.front != "topic":
            inner = self.clause(node.infinitive).under(main, "xcomp")
            bare = all(word.upos in {"PART", "VERB"} for word in leaves(inner, []))  # "zu tanzen" takes no comma
            after += [inner] if bare else [comma(node.infinitive, inner.head), inner]
        for clause, relation in ((node.complement, "ccomp"), (node.subordinate, "advcl")):
            if clause is not None and not (clause is node.subordinate and node.front == "clause"):
                inner = self._marked(clause).under(main, relation)
                after += [comma(clause, inner.head), inner, comma(clause, inner.head)]
        final = Phrase("VP", [*middle, *cluster], main)
        if node.role == "main":
            assert finite is not None
            opening: list[Phrase | Word] = [*fronted, finite]
            return Phrase("S", [*opening, final, *after] if final.parts else [*opening, *after], main)
        if node.role == "infinitive":
            return Phrase("VP", [*final.parts, *after], main)
        return Phrase("S", [*fronted, final, *after], main)

    def _marked(self, node: Clause) -> Phrase:
        self.labels.add("verb-final")
        clause = self.clause(node)
        mark = Word(_MARKS[node.role], _MARKS[node.role], "SCONJ", node, (node.id + MARK,)).under(clause.head, "mark")
        return Phrase("SBAR", [mark, clause], clause.head)

    def _middle(
        self, node: Clause, main: Word, topic: list[Phrase] | None
    ) -> tuple[list[Phrase | Word], list[Phrase | Word]]:
        """The middle field, and what stands before the finite verb (or before everything, for a relative pronoun)."""
        fields = self._adverbials(node, main)
        if node.subject is not None:
            relation = "nsubj:pass" if node.passive else "nsubj"
            fields["subject"] = self.noun_phrase(node.subject, NOM).under(main, relation)
        if node.recipient is not None:
            fields["recipient"] = self.noun_phrase(node.recipient, DAT).under(main, "obl:arg")
        if node.object is not None:
            self._object(node, main, fields)
        if node.place is not None and node.verb is not None:
            fields["place"] = self.place(node.place).under(main, "obl")
        if node.front == "topic" and node.infinitive is not None:
            waiting: list[Phrase] = []
            fields["infinitive"] = self.clause(node.infinitive, waiting).under(main, "xcomp")
            fields["topic"] = waiting[0]
            self.labels.add("topicalised")
        if node.subordinate is not None and node.front == "clause":
            inner = self._marked(node.subordinate).under(main, "advcl")
            mark = comma(node.subordinate, inner.head, (node.subordinate.id + COMMA,))
            fields["clause"] = Phrase("SBAR", [inner, mark], inner.head)
        first: list[Phrase | Word] = [fields.pop(name) for name in self._first(node)]
        if topic is not None:
            topic.append(fields.pop("object"))
        return [*self._ordered(node, fields), *self._predicate(node, main)], first

    def _first(self, node: Clause) -> list[str]:
        """What stands before the finite verb, or opens a relative clause."""
        if node.role == "relative":
            return ["subject" if node.subject is not None and node.subject.kind == "relative" else "object"]
        if node.role != "main" or node.question == "yes-no":
            return []
        chosen = "wh" if node.question in _WH else "object" if node.question == "what" else node.front
        if chosen != "subject":
            self.labels.add("inversion")
        return [chosen]

    def _adverbials(self, node: Clause, main: Word) -> dict[str, Phrase]:
        """When, how likely, how often, how; question adverb and negation."""
        fields: dict[str, Phrase] = {}
        for kind, adverb in node.adverbs.items():
            fields[kind] = self.adverb(adverb).under(main, "obl" if len(adverb.adverb.de) > 1 else "advmod")
        small = []
        if node.question in _WH:
            small.append(("wh", _WH[node.question], "ADV", MARK))
        if node.polarity == "never":
            small.append(("never", "nie", "ADV", NEGATION))
        elif node.polarity == "not" and (node.object is None or node.object.determiner != "no"):
            small.append(("not", "nicht", "PART", NEGATION))
        for name, form, upos, slot in small:
            word = Word(form, form, upos, node, (node.id + slot,)).under(main, "advmod")
            fields[name] = Phrase("ADVP", [word], word)
        return fields

    def _object(self, node: Clause, main: Word, fields: dict[str, Phrase]) -> None:
        assert node.object is not None
        verb = node.verb.de if node.verb else None
        preposition = verb.preposition if verb else ""
        if verb and preposition:
            word = Word(preposition, preposition, "ADP", node, (node.id + PREPOSITION,))
            fields["argument"] = self.noun_phrase(node.object, verb.case, word).under(main, "obl:arg")
            self.labels.add("governed-preposition")
        else:
            case = verb.case if verb else ACC
            relation = "obj" if case == ACC else "obl:arg"
            name = "object" if case == ACC or node.object.kind == "relative" else "recipient"
            fields[name] = self.noun_phrase(node.object, case).under(main, relation)

    def _ordered(self, node: Clause, fields: dict[str, Phrase]) -> list[Phrase | Word]:
        """Subject, pronouns (accusative first), when, how likely, known things, how often, new things, nicht, how, where."""
        order = ["subject"]
        for name, phrase in (("object", node.object), ("recipient", node.recipient or node.object)):
            if phrase is not None and phrase.kind in {"pronoun", "same"}:
                order.append(name)
        order += ["time", "sentence"]
        for name, phrase in (("recipient", node.recipient or node.object), ("object", node.object)):
            if phrase is not None and (phrase.kind == "name" or phrase.determiner in _KNOWN):
                order.append(name)
        order += ["frequency", "never", "recipient", "object", "not", "manner", "argument", "place", "infinitive"]
        return [fields.pop(name) for name in order if name in fields]

    def _predicate(self, node: Clause, main: Word) -> list[Phrase | Word]:
        if node.idiom is not None:
            self.labels.add("idiom")
            words = []
            for form in node.idiom.fixed[0]:
                upos = (
                    "NOUN" if form[0].isupper() else "DET" if form in {"den", "die", "das", "dem", "einer"} else "ADP"
                )
                upos = {"zwei": "NUM", "heißen": "ADJ", "neu": "ADV"}.get(form, upos)
                words.append(Word(form, form, upos, node, (node.id + HEAD,)))
            _chain(words, main)
            return [Phrase("NP" if words[-1].upos == "NOUN" else "XP", list(words), words[-1])]
        return []

    def _verbs(self, node: Clause) -> tuple[Word | None, list[Phrase | Word], Word]:
        """The finite verb (None if it stands last), the verbs at the end, and the word that heads the clause."""
        source = node.idiom or node.verb
        if source is None:
            return self._copula(node, last=node.role != "main")
        verb = node.verb.twin if node.twin and node.verb and node.verb.twin else source.de
        anchors: tuple[int, ...] = (node.id + HEAD,)
        if node.verb and not verb.preposition and (node.object is not None or node.passive):
            anchors += (node.id + PREPOSITION,)  # "suchen" renders both words of "look for"
        if verb.prefix:
            self.labels.add("separable")
        if node.role == "infinitive":
            return self._with_zu(node, verb, anchors)
        if node.tense == "present" and not node.passive:
            return self._simple(node, verb, anchors)
        return self._compound(node, verb, anchors)

    def _with_zu(
        self, node: Clause, verb: GermanVerb, anchors: tuple[int, ...]
    ) -> tuple[None, list[Phrase | Word], Word]:
        if verb.prefix:
            main = Word(verb.zu, verb.lemma, "VERB", node, (*anchors, node.id + MARK))
            return None, [main], main
        main = Word(verb.infinitive, verb.lemma, "VERB", node, anchors)
        return None, [Word("zu", "zu", "PART", node, (node.id + MARK,)).under(main, "mark"), main], main

    def _simple(
        self, node: Clause, verb: GermanVerb, anchors: tuple[int, ...]
    ) -> tuple[Word | None, list[Phrase | Word], Word]:
        """The present: the prefix stands last in a main clause and sticks to the verb elsewhere."""
        assert node.subject is not None
        form = verb.present[person(node.subject)]
        if node.role != "main":
            main = Word(verb.prefix + form, verb.lemma, "VERB", node, (*anchors, node.id + TENSE))
            return None, [main], main
        main = Word(form, verb.lemma, "VERB", node, (*anchors, node.id + TENSE))
        if not verb.prefix:
            return main, [], main
        return main, [Word(verb.prefix, verb.prefix, "ADP", node, anchors).under(main, "compound:prt")], main

    def _compound(
        self, node: Clause, verb: GermanVerb, anchors: tuple[int, ...]
    ) -> tuple[Word | None, list[Phrase | Word], Word]:
        """Perfect, future, modal and passive: the helper is finite, participle or infinitive stand last."""
        assert node.subject is not None
        form, forms, lemma = verb.lemma, _WERDEN, "werden"
        if node.passive:
            form, forms = verb.participle, _WERDEN if node.tense == "present" else _WURDE
            self.labels.add("passive")
        elif node.tense == "past":
            form, forms, lemma = verb.participle, _SEIN if verb.sein else _HABEN, "sein" if verb.sein else "haben"
        elif node.modal is not None:
            forms, lemma = node.modal[0].present, node.modal[0].infinitive
        main = Word(form, verb.lemma, "VERB", node, anchors)
        helper = Word(forms[person(node.subject)], lemma, "AUX", node, (node.id + TENSE,))
        helper.under(main, "aux:pass" if node.passive else "aux")
        return (None, [main, helper], main) if node.role != "main" else (helper, [main], main)

    def _copula(self, node: Clause, *, last: bool) -> tuple[Word | None, list[Phrase | Word], Word]:
        assert node.subject is not None
        form = (_WAR if node.tense == "past" else _SEIN)[person(node.subject)]
        verb = Word(form, "sein", "AUX", node, (node.id + HEAD, node.id + TENSE))
        if node.predicate is not None:
            phrase = self._adjective(node.predicate, "")
        else:
            assert node.place is not None
            phrase = self.place(node.place)
        verb.under(phrase.head, "cop")
        return (None, [phrase, verb], phrase.head) if last else (verb, [phrase], phrase.head)


def _chain(words: list[Word], main: Word) -> None:
    """Hang the fixed words of an idiom: each noun on the verb, what stands before it on the noun."""
    relations = {"DET": "det", "ADP": "case", "NUM": "nummod", "ADJ": "amod"}
    waiting: list[Word] = []
    for word in words:
        if word.upos == "NOUN":
            for earlier in waiting:
                earlier.under(word, relations[earlier.upos])
            word.under(main, "obl" if any(w.upos == "ADP" for w in waiting) or word.form[:2] == "in" else "obj")
            waiting = []
        elif word.upos == "ADV":
            word.under(main, "advmod")
        else:
            waiting.append(word)
