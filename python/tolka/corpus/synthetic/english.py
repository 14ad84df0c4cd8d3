"""The English right-hand sides: subject first, do-support, particles, adverbs in their places."""

# ruff: noqa: S101 (asserts say what the grammar guarantees)
from __future__ import annotations

from tolka.corpus.synthetic.derivation import (
    COMMA,
    HEAD,
    JOIN,
    MARK,
    NEGATION,
    PREPOSITION,
    STOP,
    TENSE,
    AdverbNode,
    Clause,
    NounPhrase,
)
from tolka.corpus.synthetic.english_phrases import EnglishPhrases, person
from tolka.corpus.synthetic.words import TIGHT_LEFT, Phrase, Word, comma

_POSSESSIVE = {"I": "my", "you": "your", "he": "his", "she": "her", "we": "our", "You": "your", "they": "their"}
THIRD = 2  # third person singular
_BE = ("am", "are", "is", "are", "are", "are")
_WAS = ("was", "were", "was", "were", "were", "were")
_DO = ("do", "do", "does", "do", "do", "do")
_WANT = ("want", "want", "wants", "want", "want", "want")
_MARKS = {"that": "that", "whether": "whether", "because": "because", "while": "while"}
_WH = {"why": "why", "when": "when"}
_WITH_COMMA = {"unfortunately", "of"}


def possessor(phrase: NounPhrase) -> str:
    """The possessive that refers to the subject."""
    if phrase.kind == "pronoun":
        return _POSSESSIVE[phrase.name]
    if phrase.plural or phrase.pair:
        return "their"
    if phrase.kind == "who":
        return "his"
    if phrase.kind == "name" or (phrase.word is not None and phrase.word.kind == "person"):
        return {"m": "his", "f": "her"}[phrase.gender]
    return "its"


class English(EnglishPhrases):
    """Realises a derivation, clause by clause."""

    def sentence(self, top: Clause) -> Phrase:
        """The whole sentence with its full stop or question mark."""
        clause = self.clause(top)
        parts: list[Phrase | Word] = [clause]
        if top.joined is not None:
            second = self.clause(top.joined).under(clause.head, "conj")
            joiner = Word(top.joiner, top.joiner, "CCONJ", top, (top.id + JOIN,)).under(second.head, "cc")
            if top.joiner == "but":
                parts.append(comma(top, second.head, (top.id + COMMA,)))
            parts += [joiner, second]
        mark = "?" if top.question else "."
        stop = Word(mark, mark, "PUNCT", top, (top.id + STOP,)).under(clause.head, "punct")
        stop.tight = TIGHT_LEFT
        return Phrase("TOP", [*parts, stop], clause.head)

    def clause(self, node: Clause) -> Phrase:
        """A clause; subject before verb except in questions."""
        helpers, main, core = self._verbs(node)
        front = node.front if node.front_everywhere else ""
        opening = self._opening(node, main, front)
        wh, subject, objects = self._arguments(node, main)
        inverted = bool(node.question) and node.question != "who"
        before, middle = self._middle(node, main, helpers, inverted=inverted)
        inside = [*core, *self._rest(node, main, objects, front)]
        if node.role == "infinitive":
            to = Word("to", "to", "PART", node, (node.id + MARK,)).under(main, "mark")
            parts: list[Phrase | Word] = [Phrase("VP", [to, *middle, *inside], main)]
        elif inverted:
            parts = [*opening, *wh, helpers[0], *subject, *before, Phrase("VP", [*middle, *inside], main)]
        elif helpers:
            verbs = Phrase("VP", [*before, helpers[0], *middle, Phrase("VP", inside, main)], main)
            parts = [*opening, *wh, *subject, verbs]
        else:
            parts = [*opening, *wh, *subject, Phrase("VP", [*before, *middle, *inside], main)]
        return self._finished(node, parts, main)

    def _opening(self, node: Clause, main: Word, front: str) -> list[Phrase | Word]:
        """What stands before the subject."""
        opening: list[Phrase | Word] = []
        adverbs = node.adverbs
        if node.subordinate is not None and node.front == "clause":
            inner = self._marked(node.subordinate).under(main, "advcl")
            mark = comma(node.subordinate, inner.head, (node.subordinate.id + COMMA,))
            opening.append(Phrase("SBAR", [inner, mark], inner.head))
        if "sentence" in adverbs and adverbs["sentence"].adverb.en[0][0] != "probably":
            phrase = self.adverb(adverbs["sentence"]).under(main, "advmod")
            opening.append(phrase)
            if adverbs["sentence"].adverb.en[0][0] in _WITH_COMMA:
                opening.append(comma(adverbs["sentence"], phrase.head))
        if front == "time":
            opening.append(self._adverbial(adverbs["time"], main))
        if front == "place" and node.place is not None:
            place = self.place(node.place).under(main, "obl")
            opening += [place, comma(node.place, place.head)]
        return opening

    def _middle(
        self, node: Clause, main: Word, helpers: list[Word], *, inverted: bool
    ) -> tuple[list[Phrase | Word], list[Phrase | Word]]:
        """Short adverbs before the helping verb, and those after it with the negation."""
        before: list[Phrase | Word] = []
        middle: list[Phrase | Word] = []
        if node.polarity == "not" and helpers[0].form == "can" and not inverted:
            helpers[0].form = "cannot"
            helpers[0].anchors += (node.id + NEGATION,)
        elif node.polarity:
            form, upos = ("not", "PART") if node.polarity == "not" else ("never", "ADV")
            middle.append(Word(form, form, upos, node, (node.id + NEGATION,)).under(main, "advmod"))
        if "frequency" in node.adverbs:
            middle.append(self.adverb(node.adverbs["frequency"]).under(main, "advmod"))
        if "sentence" in node.adverbs and node.adverbs["sentence"].adverb.en[0][0] == "probably":
            likely = self.adverb(node.adverbs["sentence"]).under(main, "advmod")
            if helpers and helpers[0].lemma == "do":
                before.append(likely)  # "probably does not", but "will probably not"
            else:
                middle.insert(0, likely)
        return before, middle

    def _finished(self, node: Clause, parts: list[Phrase | Word], main: Word) -> Phrase:
        """Add the clauses that come last."""
        if node.infinitive is not None:
            parts.append(self.clause(node.infinitive).under(main, "xcomp"))
        if node.complement is not None:
            parts.append(self._marked(node.complement).under(main, "ccomp"))
        if node.subordinate is not None and node.front != "clause":
            parts.append(self._marked(node.subordinate).under(main, "advcl"))
        return Phrase("S", parts, main)

    def _marked(self, node: Clause) -> Phrase:
        clause = self.clause(node)
        form = ("when" if self.domain == "home" else "if") if node.role == "if" else _MARKS[node.role]
        mark = Word(form, form, "SCONJ", node, (node.id + MARK,)).under(clause.head, "mark")
        return Phrase("SBAR", [mark, clause], clause.head)

    def _adverbial(self, node: AdverbNode, main: Word) -> Phrase:
        phrase = self.adverb(node)
        return phrase.under(main, "advmod" if phrase.label == "ADVP" else "obl:tmod")

    def _arguments(
        self, node: Clause, main: Word
    ) -> tuple[list[Phrase | Word], list[Phrase | Word], list[Phrase | Word]]:
        """What is asked for or relativised, the subject, the object."""
        wh: list[Phrase | Word] = []
        subject: list[Phrase | Word] = []
        objects: list[Phrase | Word] = []
        if node.question in _WH:
            word = Word(_WH[node.question], _WH[node.question], "ADV", node, (node.id + MARK,)).under(main, "advmod")
            wh.append(Phrase("ADVP", [word], word))
        if node.subject is not None:
            phrase = self.noun_phrase(node.subject, subject=True)
            subject.append(phrase.under(main, "nsubj:pass" if node.passive else "nsubj"))
        if node.object is not None:
            preposition = node.verb.en.preposition if node.verb else ""
            moved = node.object.kind in {"what", "relative"}
            mark = Word(preposition, preposition, "ADP", node, (node.id + PREPOSITION,)) if preposition else None
            phrase = self.noun_phrase(node.object, preposition=None if moved else mark)
            phrase.under(main, "obl" if preposition else "obj")
            if moved:
                wh.append(phrase)
                if mark is not None:
                    objects.append(mark.under(phrase.head, "case"))
            else:
                objects.append(phrase)
        return wh, subject, objects

    def _rest(self, node: Clause, main: Word, objects: list[Phrase | Word], front: str) -> list[Phrase | Word]:
        """Particle and object, recipient, how, where, when."""
        out: list[Phrase | Word] = []
        verb = node.verb.en if node.verb else None
        particle = None
        if verb is not None and verb.particle:
            particle = Word(verb.particle, verb.particle, "ADP", node, (node.id + HEAD,)).under(main, "compound:prt")
            self.labels.add("particle")
        light = node.object is not None and node.object.kind in {"pronoun", "same"}
        if particle is not None and not light:
            out.append(particle)
        out += objects
        if particle is not None and light:
            out.append(particle)
        if node.recipient is not None:
            to = Word("to", "to", "ADP", node.recipient, (node.recipient.id + PREPOSITION,))
            out.append(self.noun_phrase(node.recipient, preposition=to).under(main, "obl"))
        if node.idiom is not None:
            out.append(self._fixed(node, main))
        places: list[Phrase | Word] = []
        if node.place is not None and node.verb is not None and front != "place":
            places.append(self.place(node.place).under(main, "obl"))
        manner: list[Phrase | Word] = []
        if "manner" in node.adverbs:
            manner.append(self._adverbial(node.adverbs["manner"], main))
        directed = node.verb is not None and node.verb.frame in {"dir", "loc"}
        out += [*places, *manner] if directed else [*manner, *places]
        if "time" in node.adverbs and front != "time":
            out.append(self._adverbial(node.adverbs["time"], main))
        return out

    def _fixed(self, node: Clause, main: Word) -> Phrase:
        assert node.idiom is not None
        assert node.subject is not None
        kinds = {"the": "DET", "in": "ADP", "out": "ADP", "of": "ADP", "on": "ADP", "with": "ADP", "up": "ADP"}
        kinds |= {"around": "ADP", "two": "NUM", "one": "NUM", "POSS": "DET", "it": "PRON", "lucky": "ADJ"}
        words = []
        for form in node.idiom.fixed[1]:
            written = possessor(node.subject) if form == "POSS" else form
            words.append(Word(written, written, kinds.get(form, "NOUN"), node, (node.id + HEAD,)))
        hang(words, main)
        return Phrase("NP" if words[0].upos in {"DET", "NUM"} else "XP", list(words), words[-1])

    def _verbs(self, node: Clause) -> tuple[list[Word], Word, list[Phrase | Word]]:
        """Helping verbs, the head of the clause, and the verb phrase's core."""
        source = node.idiom or node.verb
        if source is None:
            return self._copula(node)
        verb, tense = source.en, (node.id + TENSE,)
        anchors: tuple[int, ...] = (node.id + HEAD,)
        if node.verb and not verb.preposition and (node.object is not None or node.passive):
            anchors += (node.id + PREPOSITION,)
        main = Word(verb.base, verb.base, "VERB", node, anchors)
        if node.role == "infinitive":
            return [], main, [main]
        assert node.subject is not None
        who = person(node.subject)
        helpers: list[Word] = []
        if node.passive:
            main.form = verb.participle
            helpers.append(Word((_WAS if node.tense == "past" else _BE)[who], "be", "AUX", node, tense))
        elif node.tense in {"future", "modal"} and (node.modal is None or node.modal[1] != "want"):
            form = node.modal[1] if node.modal is not None else "will"
            helpers.append(Word(form, form, "AUX", node, tense))
        elif node.polarity == "not" or node.question not in {"", "who"}:
            self.labels.add("do-support")
            helpers.append(Word("did" if node.tense == "past" else _DO[who], "do", "AUX", node, tense))
        elif node.modal is None:
            main.form = verb.past if node.tense == "past" else verb.third if who == THIRD else verb.base
            main.anchors += tense
        for helper in helpers:
            helper.under(main, "aux:pass" if node.passive else "aux")
        if node.modal is not None and node.modal[1] == "want":
            return helpers, main, self._wanting(node, who, main, helped=bool(helpers))
        return helpers, main, [main]

    def _copula(self, node: Clause) -> tuple[list[Word], Word, list[Phrase | Word]]:
        assert node.subject is not None
        form = (_WAS if node.tense == "past" else _BE)[person(node.subject)]
        be = Word(form, "be", "AUX", node, (node.id + HEAD, node.id + TENSE))
        if node.predicate is not None:
            phrase = self._adjective(node.predicate)
        else:
            assert node.place is not None
            phrase = self.place(node.place)
        return [be.under(phrase.head, "cop")], phrase.head, [phrase]

    def _wanting(self, node: Clause, who: int, main: Word, *, helped: bool) -> list[Phrase | Word]:
        """`want to` renders wollen; it needs do where a modal would not."""
        tense = (node.id + TENSE,)
        want = Word("want" if helped else _WANT[who], "want", "AUX", node, tense).under(main, "aux")
        return [want, Word("to", "to", "PART", node, tense).under(main, "mark"), main]


def hang(words: list[Word], main: Word) -> None:
    """Hang the fixed words of an idiom on the verb: each noun with what stands before it."""
    relations = {"DET": "det", "ADP": "case", "NUM": "nummod", "ADJ": "amod"}
    waiting: list[Word] = []
    for word in words:
        if word.upos in {"NOUN", "PRON"}:
            for earlier in waiting:
                earlier.under(word, relations[earlier.upos])
            word.under(main, "obl" if any(earlier.upos == "ADP" for earlier in waiting) else "obj")
            waiting = []
        else:
            waiting.append(word)
    for word in waiting:
        word.under(main, "xcomp" if word.upos == "ADJ" else "advmod")
