"""From answers to a ranking with everything a reader should know about it.

Example:
    >>> from tolka.judge.rank import Counts
    >>> counts = Counts.from_matrix(["old", "new"], [[0, 12], [48, 0]])
    >>> ranking = Ranker().fit(counts)
    >>> ranking.items, ranking.groups
    (('new', 'old'), (('new',), ('old',)))
    >>> ranking.signature().rpartition("|design")[0]
    'claire|items:2|answers:60|activation:logistic|kappa:1|prior:0.25|posterior:laplace|ties:half|cluster:none|judges:equal'
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np

import tolka
from tolka.errors import InputError, SettingsError
from tolka.judge.rank.activations import Activation, activation_by_name
from tolka.judge.rank.bootstrap import bootstrap
from tolka.judge.rank.clusters import (
    CLUSTERS,
    Cluster,
    Gradients,
    choose_cluster,
    cluster_ids,
    repeats,
    robust_covariance,
    small_sample,
)
from tolka.judge.rank.counts import TIES, Counts, Ties, sum_by
from tolka.judge.rank.exclusion import Exclusion, Rules, exclude
from tolka.judge.rank.likelihood import Likelihood
from tolka.judge.rank.outcomes import Outcomes
from tolka.judge.rank.posterior import Posterior, design_effect
from tolka.judge.rank.reliability import Judge, JudgeModel
from tolka.judge.rank.solvers import disconnection, newton, solver_failed
from tolka.page import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from tolka.judge.answers import Answer

    Array = NDArray[np.float64]
    Indices = NDArray[np.int64]

PosteriorName = Literal["laplace", "importance", "bootstrap"]
Judges = Literal["equal", "modelled"]
FIXED = "fixed"


class HowAsked(Protocol):
    """How the pairs were chosen, and what that does to intervals; `tolka.judge.ask.Design` is one."""

    @property
    def name(self) -> str:
        """What the signature says of it."""

    def widening(self, items: int, answers: float, *, level: float, effect: float) -> float:
        """How many times as wide as for pairs that were fixed beforehand intervals must be."""


@dataclass(frozen=True)
class Ranking:
    """Items from best to worst; every list and table is in that order.

    Attributes:
        items: The names.
        scores: The scores, with mean 0.
        errors: Their standard errors.
        low: The lower ends of their intervals.
        high: The upper ends.
        rank: 1, 2, 3, …; equal scores in the order of names.
        rank_low: The best rank an item may have, at the level.
        rank_high: The worst rank an item may have, at the level.
        rank_probabilities: Row i, column r: the probability that item i has rank r + 1.
        p_better: Row i, column j: the probability that i is better than j.
        groups: Runs of items that cannot be told apart; between two of them, the interval of every difference between
            an item above and one below lies above 0.
        expected_wins: Per item, the mean over opponents of its rate of wins (Koehn 2012).
        comparisons: Per item, how many answers are about it.
        answers: How many answers were counted.
        tied: How many ties there were among the answers.
        undecided: How many "cannot decide" there were; they are not counted.
        tests: How many answers to test questions there were; they are not counted.
        loglik: The logarithm of the likelihood at the most likely scores, prior included.
        ess: The effective sample size, if the posterior was sampled.
        excluded: What rules left out of the answers, judge by judge.
        judges: What was learnt of each judge; empty if all were taken as equal.
        warnings: What a reader should know, a sentence each.
        settings: Every setting the ranking depends on.
        posterior: The distribution behind it, its items in the order of the counts.
    """

    items: tuple[str, ...]
    scores: Array
    errors: Array
    low: Array
    high: Array
    rank: Indices
    rank_low: Indices
    rank_high: Indices
    rank_probabilities: Array
    p_better: Array
    groups: tuple[tuple[str, ...], ...]
    expected_wins: Array
    comparisons: Array
    answers: float
    tied: float
    undecided: float
    tests: float
    loglik: float
    ess: float | None
    excluded: tuple[Exclusion, ...]
    judges: tuple[Judge, ...]
    warnings: tuple[str, ...]
    settings: Mapping[str, Any]
    posterior: Posterior = field(repr=False)

    def signature(self) -> str:
        """All settings in a line, to cite beside the result."""
        parts = [f"{name}:{_brief(value)}" for name, value in self.settings.items()]
        return "|".join(["claire", f"items:{len(self.items)}", f"answers:{_brief(self.answers)}", *parts])

    def _repr_html_(self) -> str:
        """Notebooks show a ranking as a table."""
        level = f"{self.settings['level']:.0%}"
        heads = ["item", "score", f"{level} interval", f"{level} ranks", "answers"]
        rows = [
            [
                f"{self.rank[at]}. <bdi>{escape(item)}</bdi>",
                f"{self.scores[at]:.3f}",
                f"{self.low[at]:.3f} to {self.high[at]:.3f}",
                f"{self.rank_low[at]} to {self.rank_high[at]}",
                f"{self.comparisons[at]:,.10g}",
            ]
            for at, item in enumerate(self.items)
        ]
        groups = " | ".join(", ".join(escape(item) for item in group) for group in self.groups)
        return f"{table('Ranking', heads, rows)}<p>Told apart: {groups}. {escape(self.assumption)}</p>"

    def intervals(self, level: float | None = None) -> Posterior:
        """The distribution whose intervals of the ranking's level hold; of another, as far as a Gaussian's do."""
        del level  # rules that stop ask beliefs and rankings alike
        return self.posterior

    @property
    def assumption(self) -> str:
        """What the intervals take for granted about how pairs were chosen, in a sentence."""
        design = self.settings.get("design", FIXED)
        if design != FIXED:
            return f"Intervals are as wide as the way of asking needs ({design})."
        return (
            "Intervals take pairs as chosen without a look at earlier answers; if they were not, they are too narrow."
        )

    def as_json(self, *, tables: bool = False) -> dict[str, Any]:
        """The ranking as JSON has it.

        Args:
            tables: Add `p_better` and `rank_probabilities`, which grow with the square of the items.
        """
        items = [
            {
                "item": item,
                "score": float(self.scores[i]),
                "low": float(self.low[i]),
                "high": float(self.high[i]),
                "rank": int(self.rank[i]),
                "rank_low": int(self.rank_low[i]),
                "rank_high": int(self.rank_high[i]),
                "error": float(self.errors[i]),
                "expected_wins": None if np.isnan(self.expected_wins[i]) else float(self.expected_wins[i]),
                "comparisons": float(self.comparisons[i]),
            }
            for i, item in enumerate(self.items)
        ]
        found: dict[str, Any] = {
            "items": items,
            "groups": [list(group) for group in self.groups],
            "answers": self.answers,
            "tied": self.tied,
            "undecided": self.undecided,
            "tests": self.tests,
            "loglik": self.loglik,
            "ess": self.ess,
            "excluded": [asdict(exclusion) for exclusion in self.excluded],
            "judges": [asdict(judge) for judge in self.judges],
            "warnings": list(self.warnings),
            "assumption": self.assumption,
            "settings": dict(self.settings),
            "signature": self.signature(),
        }
        if tables:
            found["p_better"] = self.p_better.tolist()
            found["rank_probabilities"] = self.rank_probabilities.tolist()
        return found


class Ranker:
    """Ranks items by answers.

    Args:
        activation: How differences of scores become chances: a name of `ACTIVATIONS` or an `Activation`.
        prior: The precision of a Gaussian prior on scores, in logits; 0 is none, as in the thesis, and needs answers that
            connect all items.
        posterior: "laplace"; "importance" for few items and few answers; or "bootstrap", which redraws answers or clusters.
        level: The probability that intervals hold, those of differences between groups too.
        ties: What to do with ties: count "half" a win for each, "drop" them, or take them as an "error".
        cluster: What makes answers depend on each other, so that intervals respect it: "segment", "judge", "both", "none";
            "auto" is by segment where all answers name one and there are at least ten, and as many as items.
        judges: Take all as "equal", as the thesis does, or have their reliability, bias and lapses "modelled".
        rules: When answers are left out; nothing is unless they say so.
        design: How the pairs were chosen, if earlier answers had a say in it: a `tolka.judge.ask.Design`. Intervals are
            then as wide as that design needs. Without one, pairs are taken as fixed beforehand or random.
        rounds: Resamples of the bootstrap.
        draws: Draws behind rank probabilities and the importance sample.
        seed: Their seed.

    Example:
        >>> from tolka.judge import Answer
        >>> Ranker(posterior="importance").fit([Answer("a", "b")] * 3).p_better.round(2).tolist()
        [[0.5, 0.97], [0.03, 0.5]]
    """

    def __init__(
        self,
        activation: str | Activation = "logistic",
        *,
        prior: float = 0.25,
        posterior: PosteriorName = "laplace",
        level: float = 0.95,
        ties: Ties = "half",
        cluster: Cluster = "auto",
        judges: Judges = "equal",
        rules: Rules | None = None,
        design: HowAsked | None = None,
        rounds: int = 1000,
        draws: int = 4000,
        seed: int = 1,
    ) -> None:
        self.activation = activation_by_name(activation) if isinstance(activation, str) else activation
        self.prior = prior
        self.posterior = posterior
        self.level = level
        self.ties = ties
        self.cluster = cluster
        self.judges = judges
        self.rules = rules if rules is not None else Rules()
        self.design = design
        self.rounds = rounds
        self.draws = draws
        self.seed = seed
        self._check()

    def _check(self) -> None:
        choices: list[tuple[str, str, tuple[str, ...]]] = [
            ("posterior", self.posterior, get_args(PosteriorName)),
            ("tie policy", self.ties, TIES),
            ("cluster", self.cluster, CLUSTERS),
            ("treatment of judges", self.judges, get_args(Judges)),
        ]
        for what, value, known in choices:
            if value not in known:
                raise SettingsError(f"unknown {what} {value!r}", hint=f"choose one of {', '.join(known)}")
        if not 0.5 <= self.level < 1:  # noqa: PLR2004
            raise SettingsError(f"the level must be from 0.5 to below 1, not {self.level}")
        if self.draws < 1:
            raise SettingsError(f"there must be at least one draw, not {self.draws}")
        if self.judges == "modelled" and self.prior <= 0:
            raise SettingsError("modelled judges need a prior above 0", hint="0.25 is the default")
        if self.judges == "modelled" and self.posterior != "laplace":
            raise SettingsError("modelled judges come with the laplace posterior", hint="choose that one")
        if self.posterior == "importance" and self.cluster not in {"auto", "none"}:
            raise SettingsError(
                "the importance posterior takes answers as independent", hint="use laplace or bootstrap"
            )

    def fit(self, answers: Counts | Iterable[Answer]) -> Ranking:
        """Rank the items that answers are about.

        Args:
            answers: Answers, or counts of them (which know their own tie policy).

        Raises:
            InputError: There are no answers, or there is no prior and the answers do not connect all items.
        """
        if isinstance(answers, Counts):
            if self.judges == "modelled" or self.cluster not in {"auto", "none"} or self.rules.active:
                raise SettingsError("counts name no judges and no segments", hint="give the answers themselves")
            return self._fit(answers, None, ())
        kept, excluded = exclude(answers, self.rules)
        outcomes = Outcomes.of(kept, ties=self.ties)
        return self._fit(outcomes.counts(), outcomes, excluded)

    def _fit(self, counts: Counts, outcomes: Outcomes | None, excluded: tuple[Exclusion, ...]) -> Ranking:
        if counts.size == 0:
            raise InputError("there are no answers to rank by")
        cluster: Cluster = "none"
        if outcomes is not None and self.posterior != "importance":
            cluster = choose_cluster(outcomes, self.cluster)
        judges: tuple[Judge, ...] = ()
        if self.judges == "modelled" and outcomes is not None:
            judged = JudgeModel(self.activation, self.prior).fit(outcomes, cluster)  # type: ignore[arg-type] # not "auto"
            posterior, loglik, judges, effect = judged.posterior, judged.loglik, judged.judges, judged.effect
        else:
            posterior, loglik, effect = self._equal_judges(counts, outcomes, cluster)
        widened = self._widening(counts, outcomes, cluster, effect)
        posterior = posterior.widened(widened)
        warnings = [] if counts.is_strongly_connected else [f"{disconnection(counts)}; the prior keeps them finite"]
        if outcomes is not None and cluster == "none" and self.cluster == "auto" and repeats(outcomes):
            warnings.append(
                f"the answers share {len(outcomes.segments)} segments, too few to see how far they stand for others: "
                "intervals are of these segments alone"
            )
        settings = {
            **self.activation.settings,
            "prior": self.prior,
            "posterior": self.posterior,
            **({"rounds": self.rounds} if self.posterior == "bootstrap" else {}),
            "ties": counts.ties,
            "cluster": cluster,
            "judges": self.judges,
            "design": FIXED if self.design is None else self.design.name,
            **({"widened": round(widened, 3)} if widened > 1 else {}),
            **self.rules.active,
            "level": self.level,
            "seed": self.seed,
            "version": tolka.__version__,
        }
        extras = {"excluded": excluded, "judges": judges, "warnings": tuple(warnings), "settings": settings}
        return self._ranking(counts, posterior, loglik, extras)

    def _widening(self, counts: Counts, outcomes: Outcomes | None, cluster: Cluster, effect: float) -> float:
        """How many times as wide as its posterior says a ranking's intervals are."""
        factor = 1.0
        if self.design is not None:
            factor = self.design.widening(counts.size, counts.total, level=self.level, effect=max(effect, 1.0))
        if cluster != "none" and outcomes is not None and self.posterior != "bootstrap":
            factor *= small_sample(cluster_ids(outcomes, cluster), self.level)  # type: ignore[arg-type] # not "auto" any more
        return factor

    def _equal_judges(
        self, counts: Counts, outcomes: Outcomes | None, cluster: Cluster
    ) -> tuple[Posterior, float, float]:
        """The posterior, the likelihood's logarithm, and how much more it varies than independent answers would."""
        likelihood = Likelihood(counts, self.activation, self.prior)
        if self.posterior == "bootstrap":
            if cluster == "both":
                raise SettingsError("the bootstrap draws one kind of cluster", hint="choose segment or judge")
            redrawn = bootstrap(likelihood, outcomes, cluster=cluster, rounds=self.rounds, seed=self.seed)  # type: ignore[arg-type] # not "auto" any more
            plain = Posterior.laplace(likelihood, redrawn.mean).covariance
            redrawn = redrawn.no_narrower_than(plain)
            return redrawn, likelihood.value(redrawn.mean), design_effect(redrawn.covariance, plain)
        solution = newton(likelihood)
        if not solution.converged:
            raise solver_failed(solution.iterations)
        if self.posterior == "importance":
            sampled = Posterior.importance(likelihood, solution.scores, draws=self.draws, seed=self.seed)
            return sampled, solution.loglik, 1.0
        posterior, effect = Posterior.laplace(likelihood, solution.scores), 1.0
        if cluster != "none" and outcomes is not None:
            clusterings = cluster_ids(outcomes, cluster)  # type: ignore[arg-type] # not "auto" any more
            x, winner, loser = solution.scores, outcomes.winner, outcomes.loser
            pull = outcomes.weight * self.activation.slope(x[winner] - x[loser])
            gradients = [Gradients(ids, winner, loser, pull, counts.size) for _, ids in clusterings]
            covariance = robust_covariance(posterior.covariance, likelihood.tau, clusterings, gradients)
            effect = design_effect(covariance, posterior.covariance)
            posterior = posterior.with_covariance(covariance)
        return posterior, solution.loglik, effect

    def _ranking(self, counts: Counts, posterior: Posterior, loglik: float, extras: Mapping[str, Any]) -> Ranking:
        names = np.array(counts.items, dtype=object)
        # Scores that differ by rounding alone are equal, and stand in the order of names.
        order = np.lexsort((names, -np.round(posterior.mean * self.activation.scale, 9)))
        low, high = posterior.interval(self.level)
        chances = rank_probabilities(posterior, self.draws, self.seed)[order]
        climbed = np.cumsum(chances, axis=1)
        tail = (1 - self.level) / 2
        p_better = posterior.p_better()[np.ix_(order, order)]
        items = tuple(names[order].tolist())
        return Ranking(
            items=items,
            scores=posterior.mean[order],
            errors=posterior.errors[order],
            low=low[order],
            high=high[order],
            rank=np.arange(1, counts.size + 1),
            rank_low=1 + (climbed < tail - 1e-9).sum(axis=1),
            rank_high=np.minimum(1 + (climbed < 1 - tail - 1e-9).sum(axis=1), counts.size),
            rank_probabilities=chances,
            p_better=p_better,
            groups=groups(items, p_better, self.level),
            expected_wins=counts.expected_wins()[order],
            comparisons=counts.comparisons()[order],
            answers=counts.total,
            tied=counts.tied,
            undecided=counts.undecided,
            tests=counts.tests,
            loglik=loglik,
            ess=posterior.ess,
            posterior=posterior,
            **extras,
        )


def rank_probabilities(posterior: Posterior, draws: int = 4000, seed: int = 1) -> Array:
    """Row i, column r: the probability that item i has rank r + 1, by drawing scores."""
    size = posterior.mean.size
    sample = posterior.draws if posterior.draws is not None else posterior.sample(draws, seed)
    weights = posterior.weights if posterior.weights is not None else np.full(len(sample), 1 / len(sample))
    order = np.argsort(-sample, axis=1, kind="stable")
    cells = order * size + np.arange(size)
    table = sum_by(cells.ravel(), np.repeat(weights, size), size * size)
    return table.reshape(size, size)


def groups(items: tuple[str, ...], p_better: Array, level: float) -> tuple[tuple[str, ...], ...]:
    """Cut a ranked list wherever the interval of every difference between above and below lies above 0.

    An interval of level 0.95 leaves out 2.5 % on each side: so two items that are equal are parted in one of twenty cases,
    and not, as with a probability of 0.95, in one of ten.
    """
    size = len(items)
    sure = 0.5 + level / 2
    # least[i, k]: the smallest p_better[i, j] of all j >= k; then the smallest of all rows up to i.
    least = np.minimum.accumulate(p_better[:, ::-1], axis=1)[:, ::-1]
    least = np.minimum.accumulate(least, axis=0)
    cuts = [0, *(k for k in range(1, size) if least[k - 1, k] >= sure), size]
    return tuple(items[start:end] for start, end in pairwise(cuts))


def _brief(value: Any) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)
