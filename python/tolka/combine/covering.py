"""Words that models translate, and words that they do not know."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka.markup import mask

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tolka.translate import TextSteps, Translator


@dataclass(frozen=True)
class Coverage:
    """How much of a text's words models know.

    Attributes:
        types: Different words.
        tokens: Words.
        unknown_types: Different words that none of them translates.
        unknown_tokens: How often these come.
        examples: Some of them, the most frequent.
    """

    types: int
    tokens: int
    unknown_types: int
    unknown_tokens: int
    examples: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The share of different words that are known (the coverage of Razmara 2013, section 3.5.3)."""
        return 1.0 - self.unknown_types / self.types if self.types else 1.0


def coverage(translators: Mapping[str, Translator], lines: Sequence[str], *, threads: int = 0) -> dict[str, Coverage]:
    """What each of several models knows of a text, and what all of them do together, by the name `all`.

    A compound that a model splits is a word, which it knows if it knows all parts. Numbers and addresses that are masked are words
    that nobody has to know, and are not counted. Of all models together, words that differ in case alone are one.

    Args:
        translators: By their names.
        lines: The text, as people write it.
        threads: How many; 0 for one per core.
    """
    found: dict[str, Coverage] = {}
    counts: Counter[str] = Counter()
    known_by_any: set[str] = set()
    for name, translator in translators.items():
        own = _words(translator.source, list(lines), threads)
        known = _known(translator, list(own), threads)
        found[name] = _covered(own, known)
        # Models know the case of words from their own text: one knows "das" where another has never seen "Das".
        folded: Counter[str] = Counter()
        for word, count in own.items():
            folded[word.lower()] += count
        counts |= folded
        known_by_any |= {word.lower() for word in known}
    if len(translators) > 1:
        found["all"] = _covered(counts, known_by_any)
    return found


def _words(steps: TextSteps, lines: list[str], threads: int) -> Counter[str]:
    """How often each word comes, before compounds are split."""
    counts: Counter[str] = Counter()
    for line in steps.truecase(steps.tokenise(lines, threads=threads), threads=threads):
        words = line.split()
        kept = mask(words)[0] if steps.settings.masked else words
        counts.update(word for word, same in zip(words, kept, strict=True) if word == same)
    return counts


def _known(translator: Translator, words: list[str], threads: int) -> set[str]:
    parts = [line.split() for line in translator.source.split(words, threads=threads)]
    listed = list(dict.fromkeys(part for own in parts for part in own))
    unknown = {part for part, known in zip(listed, translator.decoder.translates(listed), strict=True) if not known}
    return {word for word, own in zip(words, parts, strict=True) if unknown.isdisjoint(own)}


def _covered(counts: Counter[str], known: Iterable[str]) -> Coverage:
    has = set(known)
    unknown = {word: count for word, count in counts.items() if word not in has}
    order = sorted(unknown, key=lambda word: (-unknown[word], word))
    return Coverage(len(counts), counts.total(), len(unknown), sum(unknown.values()), tuple(order[:10]))
