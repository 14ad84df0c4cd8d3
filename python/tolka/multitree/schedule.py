"""The passes of training: which pairs, with which grammars, how far explored (Galron 2012, sections 5.2 and 5.3)."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from tolka.multitree.record import OUTCOMES, Sureness
from tolka.multitree.settings import path_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tolka._engine import MultitreeModel
    from tolka.multitree.aligning import Step
    from tolka.multitree.settings import MultitreeSettings
    from tolka.multitree.watch import Watched
    from tolka.progress import Progress

_PIECE = 256
"""Pairs between two reports of progress."""
_SAMPLE = 50_000
"""Examples of a type that classifiers are asked about."""
_COUNTED = 1_000
"""Pairs that stand for all where those with a complete multitree are counted for people only."""
_ALIGNED, _FEW_CROSSINGS, _MANY_CROSSINGS = 200, 3, 10
"""Pairs that are aligned again and again, and brackets that they may cross at least and at most."""


def iterations(settings: MultitreeSettings) -> list[tuple[int, int, bool]]:
    """Epoch, steps that are explored, and whether classifiers are trained afterwards, for each iteration.

    Example:
        >>> from tolka.multitree import MultitreeSettings
        >>> plan = iterations(MultitreeSettings(epochs=5, partitions=5))
        >>> len(plan), [limit for _, limit, _ in plan[::5]], sum(trains for *_, trains in plan)
        (25, [0, 1, 2, 3, 4], 21)
    """
    # Without a search there is nothing new to be seen the second time.
    epochs = min(settings.epochs, 1) if settings.learn == "pairs" else settings.epochs
    return [
        (epoch, settings.limit(epoch), epoch > 0 or part == settings.partitions - 1)
        for epoch in range(epochs)
        for part in range(settings.partitions)
    ]


def _only_trees(hierarchy: str) -> str:
    """The same with nothing but what given trees have.

    Example:
        >>> _only_trees("itg : itg + fertility"), _only_trees("itg")
        ('tree, itg : itg + fertility', 'tree : itg')
    """
    return f"tree, {hierarchy}" if ":" in hierarchy else f"tree : {hierarchy}"


class Schedule:
    """Trains a model that has its pairs, counts and fertilities."""

    def __init__(
        self,
        native: MultitreeModel,
        settings: MultitreeSettings,
        threads: int,
        given: Mapping[int, list[Step]] | None = None,
    ) -> None:
        self._given = given or {}
        self._native = native
        self._settings = settings
        self._threads = threads
        self._all = list(range(native.pairs()))

    def align(self, progress: Progress) -> None:
        """Where supervisors know one tree of each pair, find it unless it is given."""
        if self._settings.supervisor == "forest":
            return
        for pair, given in self._given.items():
            self._native.set_tree(pair, given)
        wanted = [pair for pair in self._all if pair not in self._given]
        aligner = self._settings.hierarchy("aligner")
        with progress.task("aligning trees", total=len(wanted), unit="pairs") as advance:
            for start in range(0, len(wanted), _PIECE):
                some = wanted[start : start + _PIECE]
                for pair, (steps, _, _) in zip(some, self._native.align(some, aligner, self._threads), strict=True):
                    self._native.set_tree(pair, steps)
                advance(len(some))

    def make_lexicon(self, progress: Progress) -> tuple[float, tuple[int, int, int]]:
        """Make the lexicon of all pairs; the part of them, or of a sample, that has a complete multitree, and the lexicon's sizes."""
        supervisor = self._settings.supervisor
        origin = "phrases" if self._settings.lexicon == "phrases" else supervisor
        aligner = self._settings.hierarchy("aligner")
        hierarchy = aligner if supervisor == "forest" else _only_trees(aligner)
        pruning = (5.0, 0.5, self._settings.prune_pairs, 1)
        with progress.task("lexicon", total=1, unit="") as advance:
            complete, sizes = self._native.make_lexicon(self._all, origin, hierarchy, pruning, self._threads)
            whole = complete / max(len(self._all), 1)
            if origin == "phrases":
                # Phrases are taken without trees, so that those of all pairs would be looked for only to count them.
                some = self._shuffled()[:_COUNTED]
                whole = sum(found[1] for found in self._native.align(some, hierarchy, self._threads)) / len(some)
            advance(1)
        return whole, (sizes[0], sizes[1], sizes[2])

    def run(self, progress: Progress, *, after: int = 0, watched: Watched | None = None) -> Iterator[dict[str, Any]]:
        """Coordinate and train, iteration by iteration; tells what came of each.

        Args:
            progress: Who is told.
            after: Iterations that were made before.
            watched: What is translated after each training.
        """
        order = self._shuffled()
        parts = [order[part :: self._settings.partitions] for part in range(self._settings.partitions)]
        self._native.set_penalty(self._settings.penalty)
        plan = iterations(self._settings)
        for number, (epoch, limit, trains) in enumerate(plan):
            if number < after:
                continue
            some = parts[number % len(parts)]
            seen: dict[str, float] = {}
            if self._settings.learn == "pairs":
                self._choose(some, progress)
            else:
                seen = self._coordinate(some, limit, progress, learnt=epoch > 0)
            row: dict[str, Any] = {"iteration": number + 1, "epoch": epoch + 1, "limit": limit, **seen}
            if trains:
                with progress.task("training classifiers", total=1, unit="") as advance:
                    boosting = self._settings.boosting()
                    if number + 1 < len(plan):
                        # Only this snapshot is searched with; the smaller penalties, which take the longest, come at the end.
                        boosting["least"] = max(self._settings.least, self._settings.penalty)
                    row["classifiers"] = self._native.train(boosting, self._threads)
                    advance(1)
                if watched is not None:
                    with progress.task("translating what is watched", total=1, unit="") as advance:
                        row["score"] = watched.score(self._native, self._threads)
                        advance(1)
            row["examples"] = list(self._native.examples()[:4])
            yield row

    def sureness(self) -> tuple[Sureness, ...]:
        """How sure the classifiers are of the examples they learnt from, by penalty; nothing where there are none.

        Examples are not kept in a model, so that all is told of every penalty that tuning may choose.
        """
        if not self._settings.epochs:
            return ()
        rows = []
        for penalty in sorted({*path_of(self._settings.least), self._settings.penalty}, reverse=True):
            self._native.set_penalty(penalty)
            rows += [
                Sureness(kind, penalty, (yes, no), (sure, unsure), right / max(yes + no, 1), unknown)
                for kind, (yes, no), (sure, unsure), right, unknown in self._native.confidence(_SAMPLE, self._threads)
                if yes + no + unknown
            ]
        self._native.set_penalty(self._settings.penalty)
        return tuple(rows)

    def completeness(self, progress: Progress) -> tuple[tuple[int, float], ...]:
        """How many of some pairs have a complete multitree, the more crossing brackets are allowed."""
        some, crossings = self._shuffled()[:_ALIGNED], self._settings.most_crossings
        most = _FEW_CROSSINGS if crossings is None else min(max(crossings, _FEW_CROSSINGS), _MANY_CROSSINGS)
        found, aligner = [], self._settings.hierarchy("aligner")
        with progress.task("counting complete trees", total=most + 1, unit="") as advance:
            for allowed in range(most + 1):
                self._native.set({**self._settings.search(), "most_crossings": allowed})
                complete = sum(complete for _, complete, _ in self._native.align(some, aligner, self._threads))
                found.append((allowed, complete / len(some)))
                advance(1)
        self._native.set(self._settings.search())
        return tuple(found)

    def _shuffled(self) -> list[int]:
        order = list(self._all)
        random.Random(self._settings.seed).shuffle(order)  # noqa: S311 - the same order every time
        return order

    def _choose(self, pairs: list[int], progress: Progress) -> None:
        with progress.task("looking at translations", total=len(pairs), unit="pairs") as advance:
            for start in range(0, len(pairs), _PIECE):
                some = pairs[start : start + _PIECE]
                self._native.see_choices(some, self._threads)
                advance(len(some))

    def _coordinate(self, pairs: list[int], limit: int, progress: Progress, *, learnt: bool) -> dict[str, float]:
        first = "" if learnt else "first."
        supervisor, predictor = (self._settings.hierarchy(f"{first}{who}") for who in ("supervisor", "predictor"))
        sums = [0.0] * 6
        with progress.task(f"coordinating, {limit} explored", total=len(pairs), unit="pairs") as advance:
            for start in range(0, len(pairs), _PIECE):
                some = pairs[start : start + _PIECE]
                for outcome in self._native.coordinate(
                    some,
                    labelling=self._settings.labelling,
                    limit=limit,
                    supervisor=supervisor,
                    predictor=predictor,
                    trailing=self._settings.trailing,
                    neutral=self._settings.neutral,
                    most=self._settings.most_per_pair,
                    threads=self._threads,
                ):
                    sums = [total + one for total, one in zip(sums, outcome, strict=True)]
                advance(len(some))
        return {name: total / max(len(pairs), 1) for name, total in zip(OUTCOMES, sums, strict=True)}
