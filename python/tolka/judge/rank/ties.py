"""Ties as an answer of their own: Davidson's model (1970).

With strengths p = e^x, i is chosen over j, j over i, or neither, in proportion to p_i, p_j and nu sqrt(p_i p_j): items
alike in strength tie most, and two equal ones with the chance nu / (2 + nu). Between those that choose, it is Bradley and
Terry's model. A tie says that two are close, which half a win for each says too; but here the share of ties is learnt,
so that people who often say "equal" do not make good and bad systems look alike.

Example:
    >>> from tolka.judge import Answer, Choice
    >>> answers = [Answer("a", "b")] * 6 + [Answer("b", "a")] * 2 + [Answer("a", "b", Choice.TIE)] * 4
    >>> found = DavidsonRanker(prior=0).fit(answers)
    >>> found.items, float(found.scores[0] - found.scores[1]).__round__(4), round(found.nu, 4)
    (('a', 'b'), 1.0986, 1.1547)
"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.errors import InputError, SettingsError
from tolka.judge.answers import Choice
from tolka.judge.rank.choices import ChoiceRanker, Choices, Top, climb
from tolka.judge.rank.clusters import Gradients
from tolka.judge.rank.counts import Counts, sum_by
from tolka.judge.rank.exclusion import exclude
from tolka.judge.rank.outcomes import Outcomes
from tolka.judge.rank.ranking import Ranking
from tolka.judge.rank.solvers import require_finite_scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from tolka.judge.answers import Answer

    Array = NDArray[np.float64]
    Indices = NDArray[np.int64]


@dataclass(frozen=True)
class TiedRanking(Ranking):
    """A ranking by Davidson's model.

    Attributes:
        nu: How readily people say "equal"; 0 is never.
        nu_low: The lower end of its interval, as if answers were independent.
        nu_high: The upper end.
    """

    nu: float = 0.0
    nu_low: float = 0.0
    nu_high: float = 0.0

    @property
    def equals_tie(self) -> float:
        """The chance that two equal items tie."""
        return self.nu / (2 + self.nu)

    def as_json(self, *, tables: bool = False) -> dict[str, Any]:
        """The ranking as JSON has it, with `nu`, its interval and the chance that equals tie."""
        more = {"nu": self.nu, "nu_low": self.nu_low, "nu_high": self.nu_high, "equals_tie": self.equals_tie}
        return {**super().as_json(tables=tables), **more}


class DavidsonRanker(ChoiceRanker):
    """Ranks items by answers of which some are ties; takes the settings of `Ranker` except `ties`.

    The prior on scores is also one on ln nu. Without a prior, answers must connect all items, and have ties as well as
    choices that no order of the items explains all alone.
    """

    model = "davidson"

    def _check(self) -> None:
        super()._check()
        if self.ties != "half":
            raise SettingsError("the model davidson has ties of its own", hint="leave --ties out")

    def fit(self, answers: Counts | Iterable[Answer]) -> TiedRanking:
        """Rank the items that answers are about.

        Raises:
            InputError: There are no answers, or there is no prior and no finite scores are most likely.
            SettingsError: Counts are given, which do not know what was tied.
        """
        if isinstance(answers, Counts):
            raise SettingsError("counts do not know which answers were ties", hint="give the answers themselves")
        kept, excluded = exclude(answers, self.rules)
        tied = array("b")
        outcomes = Outcomes.of(_ties_as_left(kept, tied))
        if not len(outcomes.items):
            raise InputError("there are no answers to rank by")
        games = _Games(outcomes, np.array(tied, dtype=bool))
        counts = games.counts()
        if self.prior == 0:
            require_finite_scores(counts)
            games.require_finite()
        top = climb(games.choices(), counts.size, self.prior)
        ranking = self._ranked(counts, outcomes, top, lambda ids: games.gradients(top, ids), excluded)
        return self._with_nu(replace(ranking, settings={**ranking.settings, "ties": "modelled"}), top)

    def _with_nu(self, ranking: Ranking, top: Top) -> TiedRanking:
        from scipy.special import ndtri  # noqa: PLC0415 - slow to import

        log_nu = float(top.others[0])
        # Of all parameters but one score, since only differences are known.
        inverse = np.linalg.inv(top.information[1:, 1:]) if self.prior == 0 else np.linalg.inv(top.information)
        reach = float(ndtri(0.5 + self.level / 2)) * math.sqrt(float(inverse[-1, -1]))
        given = {field.name: getattr(ranking, field.name) for field in fields(ranking)}
        return TiedRanking(**given, nu=math.exp(log_nu), nu_low=math.exp(log_nu - reach), nu_high=_exp(log_nu + reach))


def _exp(power: float) -> float:
    return math.exp(min(power, 700.0))


def _ties_as_left(answers: Iterable[Answer], tied: array[int]) -> Iterator[Answer]:
    """Answers whose ties are told apart in a list of their own, since outcomes have a winner."""
    for answer in answers:
        counted = answer.test is None and answer.choice is not Choice.UNDECIDED
        if counted:
            tied.append(answer.choice is Choice.TIE)
        yield replace(answer, choice=Choice.LEFT) if counted and answer.choice is Choice.TIE else answer


class _Games:
    """Answers, of which some are ties; in one of those `winner` and `loser` are only names of the two."""

    def __init__(self, outcomes: Outcomes, tied: NDArray[np.bool_]) -> None:
        self.outcomes = outcomes
        self.tied = tied
        self.size = len(outcomes.items)

    def counts(self) -> Counts:
        """Who was chosen over whom, a tie being half a win for each."""
        all_of, tied = self.outcomes, self.tied
        halves = np.where(tied, all_of.weight / 2, all_of.weight)
        counts = Counts.from_pairs(
            all_of.items,
            np.concatenate([all_of.winner, all_of.loser[tied]]),
            np.concatenate([all_of.loser, all_of.winner[tied]]),
            np.concatenate([halves, halves[tied]]),
        )
        number = float(all_of.weight[tied].sum())
        return replace(counts, tied=number, undecided=all_of.undecided, tests=all_of.tests)

    def choices(self) -> Choices:
        """Every pair that was compared as an occasion with three options: one, the other, neither."""
        from scipy.sparse import coo_array  # noqa: PLC0415 - slow to import

        all_of, size = self.outcomes, self.size
        low, high = np.minimum(all_of.winner, all_of.loser), np.maximum(all_of.winner, all_of.loser)
        pairs, place = np.unique(low * size + high, return_inverse=True)
        option = np.where(self.tied, 2, np.where(all_of.winner == low, 0, 1))
        chosen = sum_by(3 * place + option, all_of.weight, 3 * pairs.size)
        one, two = pairs // size, pairs % size
        first = 3 * np.arange(pairs.size)
        both = np.full(pairs.size, 0.5)
        rows = np.concatenate([first, first + 1, first + 2, first + 2, first + 2])
        columns = np.concatenate([one, two, one, two, np.full(pairs.size, size)])
        worth = np.concatenate([2 * both, 2 * both, both, both, 2 * both])
        design = coo_array((worth, (rows, columns)), shape=(3 * pairs.size, size + 1)).tocsr()
        return Choices(design, np.repeat(np.arange(pairs.size), 3), chosen)

    def gradients(self, top: Top, cluster: Indices) -> Gradients:
        """The gradients of clusters, without what ln nu takes up."""
        all_of = self.outcomes
        half = (top.scores[all_of.winner] - top.scores[all_of.loser]) / 2
        # sqrt(p_i / p_j), its inverse and nu, all divided by the largest.
        powers = np.stack([half, -half, np.full(half.size, top.others[0])])
        grown = np.exp(powers - powers.max(axis=0))
        ahead, behind, neither = grown / grown.sum(axis=0)
        pull = all_of.weight * (np.where(self.tied, 0.0, 0.5) - (ahead - behind) / 2)
        to_tie = all_of.weight * (self.tied - neither)
        found = Gradients(cluster, all_of.winner, all_of.loser, pull, self.size)
        across, own = top.information[self.size :, : self.size], top.information[self.size :, self.size :]
        taken_up = np.asarray(np.linalg.solve(own, across), dtype=np.float64)
        found.explain([(np.zeros(half.size, dtype=np.int64), to_tie)], 1, taken_up)
        return found

    def require_finite(self) -> None:
        """Refuse answers that grow ever more likely as parameters grow without end.

        Along a direction (v, t) of scores and ln nu the likelihood never falls if what was chosen stays the likeliest:
        v_i - v_j >= 2 t and >= 0 for every choice of i over j, |v_i - v_j| <= 2 t for every tie. With t = 0 that is answers
        which do not connect the items, and was looked at before. With t > 0 these are constraints on differences, which
        can all hold if and only if no cycle of them adds up to less than nothing (Bellman 1958, Ford 1956).

        Raises:
            InputError: There is such a direction.
        """
        winner, loser, tied = self.outcomes.winner, self.outcomes.loser, self.tied
        if not tied.any():
            raise InputError("there are no ties to learn their share from", hint="use a prior, or leave --model out")
        # v_to <= v_from + length: a loser is at least 1 below a winner, and tied ones are at most 1 apart.
        start = np.concatenate([winner[~tied], winner[tied], loser[tied]])
        end = np.concatenate([loser[~tied], loser[tied], winner[tied]])
        length = np.concatenate([np.full(int((~tied).sum()), -1.0), np.ones(2 * int(tied.sum()))])
        keys, where = np.unique(start * self.size + end, return_inverse=True)
        shortest = np.full(keys.size, np.inf)
        np.minimum.at(shortest, where, length)
        reach = np.zeros(self.size)
        for _ in range(self.size + 1):
            after = reach.copy()
            np.minimum.at(after, keys % self.size, reach[keys // self.size] + shortest)
            if (after == reach).all():
                raise InputError(
                    "the choices among the answers all follow one order, so that scores and ties would be infinite",
                    hint="use a prior (0.25 is the default)",
                )
            reach = after
