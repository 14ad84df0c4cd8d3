"""Labels: translations that words of a graph are known to have."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tolka.errors import SettingsError
from tolka.grammar import Grammar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tolka.combine.oov.record import Weighed
    from tolka.translate.bundle import OpenModel

COPY = ""
"""The label of words that are translated as they are written."""
_SOUND = 1
"""The number of the label of words that are written as the other language writes them."""

_PROBABILITY = "phrase_ef"
_COUNTS_OF_SOURCE = 1


def open_tables(opened: OpenModel) -> list[Grammar]:
    """The tables of a model, as what its own voice says in them.

    Raises:
        SettingsError: A table without probabilities of translations.
    """
    voices = opened.description.voices or {}
    found = []
    for name, path in opened.files.grammars.items():
        table = Grammar.load(path)
        if name in voices:
            table = table.voice(voices[name])
        if not any(_is_probability(feature) for feature in table.feature_names):
            what = f"the table {name} has no feature {_PROBABILITY}, so that it says nothing of how probable translations are"
            raise SettingsError(what, path=path)
        found.append(table)
    return found


def _is_probability(feature: str) -> bool:
    return feature.rpartition(".")[2] == _PROBABILITY


def translations(tables: Sequence[Grammar], phrase: str, most: int) -> Weighed:
    """The most probable translations of a phrase without gaps, by p(e|f); of several tables the greatest counts.

    Joined tables that have a probability of each of their parts say the mean of these.
    """
    found: dict[str, float] = {}
    for table in tables:
        for rule in table.rules(phrase):
            said = [math.exp(value) for name, value in rule.features.items() if _is_probability(name)]
            p = min(1.0, sum(said) / len(said))
            found[rule.target] = max(found.get(rule.target, 0.0), p)
    best = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(best[:most])


def seen(tables: Sequence[Grammar], word: str) -> float:
    """How often tables saw a word that they translate by itself; 0 if they do not say."""
    counts = (rule.counts[_COUNTS_OF_SOURCE] for table in tables for rule in table.rules(word))
    return max(counts, default=0.0)


def sources(tables: Sequence[Grammar], longest: int) -> Iterator[str]:
    """The source sides without gaps that have two words or more, up to so many, each once for every table."""
    for table in tables:
        last = ""
        for number in range(len(table)):
            source = table.native.rule(number)[1]
            if source != last and 0 < source.count(" ") < longest and "[" not in source:
                yield source
            last = source


@dataclass
class Seeds:
    """Nodes with their labels, as numbers.

    Attributes:
        names: The labels; `COPY` stands for the word itself, and so it does for its transliteration in the second place if there are any.
        sounds: How words are written in the other language.
        rows: The labels of each node that has any, most probable first.
    """

    names: list[str] = field(default_factory=lambda: [COPY])
    sounds: Mapping[str, str] = field(default_factory=dict)
    rows: dict[str, tuple[tuple[int, float], ...]] = field(default_factory=dict)
    _ids: dict[str, int] = field(default_factory=lambda: {COPY: 0})

    @classmethod
    def of(
        cls,
        known: Mapping[str, Iterable[tuple[str, float]]],
        *,
        copied: bool = True,
        sounds: Mapping[str, str] | None = None,
    ) -> Seeds:
        """Nodes with their translations.

        Args:
            known: Translations with probabilities, by node.
            copied: Whether a translation that is the node itself is the label that says so.
            sounds: How words are written in the other language: a translation that is that is the label that says so.

        Example:
            >>> seeds = Seeds.of({"radio": [("radio", 0.75), ("wireless", 0.25)], "haus": [("house", 1.0)]})
            >>> seeds.names, seeds.rows["radio"]
            (['', 'wireless', 'house'], ((0, 0.75), (1, 0.25)))
            >>> seeds.read("kino", [0, 2], [0.5, 0.25])
            {'kino': 0.5, 'house': 0.25}
            >>> seeds = Seeds.of({"musik": [("music", 1.0)]}, sounds={"musik": "music", "logik": "logic"})
            >>> seeds.rows["musik"], seeds.read("logik", [1], [0.5])
            (((1, 1.0),), {'logic': 0.5})
        """
        made = cls(names=[COPY, COPY] if sounds else [COPY], sounds=sounds or {})
        for node, own in known.items():
            made.rows[node] = tuple((made._id(text, node, copied), p) for text, p in own)
        return made

    def _id(self, text: str, node: str, copied: bool) -> int:
        if copied and text == node:
            return 0
        if self.sounds.get(node) == text:
            return _SOUND
        if text not in self._ids:
            self._ids[text] = len(self.names)
            self.names.append(text)
        return self._ids[text]

    def id(self, text: str) -> int:
        """The label that says a text; -1 if none does."""
        return self._ids.get(text, -1)

    @property
    def copy(self) -> int:
        """The label that says "as it is written"."""
        return self._ids[COPY]

    @property
    def alike(self) -> tuple[int, ...]:
        """The labels that say something else of each word."""
        return (self.copy, _SOUND) if self.sounds else (self.copy,)

    def read(self, word: str, labels: Iterable[int], masses: Iterable[float]) -> dict[str, float]:
        """What labels say of a word; what two of them say is added up."""
        found: dict[str, float] = {}
        for label, mass in zip(labels, masses, strict=True):
            text = self.names[label] or (self.sounds.get(word, "") if label == _SOUND else word)
            if not text:
                continue
            found[text] = found.get(text, 0.0) + float(mass)
        return found
