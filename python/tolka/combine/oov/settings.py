"""How translations of unknown words are found."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from tolka.errors import SettingsError

Shape = Literal["bipartite", "tripartite", "full", "marton"]
"""Which nodes edges join (Razmara 2013, section 5.3): unknown words and words with translations; bridges between both as well;
any two nodes. `marton` is what these are compared with: no graph, but the words seen in the same frames (Marton et al. 2009)."""

Measure = Literal["ppmi", "pmi", "cp", "llr", "chi2"]
"""How much a context word says of a word (Razmara 2013, section 5.2.2)."""

Similarity = Literal["cosine", "l1", "jsd"]
"""How alike two profiles are (section 5.2.3)."""

Method = Literal["exact", "approximate"]
"""How neighbours are looked for."""

_WORDS = {"window": (1, 50), "order": (1, 3), "translations": (1, 1000), "top": (1, 1000), "iterations": (1, 1000)}
_COUNTS = ("labelled", "bridges", "contexts", "least", "rare", "spelling", "keep")
_SHARES = ("spelling_weight", "spelling_least", "beta")
_WIDE, _BESIDE_BRIDGES = 20, 15


@dataclass(frozen=True)
class OovSettings:
    """How translations of unknown words are found; the defaults are those of Razmara (2013, chapter 5) but for spelling.

    Attributes:
        graph: Which nodes edges join.
        labelled: Neighbours with translations of each node; 0 for 15 beside bridges and 20 otherwise.
        bridges: Neighbours without translations of each unknown word, which lead to further ones with translations.
        order: Words of a node with translations, at most.
        window: Words on each side that make a word's profile.
        positional: Whether it matters on which side, and how far, a context word is.
        contexts: Keep so many context words, the most frequent; 0 for all.
        measure: What a context word says.
        similarity: How profiles are compared.
        method: How neighbours are looked for.
        spelling: Neighbours that are written alike, of each unknown word; 0 for none.
        spelling_weight: What their similarity is multiplied with.
        spelling_least: Below which similarity words are not written alike.
        translations: Of each node with translations, the most probable.
        copied: Whether "as it is written" is a translation that words have in common: neighbours that are copied vote for copying.
        transliterated: Whether "as it is written in the other language" is one, too: neighbours that are the same word in both vote
            for it. Letters are learnt from the words that have translations.
        mu: How much it counts that labels stay as given, are those of neighbours, and are none (Talukdar & Crammer 2009).
        beta: Of the entropy heuristic.
        iterations: Of propagation.
        solve: Whether the fixed point is found instead.
        keep: Labels of each node that are kept in each iteration, the most probable; 0 for all, which takes memory for every
            label at every node that it can reach.
        top: Translations of an unknown word, at most.
        least: How often the text must have an unknown word.
        rare: Words that the table saw so often at most get translations as well; 0 for none.
        names: Whether names are unknown words, too.
    """

    graph: Shape = "tripartite"
    labelled: int = 0
    bridges: int = 5
    order: int = 1
    window: int = 4
    positional: bool = False
    contexts: int = 0
    measure: Measure = "ppmi"
    similarity: Similarity = "cosine"
    method: Method = "exact"
    spelling: int = 10
    spelling_weight: float = 1.0
    spelling_least: float = 0.3
    translations: int = 20
    copied: bool = True
    transliterated: bool = False
    mu: tuple[float, float, float] = (1.0, 0.01, 0.01)
    beta: float = 2.0
    iterations: int = 10
    solve: bool = False
    keep: int = 100
    top: int = 20
    least: int = 2
    rare: int = 0
    names: bool = False

    def __post_init__(self) -> None:
        for name, kinds in (("graph", Shape), ("measure", Measure), ("similarity", Similarity), ("method", Method)):
            known = get_args(kinds)
            if getattr(self, name) not in known:
                raise SettingsError(f"unknown {name} {getattr(self, name)!r}", hint=f"use {', '.join(known)}")
        for name, (low, high) in {**_WORDS, **dict.fromkeys(_COUNTS, (0, 1_000_000))}.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise SettingsError(f"{name} cannot be {value!r}", hint=f"use a whole number from {low} to {high}")
        mu = tuple(self.mu)
        object.__setattr__(self, "mu", mu)
        for name, value in [*((name, getattr(self, name)) for name in _SHARES), *(("mu", one) for one in mu)]:
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
                raise SettingsError(f"{name} cannot be {value!r}", hint="use a number from 0 on")
        if len(mu) != 3 or not mu[2]:  # noqa: PLR2004 - three terms of the objective
            raise SettingsError(f"mu cannot be {mu}", hint="give three numbers, the last above 0")
        if self.similarity == "jsd" and self.measure != "cp":
            raise SettingsError(
                f"jsd compares distributions, which {self.measure} makes none", hint="use the measure cp"
            )
        if self.beta <= 1:
            raise SettingsError(f"beta cannot be {self.beta}", hint="use a number above 1")

    @property
    def neighbours(self) -> int:
        """Neighbours with translations of each node."""
        return self.labelled or (_BESIDE_BRIDGES if self.graph == "tripartite" else _WIDE)

    def told(self) -> dict[str, Any]:
        """For a manifest."""
        return {**asdict(self), "mu": list(self.mu)}
