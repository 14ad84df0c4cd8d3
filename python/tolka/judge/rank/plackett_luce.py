"""Whole rankings, fitted as such: the model of Plackett (1975) and Luce (1959).

The best is chosen among all, the next among the rest, and so on, each with a chance in proportion to e^x. Of two items it
is Bradley and Terry's model; a ranking of five is four choices here, not ten answers that know nothing of each other.
Tied items might have come in any order: each order counts in equal parts, as half a win for each does between two.

Example:
    >>> from tolka.judge.rankings import Ranked
    >>> rankings = [Ranked((("a",), ("b",), ("c",))), Ranked((("b",), ("a",), ("c",))), Ranked((("c",), ("a", "b")))]
    >>> PlackettLuceRanker(prior=0).fit_rankings(rankings).scores.round(3).tolist()
    [0.335, 0.335, -0.67]
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError, LimitError, SettingsError
from tolka.judge.answers import Answer
from tolka.judge.rank.choices import ChoiceRanker, Choices, climb
from tolka.judge.rank.clusters import Gradients
from tolka.judge.rank.counts import Counts
from tolka.judge.rank.exclusion import exclude
from tolka.judge.rank.outcomes import Outcomes
from tolka.judge.rank.solvers import require_finite_scores
from tolka.judge.rankings import ranked_pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from tolka.judge.rank.exclusion import Exclusion
    from tolka.judge.rank.ranking import Ranking
    from tolka.judge.rankings import Ranked

    Array = NDArray[np.float64]
    Indices = NDArray[np.int64]

MOST_TIED = 10  # in one group: their orders are 2^10 sets to choose from
MOST_OPTIONS = 50_000_000


class PlackettLuceRanker(ChoiceRanker):
    """Ranks items by whole rankings; takes the settings of `Ranker`, with ties counted "half" or taken as an "error"."""

    model = "plackett-luce"

    def _check(self) -> None:
        super()._check()
        if self.ties == "drop":
            raise SettingsError("a ranking cannot drop its ties", hint="choose half or error")

    def fit(self, answers: Counts | Iterable[Answer]) -> Ranking:
        """Rank by answers about two, which is what Bradley and Terry's model does."""
        if isinstance(answers, Counts):
            return super().fit(answers)
        kept, excluded = exclude(answers, self.rules)
        given = (ranked_pair(answer) for answer in kept)
        return self._fit_rankings((one for one in given if one is not None), excluded)

    def fit_rankings(self, rankings: Iterable[Ranked]) -> Ranking:
        """Rank by whole rankings. `answers` and `comparisons` of the result count rankings.

        Raises:
            InputError: There are no rankings, ties are an error and there are some, or there is no prior and the
                rankings do not connect all items.
            LimitError: More than ten items are tied in one place, or there is more than fits into memory.
        """
        if not self.rules.active:
            return self._fit_rankings(rankings, ())
        given = list(rankings)
        # Rules about judges look at what the rankings say of pairs; times, sides and tests are not known of them.
        kept, excluded = exclude([answer for one in given for answer in one.answers()], self.rules)
        judges = {answer.judge for answer in kept}
        ranked: dict[str, float] = {}
        for one in given:
            ranked[one.judge] = ranked.get(one.judge, 0.0) + one.weight
        told = tuple(replace(one, answers=ranked.get(one.judge, 0.0) if one.answers else 0.0) for one in excluded)
        return self._fit_rankings((one for one in given if one.judge in judges), told)

    def _fit_rankings(self, rankings: Iterable[Ranked], excluded: tuple[Exclusion, ...]) -> Ranking:
        given = list(rankings)
        if not given:
            raise InputError("there are no answers to rank by")
        tied = [one for one in given if any(len(group) > 1 for group in one.groups)]
        if tied and self.ties == "error":
            first = next(group for group in tied[0].groups if len(group) > 1)
            raise InputError(f"{first[0]} and {first[1]} are tied", hint="count ties half")
        counts = Counts.of((answer for one in given for answer in one.answers()), ties=self.ties)
        if self.prior == 0:
            require_finite_scores(counts)
        stages = _Stages(given, counts.items)
        top = climb(stages.choices, counts.size, self.prior)
        # Who ranked what, in the form in which clusters are looked up.
        outcomes = Outcomes.of(
            Answer(one.items[0], one.items[1], judge=one.judge, segment=one.segment) for one in given
        )
        ranking = self._ranked(
            counts,
            replace(outcomes, items=counts.items),
            top,
            lambda ids: stages.gradients(top.scores, ids),
            excluded,
        )
        return self._in_rankings(ranking, given)

    def _in_rankings(self, ranking: Ranking, given: list[Ranked]) -> Ranking:
        """The same, with numbers of rankings instead of pairs."""
        met: dict[str, float] = dict.fromkeys(ranking.items, 0.0)
        for one in given:
            for item in one.items:
                met[item] += one.weight
        number = sum(one.weight for one in given)
        return replace(ranking, answers=number, comparisons=np.array([met[item] for item in ranking.items]))


class _Stages:
    """Rankings as choices, one after another: who was taken from those that were left.

    Attributes:
        choices: The choices.
        ranking: The ranking of each option.
    """

    def __init__(self, rankings: list[Ranked], items: tuple[str, ...]) -> None:
        from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import

        index = {item: number for number, item in enumerate(items)}
        option, occasion, of, chosen = array("q"), array("q"), array("q"), array("d")
        number = 0
        for at, ranked in enumerate(rankings):
            for left, taken in _stages(ranked, index):
                option.extend(left)
                occasion.extend([number] * len(left))
                of.extend([at] * len(left))
                chosen.extend(taken.get(item, 0.0) * ranked.weight for item in left)
                number += 1
            if len(option) > MOST_OPTIONS:
                raise LimitError(f"these rankings are more than {MOST_OPTIONS:,} choices", hint="rank fewer at once")
        self.item = np.array(option, dtype=np.int64)
        self.ranking = np.array(of, dtype=np.int64)
        ones, ends = np.ones(self.item.size), np.arange(self.item.size + 1)
        design = csr_array((ones, self.item, ends), shape=(self.item.size, len(items)))
        self.choices = Choices(design, np.array(occasion, dtype=np.int64), np.array(chosen, dtype=np.float64))

    def gradients(self, scores: Array, cluster: Indices) -> Gradients:
        """The gradients of clusters, given the cluster of each ranking."""
        chance, _ = self.choices.chances(scores)
        pull = self.choices.chosen - chance * self.choices.times[self.choices.occasion]
        # Pulls of one choice add up to 0, so that it does not matter against which item they are all taken.
        return Gradients(cluster[self.ranking], self.item, np.zeros_like(self.item), pull, scores.size)


def _stages(ranked: Ranked, index: Mapping[str, int]) -> Iterator[tuple[list[int], dict[int, float]]]:
    """Every set that something was chosen from, with what was, and how often: the mean over the orders of ties.

    While m of g tied items are left, each of the C(g, m) sets of them is left in as many orders, and each of the m is
    taken next in equally many.
    """
    groups = [[index[item] for item in group] for group in ranked.groups]
    for place, group in enumerate(groups):
        below = [item for later in groups[place + 1 :] for item in later]
        size = len(group)
        if size > MOST_TIED:
            raise LimitError(
                f"{size} items are tied in one ranking, and at most {MOST_TIED} may be", hint="take it apart into pairs"
            )
        for left in range(size, 0, -1):
            if left + len(below) == 1:
                continue
            share = 1 / (comb(size, left) * left)
            for some in combinations(group, left):
                yield [*some, *below], dict.fromkeys(some, share)
