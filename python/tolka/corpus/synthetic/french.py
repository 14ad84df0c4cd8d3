"""The French right-hand sides: clitics, ne … pas, agreement, adjectives behind the noun, elision and contraction."""

# ruff: noqa: S101 (asserts say what the grammar guarantees)
from __future__ import annotations

from tolka.corpus.synthetic.derivation import COMMA, HEAD, JOIN, MARK, NEGATION, PREPOSITION, STOP, TENSE, Clause, Node
from tolka.corpus.synthetic.french_phrases import PRONOUN, FrenchPhrases, agreeing, agreement, person, written
from tolka.corpus.synthetic.words import TIGHT_LEFT, TIGHT_RIGHT, Phrase, Word, comma, leaves

_SELF = ("me", "te", "se", "nous", "vous", "se")
_RANK = {"me": 0, "te": 0, "se": 0, "nous": 0, "vous": 0, "le": 1, "la": 1, "les": 1, "lui": 2, "leur": 2}
_AVOIR: tuple[str, ...] = ("ai", "as", "a", "avons", "avez", "ont")
_ETRE: tuple[str, ...] = ("suis", "es", "est", "sommes", "êtes", "sont")
_ETAIT: tuple[str, ...] = ("étais", "étais", "était", "étions", "étiez", "étaient")
_ALLER: tuple[str, ...] = ("vais", "vas", "va", "allons", "allez", "vont")
_OWN = ("ma", "ta", "sa", "notre", "votre", "leur")
_MARKS = {"that": ("que",), "whether": ("si",), "because": ("parce", "que"), "while": ("pendant", "que")}
_WH = {"why": "pourquoi", "when": "quand", "what": "que"}
_JOINERS = {"and": "et", "but": "mais"}
_MIDDLE = {"peut-être", "probablement"}


class French(FrenchPhrases):
    """Realises a derivation, clause by clause."""

    def sentence(self, top: Clause) -> Phrase:
        """The whole sentence with its full stop or question mark."""
        clause = self.clause(top)
        parts: list[Phrase | Word] = [clause]
        if top.joined is not None:
            second = self.clause(top.joined).under(clause.head, "conj")
            joiner = written(_JOINERS[top.joiner], "CCONJ", top, (top.id + JOIN,)).under(second.head, "cc")
            if top.joiner == "but":
                parts.append(comma(top, second.head, (top.id + COMMA,)))
            parts += [joiner, second]
        mark = "?" if top.question else "."
        stop = Word(mark, mark, "PUNCT", top, (top.id + STOP,)).under(clause.head, "punct")
        stop.tight = TIGHT_LEFT
        return Phrase("TOP", [*parts, stop], clause.head)

    def clause(self, node: Clause) -> Phrase:
        """A clause: subject, verb with its clitics, objects, adverbials."""
        verbs, main = self._verbs(node)
        front = node.front if node.front_everywhere else ""
        parts = self._opening(node, main, front)
        if node.question and node.question != "who":
            parts += self._asking(node, main)
        if node.object is not None and node.object.kind == "relative":
            parts.append(self.noun_phrase(node.object).under(main, "obj"))
        if node.subject is not None:
            relation = "nsubj:pass" if node.passive else "nsubj"
            parts.append(self.noun_phrase(node.subject, subject=True).under(main, relation))
        body = [*self._verb_group(node, verbs, main), *self._rest(node, main, front)]
        if node.role == "infinitive":
            return Phrase("VP", body, main)
        parts.append(Phrase("VP", body, main))
        if node.infinitive is not None:
            parts.append(self._infinitive(node, main))
        for clause, relation in ((node.complement, "ccomp"), (node.subordinate, "advcl")):
            if clause is not None and not (clause is node.subordinate and node.front == "clause"):
                parts.append(self._marked(clause).under(main, relation))
        return Phrase("S", parts, main)

    def _opening(self, node: Clause, main: Word, front: str) -> list[Phrase | Word]:
        """What stands before the subject, each followed by a comma."""
        parts: list[Phrase | Word] = []
        if node.subordinate is not None and node.front == "clause":
            inner = self._marked(node.subordinate).under(main, "advcl")
            mark = comma(node.subordinate, inner.head, (node.subordinate.id + COMMA,))
            parts.append(Phrase("SBAR", [inner, mark], inner.head))
        phrases: list[Phrase] = []
        if "sentence" in node.adverbs and node.adverbs["sentence"].adverb.fr[0][0] not in _MIDDLE:
            phrases.append(self.adverb(node.adverbs["sentence"]).under(main, "advmod"))
        if front == "time":
            phrases.append(self.adverb(node.adverbs["time"]).under(main, "obl"))
        if front == "place" and node.place is not None:
            phrases.append(self.place(node.place).under(main, "obl"))
        for phrase in phrases:
            parts += [phrase, comma(node, phrase.head)]
        return parts

    def _infinitive(self, node: Clause, main: Word) -> Phrase:
        assert node.infinitive is not None
        assert node.verb is not None
        inner = self.clause(node.infinitive).under(main, "xcomp")
        if node.verb.fr.preposition:
            mark = written(node.verb.fr.preposition, "ADP", node.infinitive, (node.infinitive.id + MARK,))
            inner.parts.insert(0, mark.under(inner.head, "mark"))
        else:
            inner.head.anchors += (node.infinitive.id + MARK,)  # the bare infinitive renders "to read"
        return inner

    def _marked(self, node: Clause) -> Phrase:
        clause = self.clause(node)
        forms = (("quand",) if self.domain == "home" else ("si",)) if node.role == "if" else _MARKS[node.role]
        marks = [written(form, "SCONJ", node, (node.id + MARK,)).under(clause.head, "mark") for form in forms]
        if forms == ("si",) and leaves(clause, [])[0].form in {"il", "ils"}:
            marks[0].before_vowel = "s'"
        if len(marks) > 1:
            marks[0].under(marks[1], "fixed")
        return Phrase("SBAR", [*marks, clause], clause.head)

    def _asking(self, node: Clause, main: Word) -> list[Phrase | Word]:
        words: list[Phrase | Word] = []
        if node.question in _WH:
            source: Node = node.object if node.question == "what" and node.object is not None else node
            anchor = source.id + (HEAD if node.question == "what" else MARK)
            word = written(_WH[node.question], "PRON" if node.question == "what" else "ADV", source, (anchor,))
            words.append(word.under(main, "obj" if node.question == "what" else "advmod"))
        is_it = Word("est-ce", "est-ce", "PART", node, ()).under(main, "expl")
        return [*words, is_it, written("que", "SCONJ", node, ()).under(is_it, "fixed")]

    def _clitics(self, node: Clause, main: Word) -> list[Word]:
        """Pronouns before the verb: me te se nous vous, then le la les, then lui leur."""
        found: list[Word] = []
        verb = node.verb.fr if node.verb else None
        if verb is not None and verb.reflexive:
            who = person(node.subject) if node.subject is not None else 2
            found.append(written(_SELF[who], "PRON", node, (node.id + HEAD,)).under(main, "expl"))
            self.labels.add("reflexive")
        target = node.object
        if target is not None and verb is not None and target.kind in {"pronoun", "same"}:
            anchors: tuple[int, ...] = (target.id + HEAD,)
            if target.kind == "same":
                gender, plural = agreement(target)
                form = "les" if plural else "la" if gender == "f" else "le"
                found.append(written(form, "PRON", target, anchors).under(main, "obj"))
            elif verb.clitic:
                anchors += (node.id + PREPOSITION,)
                found.append(written(PRONOUN[target.name][2], "PRON", target, anchors).under(main, "iobj"))
            elif not verb.preposition:
                found.append(written(PRONOUN[target.name][1], "PRON", target, anchors).under(main, "obj"))
        receiver = node.recipient
        if receiver is not None and receiver.kind == "pronoun":
            anchors = (receiver.id + HEAD, receiver.id + PREPOSITION)
            found.append(written(PRONOUN[receiver.name][2], "PRON", receiver, anchors).under(main, "iobj"))
        if any(word.node is not node for word in found):
            self.labels.add("clitic")
        found.sort(key=lambda word: _RANK[word.form])
        return found

    def _verb_group(self, node: Clause, verbs: list[Phrase | Word], main: Word) -> list[Phrase | Word]:
        """ne, clitics, finite verb, pas, short adverbs, then participle or infinitive."""
        finite, *others = verbs
        clitics = self._clitics(node, main)
        late = node.tense in {"future", "modal"}  # the clitic leans on the infinitive
        out: list[Phrase | Word] = []
        if node.polarity:
            out.append(written("ne", "ADV", node, (node.id + NEGATION,)).under(main, "advmod"))
        if not late:
            out += clitics
        out.append(finite)
        adverbs = node.adverbs
        if "sentence" in adverbs and adverbs["sentence"].adverb.fr[0][0] in _MIDDLE:
            out.append(self.adverb(adverbs["sentence"]).under(main, "advmod"))
        if node.polarity:
            form = "jamais" if node.polarity == "never" else "pas"
            out.append(Word(form, form, "ADV", node, (node.id + NEGATION,)).under(main, "advmod"))
        if "frequency" in adverbs:
            out.append(self.adverb(adverbs["frequency"]).under(main, "advmod"))
        if late:
            out += clitics
        return [*out, *others]

    def _rest(self, node: Clause, main: Word, front: str) -> list[Phrase | Word]:
        """Object, recipient, fixed words, how, where, when."""
        out: list[Phrase | Word] = []
        verb = node.verb.fr if node.verb else None
        target = node.object
        if target is not None and verb is not None and target.kind not in {"what", "relative", "same"}:
            light = target.kind == "pronoun" and (verb.clitic or not verb.preposition)
            if not light:
                mark = None
                if verb.preposition:
                    mark = written(verb.preposition, "ADP", node, (node.id + PREPOSITION,))
                relation = "obl:arg" if verb.preposition else "obj"
                out.append(self.noun_phrase(target, preposition=mark).under(main, relation))
        if node.recipient is not None and node.recipient.kind != "pronoun":
            to = written("à", "ADP", node.recipient, (node.recipient.id + PREPOSITION,))
            out.append(self.noun_phrase(node.recipient, preposition=to).under(main, "obl:arg"))
        if node.idiom is not None:
            out.append(self._fixed(node, main))
        places: list[Phrase | Word] = []
        if node.place is not None and node.verb is not None and front != "place":
            places.append(self.place(node.place).under(main, "obl"))
        manner: list[Phrase | Word] = []
        if "manner" in node.adverbs:
            manner.append(self.adverb(node.adverbs["manner"]).under(main, "advmod"))
        directed = node.verb is not None and node.verb.frame in {"dir", "loc"}
        out += [*places, *manner] if directed else [*manner, *places]
        if "time" in node.adverbs and front != "time":
            out.append(self.adverb(node.adverbs["time"]).under(main, "obl"))
        return out

    def _fixed(self, node: Clause, main: Word) -> Phrase:
        assert node.idiom is not None
        assert node.subject is not None
        kinds = dict.fromkeys(("la", "les", "l'", "POSS", "une"), "DET") | {"deux": "NUM", "juste": "ADV"}
        kinds |= dict.fromkeys(("d'", "de", "dans", "autour", "du", "le"), "ADP") | {"le": "DET"}
        words = []
        for form in node.idiom.fixed[2]:
            written = _OWN[person(node.subject)] if form == "POSS" else form
            word = Word(written, written, kinds.get(form, "NOUN"), node, (node.id + HEAD,))
            word.tight = TIGHT_RIGHT if written[-1] == "'" else 0
            words.append(word)
        relations = {"DET": "det", "ADP": "case", "NUM": "nummod"}
        for position, word in enumerate(words):
            noun = next((later for later in words[position:] if later.upos == "NOUN"), None)
            if word.upos == "NOUN" or noun is None:
                case = position and any(w.upos == "ADP" and w.head is word for w in words[:position])
                word.under(main, "advmod" if noun is None else "obl" if case else "obj")
            else:
                word.under(noun, relations[word.upos])
        return Phrase("NP" if words[-1].upos == "NOUN" else "ADVP", list(words), words[-1])

    def _verbs(self, node: Clause) -> tuple[list[Phrase | Word], Word]:
        """The verbs in order, the finite one first, and the head of the clause."""
        head, tense = (node.id + HEAD,), (node.id + TENSE,)
        if node.verb is None and node.idiom is None:
            return self._copula(node)
        source = node.idiom or node.verb
        assert source is not None
        verb = source.fr
        anchors: tuple[int, ...] = head
        if node.verb and not verb.preposition and (node.object is not None or node.passive):
            anchors += (node.id + PREPOSITION,)
        if node.role == "infinitive":
            main = Word(verb.infinitive, verb.infinitive, "VERB", node, anchors)
            return [main], main
        assert node.subject is not None
        who = person(node.subject)
        if node.passive:
            main = Word(
                agreeing(verb.participle, verb.participle + "e", node.subject), verb.infinitive, "VERB", node, anchors
            )
            if node.tense == "past":
                helpers = [Word(_AVOIR[who], "avoir", "AUX", node, tense), Word("été", "être", "AUX", node, tense)]
            else:
                helpers = [Word(_ETRE[who], "être", "AUX", node, tense)]
            return [*(helper.under(main, "aux:pass") for helper in helpers), main], main
        if node.tense == "present":
            main = Word(verb.present[who], verb.infinitive, "VERB", node, (*anchors, *tense))
            return [main], main
        if node.tense == "past":
            main = Word(self._participle(node), verb.infinitive, "VERB", node, anchors)
            forms, lemma = (_ETRE, "être") if verb.etre else (_AVOIR, "avoir")
        else:
            main = Word(verb.infinitive, verb.infinitive, "VERB", node, anchors)
            forms, lemma = (_ALLER, "aller")
            if node.modal is not None:
                forms, lemma = node.modal[2].present, node.modal[2].infinitive
        helper = Word(forms[who], lemma, "AUX", node, tense).under(main, "aux")
        return [helper, main], main

    def _participle(self, node: Clause) -> str:
        """The participle: with être it agrees with the subject, with avoir with an object that comes first."""
        source = node.idiom or node.verb
        assert source is not None
        participle = source.fr.participle
        if source.fr.etre and node.subject is not None:
            return agreeing(participle, participle + "e", node.subject)
        target = node.object
        if target is not None and (
            target.kind in {"same", "relative"} or (target.kind == "pronoun" and not source.fr.preposition)
        ):
            return agreeing(participle, participle + "e", target)
        return participle

    def _copula(self, node: Clause) -> tuple[list[Phrase | Word], Word]:
        assert node.subject is not None
        form = (_ETAIT if node.tense == "past" else _ETRE)[person(node.subject)]
        verb = Word(form, "être", "AUX", node, (node.id + HEAD, node.id + TENSE))
        if node.predicate is not None:
            phrase = self._adjective(node.predicate, node.subject)
            phrase.head.before_vowel = ""
        else:
            assert node.place is not None
            phrase = self.place(node.place)
        verb.under(phrase.head, "cop")
        return [verb, phrase], phrase.head
