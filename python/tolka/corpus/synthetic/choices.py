"""What can be drawn where: words by frame, class and domain, the first of each list most often (Zipf, 1949)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tolka.corpus.synthetic.inflection import DAT
from tolka.corpus.synthetic.lexicon import BOTH, Adjective, Adverb, Noun, Verb, lexicon
from tolka.corpus.synthetic.prng import Urn

if TYPE_CHECKING:
    from collections.abc import Iterable


def group(verb: Verb) -> str:
    """The frame, with verbs that govern a dative or a preposition apart."""
    if verb.frame == "object" and (verb.de.preposition or verb.de.case == DAT):
        return "marked"
    return verb.frame


def _zipf(count: int) -> list[float]:
    return [1 / (rank + 2) for rank in range(count)]


def _merged(entries: Iterable[Verb], domain: str) -> Urn[Verb]:
    """Verbs of a domain and of both, interleaved in the order of their lists."""
    own = [verb for verb in entries if verb.domain == domain]
    shared = [verb for verb in entries if verb.domain == BOTH]
    order = [(rank, 0, verb) for rank, verb in enumerate(own)] + [(rank, 1, verb) for rank, verb in enumerate(shared)]
    order.sort(key=lambda entry: entry[:2])
    return Urn([verb for _, _, verb in order], _zipf(len(order)))


@cache
def verbs_of(domain: str, frame: str) -> Urn[Verb]:
    """Verbs by frame."""
    return _merged([verb for verb in lexicon().verbs if group(verb) == frame], domain)


@cache
def verbs_with(domain: str, role: str, kind: str) -> Urn[Verb] | None:
    """Verbs that take a noun class as subject or as plain object."""
    found = []
    for verb in lexicon().verbs:
        if verb.domain not in {domain, BOTH} or verb.frame in {"clause", "inf", "recipient", "loc"}:
            continue
        plain = verb.frame == "object" and not verb.de.preposition and not verb.fr.preposition
        if (role == "subject" and kind in verb.subjects) or (role == "object" and plain and kind in verb.objects):
            found.append(verb)
    return _merged(found, domain) if found else None


@cache
def nouns_of(domain: str, kinds: frozenset[str]) -> Urn[Noun] | None:
    """Nouns of some classes; rank within the class decides how often each is drawn."""
    nouns = [noun for noun in lexicon().nouns if noun.domain == domain and noun.kind in kinds]
    return Urn(nouns, [1 / (noun.rank + 2) for noun in nouns]) if nouns else None


@cache
def adjectives_for(domain: str, kind: str) -> Urn[Adjective] | None:
    """Adjectives that make sense of a noun class."""
    found = [adj for adj in lexicon().adjectives if adj.domain == domain and kind in adj.kinds]
    return Urn(found, _zipf(len(found))) if found else None


@cache
def adverbs_of(domain: str, kind: str, tense: str) -> Urn[Adverb] | None:
    """Adverbials of a kind that fit a tense."""
    found = [
        adverb
        for adverb in lexicon().adverbs
        if adverb.kind == kind and adverb.domain in {domain, BOTH} and (not adverb.tenses or tense in adverb.tenses)
    ]
    return Urn(found, _zipf(len(found))) if found else None
