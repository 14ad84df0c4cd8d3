"""Paraphrases that are seen in the same frames (Marton, Callison-Burch & Resnik 2009): what graphs are compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tolka.combine.oov.finding import Found, chosen, profiles_of, rounded
from tolka.combine.oov.labels import Seeds
from tolka.combine.oov.nothing import NothingFoundError
from tolka.combine.oov.record import Entry, Neighbour

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.combine.oov.gathering import Material
    from tolka.combine.oov.settings import OovSettings
    from tolka.progress import Progress

_LABELS_TOLD = 3


def find_by_frames(material: Material, settings: OovSettings, *, threads: int, progress: Progress) -> Found:
    """Find translations among those of phrases that are seen between the same words (Razmara 2013, section 5.2.1).

    p(t|o) = Σ_s p(t|s) p(s|o) over the most similar phrases that have translations, p(s|o) being similarities that are made to sum
    to 1. There is no ⊥, and no spelling.

    Args:
        material: The text, its unknown words, and words with translations.
        settings: How many phrases, how long, and how similar.
        threads: How many; 0 for one per core.
        progress: Who is told.

    Raises:
        NothingFoundError: No phrase with translations is seen in the same frame as an unknown word.
    """
    text = material.text
    unknown = [word for word in material.unknown.words if word in text]
    frames = text.frames(unknown, longest=settings.order)
    candidates = {
        word: [phrase for phrase in frames.get(word, ()) if phrase in material.known and phrase != word]
        for word in unknown
    }
    wanted = {phrase for own in candidates.values() for phrase in own}
    if not wanted:
        raise NothingFoundError(
            "no word with a translation is seen in the same frame as an unknown word", hint="give more text"
        )
    profiles, nodes = profiles_of(
        material, [*wanted, *(word for word, own in candidates.items() if own)], settings, threads
    )
    number = {node: at for at, node in enumerate(nodes)}
    labelled = {node: material.known[node] for node in nodes if node in material.known}
    seeds = Seeds.of(labelled, copied=settings.copied, sounds=material.sounds)
    entries, alone = [], 0
    with progress.task("frames", total=len(unknown), unit="words") as advance:
        for word in unknown:
            advance(1)
            among = np.array(sorted(number[phrase] for phrase in candidates[word]), dtype=np.int64)
            if not len(among):
                alone += 1
                continue
            of = np.array([number[word]], dtype=np.int64)
            found = profiles.neighbours(
                settings.neighbours, of=of, among=among, similarity=settings.similarity, threads=threads
            )
            beside = [(nodes[node], weight) for node, weight in found.row(0)]
            said = [(seeds.read(word, *zip(*seeds.rows[phrase], strict=True)), weight) for phrase, weight in beside]
            if own := chosen(of_paraphrases(said), settings.top):
                told = tuple(Neighbour(one, rounded(w), labels=_told(material, one)) for one, w in beside)
                entries.append(Entry(word, own, text.count(word), neighbours=told))
    if not entries:
        raise NothingFoundError(
            "no translation was found for an unknown word", hint="give more text of the source language"
        )
    return Found(tuple(entries), alone=alone, unlabelled=len(material.unknown.words) - len(entries))


def of_paraphrases(said: Sequence[tuple[Mapping[str, float], float]]) -> dict[str, float]:
    """p(t|o) = Σ_s p(t|s) p(s|o), similarities being made to sum to 1.

    Args:
        said: Translations of each phrase that is like a word, and how like it is.

    Example:
        >>> found = of_paraphrases([({"t1": 0.7, "t2": 0.3}, 0.2), ({"t2": 1.0}, 0.3)])
        >>> {text: round(p, 6) for text, p in found.items()}
        {'t1': 0.28, 't2': 0.72}
    """
    whole = sum(weight for _, weight in said)
    mass: dict[str, float] = {}
    for translations, weight in said:
        for text, p in translations.items():
            mass[text] = mass.get(text, 0.0) + weight / whole * p
    return mass


def _told(material: Material, phrase: str) -> tuple[tuple[str, float], ...]:
    return tuple((text, rounded(p)) for text, p in material.known[phrase][:_LABELS_TOLD])
