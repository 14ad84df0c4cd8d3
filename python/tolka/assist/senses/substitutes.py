"""Words of the source language that mean what a translation means: back-translations by the model's own table."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from tolka.errors import InputError, SettingsError
from tolka.grammar import Grammar

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from tolka.assist.senses.thesaurus import Thesaurus
    from tolka.decode import Decoder
    from tolka.progress import Progress

COMPONENTS = ("direct", "lexical", "inverse", "inverse-lexical")
"""The models of P(f|e): the table's own and its lexical weights, and both for P(e|f), turned by Bayes' rule."""

_FEATURES = ("phrase_fe", "lex_fe", "phrase_ef", "lex_ef")
_LONGEST_TARGET = 5
_SHORTEST = 3
_SAME_STEM = 4


@dataclass(frozen=True, slots=True)
class Row:
    """A source phrase of a translation: the four features as probabilities, and how often the phrase was seen."""

    source: str
    features: tuple[float, float, float, float]
    count: float


class BackTranslations:
    """For each translation the source phrases it may stand for, with the probabilities of several models of P(f|e).

    Args:
        rows: Of each target phrase: the source phrase, P(f|e), its lexical weight, P(e|f), its lexical weight, and how often
            the source phrase was seen.
        counts: How often each source word was seen.

    Example:
        >>> table = BackTranslations({"hard": [("schwer", 0.5, 0.4, 0.3, 0.3, 20.0), ("hart", 0.5, 0.6, 0.9, 0.9, 10.0)]})
        >>> table.probabilities("hard", "hart").round(2).tolist()
        [0.5, 0.6, 0.6, 0.6]
    """

    def __init__(
        self,
        rows: Mapping[str, Sequence[tuple[str, float, float, float, float, float]]],
        counts: Mapping[str, float] | None = None,
        *,
        components: Sequence[str] = COMPONENTS,
    ) -> None:
        if unknown := [name for name in components if name not in COMPONENTS]:
            raise SettingsError(f"there is no model {unknown[0]!r} of P(f|e)", hint=f"use {', '.join(COMPONENTS)}")
        if not components or len(set(components)) < len(components):
            raise SettingsError("P(f|e) needs models, each named once", hint=f"use {', '.join(COMPONENTS)}")
        self.components = tuple(components)
        self.rows = {target: [Row(one[0], one[1:5], one[5]) for one in own] for target, own in rows.items()}
        self.counts = dict(counts or {})
        self._known: dict[str, dict[str, NDArray[np.float64]]] = {}

    @classmethod
    def of(
        cls,
        decoder: Decoder,
        *,
        width: int = 1,
        components: Sequence[str] = COMPONENTS,
        progress: Progress | None = None,
    ) -> Self:
        """Read them from the tables of a decoder: rules without gaps, of at most `width` source words.

        Of several tables that have a pair the first counts.

        Raises:
            InputError: No table can be read through, or none has probabilities.
        """
        rows: dict[str, list[tuple[str, float, float, float, float, float]]] = {}
        counts: dict[str, float] = {}
        pairs: set[tuple[str, str]] = set()
        tables = [table for table in decoder.grammars.values() if isinstance(table, Grammar)]
        usable = [table for table in tables if all(name in table.feature_names for name in _FEATURES)]
        if not usable:
            what = "the model has no table of rules with probabilities, which substitutes are found by"
            raise InputError(what, hint="use one that `tolka train` made, neither --growing nor of several voices")
        for table in usable:
            _scan(table, width, rows, counts, pairs, progress)
        return cls(rows, counts, components=components)

    def part(self, targets: Iterable[str], words: Iterable[str]) -> BackTranslations:
        """What is needed for these translations of a sentence, and the counts of these words."""
        own = {target: self.rows[target] for target in targets if target in self.rows}
        kept = {row.source for rows in own.values() for row in rows} | set(words)
        return BackTranslations(
            {target: [(row.source, *row.features, row.count) for row in rows] for target, rows in own.items()},
            {word: self.counts[word] for word in sorted(kept) if word in self.counts},
            components=self.components,
        )

    def sources(self, target: str) -> dict[str, NDArray[np.float64]]:
        """For each source phrase of a translation P(f|e) by each model; do not change the arrays."""
        if target not in self._known:
            rows = self.rows.get(target, [])
            table = np.array([row.features for row in rows]).reshape(-1, len(_FEATURES))
            # Bayes: P(f|e) is proportional to P(e|f) P(f).
            turned = table[:, 2:] * np.array([row.count for row in rows]).reshape(-1, 1)
            sums = turned.sum(axis=0)
            models = {
                "direct": table[:, 0],
                "lexical": table[:, 1],
                "inverse": turned[:, 0] / (sums[0] or 1.0),
                "inverse-lexical": turned[:, 1] / (sums[1] or 1.0),
            }
            columns = np.column_stack([models[name] for name in self.components])
            self._known[target] = {row.source: columns[at] for at, row in enumerate(rows)}
        return self._known[target]

    def probabilities(self, target: str, source: str) -> NDArray[np.float64]:
        """P(f|e) by each model; zeros if the table does not have the pair."""
        found = self.sources(target).get(source)
        return np.zeros(len(self.components)) if found is None else found

    def frequent(self, number: int) -> frozenset[str]:
        """The most frequent source words, which are mostly function words."""
        return frozenset(heapq.nsmallest(number, self.counts, key=lambda word: (-self.counts[word], word)))


def _scan(
    table: Grammar,
    width: int,
    rows: dict[str, list[tuple[str, float, float, float, float, float]]],
    counts: dict[str, float],
    pairs: set[tuple[str, str]],
    progress: Progress | None,
) -> None:
    from tolka.progress import SILENT  # noqa: PLC0415 - only what scans says how far it is

    at = [table.feature_names.index(name) for name in _FEATURES]
    native = table.native
    with (progress or SILENT).task("back-translations", total=len(table), unit="rules") as advance:
        for number in range(len(table)):
            _, source, target, features, _, (_, seen, _), _ = native.rule(number)
            if not number % 65536:
                advance(min(65536, len(table) - number))
            spaces = source.count(" ")
            if spaces >= width or target.count(" ") >= _LONGEST_TARGET or "[X" in source or (source, target) in pairs:
                continue
            if not spaces:
                counts[source] = max(counts.get(source, 0.0), seen)
            pairs.add((source, target))
            values = tuple(min(1.0, math.exp(features[one])) for one in at)
            rows.setdefault(target, []).append((source, values[0], values[1], values[2], values[3], seen or 1.0))


def same_stem(one: str, other: str) -> bool:
    """Whether two words differ in their ends alone, as far as spelling tells without a grammar.

    Example:
        >>> same_stem("schwer", "schwere"), same_stem("schwer", "schwierig"), same_stem("Haus", "Hausboot")
        (True, False, False)
    """
    one, other = one.casefold(), other.casefold()
    common = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        common += 1
    longest = max(len(one), len(other))
    return one == other or (common >= _SAME_STEM and longest - common <= 2 + (longest > 2 * _SAME_STEM))


class Chooser:
    """Which words may be asked about, and which may stand for them.

    Args:
        table: Where substitutes come from.
        least: The least mean P(f|e) of a substitute.
        functions: So many most frequent words are neither asked about nor offered.
        stems: Whether words that differ from the asked one in their ends alone are left out.
        thesaurus: If given, substitutes are those it has of the word.
    """

    def __init__(
        self,
        table: BackTranslations,
        *,
        least: float = 0.02,
        functions: int = 100,
        stems: bool = True,
        thesaurus: Thesaurus | None = None,
        frequent: Collection[str] | None = None,
    ) -> None:
        if not 0 <= least <= 1:
            raise SettingsError(f"a least probability of {least} is not between 0 and 1")
        if functions < 0:
            raise SettingsError(f"{functions} function words cannot be left out", hint="leave out 0 or more")
        self.table, self.least, self.stems, self.thesaurus = table, least, stems, thesaurus
        self.functions = frozenset(table.frequent(functions) if frequent is None else frequent)

    def is_content(self, phrase: str) -> bool:
        """Whether a phrase is of content words alone, as far as frequency and letters tell."""
        return all(
            len(word) >= _SHORTEST and word.replace("-", "").isalpha() and word not in self.functions
            for word in phrase.split()
        )

    def differ(self, one: str, other: str) -> bool:
        """Whether two phrases are different words."""
        if one.casefold() == other.casefold():
            return False
        return not (self.stems and same_stem(one, other))

    def fits(self, phrase: str, substitute: str) -> bool:
        """Whether a phrase may stand for the one that is asked about."""
        if not self.is_content(substitute) or not self.differ(phrase, substitute):
            return False
        low, asked = substitute.casefold(), phrase.casefold()
        if asked in low or low in asked:
            return False
        # Nouns (where they are written so) and names for each other alone.
        if substitute[:1].isupper() != phrase[:1].isupper():
            return False
        return self.thesaurus is None or self.thesaurus.has(phrase, substitute)

    def substitutes(self, phrase: str, target: str, number: int) -> list[str]:
        """The likeliest substitutes of a phrase that is translated so."""
        means = Counter({source: float(row.mean()) for source, row in self.table.sources(target).items()})
        ranked = sorted(means, key=lambda source: (-means[source], source))
        found: list[str] = []
        for source in ranked:
            if means[source] < self.least or len(found) == number:
                break
            if self.fits(phrase, source):
                found.append(source)
        return found
