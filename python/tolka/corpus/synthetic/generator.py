"""The generator: numbered examples, drawn independently of one another."""

from __future__ import annotations

from hashlib import blake2b
from itertools import count
from typing import TYPE_CHECKING

from tolka.corpus.synthetic.english import English
from tolka.corpus.synthetic.example import LANGUAGES, PAIRS, Example
from tolka.corpus.synthetic.french import French
from tolka.corpus.synthetic.german import German
from tolka.corpus.synthetic.inflection import english_vowel, french_vowel
from tolka.corpus.synthetic.lexicon import DOMAINS, HOME, TECH, lexicon
from tolka.corpus.synthetic.prng import Prng
from tolka.corpus.synthetic.sampler import Sampler
from tolka.corpus.synthetic.words import Phrase, Word, capitalised, line, typed
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from tolka.corpus.synthetic.derivation import Clause

_NO_BREAK_SPACE = "\u00a0"  # French typography before "?"
_DRY_RUN = 100_000  # so many repeated sentences in a row mean that no new one will come


class Seen:
    """Remembers sentence pairs, so that none is written twice, also not across training, development and test text."""

    def __init__(self) -> None:
        self._digests: set[bytes] = set()

    def add(self, example: Example) -> bool:
        """Remember an example; False if one of its three sentence pairs was there already."""
        digests = [_digest(f"{a}-{b}\t{example.raw[a]}\t{example.raw[b]}") for a, b in PAIRS]
        if any(digest in self._digests for digest in digests):
            return False
        self._digests.update(digests)
        return True

    def add_line(self, language: str, text: str) -> bool:
        """Remember a sentence of one language; False if it was there already."""
        digest = _digest(f"{language}\t{text}")
        if digest in self._digests:
            return False
        self._digests.add(digest)
        return True


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=10).digest()


class Synthetic:
    r"""Samples sentence triples in German, English and French from a synchronous grammar.

    Example k depends on the settings and on k alone, so any stretch of the stream can be had without what comes before.

    Args:
        seed: Seed of everything random; same seed, same text.
        domain: `home`, `tech`, or None for both in equal shares.
        in_domain: Share of examples from `domain`, the rest being from the other one; only with `domain`.
        rare: How often a word that has a rare twin gives way to it. 0 keeps the twins out of the text.
        rare_words: The twins that may appear; None for all of them.
        stream: Name of the stream; different streams of one seed are independent.

    Example:
        >>> example = Synthetic(seed=1).example(1405)
        >>> print(example.raw["de"], example.raw["en"], example.raw["fr"], sep="\n")
        Ihre Funktion haben sie zu benutzen beschlossen.
        They decided to use her function.
        Ils ont décidé d'utiliser sa fonction.
        >>> example.pharaoh("de", "en")
        '0-4 1-5 2-1 3-0 4-2 5-3 6-1 7-6'
        >>> example.projective("de")
        False
    """

    def __init__(
        self,
        seed: int = 1,
        domain: str | None = None,
        *,
        in_domain: float = 1.0,
        rare: float = 0.0,
        rare_words: Collection[str] | None = None,
        stream: str = "",
    ) -> None:
        if domain is not None and domain not in DOMAINS:
            raise SettingsError(f"unknown domain {domain!r}", hint=f"choose from {', '.join(DOMAINS)}")
        for name, share in (("in_domain", in_domain), ("rare", rare)):
            if not 0 <= share <= 1:
                raise SettingsError(f"{name} must be between 0 and 1, not {share}")
        if domain is None and in_domain != 1:
            raise SettingsError("in_domain needs a domain", hint=f"choose from {', '.join(DOMAINS)}")
        known = {twin["rare"] for twin in lexicon().twins()}
        unknown = sorted(set(rare_words or ()) - known)
        if unknown:
            raise SettingsError(f"no rare twin {unknown[0]!r}", hint=f"choose from {', '.join(sorted(known))}")
        self.seed = seed
        self.domain = domain
        self.in_domain = in_domain
        self.rare = rare
        self.rare_words = None if rare_words is None else frozenset(rare_words)
        self.stream = stream
        self._home = 0.5 if domain is None else in_domain if domain == HOME else 1 - in_domain
        self._key = (
            seed if not stream else seed ^ int.from_bytes(blake2b(stream.encode(), digest_size=8).digest(), "big")
        )

    def example(self, index: int) -> Example:
        """Example number `index`."""
        sampler, top = self._derive(index)
        phrases: dict[str, Phrase] = {}
        lines: dict[str, list[Word]] = {}
        raw: dict[str, str] = {}
        for language in LANGUAGES:
            written = realise(language, top, sampler.domain, sampler.labels)
            phrases[language], lines[language], raw[language] = written
        true = {language: tuple([word.form for word in words]) for language, words in lines.items()}
        tokens = {language: (capitalised(forms[0]), *forms[1:]) for language, forms in true.items()}
        return Example(index, sampler.domain, tuple(sorted(sampler.labels)), raw, tokens, true, top, lines, phrases)

    def sample(self, n: int, *, start: int = 0, unique: bool = False, seen: Seen | None = None) -> Iterator[Example]:
        """Give `n` examples from number `start` on.

        Args:
            n: How many.
            start: Number of the first.
            unique: Skip examples that repeat a sentence pair given before.
            seen: What counts as given before, shared between calls; implies `unique`.
        """
        if n < 0:
            raise SettingsError(f"the number of examples must not be negative, but is {n}")
        if seen is None and unique:
            seen = Seen()
        given = skipped = 0
        for index in count(start):
            if given == n:
                return
            example = self.example(index)
            if seen is not None and not seen.add(example):
                skipped += 1
                if skipped == _DRY_RUN:
                    raise SettingsError(
                        f"only {given} different examples found", hint="ask for fewer, or allow repetition"
                    )
                continue
            skipped = 0
            given += 1
            yield example

    def monolingual(self, language: str, n: int, *, start: int = 0, seen: Seen | None = None) -> Iterator[str]:
        """Give `n` lines of one language, as typed; with `seen`, none that it knows."""
        if language not in LANGUAGES:
            raise SettingsError(f"no language {language!r} here", hint=f"choose from {', '.join(LANGUAGES)}")
        given = 0
        for index in count(start):
            if given == n:
                return
            sampler, top = self._derive(index)
            text = realise(language, top, sampler.domain, sampler.labels)[2]
            if seen is None or seen.add_line(language, text):
                given += 1
                yield text

    def _derive(self, index: int) -> tuple[Sampler, Clause]:
        prng = Prng(self._key, index)
        domain = HOME if prng.chance(self._home) else TECH
        sampler = Sampler(prng, domain, self.rare, self.rare_words)
        return sampler, sampler.sentence()


def realise(language: str, top: Clause, domain: str, labels: set[str]) -> tuple[Phrase, list[Word], str]:
    """Write a derivation in one language: its constituents, its words, and the sentence as typed."""
    if language == "de":
        phrase = German(labels).sentence(top)
        words = line(phrase, None)
    elif language == "en":
        phrase = English(labels, domain).sentence(top)
        words = line(phrase, english_vowel)
    else:
        phrase = French(labels, domain).sentence(top)
        words = line(phrase, french_vowel)
    return phrase, words, typed(words, _NO_BREAK_SPACE if language == "fr" else "")
