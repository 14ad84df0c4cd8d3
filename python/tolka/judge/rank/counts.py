"""Counts: how often each item was chosen over each other one, all that ranking needs of the answers.

Ten million answers about a thousand items are at most a million counts, and fitting works on those.

Example:
    >>> from tolka.judge import Answer
    >>> counts = Counts.of([Answer("a", "b"), Answer("a", "b"), Answer("b", "a")])
    >>> counts.items, counts.wins.tolist()
    (('a', 'b'), [2.0, 1.0])
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from tolka.errors import InputError, SettingsError
from tolka.judge.answers import Answer, Choice

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    Indices = NDArray[np.int64]

Ties = Literal["half", "drop", "error"]
TIES: tuple[str, ...] = get_args(Ties)
_DENSE_CELLS = 1 << 24  # up to here counting into a table beats sorting


@dataclass(frozen=True)
class Counts:
    """Wins of one item over another, each ordered pair at most once.

    Attributes:
        items: The names.
        winner: The index of the item chosen, per pair; sorted, then by `loser`.
        loser: The index of the item not chosen, per pair.
        wins: How often, per pair; above 0, and fractional where ties count half.
        ties: How ties were counted: "half" a win for each, "drop", or "error" (there were none).
        tied: How many ties there were.
        undecided: How many answers were "cannot decide"; they say nothing about the items and are never counted.
        tests: How many answers were to test questions; they say nothing about the items and are never counted.
    """

    items: tuple[str, ...]
    winner: Indices
    loser: Indices
    wins: Array
    ties: Ties = "half"
    tied: float = 0
    undecided: float = 0
    tests: float = 0

    @classmethod
    def of(cls, answers: Iterable[Answer], *, ties: Ties = "half", items: Sequence[str] | None = None) -> Counts:
        """Count answers; their order does not matter.

        Args:
            answers: The answers.
            ties: What to do with a tie: count "half" a win for each, "drop" it, or take it as an "error".
            items: The items, if some may have no answers or a certain order is wanted; sorted by name if not given.

        Raises:
            InputError: An answer is about an item that is not in `items`, compares an item with itself, has a weight
                that is no positive number, or is a tie where ties are an error.
        """
        if ties not in TIES:
            raise SettingsError(f"unknown tie policy {ties!r}", hint=f"choose one of {', '.join(TIES)}")
        tally = _Tally(ties)
        for answer in answers:
            tally.add(answer)
        wins = tally.wins
        names = sorted({name for pair in wins for name in pair}) if items is None else list(items)
        index = {name: number for number, name in enumerate(names)}
        if len(index) != len(names):
            raise InputError("an item is named twice")
        try:
            pairs = [(index[winner], index[loser]) for winner, loser in wins]
        except KeyError as error:
            raise InputError(f"there are answers about {error.args[0]!r}, which is not among the items") from None
        ids = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        counts = cls.from_pairs(names, ids[:, 0], ids[:, 1], list(wins.values()))
        return replace(counts, ties=ties, tied=tally.tied, undecided=tally.undecided, tests=tally.tests)

    @classmethod
    def from_pairs(
        cls, items: Sequence[str], winner: ArrayLike, loser: ArrayLike, weights: ArrayLike | None = None
    ) -> Counts:
        """Count pairs of indices, millions of them in no time.

        Args:
            items: The names.
            winner: Of each answer, the index of the item chosen.
            loser: Of each answer, the index of the item not chosen.
            weights: Of each answer, how many it stands for; 1 if not given.

        Example:
            >>> Counts.from_pairs(["a", "b"], [0, 0, 1], [1, 1, 0]).matrix().tolist()
            [[0.0, 2.0], [1.0, 0.0]]
        """
        first, second = np.asarray(winner, dtype=np.int64), np.asarray(loser, dtype=np.int64)
        size = len(items)
        if first.shape != second.shape or first.ndim != 1:
            raise InputError(f"{first.size} winners but {second.size} losers")
        if first.size and (min(first.min(), second.min()) < 0 or max(first.max(), second.max()) >= size):
            raise InputError(f"an index is outside the {size} items")
        if (first == second).any():
            raise InputError(f"{items[int(first[first == second][0])]!r} is compared with itself")
        amounts = None if weights is None else np.asarray(weights, dtype=np.float64)
        if amounts is not None and (amounts.shape != first.shape or not (np.isfinite(amounts) & (amounts > 0)).all()):
            raise InputError("weights must be positive numbers, one per answer")
        keys = first * size + second
        if size * size <= max(_DENSE_CELLS, keys.size):
            table = np.bincount(keys, amounts, minlength=size * size).astype(np.float64)
            cells = np.flatnonzero(table)
            wins = table[cells]
        else:
            cells, inverse = np.unique(keys, return_inverse=True)
            wins = np.bincount(inverse, amounts, minlength=cells.size).astype(np.float64)
        return cls(tuple(items), cells // max(size, 1), cells % max(size, 1), wins)

    @classmethod
    def from_matrix(cls, items: Sequence[str], matrix: ArrayLike) -> Counts:
        """Take a square table whose row i and column j say how often i was chosen over j."""
        table = np.array(matrix, dtype=np.float64)
        if table.shape != (len(items), len(items)):
            raise InputError(f"a table of {len(items)} rows and columns is needed, not {table.shape}")
        if not np.isfinite(table).all() or (table < 0).any() or np.diagonal(table).any():
            raise InputError("counts must be numbers from 0, with 0 where an item meets itself")
        winner, loser = np.nonzero(table)
        return cls(tuple(items), winner.astype(np.int64), loser.astype(np.int64), table[winner, loser])

    def matrix(self) -> Array:
        """The counts as a square table: row i, column j says how often i was chosen over j."""
        table = np.zeros((len(self.items), len(self.items)))
        table[self.winner, self.loser] = self.wins
        return table

    def plus(self, winner: int, loser: int, weight: float = 1.0) -> Counts:
        """These counts and one more answer."""
        return self.plus_many([winner], [loser], [weight])

    def plus_many(self, winner: ArrayLike, loser: ArrayLike, weights: ArrayLike | None = None) -> Counts:
        """These counts and more answers."""
        first, second = np.asarray(winner, dtype=np.int64), np.asarray(loser, dtype=np.int64)
        amounts = np.ones(first.size) if weights is None else np.asarray(weights, dtype=np.float64)
        counts = Counts.from_pairs(
            self.items,
            np.concatenate([self.winner, first]),
            np.concatenate([self.loser, second]),
            np.concatenate([self.wins, amounts]),
        )
        return replace(self, winner=counts.winner, loser=counts.loser, wins=counts.wins)

    def with_wins(self, wins: Array) -> Counts:
        """The same pairs with other numbers of wins, as a bootstrap needs them; zeros are allowed."""
        return replace(self, wins=wins)

    @property
    def size(self) -> int:
        """How many items there are."""
        return len(self.items)

    @property
    def total(self) -> float:
        """How many answers are counted."""
        return math.fsum(self.wins)

    @cached_property
    def pairs(self) -> tuple[Indices, Indices, Array, Array]:
        """Every unordered pair that was compared: i < j, the wins of i, the wins of j."""
        if self.size**2 <= _DENSE_CELLS and self.wins.size * 20 > self.size**2:
            table = self.matrix()
            first, second = np.nonzero(np.triu(table + table.T, 1))
            return first, second, table[first, second], table[second, first]
        low, high = np.minimum(self.winner, self.loser), np.maximum(self.winner, self.loser)
        cells, inverse = np.unique(low * max(self.size, 1) + high, return_inverse=True)
        forward = self.winner < self.loser
        ahead = sum_by(inverse[forward], self.wins[forward], cells.size)
        behind = sum_by(inverse[~forward], self.wins[~forward], cells.size)
        return cells // max(self.size, 1), cells % max(self.size, 1), ahead, behind

    def comparisons(self) -> Array:
        """Per item, how many answers are about it."""
        return sum_by(self.winner, self.wins, self.size) + sum_by(self.loser, self.wins, self.size)

    def expected_wins(self) -> Array:
        """Per item, the mean over the opponents it met of its rate of wins (Koehn 2012); NaN for one never compared."""
        first, second, ahead, behind = self.pairs
        met = (np.bincount(first, minlength=self.size) + np.bincount(second, minlength=self.size)).astype(np.float64)
        rate = ahead / (ahead + behind)
        gained = sum_by(first, rate, self.size) + sum_by(second, 1 - rate, self.size)
        rates: Array = np.divide(gained, met, out=np.full(self.size, np.nan), where=met > 0)
        return rates

    def components(self) -> list[list[str]]:
        """The strongly connected parts of "i was chosen over j at least once", in an order where winners come first.

        One part means that scores of greatest likelihood exist and are unique up to a constant (Ford 1957). With
        several, no answer ever put an item of a later part above one of an earlier part it met.
        """
        number, label = self._parts
        kept = self.wins > 0
        best = {part: min(self.items[i] for i in np.flatnonzero(label == part)) for part in range(number)}
        order = _topological(number, label[self.winner[kept]], label[self.loser[kept]], best)
        return [sorted(self.items[i] for i in np.flatnonzero(label == part)) for part in order]

    @property
    def is_strongly_connected(self) -> bool:
        """Whether scores of greatest likelihood exist without a prior."""
        return self._parts[0] == 1

    @cached_property
    def _parts(self) -> tuple[int, Indices]:
        """The number of strongly connected parts, and the part of each item."""
        from scipy.sparse import coo_array  # noqa: PLC0415 - a third of a second that many commands do not need
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

        kept = self.wins > 0
        cells = (self.winner[kept], self.loser[kept])
        graph = coo_array((np.ones(cells[0].size), cells), shape=(self.size, self.size))
        number, label = connected_components(graph, directed=True, connection="strong")
        return int(number), label.astype(np.int64)


class _Tally:
    """Adds answers up by the pair of names."""

    def __init__(self, ties: Ties) -> None:
        self.ties = ties
        self.wins: dict[tuple[str, str], float] = {}
        self.tied = self.undecided = self.tests = 0.0

    def add(self, answer: Answer) -> None:
        check_answer(answer)
        pair, weight = (answer.left, answer.right), answer.weight
        if answer.test is not None:
            self.tests += weight
        elif answer.choice is Choice.LEFT:
            self.wins[pair] = self.wins.get(pair, 0.0) + weight
        elif answer.choice is Choice.RIGHT:
            self.wins[pair[::-1]] = self.wins.get(pair[::-1], 0.0) + weight
        elif answer.choice is Choice.UNDECIDED:
            self.undecided += weight
        elif self.ties == "error":
            raise InputError(f"{answer.left} and {answer.right} are tied", hint="say how ties count: half or drop")
        else:
            self.tied += weight
            if self.ties == "half":
                self.wins[pair] = self.wins.get(pair, 0.0) + weight / 2
                self.wins[pair[::-1]] = self.wins.get(pair[::-1], 0.0) + weight / 2


def sum_by(index: Indices, amounts: Array, size: int) -> Array:
    """Per index below `size`, the sum of its amounts."""
    return np.bincount(index, amounts, size).astype(np.float64, copy=False)


def check_answer(answer: Answer) -> None:
    """Refuse what cannot be counted.

    Raises:
        InputError: The answer compares an item with itself, or its weight is no positive number.
    """
    if answer.left == answer.right and answer.test is None:
        raise InputError(f"{answer.left!r} is compared with itself")
    if not (math.isfinite(answer.weight) and answer.weight > 0):
        raise InputError(f"the weight of an answer must be a positive number, not {answer.weight}")


def _topological(number: int, winners: Indices, losers: Indices, names: dict[int, str]) -> list[int]:
    """Parts with winners before losers; of those that could come next, the first by name."""
    import heapq  # noqa: PLC0415

    keys = np.unique((winners * number + losers)[winners != losers])
    edges = [divmod(int(key), number) for key in keys]
    waiting = [0] * number
    below: list[list[int]] = [[] for _ in range(number)]
    for above, under in edges:
        below[above].append(under)
        waiting[under] += 1
    ready = [(names[part], part) for part in range(number) if not waiting[part]]
    heapq.heapify(ready)
    order = []
    while ready:
        _, part = heapq.heappop(ready)
        order.append(part)
        for under in below[part]:
            waiting[under] -= 1
            if not waiting[under]:
                heapq.heappush(ready, (names[under], under))
    return order
