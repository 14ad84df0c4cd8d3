"""What is believed about the scores of items, and which two to compare next."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from tolka.errors import InputError, LimitError, SettingsError
from tolka.judge.answers import Choice
from tolka.judge.ask.design import Design
from tolka.judge.ask.information import gaussian_information, sampled_information
from tolka.judge.ask.strategies import STRATEGIES
from tolka.judge.rank import Counts, Likelihood, Posterior, activation_by_name, newton
from tolka.judge.rank.dense import MOST_ITEMS as DENSE_ITEMS
from tolka.judge.rank.dense import climb, covariance_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from tolka.judge.answers import Answer
    from tolka.judge.rank import Activation

Method = Literal["auto", "gaussian", "sampled"]
# Questions are listed one by one, and beliefs are square tables.
MOST_ITEMS = 3000
# Up to here, "auto" samples; beyond, it trusts the Gaussian, whose cost does not grow with the number of draws.
_MOST_SAMPLED = 12
# How near the top a fit goes: steps below this move no question's place.
_TOLERANCE = 1e-6
# Pairs whose order is beyond doubt are not worth the quadrature (gaps in deviations, and in units of the activation).
_DEVIATIONS, _UNITS = 4.0, 4.0


class Pair(NamedTuple):
    """The question "which of these two is better?"."""

    left: str
    right: str


class PairBelief:
    """A belief about the scores of items, learnt from forced choices (the model of `tolka.judge.rank`).

    Answers are cheap to add: the fit is redone when something is asked, from where it was before.

    Args:
        items: Their names.
        activation: How differences of scores become chances.
        prior: The precision of a Gaussian prior on scores, in logits. With one, everything is known from the start;
            0 is the thesis's flat prior, which needs a start by `ColdStart`.
        method: How information is computed: "sampled" is the thesis's criterion exactly, by weighted draws;
            "gaussian" takes the posterior for a Gaussian, which costs a tenth; "auto" samples a belief about few items
            as long as draws are worth enough.
        draws: Draws of a sampled belief.
        pairs: The pairs that may be asked, if not all.
        seed: Of the draws.
        design: How pairs are chosen, if anything but chance chooses them; an `Interview` says so by itself.

    Attributes:
        left: The first item of each question, as an index.
        right: The second.
        asked: How often each two items were compared, a square table.

    Example:
        >>> from tolka.judge import Answer
        >>> belief = PairBelief(["a", "b", "c"])
        >>> belief.learn([Answer("a", "b")] * 20)
        >>> belief.questions()[belief.information().argmin()]
        Pair(left='a', right='b')
    """

    def __init__(
        self,
        items: Sequence[str],
        *,
        activation: str | Activation = "logistic",
        prior: float = 0.25,
        method: Method = "gaussian",
        draws: int = 2000,
        pairs: Iterable[tuple[str, str]] | None = None,
        seed: int = 1,
        design: Design | None = None,
    ) -> None:
        if len(items) < 2 or len(set(items)) < len(items):  # noqa: PLR2004
            raise SettingsError("a belief is about two different items at least", hint="name each item once")
        if len(items) > MOST_ITEMS:
            raise LimitError(f"{len(items):,} items are too many to choose pairs of; at most {MOST_ITEMS:,} can be")
        if method not in get_args(Method):
            raise SettingsError(f"unknown method {method!r}", hint=f"choose one of {', '.join(get_args(Method))}")
        self.items = tuple(items)
        self.activation = activation_by_name(activation) if isinstance(activation, str) else activation
        self.prior, self.draws, self.seed, self.design = prior, draws, seed, design
        self.method = ("sampled" if len(items) <= _MOST_SAMPLED else "gaussian") if method == "auto" else method
        self._may_fall_back = method == "auto"
        self._index = {name: number for number, name in enumerate(self.items)}
        if pairs is None:
            self.left, self.right = np.triu_indices(len(items), 1)
        else:
            ends = sorted({tuple(sorted((self._at(first), self._at(second)))) for first, second in pairs})
            self.left, self.right = np.array(ends, dtype=np.intp).reshape(-1, 2).T
            if not ends or (self.left == self.right).any():
                raise SettingsError("questions are about pairs of different items")
        self.asked: NDArray[np.float64] = np.zeros((len(items), len(items)))
        self._wins: NDArray[np.float64] = np.zeros_like(self.asked)
        self._scores: NDArray[np.float64] | None = None
        self._posterior: Posterior | None = None
        self._questions: list[Pair] | None = None

    def questions(self) -> list[Pair]:
        """Every pair that may be asked."""
        if self._questions is None:
            names = self.items
            self._questions = [Pair(names[i], names[j]) for i, j in zip(self.left, self.right, strict=True)]
        return self._questions

    def information(self) -> NDArray[np.float64]:
        """What the answer about each pair is expected to tell about the scores, in nats."""
        posterior = self.posterior
        if posterior.draws is not None and posterior.weights is not None:
            return sampled_information(posterior.draws, posterior.weights, self.left, self.right, self.activation)
        gaps = posterior.mean[self.left] - posterior.mean[self.right]
        own = posterior.covariance.diagonal()
        variances = own[self.left] + own[self.right] - 2 * posterior.covariance[self.left, self.right]
        deviations = np.sqrt(np.maximum(variances, 0.0))
        near = np.abs(gaps) < _DEVIATIONS * deviations + _UNITS / self.activation.scale
        if near.all():
            return gaussian_information(gaps, deviations, self.activation)
        told = np.zeros(len(gaps))
        told[near] = gaussian_information(gaps[near], deviations[near], self.activation)
        return told

    def update(self, question: tuple[str, str], answer: Choice) -> None:
        """Learn from an answer; a tie counts as half a win for each, "cannot decide" as nothing."""
        left, right = self._at(question[0]), self._at(question[1])
        share = {Choice.LEFT: 1.0, Choice.RIGHT: 0.0, Choice.TIE: 0.5}.get(answer)
        if share is not None:
            self._wins[left, right] += share
            self._wins[right, left] += 1 - share
            self.asked[left, right] += 1
            self.asked[right, left] += 1
            self._posterior = None

    def learn(self, answers: Counts | Iterable[Answer]) -> None:
        """Learn from answers given before, or counted."""
        counts = answers if isinstance(answers, Counts) else Counts.of(answers, items=self.items)
        if counts.items != self.items:
            raise SettingsError("these counts are of other items, or in another order")
        table = counts.matrix()
        self._wins += table
        self.asked += table + table.T
        self._posterior = None

    def imagine(self, question: tuple[str, str]) -> PairBelief:
        """The belief that knows as much as if the question had been answered, without knowing how.

        Its scores stay where they are and its covariance shrinks by what one answer tells at present: so a batch is
        chosen, one question after the other, to reduce the determinant of the covariance as far as it can.
        """
        left, right = self._at(question[0]), self._at(question[1])
        posterior = self.posterior
        covariance = posterior.covariance
        column = covariance[:, left] - covariance[:, right]
        weight = float(self.activation.information(posterior.mean[left] - posterior.mean[right]))
        variance = column[left] - column[right]
        shrunk = covariance - np.outer(column, column) * (weight / (1 + weight * variance))
        draws = posterior.draws
        if draws is not None and variance > 0:
            # Draws keep their shape: they move along the same direction until their covariance is the shrunk one.
            gaps = (draws - posterior.mean) @ (np.eye(len(covariance))[left] - np.eye(len(covariance))[right])
            draws = draws - np.outer(gaps, column) * ((1 - 1 / np.sqrt(1 + weight * variance)) / variance)
        twin = copy.copy(self)
        twin.asked = self.asked.copy()
        twin.asked[left, right] += 1
        twin.asked[right, left] += 1
        twin._posterior = Posterior(  # noqa: SLF001 - of its own kind
            self.items, posterior.mean, shrunk, draws=draws, weights=posterior.weights
        )
        return twin

    @property
    def proper(self) -> bool:
        """Whether scores can be told: there is a prior, or the answers connect all items."""
        return self.prior > 0 or self.counts().is_strongly_connected

    @property
    def posterior(self) -> Posterior:
        """What is believed about the scores now.

        Raises:
            InputError: There is no prior and the answers do not connect all items.
        """
        if self._posterior is None:
            self._posterior = self._warm_fit() or self._cold_fit()
        return self._posterior

    def _warm_fit(self) -> Posterior | None:
        """A few steps from the last scores, if that is enough."""
        precision = self.prior * self.activation.scale**2
        simple = self.activation.strictly_log_concave and self.method == "gaussian" and len(self.items) <= DENSE_ITEMS
        if not simple or (self._scores is None and not precision):
            return None
        start = np.zeros(len(self.items)) if self._scores is None else self._scores
        scores, reached = climb(self._wins, self.activation, precision, start, _TOLERANCE)
        covariance = covariance_of(self._wins, self.activation, precision, scores) if reached else None
        if covariance is None:
            return None
        self._scores = scores
        return Posterior(self.items, scores, covariance)

    def _cold_fit(self) -> Posterior:
        likelihood = Likelihood(self.counts(), self.activation, self.prior)
        self._scores = newton(likelihood, start=self._scores, tolerance=_TOLERANCE).scores
        if self.method == "sampled":
            try:
                return Posterior.importance(likelihood, self._scores, draws=self.draws, seed=self.seed)
            except InputError:
                if not self._may_fall_back:  # "sampled" was asked for by name
                    raise
        return Posterior.laplace(likelihood, self._scores)

    @property
    def mean(self) -> NDArray[np.float64]:
        """The expected scores, with mean 0."""
        return self.posterior.mean

    @property
    def covariance(self) -> NDArray[np.float64]:
        """Of the scores."""
        return self.posterior.covariance

    def chosen_by(self, strategy: str, *, explore: float, batch: int, stopping: bool) -> None:
        """Note how pairs are chosen from now on, for `intervals`; a strategy of one's own cannot be simulated."""
        if self.design is None and strategy in STRATEGIES:
            self.design = Design(strategy, explore, batch, stopping, self.prior or Design.prior)

    def intervals(self, level: float = 0.95) -> Posterior:
        """What is believed, as wide as the way of asking needs for intervals of this level to hold (see `Design`)."""
        if self.design is None:
            return self.posterior
        answers = float(self.asked.sum()) / 2
        return self.posterior.widened(self.design.widening(len(self.items), answers, level=level))

    def counts(self) -> Counts:
        """The answers so far, counted."""
        return Counts.from_matrix(self.items, self._wins)

    def sample(self, number: int, seed: int = 0) -> NDArray[np.float64]:
        """Draw scores from what is believed, one set per row."""
        return self.posterior.sample(number, seed)

    def copy(self) -> Self:
        """A belief that learns by itself from here on."""
        twin = copy.copy(self)
        twin.asked = self.asked.copy()
        twin._wins = self._wins.copy()  # noqa: SLF001 - of its own kind
        return twin

    def _at(self, name: str) -> int:
        if name not in self._index:
            raise SettingsError(f"there is no item {name!r}")
        return self._index[name]
