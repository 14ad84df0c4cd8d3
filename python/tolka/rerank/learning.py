"""Weights from lists: only as far from the decoder's order as helps on lists that were not learnt from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tolka.rerank.gathering import weighted
from tolka.tune import NBestLists

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from tolka.tune import Tuner
    from tolka.tune.gathered import MetricName

SHARES = (0.0, 0.0625, 0.125, 0.25, 0.5, 1.0)
"""How far to go from the start to what was learnt; the first of those that are equally good is taken."""

_LEAST_OF_FOLD = 10


@dataclass(frozen=True)
class Table:
    """All translations of all sentences, a row each.

    Attributes:
        names: The features that every row has.
        references: One line per sentence, of one or several texts.
        counts: Translations of each sentence.
        words: What rows say.
        dense: The features of each row.
        sparse: More features of each row; empty if none has any.
        metric: What translations are judged by.
    """

    names: tuple[str, ...]
    references: list[list[str]]
    counts: list[int]
    words: list[str]
    dense: NDArray[np.float32]
    sparse: list[dict[str, float]]
    metric: MetricName = "bleu"

    def part(self, kept: NDArray[np.bool_]) -> Table:
        """Some of the sentences."""
        rows = np.repeat(kept, self.counts)
        return replace(
            self,
            references=[
                [line for line, is_kept in zip(text, kept, strict=True) if is_kept] for text in self.references
            ],
            counts=[count for count, is_kept in zip(self.counts, kept, strict=True) if is_kept],
            words=[words for words, is_kept in zip(self.words, rows, strict=True) if is_kept],
            dense=self.dense[rows],
            sparse=[row for row, is_kept in zip(self.sparse, rows, strict=True) if is_kept] if self.sparse else [],
        )

    def lists(self) -> NBestLists:
        """The same for a tuner."""
        gathered = NBestLists(self.references, self.names, metric=self.metric)
        gathered.add_rows(self.counts, self.words, self.dense, self.sparse)
        return gathered

    def scores(self, weights: Mapping[str, float]) -> NDArray[np.float64]:
        """The weighted sum of each row."""
        found: NDArray[np.float64] = self.dense @ np.array([weights.get(name, 0.0) for name in self.names])
        return found + weighted(self.sparse, weights) if self.sparse else found

    def best(self, scores: NDArray[np.float64]) -> list[str]:
        """What has the highest score, for each sentence; the first of equals, and nothing where there is no translation."""
        ends = np.cumsum(self.counts).tolist()
        return [
            self.words[end - count + int(scores[end - count : end].argmax())] if count else ""
            for end, count in zip(ends, self.counts, strict=True)
        ]


@dataclass(frozen=True)
class Learnt:
    """What was learnt.

    Attributes:
        weights: The weight of each feature.
        share: How far they are from the start to the weights that the tuner found.
        before: The metric of what the start chooses.
        after: The metric of what the weights choose from the same lists.
        oracle: The metric of the best translation of each list.
        held_out: The metric of what such weights choose from lists that they were not learnt from, if that was asked.
    """

    weights: dict[str, float]
    share: float
    before: float
    after: float
    oracle: float
    held_out: float | None


def learn(
    table: Table, start: Mapping[str, float], tuner: Tuner, folds: int, advance: Callable[[int], None] = lambda _: None
) -> Learnt:
    """Tune on all parts of the sentences but one, each in turn; the average goes as far as helps on those left out.

    A tuner that starts at a decoder's weights finds others that are better where it looked, but with few sentences much of
    the way leads nowhere. How much of it to go is one number, and all held-out sentences together say which: at 0 the
    reranker chooses as the decoder did. With fewer than ten sentences a part, the tuner's word is taken for all of it.

    Tuners look at differences within lists, and go further along features that differ more. So every feature is divided by
    its deviation there, and so is what the start adds up to.

    Args:
        table: The development set.
        start: A weight for every dense feature, and for those of the others that have one.
        tuner: What finds weights.
        folds: How many parts; 0 to leave out none.
        advance: Told of every part.
    """
    spread = deviations(table.dense, table.counts)
    scaled = replace(table, dense=(table.dense / spread).astype(np.float32))
    units = dict(zip(table.names, spread.tolist(), strict=True))
    trust = 1.0 / float(deviations(table.scores(start).reshape(-1, 1), table.counts)[0])
    first = {name: trust * weight * units.get(name, 1.0) for name, weight in start.items()}
    gathered = scaled.lists()
    begin = scaled.scores(first)
    before = gathered.score(scaled.best(begin))
    sign = 1.0 if gathered.higher_is_better else -1.0
    share, held_out = 1.0, None
    if folds and len(table.counts) >= _LEAST_OF_FOLD * folds:
        found, lines = [], {share: [""] * len(table.counts) for share in SHARES}
        for fold in range(folds):
            is_held = np.arange(len(table.counts)) % folds == fold
            found.append(_tuned(tuner, scaled.part(~is_held).lists(), first))
            rest = scaled.part(is_held)
            old, new = rest.scores(first), rest.scores(found[-1])
            for far, chosen in lines.items():
                chosen[fold::folds] = rest.best(old + far * (new - old))
            advance(1)
        held = {far: gathered.score(chosen) for far, chosen in lines.items()}
        share = max(SHARES, key=lambda far: sign * held[far])
        held_out = held[share]
        names = dict.fromkeys(name for weights in found for name in weights)
        end = {name: sum(weights.get(name, 0.0) for weights in found) / folds for name in names}
    else:
        end = _tuned(tuner, gathered, first)
        advance(1)
        if sign * gathered.score(scaled.best(scaled.scores(end))) < sign * before:
            share = 0.0
    names = dict.fromkeys([*first, *end])
    old, new = (np.array([weights.get(name, 0.0) for name in names]) for weights in (first, end))
    mixed = old + share * (new - old)
    weights = {name: value / units.get(name, 1.0) for name, value in zip(names, mixed.tolist(), strict=True)}
    return Learnt(
        weights,
        share=share,
        before=before,
        after=gathered.score(table.best(table.scores(weights))) if share else before,
        oracle=gathered.oracle(table.counts, table.words),
        held_out=held_out,
    )


def deviations(rows: NDArray[np.floating], counts: Sequence[int]) -> NDArray[np.float64]:
    """How far each column is from its mean within a list, as the root of the mean square; 1 if it never is.

    Example:
        >>> deviations(np.array([[1.0, 5.0], [3.0, 5.0], [0.0, 7.0], [0.0, 7.0]]), [2, 2]).round(4).tolist()
        [0.7071, 1.0]
    """
    squares = np.zeros(rows.shape[1])
    end = 0
    for count in counts:
        own = rows[end : end + count].astype(np.float64)
        end += count
        if count:
            squares += np.square(own - own.mean(axis=0)).sum(axis=0)
    found: NDArray[np.float64] = np.sqrt(squares / max(end, 1))
    # What rounding leaves of a constant is none.
    largest = np.abs(rows).max(axis=0, initial=0.0)
    return np.where(found > _ROUNDING * largest, found, 1.0)


def _tuned(tuner: Tuner, lists: NBestLists, start: Mapping[str, float]) -> dict[str, float]:
    return (
        tuner.with_seed(tuner.seed)
        .fit(lists, {name: start.get(name, 0.0) for name in (*lists.features, *start)})
        .weights_
    )


_ROUNDING = 1e-6
