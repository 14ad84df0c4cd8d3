"""Spelling rules of the three languages: what the lexicon need not say because a rule does."""

from __future__ import annotations

import re

NOM, ACC, DAT, GEN = range(4)
CASES = {"nom": NOM, "acc": ACC, "dat": DAT, "gen": GEN}

_DE_VOWELS = re.compile("[aeiouäöüy]+", re.IGNORECASE)


def german_noun(singular: str, plural: str, gender: str, *, weak: bool, genitive: str | None) -> tuple[str, ...]:
    """Singular nominative to genitive, then plural nominative to genitive."""
    if weak:
        oblique = genitive = plural
    else:
        oblique = singular
        genitive = genitive or (singular if gender == "f" else singular + _genitive_ending(singular))
    dative_plural = plural if plural.endswith(("n", "s")) else plural + "n"
    return (singular, oblique, oblique, genitive, plural, plural, dative_plural, plural)


def _genitive_ending(noun: str) -> str:
    sibilant = noun.endswith(("s", "ß", "z", "x", "sch"))
    short = len(_DE_VOWELS.findall(noun)) == 1 and noun[-1].lower() not in "aeiouäöü"
    return "es" if sibilant or short else "s"


def german_present(infinitive: str, third: str, first: str | None, second: str | None) -> tuple[str, ...]:
    """The six present forms (ich du er wir ihr sie); `ihr` is never used and repeats the infinitive."""
    if first is None:
        if infinitive.endswith("eln"):
            first = infinitive[:-3] + "le"
        else:
            first = infinitive[:-1] if infinitive.endswith("en") else infinitive[:-1] + "e"
    if second is None:
        stem = third[:-1]
        second = third if stem.endswith(("s", "ß", "z", "x")) else stem + "st"
    return (first, second, third, infinitive, infinitive, infinitive)


def english_plural(noun: str) -> str:
    """The regular plural."""
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def english_third(verb: str) -> str:
    """The third person singular of the present."""
    if verb in {"go", "do"}:
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "x", "ch", "sh")) else "s")


def english_past(verb: str) -> str:
    """The regular past, also the participle."""
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + "ed"


def french_plural(word: str) -> str:
    """The regular plural of a noun or adjective."""
    if word.endswith(("s", "x", "z")):
        return word
    return word + ("x" if word.endswith("eau") else "s")


def french_feminine(adjective: str) -> str:
    """The regular feminine of an adjective."""
    return adjective if adjective.endswith("e") else adjective + "e"


def french_present(infinitive: str, third: str | None) -> tuple[str, ...]:
    """The six present forms of a verb in -er."""
    stem = infinitive[:-2]
    if third is None:
        strong = re.sub("y$", "i", stem) if stem.endswith(("oy", "uy", "ay")) else stem
        third = re.sub("é([bcdfghjklmnpqrstvxz]+)$", r"è\1", strong) + "e"
    nous = stem[:-1] + "ç" if stem.endswith("c") else stem + "e" if stem.endswith("g") else stem
    return (third, third + "s", third, nous + "ons", stem + "ez", third + "nt")


_EN_CONSONANT = ("uni", "use", "usu", "eur", "one")
_FR_CONSONANT = ("huit", "onz", "ya")


def english_vowel(word: str) -> bool:
    """Whether `an` stands before this word."""
    return word[0].lower() in "aeiou" and not word.lower().startswith(_EN_CONSONANT)


def french_vowel(word: str) -> bool:
    """Whether the word before this one is elided; every h of our lexicon but that of `huit` is mute."""
    return word[0].lower() in "aeiouyhâàéèêëîïôœùûü" and not word.lower().startswith(_FR_CONSONANT)
