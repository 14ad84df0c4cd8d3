"""Profiles of phrases: what stands near each, and which are alike."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from tolka import _engine
from tolka.errors import SettingsError
from tolka.graph.checks import check_whole, numbered
from tolka.graph.neighbours import Neighbours, joined
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    from tolka.progress import Progress

Measure = Literal["ppmi", "pmi", "cp", "llr", "chi2"]
"""How strongly a word is associated with a phrase: (positive) mutual information, probability, likelihood ratio, χ²."""

Similarity = Literal["cosine", "l1", "jsd"]
"""How alike profiles are: the cosine, or as distances the sum of differences and the Jensen-Shannon divergence."""

Method = Literal["exact", "approximate"]
"""How neighbours are found."""

_ROWS = 8192
"""Rows whose neighbours are found between two reports."""


class Profiles:
    """A sparse row for each phrase: its counts, or associations, of the words near it. Made by `Text.profiles`.

    Example:
        >>> from tolka.graph import Text
        >>> lines = ["the cat drinks milk", "the dog drinks water", "a cat eats fish", "a dog eats meat"]
        >>> profiles = Text.of([*lines, "the feline drinks milk"]).profiles(["cat", "dog", "feline"], window=2).weigh("ppmi")
        >>> neighbours = profiles.neighbours(2)
        >>> [(profiles.nodes[node], round(weight, 3)) for node, weight in neighbours.row(profiles.id("feline"))]
        [('cat', 0.407), ('dog', 0.082)]
    """

    def __init__(self, native: _engine.GraphProfiles) -> None:
        self._native = native

    def __len__(self) -> int:
        return self._native.shape[0]

    def __repr__(self) -> str:
        rows, columns, entries, _ = self._native.shape
        return f"Profiles({rows} nodes, {columns} columns, {entries} entries of {self.measure})"

    @cached_property
    def nodes(self) -> list[str]:
        """The phrases, one a row."""
        return self._native.nodes()

    @cached_property
    def contexts(self) -> list[str]:
        """The columns: words, the most frequent first; with their place, such as `word@-2`, if places matter."""
        words, window = self._native.contexts(), self._native.shape[3]
        if not window:
            return words
        places = [place for place in range(-window, window + 1) if place]
        return [f"{word}@{place:+d}" for word in words for place in places]

    def id(self, node: str) -> int | None:
        """The row of a phrase, None if it has none."""
        return self._native.id(node)

    @cached_property
    def occurrences(self) -> NDArray[np.uint64]:
        """How often each phrase comes."""
        return self._native.occurrences()

    @property
    def measure(self) -> str:
        """What the numbers are: `count`, or what they were weighed by."""
        return self._native.measure

    def row(self, node: int) -> tuple[NDArray[np.uint32], NDArray[np.generic]]:
        """The columns in which a row has something, ascending, and what.

        Raises:
            InputError: There is no such row.
        """
        columns, values = self._native.row(check_whole("a node", node))
        return columns, values

    def matrix(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.generic]]:
        """All rows: where each begins (and the last ends), columns, numbers; what `scipy.sparse.csr_array` is made of."""
        return self._native.matrix()

    @property
    def totals(self) -> NDArray[np.float64]:
        """How often each column would be counted if every word of the text had a row."""
        return self._native.totals()

    def weigh(self, measure: Measure, *, marginals: Literal["text", "rows"] = "text", threads: int = 0) -> Profiles:
        """The profiles of associations of these counts.

        Args:
            measure: Pointwise mutual information in bits (`pmi`; `ppmi` where it is positive), the probability of the word near
                the phrase (`cp`), -2 ln λ (`llr`; Dunning 1993) or χ² (`chi2`).
            marginals: Whether the probabilities of words are those of the whole `text`, as if every word of it had a row, or
                those of the `rows` there are. The former does not depend on which phrases were asked for.
            threads: Threads to use; 0 means all cores.

        Raises:
            SettingsError: An unknown measure, or profiles that are weighed already.
        """
        return Profiles(self._native.weigh(measure, marginals=marginals, threads=check_whole("threads", threads)))

    def similarity(self, one: int, other: int, similarity: Similarity = "cosine") -> float:
        """The cosine of two rows, or their distance: L1, or the divergence of Jensen and Shannon in nats, not halved.

        Raises:
            InputError: There is no such row.
            SettingsError: An unknown similarity, or `jsd` of what are no distributions (weigh by `cp`).
        """
        return self._native.similarity(check_whole("a node", one), check_whole("a node", other), similarity)

    def neighbours(
        self,
        k: int,
        of: ArrayLike | None = None,
        among: ArrayLike | None = None,
        similarity: Similarity = "cosine",
        method: Method = "exact",
        *,
        columns: int = 256,
        rows: int = 500,
        candidates: int = 0,
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> Neighbours:
        """The nodes most like each node, of those that have a column in common with it; never the node itself.

        Distances become weights: 1 / (1 + L1) and 1 - JSD / (2 ln 2). What weighs nothing, or less, is left out, so a node may
        have fewer than `k`. Of equals the first stays. With the method `exact` the result is the same on any number of threads.

        Args:
            k: How many.
            of: The nodes whose neighbours are wanted; all if None.
            among: The nodes that may be neighbours; all if None.
            similarity: What is compared.
            method: `exact`, or `approximate`, which is quicker among very many: of each row only its strongest `columns` are
                looked up, and of each column only the `rows` for which it matters most; the nearest by that are `candidates`,
                which are compared exactly.
            columns: Of a row, for the approximate method.
            rows: Of a column, for the approximate method.
            candidates: Of a node, for the approximate method; 0 for five times `k`, at least 100.
            threads: Threads to use; 0 means all cores.
            progress: Hears of rows.

        Raises:
            InputError: There is no such node.
            SettingsError: No neighbours wanted, something unknown, or `jsd` of what are no distributions.
        """
        k, threads = check_whole("k", k, 1), check_whole("threads", threads)
        wanted = np.arange(len(self), dtype=np.uint32) if of is None else numbered("of", of)
        allowed = None if among is None else np.unique(numbered("among", among))
        if method not in get_args(Method):
            raise SettingsError(f"unknown method {method!r}", hint="use exact or approximate")
        pruning = (
            check_whole("columns", columns, 1),
            check_whole("rows", rows, 1),
            check_whole("candidates", candidates) or max(5 * k, 100),
        )
        kept = pruning if method == "approximate" else None
        index = _engine.GraphIndex(self._native, allowed, similarity=similarity, pruning=kept)
        parts = []
        with progress.task("neighbours", total=len(wanted), unit="nodes") as advance:
            for begin in range(0, len(wanted), _ROWS):
                some = wanted[begin : begin + _ROWS]
                parts.append(index.search(some, k=k, threads=threads))
                advance(len(some))
        return joined(wanted, parts)


def spelling_profiles(words: Iterable[str], shortest: int = 2, longest: int = 4) -> Profiles:
    """Profiles of how words are spelt: their sequences of letters, with a blank before and after the word.

    Args:
        words: Words, each once.
        shortest: Letters in the shortest sequences.
        longest: Letters in the longest.

    Raises:
        InputError: A word comes twice.
        SettingsError: Lengths that make no sense.

    Example:
        >>> profiles = spelling_profiles(["walked", "walking", "sang"])
        >>> profiles.similarity(0, 1) > profiles.similarity(0, 2)
        True
    """
    if isinstance(words, str):
        raise SettingsError("words are a list, not one string")
    lengths = {"shortest": check_whole("shortest", shortest), "longest": check_whole("longest", longest)}
    return Profiles(_engine.graph_spelling(list(words), **lengths))
