"""The grammar of the synthetic corpus: derivations made by hand, and the sentences a speaker would write for them."""

from itertools import count

import pytest

from tolka.corpus.synthetic import lexicon
from tolka.corpus.synthetic.derivation import NEGATION, AdjectiveNode, AdverbNode, Clause, NounPhrase, Place
from tolka.corpus.synthetic.generator import realise
from tolka.corpus.synthetic.trees import heads, projective

NUMBERS = count(1)


def adjective(german, domain="home", degree=None):
    entry = next(a for a in lexicon().adjectives if a.de == german and a.domain == domain)
    return AdjectiveNode(next(NUMBERS), entry, adverb(degree) if degree else None, twin=False)


def adverb(german):
    entry = next(a for a in lexicon().adverbs if " ".join(form for form, _ in a.de) == german)
    return AdverbNode(next(NUMBERS), entry)


def noun(german, determiner="def", *, kind=None, domain="home", plural=False, adjectives=(), **more):
    found = (n for n in lexicon().nouns if n.de.forms[0] == german and n.domain == domain and kind in {None, n.kind})
    phrase = NounPhrase(next(NUMBERS), "noun", next(found))
    phrase.determiner, phrase.plural, phrase.adjectives = determiner, plural, tuple(adjectives)
    phrase.gender = phrase.noun.fr.gender
    for name, value in more.items():
        setattr(phrase, name, value)
    return phrase


def pronoun(key):
    phrase = NounPhrase(next(NUMBERS), "pronoun", None, key)
    phrase.gender = "f" if key == "she" else "m"
    return phrase


def name(written, gender="m"):
    phrase = NounPhrase(next(NUMBERS), "name", None, written)
    phrase.gender = gender
    return phrase


def gap(phrase):
    again = NounPhrase(next(NUMBERS), "relative", phrase.noun)
    again.plural = phrase.plural
    return again


def same(phrase):
    again = NounPhrase(next(NUMBERS), "same", phrase.noun)
    again.plural = phrase.plural
    return again


def at(german, whither=0, domain="home", **more):
    phrase = noun(german, domain=domain, kind="place", **more)
    return Place(next(NUMBERS), lexicon().places[phrase.noun.place][whither], phrase)


def clause(german, subject=None, role="main", *, domain="home", frame=None, adverbs=(), **more):
    node = Clause(next(NUMBERS), role, subject)
    if german:
        verbs = (v for v in lexicon().verbs if v.de.lemma == german and v.domain in {domain, "both"})
        node.verb = next(v for v in verbs if frame in {None, v.frame})
    for german_adverb in adverbs:
        found = adverb(german_adverb)
        node.adverbs[found.adverb.kind] = found
    for key, value in more.items():
        setattr(node, key, value)
    return node


def said(top, domain="home"):
    """The sentence in three languages."""
    labels: set[str] = set()
    return tuple(realise(language, top, domain, labels)[2] for language in ("de", "en", "fr"))


def nonprojective(top):
    return not projective(heads(realise("de", top, "home", set())[1]))


MODALS = {modal[1]: modal for modal in lexicon().modals}


def test_verb_second_and_verb_last():
    because = clause("schlafen", noun("Hund"), "because")
    top = clause("lesen", noun("Mann"), object=noun("Buch"), subordinate=because)
    assert said(top) == (
        "Der Mann liest das Buch, weil der Hund schläft.",
        "The man reads the book because the dog sleeps.",
        "L'homme lit le livre parce que le chien dort.",
    )
    top.front = "clause"
    assert said(top) == (
        "Weil der Hund schläft, liest der Mann das Buch.",
        "Because the dog sleeps, the man reads the book.",
        "Parce que le chien dort, l'homme lit le livre.",
    )


def test_wenn_is_when_at_home_and_if_in_software():
    top = clause("schlafen", pronoun("I"), subordinate=clause("schlafen", pronoun("he"), "if"))
    assert said(top, "home")[1:] == ("I sleep when he sleeps.", "Je dors quand il dort.")
    assert said(top, "tech")[1:] == ("I sleep if he sleeps.", "Je dors s'il dort.")


@pytest.mark.parametrize(
    ("tense", "expected"),
    [
        (
            "present",
            ("Er ruft heute seine Mutter an.", "He calls his mother today.", "Il appelle sa mère aujourd'hui."),
        ),
        (
            "past",
            (
                "Er hat heute seine Mutter angerufen.",
                "He called his mother today.",
                "Il a appelé sa mère aujourd'hui.",
            ),
        ),
        (
            "future",
            (
                "Er wird heute seine Mutter anrufen.",
                "He will call his mother today.",
                "Il va appeler sa mère aujourd'hui.",
            ),
        ),
    ],
)
def test_separable_verb_and_tenses(tense, expected):
    top = clause("anrufen", pronoun("he"), object=noun("Mutter", "his"), adverbs=["heute"], tense=tense)
    assert said(top) == expected


def test_separable_verb_in_a_subordinate_clause_and_with_zu():
    inner = clause("anrufen", pronoun("he"), "that", object=noun("Mutter", "his"))
    assert said(clause("sagen", pronoun("I"), complement=inner)) == (
        "Ich sage, dass er seine Mutter anruft.",
        "I say that he calls his mother.",
        "Je dis qu'il appelle sa mère.",
    )
    inner = clause("anrufen", None, "infinitive", object=noun("Mutter", "his"))
    assert said(clause("versuchen", pronoun("he"), infinitive=inner)) == (
        "Er versucht, seine Mutter anzurufen.",
        "He tries to call his mother.",
        "Il essaie d'appeler sa mère.",
    )


def test_inversion_after_a_fronted_adverbial():
    top = clause("essen", noun("Kind"), object=noun("Apfel"), adverbs=["heute"], tense="past")
    top.front, top.front_everywhere = "time", True
    assert said(top) == (
        "Heute hat das Kind den Apfel gegessen.",
        "Today the child ate the apple.",
        "Aujourd'hui, l'enfant a mangé la pomme.",
    )


def test_modals():
    top = clause("fahren", noun("Frau"), object=noun("Auto"), tense="modal", modal=MODALS["want"])
    assert said(top) == (
        "Die Frau will das Auto fahren.",
        "The woman wants to drive the car.",
        "La femme veut conduire la voiture.",
    )
    top.polarity = "not"
    assert said(top) == (
        "Die Frau will das Auto nicht fahren.",
        "The woman does not want to drive the car.",
        "La femme ne veut pas conduire la voiture.",
    )
    top.modal = MODALS["can"]
    assert said(top)[1:] == ("The woman cannot drive the car.", "La femme ne peut pas conduire la voiture.")


def test_negation_with_nicht_kein_and_nie():
    top = clause("lesen", noun("Lehrer"), object=noun("Zeitung"), polarity="not")
    assert said(top) == (
        "Der Lehrer liest die Zeitung nicht.",
        "The teacher does not read the newspaper.",
        "Le professeur ne lit pas le journal.",
    )
    book = noun("Buch", "no")
    top = clause("lesen", noun("Lehrer"), object=book, polarity="not")
    book.negation = top.id + NEGATION
    assert said(top) == (
        "Der Lehrer liest kein Buch.",
        "The teacher does not read a book.",
        "Le professeur ne lit pas de livre.",
    )
    top = clause("lesen", noun("Lehrer"), object=noun("Buch"), polarity="never", tense="past")
    assert said(top) == (
        "Der Lehrer hat das Buch nie gelesen.",
        "The teacher never read the book.",
        "Le professeur n'a jamais lu le livre.",
    )


def test_cases_and_adjective_endings():
    gift = noun("Geschenk", "indef", adjectives=[adjective("schön")])
    old = noun("Arzt", adjectives=[adjective("alt")])
    young = noun("Nachbar", "indef", adjectives=[adjective("jung")])
    assert said(clause("geben", old, recipient=young, object=gift)) == (
        "Der alte Arzt gibt einem jungen Nachbarn ein schönes Geschenk.",
        "The old doctor gives a beautiful present to a young neighbour.",
        "Le vieux médecin donne un beau cadeau à un jeune voisin.",
    )
    coats = noun("Mantel", "indef", plural=True, adjectives=[adjective("teuer")])
    assert said(clause("kaufen", noun("Frau", "indef", adjectives=[adjective("müde")]), object=coats)) == (
        "Eine müde Frau kauft teure Mäntel.",
        "A tired woman buys expensive coats.",
        "Une femme fatiguée achète des manteaux chers.",
    )


def test_french_articles_before_adjectives_and_vowels():
    glasses = noun("Glas", "indef", plural=True, adjectives=[adjective("klein")])
    old = noun("Mann", "indef", adjectives=[adjective("alt")])
    assert said(clause("suchen", old, object=glasses)) == (
        "Ein alter Mann sucht kleine Gläser.",
        "An old man looks for small glasses.",
        "Un vieil homme cherche de petits verres.",
    )
    friend = noun("Freundin", "my")
    assert said(clause("trinken", friend, object=noun("Wasser", "mass"))) == (
        "Meine Freundin trinkt Wasser.",
        "My friend drinks water.",
        "Mon amie boit de l'eau.",
    )


def test_genitive_and_possessor():
    roof = noun("Dach", genitive=noun("Zimmer"))
    assert said(clause("reparieren", name("Anna", "f"), object=roof)) == (
        "Anna repariert das Dach des Zimmers.",
        "Anna repairs the roof of the room.",
        "Anna répare le toit de la pièce.",
    )
    dog = noun("Hund", "name", name="Peter", adjectives=[adjective("schwarz")])
    assert said(clause("schlafen", dog)) == (
        "Peters schwarzer Hund schläft.",
        "Peter's black dog sleeps.",
        "Le chien noir de Peter dort.",
    )


def test_contractions():
    top = clause("gehen", noun("Junge"), place=at("Bahnhof", 1))
    assert said(top) == (
        "Der Junge geht zum Bahnhof.",
        "The boy goes to the station.",
        "Le garçon va à la gare.",
    )
    top = clause("arbeiten", pronoun("we"), place=at("Markt"), tense="past")
    assert said(top) == (
        "Wir haben auf dem Markt gearbeitet.",
        "We worked at the market.",
        "Nous avons travaillé au marché.",
    )
    top = clause("gehen", noun("Kind", plural=True), place=at("Garten", 1))
    assert said(top)[0] == "Die Kinder gehen in den Garten."


def test_agreement_of_participles():
    top = clause("gehen", pronoun("she"), place=at("Schule", 1), tense="past")
    assert said(top) == ("Sie ist zur Schule gegangen.", "She went to the school.", "Elle est allée à l'école.")
    top = clause("sehen", pronoun("I"), object=pronoun("she"), tense="past")
    assert said(top) == ("Ich habe sie gesehen.", "I saw her.", "Je l'ai vue.")
    top = clause("waschen", noun("Hemd", plural=True), passive=True, tense="past")
    assert said(top) == ("Die Hemden wurden gewaschen.", "The shirts were washed.", "Les chemises ont été lavées.")


def test_clitics():
    top = clause("geben", pronoun("he"), object=same(noun("Buch")), recipient=pronoun("she"), polarity="not")
    assert said(top) == ("Er gibt es ihr nicht.", "He does not give it to her.", "Il ne le lui donne pas.")
    top = clause("antworten", pronoun("we"), object=pronoun("they"))
    assert said(top) == ("Wir antworten ihnen.", "We answer them.", "Nous leur répondons.")
    top = clause("anmachen", pronoun("You"), object=same(noun("Lampe")))
    assert said(top) == ("Sie machen sie an.", "You turn it on.", "Vous l'allumez.")


def test_reflexive():
    top = clause("einschlafen", noun("Katze"), tense="past")
    assert said(top) == ("Die Katze ist eingeschlafen.", "The cat fell asleep.", "Le chat s'est endormi.")


def test_governed_prepositions():
    top = clause("warten", name("Paul"), object=noun("Bus"))
    assert said(top) == ("Paul wartet auf den Bus.", "Paul waits for the bus.", "Paul attend le bus.")
    top = clause("denken", name("Paul"), frame="object", object=pronoun("she"))
    assert said(top) == ("Paul denkt an sie.", "Paul thinks of her.", "Paul pense à elle.")


def test_know():
    assert said(clause("kennen", pronoun("I"), object=noun("Mann"))) == (
        "Ich kenne den Mann.",
        "I know the man.",
        "Je connais l'homme.",
    )
    inner = clause("arbeiten", pronoun("he"), "whether")
    assert said(clause("wissen", pronoun("I"), complement=inner, polarity="not")) == (
        "Ich weiß nicht, ob er arbeitet.",
        "I do not know whether he works.",
        "Je ne sais pas s'il travaille.",
    )


def test_bank_is_a_bench_at_home_and_a_bank_in_software():
    assert said(clause("malen", pronoun("he"), object=noun("Bank"))) == (
        "Er malt die Bank.",
        "He paints the bench.",
        "Il peint le banc.",
    )
    top = clause("gehen", pronoun("he"), domain="tech", place=at("Bank", 1, domain="tech"))
    assert said(top) == ("Er geht in die Bank.", "He goes to the bank.", "Il va à la banque.")


def test_relative_clauses():
    book = noun("Buch")
    book.relative = clause("kaufen", noun("Frau"), "relative", object=gap(book), tense="past")
    top = clause("lesen", noun("Mann"), object=book, tense="past")
    assert said(top) == (
        "Der Mann hat das Buch, das die Frau gekauft hat, gelesen.",
        "The man read the book that the woman bought.",
        "L'homme a lu le livre que la femme a acheté.",
    )
    assert not nonprojective(top)
    book.extraposed = True
    assert said(top)[0] == "Der Mann hat das Buch gelesen, das die Frau gekauft hat."
    assert nonprojective(top)


def test_relative_clause_of_the_subject():
    girl = noun("Mädchen")
    girl.relative = clause("singen", gap(girl), "relative")
    assert said(clause("lachen", girl)) == (
        "Das Mädchen, das singt, lacht.",
        "The girl who sings laughs.",
        "La fille qui chante rit.",
    )


def test_object_of_an_infinitive_comes_first():
    inner = clause("füttern", None, "infinitive", object=noun("Hund"))
    top = clause("versuchen", name("Martin"), infinitive=inner, tense="past", front="topic")
    assert said(top) == (
        "Den Hund hat Martin zu füttern versucht.",
        "Martin tried to feed the dog.",
        "Martin a essayé de nourrir le chien.",
    )
    assert nonprojective(top)


def test_bare_infinitive_takes_no_comma():
    top = clause("versuchen", name("Martin"), infinitive=clause("tanzen", None, "infinitive"))
    assert said(top) == ("Martin versucht zu tanzen.", "Martin tries to dance.", "Martin essaie de danser.")


@pytest.mark.parametrize(
    ("fixed", "subject", "expected"),
    [
        (
            "ins Gras",
            "I",
            ("Ich habe ins Gras gebissen.", "I kicked the bucket.", "J'ai cassé ma pipe."),
        ),
        (
            "ins Fettnäpfchen",
            "she",
            (
                "Sie ist ins Fettnäpfchen getreten.",
                "She put her foot in it.",
                "Elle a mis les pieds dans le plat.",
            ),
        ),
        (
            "zwei Fliegen mit einer Klappe",
            "we",
            (
                "Wir haben zwei Fliegen mit einer Klappe geschlagen.",
                "We killed two birds with one stone.",
                "Nous avons fait d'une pierre deux coups.",
            ),
        ),
    ],
)
def test_idioms(fixed, subject, expected):
    idiom = next(i for i in lexicon().idioms if " ".join(i.fixed[0]) == fixed)
    assert said(clause("", pronoun(subject), idiom=idiom, tense="past")) == expected


def test_questions():
    top = clause("lesen", noun("Mann"), object=noun("Buch"), question="yes-no")
    assert said(top) == (
        "Liest der Mann das Buch?",
        "Does the man read the book?",
        "Est-ce que l'homme lit le livre\u00a0?",
    )
    what = NounPhrase(next(NUMBERS), "what")
    top = clause("lesen", pronoun("he"), object=what, question="what", tense="past")
    assert said(top) == ("Was hat er gelesen?", "What did he read?", "Qu'est-ce qu'il a lu\u00a0?")
    top = clause("schlafen", NounPhrase(next(NUMBERS), "who"), question="who")
    assert said(top) == ("Wer schläft?", "Who sleeps?", "Qui dort\u00a0?")


def test_coordination_and_pronouns_that_agree_with_their_noun():
    table = noun("Tisch")
    top = clause("kaufen", noun("Frau"), object=table)
    top.joined = clause("reparieren", noun("Mann"), object=same(table), tense="past")
    top.joiner = "and"
    assert said(top) == (
        "Die Frau kauft den Tisch und der Mann hat ihn repariert.",
        "The woman buys the table and the man repaired it.",
        "La femme achète la table et l'homme l'a réparée.",
    )
    both = NounPhrase(next(NUMBERS), "and")
    both.pair = (noun("Mutter"), noun("Bruder", "my"))
    assert said(clause("antworten", pronoun("you"), object=both)) == (
        "Du antwortest der Mutter und meinem Bruder.",
        "You answer the mother and my brother.",
        "Tu réponds à la mère et à mon frère.",
    )


def test_numbers_compounds_and_the_copula():
    doors = noun("Haustür", "number", plural=True, number=("zwei", "two", "deux"))
    assert said(clause("öffnen", pronoun("I"), object=doors)) == (
        "Ich öffne zwei Haustüren.",
        "I open two front doors.",
        "J'ouvre deux portes d'entrée.",
    )
    top = clause("", noun("Suppe"), predicate=adjective("kalt", degree="sehr"), tense="past", polarity="not")
    assert said(top) == (
        "Die Suppe war nicht sehr kalt.",
        "The soup was not very cold.",
        "La soupe n'était pas très froide.",
    )
