"""The lexicon: tables of real words in three languages, read from the text files in `data/`."""

# ruff: noqa: PLR2004 (odds and columns are numbers)
from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tolka.corpus.synthetic import inflection as rules
from tolka.errors import FormatError

HOME, TECH, BOTH = "home", "tech", "both"
DOMAINS = (HOME, TECH)

Words = tuple[tuple[str, tuple[int, ...]], ...]  # the words of an expression, each with the parts it renders


@dataclass(frozen=True, slots=True)
class GermanNoun:
    """Gender and the eight forms, singular nominative to plural genitive."""

    gender: str
    forms: tuple[str, ...]
    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ForeignNoun:
    """Gender (French only), singular and plural, each a sequence of words."""

    gender: str
    singular: Words
    plural: Words


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """One concept in three languages."""

    kind: str
    domain: str
    de: GermanNoun
    en: ForeignNoun
    fr: ForeignNoun
    mass: bool
    owned: bool
    place: str
    twin: GermanNoun | None
    rank: int


@dataclass(frozen=True, slots=True)
class GermanVerb:
    """Forms without the separable prefix, except for the participle."""

    infinitive: str
    prefix: str
    present: tuple[str, ...]
    participle: str
    sein: bool
    case: int
    preposition: str

    @property
    def lemma(self) -> str:
        """The infinitive in one word."""
        return self.prefix + self.infinitive

    @property
    def zu(self) -> str:
        """The infinitive with `zu` inside, for a separable verb."""
        return f"{self.prefix}zu{self.infinitive}"


@dataclass(frozen=True, slots=True)
class EnglishVerb:
    """Base, third person, past and participle; a particle such as `on` stands apart."""

    base: str
    third: str
    past: str
    participle: str
    particle: str
    preposition: str


@dataclass(frozen=True, slots=True)
class FrenchVerb:
    """Infinitive, six present forms, participle, and how complements are marked."""

    infinitive: str
    present: tuple[str, ...]
    participle: str
    etre: bool
    reflexive: bool
    preposition: str
    clitic: bool


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """A verb with what it selects.

    Attributes:
        subjects: Noun classes of the subject.
        objects: Noun classes of the complement; empty without one.
        frame: One of `none`, `object`, `recipient`, `loc`, `dir`, `clause`, `inf`.
        clauses: For frame `clause`, which of `that` and `whether` it takes.
        present: Told in the present only.
        passive: Has a passive.
        steady: Takes no adverb of manner.
    """

    domain: str
    de: GermanVerb
    en: EnglishVerb
    fr: FrenchVerb
    subjects: frozenset[str]
    objects: frozenset[str]
    frame: str
    clauses: tuple[str, ...]
    present: bool
    passive: bool
    steady: bool
    twin: GermanVerb | None
    rank: int


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """German base form and stem, English form, French forms (m, f, m before a vowel) and position."""

    domain: str
    de: str
    stem: str
    en: str
    fr: tuple[str, str, str]
    before: bool
    kinds: frozenset[str]
    twin: str | None
    rank: int


@dataclass(frozen=True, slots=True, eq=False)
class Adverb:
    """A word or fixed phrase that says when, how often, how, or what the speaker thinks."""

    kind: str
    domain: str
    de: Words
    en: Words
    fr: Words
    tenses: frozenset[str]
    rank: int


@dataclass(frozen=True, slots=True, eq=False)
class Idiom:
    """A verb with fixed words whose meaning is not made of theirs."""

    domain: str
    subjects: frozenset[str]
    de: GermanVerb
    en: EnglishVerb
    fr: FrenchVerb
    fixed: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Adposition:
    """A preposition of place in three languages, with the case it governs in German."""

    de: str
    case: int
    en: str
    fr: str


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All words, each list in order of frequency within its section."""

    nouns: tuple[Noun, ...]
    verbs: tuple[Verb, ...]
    adjectives: tuple[Adjective, ...]
    adverbs: tuple[Adverb, ...]
    idioms: tuple[Idiom, ...]
    places: dict[str, tuple[Adposition, Adposition]]
    names: tuple[tuple[str, str], ...]
    numbers: tuple[tuple[str, str, str], ...]
    modals: tuple[tuple[GermanVerb, str, FrenchVerb], ...]
    ambiguous: frozenset[str]

    def twins(self) -> list[dict[str, str]]:
        """The rare German words, each with the frequent word whose contexts and translations it shares."""
        found = []
        for pos, entry in [("NOUN", noun) for noun in self.nouns] + [("VERB", verb) for verb in self.verbs]:
            if entry.twin is not None:
                english, french = _gloss(entry)
                rare, frequent = _lemma(entry.twin), _lemma(entry.de)
                found.append(
                    {
                        "rare": rare,
                        "frequent": frequent,
                        "upos": pos,
                        "en": english,
                        "fr": french,
                        "domain": entry.domain,
                    }
                )
        found += [
            {
                "rare": word.twin,
                "frequent": word.de,
                "upos": "ADJ",
                "en": word.en,
                "fr": word.fr[0],
                "domain": word.domain,
            }
            for word in self.adjectives
            if word.twin is not None
        ]
        return found


def _lemma(word: GermanNoun | GermanVerb) -> str:
    return word.forms[0] if isinstance(word, GermanNoun) else word.lemma


def _gloss(entry: Noun | Verb) -> tuple[str, str]:
    if isinstance(entry, Noun):
        return " ".join(word for word, _ in entry.en.singular), " ".join(word for word, _ in entry.fr.singular)
    return " ".join(filter(None, (entry.en.base, entry.en.particle))), entry.fr.infinitive


# How the tables are read.


def _table(name: str) -> list[tuple[list[str], list[str], int]]:
    """The lines of a table: words of the section heading, columns, rank within the section."""
    rows: list[tuple[list[str], list[str], int]] = []
    section: list[str] = []
    rank = 0
    text = files(__package__).joinpath("data", name).read_text(encoding="utf-8")
    for number, line in enumerate(text.split("\n"), start=1):
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section, rank = line.strip("[]").split(), 0
            continue
        if not section:
            raise FormatError("a line before the first [section]", path=name, line=number)
        rows.append((section, [column.strip() for column in _columns(line)], rank))
        rank += 1
    return rows


def _columns(line: str) -> list[str]:
    # " | " separates columns; the bare "|" of an|rufen does not.
    return line.replace("| |", "|  |").split(" | ")


def _words(text: str, parts: int = 1, marks: Words | None = None) -> Words:
    """Words with the parts they render; a plural takes its marks from the singular."""
    everything = tuple(range(parts))
    out = []
    for position, word in enumerate(text.split()):
        form, _, mark = word.partition(":")
        own = (int(mark),) if mark else everything
        out.append((form, marks[position][1] if marks is not None else own))
    return tuple(out)


def _twin(text: str) -> tuple[str, str | None]:
    before, mark, after = text.partition("~")
    return before.strip(), after.strip() if mark else None


def _german_noun(text: str) -> GermanNoun:
    gender, rest = text.split(" ", 1)
    singular, after = (piece.strip() for piece in rest.split(",", 1))
    plural, *flags = after.split()
    singular, _, compound = singular.partition("=")
    genitive = next((flag[4:] for flag in flags if flag.startswith("gen=")), None)
    forms = rules.german_noun(singular, plural, gender, weak="weak" in flags, genitive=genitive)
    return GermanNoun(gender, forms, tuple(range(len(compound.split("+")) if compound else 1)))


def _noun(section: list[str], columns: list[str], rank: int) -> Noun:
    kind, domain = section
    columns[-1], twin = _twin(columns[-1])
    german = _german_noun(columns[0])
    parts = len(german.parts)
    en_singular, _, en_plural = columns[1].partition(", ")
    en_one = _words(en_singular, parts)
    *front, last = (word for word, _ in en_one)
    en_many = _words(en_plural or " ".join([*front, rules.english_plural(last)]), parts, en_one)
    gender, french = columns[2].split(" ", 1)
    fr_singular, _, fr_plural = french.partition(", ")
    fr_one = _words(fr_singular, parts)
    head, *tail = (word for word, _ in fr_one)
    fr_many = _words(fr_plural or " ".join([rules.french_plural(head), *tail]), parts, fr_one)
    mass = german.forms[4] == "-"
    return Noun(
        kind,
        domain,
        german,
        ForeignNoun("", en_one, en_many),
        ForeignNoun(gender, fr_one, fr_many),
        mass,
        " unowned" not in columns[0],
        columns[3] if len(columns) > 3 else "",
        _german_noun(twin) if twin else None,
        rank,
    )


def _german_verb(text: str) -> GermanVerb:
    head, third, last = (piece.strip() for piece in text.split(","))
    participle, *flags = last.split()
    prefix, _, infinitive = head.rpartition("|")
    options = dict(flag.split("=") for flag in flags if "=" in flag)
    governed = next((flag[1:] for flag in flags if flag.startswith("+")), "")
    preposition, _, case = governed.partition(":")
    return GermanVerb(
        infinitive,
        prefix,
        rules.german_present(infinitive, third, options.get("1sg"), options.get("2sg")),
        participle,
        "sein" in flags,
        rules.CASES[case] if case else rules.DAT if "dat" in flags else rules.ACC,
        preposition,
    )


def _english_verb(text: str) -> EnglishVerb:
    text, _, preposition = text.partition(" +")
    base, *rest = (piece.strip() for piece in text.split(","))
    base, _, particle = base.partition(" ")
    past = rest[0].split()[0] if rest else rules.english_past(base)
    participle = rest[1].split()[0] if len(rest) > 1 else past
    return EnglishVerb(base, rules.english_third(base), past, participle, particle, preposition)


def _french_verb(text: str) -> FrenchVerb:
    text, _, preposition = text.partition(" +")
    etre, reflexive = " être" in text, " refl" in text
    text = text.replace(" être", "").replace(" refl", "")
    infinitive, colon, table = text.partition(":")
    if colon:
        forms, _, participle = table.partition(";")
        present = tuple(forms.split())
    else:
        infinitive, _, third = infinitive.partition(", ")
        present, participle = rules.french_present(infinitive, third or None), infinitive[:-2] + "é"
    return FrenchVerb(
        infinitive, present, participle.strip(), etre, reflexive, preposition.rstrip("!"), preposition == "à"
    )


def _verb(section: list[str], columns: list[str], rank: int) -> Verb:
    columns[-1], twin = _twin(columns[-1])
    words = columns[4].split()
    frame, clauses = "object", tuple(word for word in words if word in {"that", "whether"})
    if "to" in words:
        frame = "recipient"
        words.remove("to")
        words.remove("person")
    elif clauses:
        frame = "clause"
    elif words[0] in {"-", "loc", "dir", "inf"}:
        frame = "none" if words[0] == "-" else words[0]
    flags = {"present", "nopass", "steady"} & set(words)
    objects = frozenset(words) - flags if frame in {"object", "recipient"} else frozenset()
    german, english, french = _german_verb(columns[0]), _english_verb(columns[1]), _french_verb(columns[2])
    marked = german.case != rules.ACC or german.preposition or english.preposition or french.preposition
    return Verb(
        section[0],
        german,
        english,
        french,
        frozenset(columns[3].split()),
        objects,
        frame,
        clauses,
        "present" in flags,
        frame == "object" and not marked and not flags & {"present", "nopass"},
        "steady" in flags,
        _german_verb(twin) if twin else None,
        rank,
    )


def _adjective(section: list[str], columns: list[str], rank: int) -> Adjective:
    columns[-1], twin = _twin(columns[-1])
    german, _, stem = columns[0].partition(", ")
    french = columns[2].removesuffix("<").strip().split(", ")
    masculine = french[0]
    feminine = french[1] if len(french) > 1 else rules.french_feminine(masculine)
    return Adjective(
        section[0],
        german,
        stem or german.removesuffix("e"),
        columns[1],
        (masculine, feminine, french[2] if len(french) > 2 else masculine),
        columns[2].endswith("<"),
        frozenset(columns[3].split()),
        twin,
        rank,
    )


def _adverb(section: list[str], columns: list[str], rank: int) -> Adverb:
    parts = 1 + max((int(word.partition(":")[2] or 0) for word in columns[0].split()), default=0)
    de, en, fr = (_words(column, parts) for column in columns[:3])
    tenses = columns[3].split() if len(columns) > 3 else []
    return Adverb(section[0], columns[4] if len(columns) > 4 else BOTH, de, en, fr, frozenset(tenses), rank)


def _idiom(columns: list[str]) -> Idiom:
    (de_words, de), (en_words, en), (fr_words, fr) = (column.split(" / ") for column in columns[:3])
    fixed = (tuple(de_words.split()), tuple(en_words.split()), tuple(fr_words.split()))
    return Idiom(
        columns[4], frozenset(columns[3].split()), _german_verb(de), _english_verb(en), _french_verb(fr), fixed
    )


def _place(columns: list[str]) -> tuple[Adposition, Adposition]:
    where, whither = (column.split(" / ") for column in columns[1:3])
    sides = [(de.split(), en, fr) for de, en, fr in (where, whither)]
    first, second = (Adposition(de[0], rules.CASES[de[1]], en, fr) for de, en, fr in sides)
    return first, second


def _modal(columns: list[str]) -> tuple[GermanVerb, str, FrenchVerb]:
    infinitive, first, second = columns[0].split(", ")
    forms = (first, second, first, infinitive, infinitive, infinitive)
    return GermanVerb(infinitive, "", forms, "", False, rules.ACC, ""), columns[1], _french_verb(columns[2] + ";")


def _ambiguous(nouns: tuple[Noun, ...], verbs: tuple[Verb, ...], adjectives: tuple[Adjective, ...]) -> frozenset[str]:
    """German lemmas with more than one translation."""
    senses: dict[str, set[str]] = defaultdict(set)
    for noun in nouns:
        senses[noun.de.forms[0]].add(repr(_gloss(noun)))
    for verb in verbs:
        senses[verb.de.lemma].add(repr(_gloss(verb)))
    for adjective in adjectives:
        senses[adjective.de].add(adjective.en + adjective.fr[0])
    return frozenset(lemma for lemma, glosses in senses.items() if len(glosses) > 1)


@cache
def lexicon() -> Lexicon:
    """The lexicon that ships with tolka, read once."""
    closed = _table("closed.txt")
    part = {
        heading: [row for section, row, _ in closed if section == [heading]] for heading in {s[0] for s, _, _ in closed}
    }
    nouns = tuple(_noun(*row) for row in _table("nouns.txt"))
    verbs = tuple(_verb(*row) for row in _table("verbs.txt"))
    adjectives = tuple(_adjective(*row) for row in _table("adjectives.txt"))
    return Lexicon(
        nouns=nouns,
        verbs=verbs,
        adjectives=adjectives,
        adverbs=tuple(_adverb(*row) for row in _table("adverbs.txt")),
        idioms=tuple(_idiom(row) for row in part["idioms"]),
        places={row[0]: _place(row) for row in part["places"]},
        names=tuple((row[0].split()[0], row[0].split()[1]) for row in part["names"]),
        numbers=tuple((row[0], row[1], row[2]) for row in part["numbers"]),
        modals=tuple(_modal(row) for row in part["modals"]),
        ambiguous=_ambiguous(nouns, verbs, adjectives),
    )
