"""Slow, plain versions of what the engine does, written from the formulas."""

from __future__ import annotations

import math
from collections import defaultdict

Link = tuple[int, int]
NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def grow(forward: set[Link], backward: set[Link], final: str) -> set[Link]:
    union = forward | backward
    taken = forward & backward
    queue = sorted(taken)
    for i, j in queue:  # the list grows while it is walked
        for down, right in NEIGHBOURS:
            near = (i + down, j + right)
            lonely = all(a != near[0] for a, _ in taken) or all(b != near[1] for _, b in taken)
            if near in union and near not in taken and lonely:
                taken.add(near)
                queue.append(near)
    for direction in (forward, backward):
        for link in sorted(direction):
            source_free = all(a != link[0] for a, _ in taken)
            target_free = all(b != link[1] for _, b in taken)
            wanted = {
                "": False,
                "final": source_free or target_free,
                "final-and": source_free and target_free,
            }[final]
            if link not in taken and wanted:
                taken.add(link)
    return taken


def symmetrise(forward: set[Link], backward: set[Link], method: str) -> set[Link]:
    if method == "intersection":
        return forward & backward
    if method == "union":
        return forward | backward
    return grow(forward, backward, method.removeprefix("grow-diag").removeprefix("-"))


def aer(links: list[set[Link]], sure: list[set[Link]], possible: list[set[Link]]) -> float:
    hits = total = 0
    for a, s, p in zip(links, sure, possible, strict=True):
        hits += len(a & s) + len(a & (s | p))
        total += len(a) + len(s)
    return 1 - hits / total if total else 0.0


def gaussian(counts: list[float], floor: float = 0.01) -> list[float]:
    """NULL, then the positions: the vanilla fit of one column, renormalised."""
    total = sum(counts)
    null = counts[0] / total
    mass = sum(counts[1:])
    mean = sum(i * c for i, c in enumerate(counts) if i) / mass
    variance = max(floor, sum((i - mean) ** 2 * c for i, c in enumerate(counts) if i) / mass)
    height = [math.exp(-((i - mean) ** 2) / (2 * variance)) for i in range(1, len(counts))]
    return [null, *((1 - null) * h / sum(height) for h in height)]


class NaiveEM:
    """Models 1 and 2 and the Gaussian one, for one direction: `made` words come from `given` words or NULL."""

    def __init__(self, pairs: list[tuple[list[str], list[str]]]) -> None:
        self.pairs = pairs
        types = {word for _, made in pairs for word in made}
        self.t: dict[tuple[str | None, str], float] = defaultdict(lambda: 1 / len(types))
        self.d: dict[tuple[int, int, int], list[float]] = {}
        for given, made in pairs:
            for j in range(len(made)):
                self.d[j, len(given), len(made)] = [1 / (len(given) + 1)] * (len(given) + 1)

    def posteriors(self) -> tuple[float, list[list[list[float]]]]:
        likelihood = 0.0
        tables = []
        for given, made in self.pairs:
            words: list[str | None] = [None, *given]
            rows = []
            for j, word in enumerate(made):
                weights = [self.t[e, word] * p for e, p in zip(words, self.d[j, len(given), len(made)], strict=True)]
                likelihood += math.log(sum(weights))
                rows.append([weight / sum(weights) for weight in weights])
            tables.append(rows)
        return likelihood, tables

    def step(self, fit: str = "none") -> float:
        likelihood, tables = self.posteriors()
        t: dict[tuple[str | None, str], float] = defaultdict(float)
        d = {key: [0.0] * len(row) for key, row in self.d.items()}
        for (given, made), rows in zip(self.pairs, tables, strict=True):
            for j, (word, row) in enumerate(zip(made, rows, strict=True)):
                for i, (e, p) in enumerate(zip([None, *given], row, strict=True)):
                    t[e, word] += p
                    d[j, len(given), len(made)][i] += p
        totals: dict[str | None, float] = defaultdict(float)
        for (e, _), count in t.items():
            totals[e] += count
        self.t = defaultdict(float, {key: count / totals[key[0]] for key, count in t.items()})
        if fit == "table":
            self.d = {key: [count / sum(row) for count in row] for key, row in d.items()}
        elif fit == "gauss":
            self.d = {key: gaussian(row) for key, row in d.items()}
        return likelihood
