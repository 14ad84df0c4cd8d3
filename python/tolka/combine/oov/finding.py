"""Translations of unknown words: a graph is made, labels run along its edges, and what arrives is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.combine.oov.edges import SPELLING, Edges, context_edges, spelling_edges
from tolka.combine.oov.labels import Seeds
from tolka.combine.oov.nothing import NothingFoundError
from tolka.combine.oov.record import Entry, Neighbour
from tolka.errors import InputError
from tolka.graph import AdsorptionSettings, Graph, Labels, propagate, solve
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.combine.oov.gathering import Material
    from tolka.combine.oov.record import Role, Weighed
    from tolka.combine.oov.settings import OovSettings
    from tolka.graph import Profiles
    from tolka.progress import Progress

_DIGITS = 6
_LABELS_TOLD = 3
"""Labels of a neighbour that the record has."""
_LOOKED_AT = 50
"""Labels that are looked at beside twice as many as are wanted: some are no words."""


@dataclass(frozen=True)
class Found:
    """What was found.

    Attributes:
        entries: Words that have translations now, in alphabetical order.
        nodes: Nodes of the graph; 0 if there is none.
        edges: Its edges.
        alone: Unknown words without a neighbour.
        unlabelled: Unknown words that no label reached.
    """

    entries: tuple[Entry, ...]
    nodes: int = 0
    edges: int = 0
    alone: int = 0
    unlabelled: int = 0


def find_translations(
    material: Material, settings: OovSettings, *, threads: int = 0, progress: Progress = SILENT
) -> Found:
    """Find translations of unknown words.

    Args:
        material: The text, its unknown words, and words with translations.
        settings: How.
        threads: How many; 0 for one per core.
        progress: Who is told.

    Raises:
        NothingFoundError: No unknown word has a neighbour, or no translation reached any.
    """
    if settings.graph == "marton":
        from tolka.combine.oov.frames import find_by_frames  # noqa: PLC0415 - what graphs are compared with

        return find_by_frames(material, settings, threads=threads, progress=progress)
    profiles, nodes = profiles_of(
        material, [*material.unknown.words, *material.known, *material.bridges], settings, threads
    )
    labelled = {node: material.known[node] for node in nodes if node in material.known}
    seeds = Seeds.of(labelled, copied=settings.copied, sounds=material.sounds)
    number = {node: at for at, node in enumerate(nodes)}
    unknown = _ids(number, material.unknown.words)
    in_text = len(profiles.nodes)
    lists = context_edges(
        profiles,
        unknown[unknown < in_text],
        _ids(number, (node for node in profiles.nodes if node in seeds.rows)),
        _ids(number, (node for node in material.bridges if number[node] < in_text)),
        settings,
        threads=threads,
        progress=progress,
    )
    words = _ids(number, (node for node in seeds.rows if " " not in node))
    lists += spelling_edges(nodes, unknown, words, settings, threads=threads, progress=progress)
    edges = Edges.of(lists)
    used = edges.nodes()
    if not len(used):
        raise NothingFoundError(
            "no unknown word has a neighbour", hint="give more text, or fewer conditions on neighbours"
        )
    begins, ends = np.searchsorted(used, edges.begins), np.searchsorted(used, edges.ends)
    graph = Graph.of(len(used), (begins, ends, edges.weights))
    given = {at: dict(seeds.rows[nodes[node]]) for at, node in enumerate(used.tolist()) if nodes[node] in seeds.rows}
    if not given:
        raise NothingFoundError(
            "no neighbour of an unknown word has a translation", hint="give text that the model knows more of"
        )
    labels = _spread(graph, Labels.of(len(used), given), settings, threads, progress)
    reader = _Reader(material, settings, seeds, labels, nodes, used.tolist())
    beside = edges.beside(unknown.tolist())
    entries = [reader.entry(node, beside[node]) for node in unknown.tolist()]
    found = tuple(entry for entry in entries if entry is not None)
    if not found:
        raise NothingFoundError("no translation reached an unknown word", hint="give more text of the source language")
    alone = sum(not beside[node] for node in unknown.tolist())
    return Found(found, len(used), len(edges.begins), alone, len(entries) - len(found))


def profiles_of(
    material: Material, wanted: Sequence[str], settings: OovSettings, threads: int
) -> tuple[Profiles, list[str]]:
    """Profiles of nodes that the text has, and all nodes: those first."""
    listed = sorted(set(wanted))
    in_text = [node for node in listed if all(word in material.text for word in node.split(" "))]
    if not in_text:
        raise InputError("the text has no word of the model", hint="give text of the source language")
    profiles = material.text.profiles(
        in_text,
        window=settings.window,
        positional=settings.positional,
        contexts=settings.contexts,
        threads=threads,
    ).weigh(settings.measure)
    there = set(profiles.nodes)
    return profiles, [*profiles.nodes, *(node for node in listed if node not in there)]


def _ids(number: dict[str, int], nodes: Iterable[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(sorted(number[node] for node in nodes), dtype=np.int64)


def _spread(graph: Graph, given: Labels, settings: OovSettings, threads: int, progress: Progress) -> Labels:
    how = AdsorptionSettings(
        mu=settings.mu, beta=settings.beta, iterations=settings.iterations, keep=0 if settings.solve else settings.keep
    )
    run = solve if settings.solve else propagate
    return run(graph, given, settings=how, threads=threads, progress=progress)


class _Reader:
    """Reads what reached words."""

    def __init__(
        self,
        material: Material,
        settings: OovSettings,
        seeds: Seeds,
        labels: Labels,
        nodes: Sequence[str],
        used: Sequence[int],
    ) -> None:
        self._material, self._settings, self._seeds, self._labels, self._nodes = (
            material,
            settings,
            seeds,
            labels,
            nodes,
        )
        self._place = {node: at for at, node in enumerate(used)}
        self._told: dict[int, Weighed] = {}

    def entry(self, node: int, beside: Sequence[tuple[int, float, int]]) -> Entry | None:
        """What an unknown word became, if anything reached it."""
        word, top = self._nodes[node], self._settings.top
        ids, values = self._row(node)
        whole = float(values.sum())
        dummy = float(self._labels.dummy[self._place[node]]) if node in self._place else 0.0
        share = dummy / (dummy + whole) if dummy > 0 else 0.0
        direct = self._material.direct.get(word)
        rare = self._material.rare.get(word)
        if direct is not None:
            # The lexicon says what; what reached the word says only which of it is more probable.
            mass = self._seeds.read(word, ids, values)
            said = {text: mass.get(text, 0.0) for text in direct}
            translations = chosen(said if any(said.values()) else dict.fromkeys(direct, 1.0), top)
            share = 0.0
        elif rare is not None:
            # What the table says already keeps its share.
            mass = self._seeds.read(word, ids, values)
            translations = chosen({text: own for text, own in mass.items() if text not in rare}, top, whole=whole)
        else:
            translations = self._best(word, ids, values, top)
        if not translations:
            return None
        neighbours = tuple(self._neighbour(*edge) for edge in beside)
        count = self._material.text.count(word)
        return Entry(word, translations, count, rounded(share), "graph" if direct is None else "lexicon", neighbours)

    def _row(self, node: int) -> tuple[Any, Any]:
        """The labels that reached a node, and how much of them."""
        if node not in self._place:
            return np.empty(0, dtype=np.int64), np.empty(0)
        ids, values = self._labels.row(self._place[node])
        return np.asarray(ids), np.asarray(values, dtype=np.float64)

    def _best(self, word: str, ids: Any, values: Any, top: int) -> Weighed:
        """The most probable translations, without a look at the many that are hardly any."""
        enough = _LOOKED_AT + 2 * top
        if len(values) > enough:
            # Of what is as much as the last all are looked at, so that their order does not depend on their numbers.
            kept = (
                (values >= np.partition(values, -enough)[-enough])
                | np.isin(ids, self._seeds.alike)
                | (ids == self._seeds.id(word))
            )
            found = chosen(self._seeds.read(word, ids[kept], values[kept]), top)
            if len(found) == top:
                return found
        return chosen(self._seeds.read(word, ids, values), top)

    def _neighbour(self, node: int, weight: float, kind: int) -> Neighbour:
        name = self._nodes[node]
        role: Role = "labelled"
        if name not in self._seeds.rows:
            role = "unknown" if name in self._material.needed else "bridge"
        if node not in self._told:
            known = (
                self._material.known[name] if role == "labelled" else self._best(name, *self._row(node), _LABELS_TOLD)
            )
            self._told[node] = tuple((text, rounded(p)) for text, p in known[:_LABELS_TOLD])
        return Neighbour(name, rounded(weight), "spelling" if kind == SPELLING else "context", role, self._told[node])


def chosen(mass: dict[str, float], top: int, *, whole: float = 0.0) -> Weighed:
    """The most probable translations; those without a letter or a digit are none.

    Args:
        mass: What reached a word.
        top: How many.
        whole: What masses are divided by; by default the sum of those that are chosen.

    Example:
        >>> chosen({"cat": 0.25, ",": 1.0, "tomcat": 0.5, "dog": 0.25}, 2)
        (('tomcat', 0.666667), ('cat', 0.333333))
    """
    words = {text: own for text, own in mass.items() if own > 0 and any(letter.isalnum() for letter in text)}
    best = sorted(words, key=lambda text: (-words[text], text))[:top]
    whole = whole or sum(words[text] for text in best)
    found = ((text, min(1.0, rounded(words[text] / whole))) for text in best)
    return tuple((text, p) for text, p in found if p > 0)


def rounded(value: float) -> float:
    """A number with as many digits as records keep."""
    return float(f"{value:.{_DIGITS}g}")
