"""Judges differ: how reliable each is, which side they favour, how often they guess.

P(i chosen over j | judge k) = (1 - eps_k) F(beta_k (x_i - x_j) + gamma_k side) + eps_k / 2, with side 1 if i stood on the
left and -1 if on the right. The thesis's model is beta 1, gamma 0, eps 0. It is Crowd-BT (Chen et al. 2013) with a slope
and a bias instead of flips alone. Test questions enter the likelihood: a judge who does not guess answers them right.
Priors shrink judges with few answers to the ordinary one: ln beta ~ N(0, 0.5^2), gamma ~ N(0, 0.5^2) in logits,
eps ~ Beta(2, 20), whose mode is 0.05. All are fitted together by Fisher's scoring, which takes some ten steps where
expectation-maximisation over "did they guess?" takes thousands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError, LimitError
from tolka.judge.rank.clusters import Gradients, cluster_ids, robust_covariance
from tolka.judge.rank.counts import sum_by
from tolka.judge.rank.outcomes import UNKNOWN
from tolka.judge.rank.posterior import Posterior, design_effect, inverse_of_mean_zero
from tolka.judge.rank.solvers import solver_failed

if TYPE_CHECKING:
    from typing import Literal

    from numpy.typing import NDArray

    from tolka.judge.rank.activations import Activation
    from tolka.judge.rank.outcomes import Outcomes

    Array = NDArray[np.float64]
    Indices = NDArray[np.int64]

SPREAD_OF_SLOPES = 0.5
SPREAD_OF_BIASES = 0.5
LAPSES = (2.0, 20.0)
_LONGEST_STEP = 1.0
_SHORTEST = 1e-10
_MOST_NUMBERS = 50_000_000  # judges times items: some gigabytes


@dataclass(frozen=True)
class Judge:
    """What was learnt of one judge.

    Attributes:
        name: The judge; empty for all those without a name.
        answers: How many answers they gave.
        reliability: beta: 1 is ordinary, less is noisier, more is surer.
        bias: gamma, in the units of scores: above 0 favours the left.
        lapse: eps: the share of answers that are guesses.
        reliability_error: The standard error of ln beta.
        bias_error: The standard error of gamma.
        tests: Test questions they answered.
        correct: How many of those were right.
    """

    name: str
    answers: float
    reliability: float
    bias: float
    lapse: float
    reliability_error: float
    bias_error: float
    tests: float
    correct: float


@dataclass(frozen=True)
class JudgedFit:
    """Scores and judges fitted together.

    Attributes:
        posterior: The distribution of the scores; the judges' uncertainty is in it.
        judges: What was learnt of each judge, in the order of names.
        loglik: The logarithm of the likelihood, priors included.
        iterations: Rounds it took.
        effect: How many times the variance of the scores is that of independent answers.
    """

    posterior: Posterior
    judges: tuple[Judge, ...]
    loglik: float
    iterations: int
    effect: float = 1.0


class JudgeModel:
    """Fits scores and judges together.

    Args:
        activation: F.
        prior: The precision of the scores' prior, in logits; it must be above 0.
        tolerance: Stop when a step promises to add less than this to the log-likelihood.
        iterations: Most rounds.
    """

    def __init__(self, activation: Activation, prior: float, *, tolerance: float = 1e-9, iterations: int = 500) -> None:
        self.activation = activation
        self.tau = prior * activation.scale**2
        self.slope_precision = 1 / SPREAD_OF_SLOPES**2
        self.bias_precision = activation.scale**2 / SPREAD_OF_BIASES**2
        self.tolerance = tolerance
        self.iterations = iterations

    def fit(self, outcomes: Outcomes, cluster: Literal["none", "segment", "judge", "both"] = "none") -> JudgedFit:
        """Fit the model to outcomes.

        Args:
            outcomes: The answers.
            cluster: What answers share that makes them dependent; see `tolka.judge.rank.clusters`.
        """
        data = _Data(outcomes).compact()
        if data.judges * data.size > _MOST_NUMBERS:
            raise LimitError(
                f"{data.judges:,} judges of {data.size:,} items are too many to model", hint="take judges as equal"
            )
        state = _State.start(data)
        value = self._value(data, state)
        before: _State | None = None
        for rounds in range(1, self.iterations + 1):
            system = _System(self, data, state)
            step = system.step()
            # Where answers say more than expected, scoring overshoots and comes back: half the way is nearer then.
            length = 0.5 if before is not None and step.dot(before) < 0 else 1.0
            state, value = self._climb(data, state, value, step, length)
            before = step
            if system.promise(step) < self.tolerance:
                covariance, errors, effect = self._covariance(data, state, outcomes, cluster)
                posterior = Posterior(outcomes.items, state.x - state.x.mean(), covariance)
                return JudgedFit(posterior, _judges(data, state, errors), value, rounds, effect)
        raise solver_failed(self.iterations)

    def _value(self, data: _Data, state: _State) -> float:
        eps = state.eps[data.judge]
        p = (1 - eps) * self.activation.cdf(data.eta(state)) + eps / 2
        tests = data.right @ np.log1p(-state.eps / 2) + data.wrong @ np.log(state.eps / 2)
        priors = (
            -self.tau / 2 * (state.x @ state.x)
            - self.slope_precision / 2 * (state.log_beta @ state.log_beta)
            - self.bias_precision / 2 * (state.gamma @ state.gamma)
            + ((LAPSES[0] - 1) * np.log(state.eps) + (LAPSES[1] - 1) * np.log1p(-state.eps)).sum()
        )
        return float(data.weight @ np.log(p) + tests + priors)

    def _climb(self, data: _Data, state: _State, value: float, step: _State, length: float) -> tuple[_State, float]:
        """Go along a step as far as it leads up."""
        while True:
            after = state.moved(step, length)
            found = self._value(data, after)
            if found >= value - 1e-12 * abs(value):
                return after, found
            if length < _SHORTEST:
                return state, value
            length /= 2

    def _covariance(
        self, data: _Data, state: _State, outcomes: Outcomes, cluster: Literal["none", "segment", "judge", "both"]
    ) -> tuple[Array, Array, float]:
        """The covariance of the scores with the judges integrated out, the judges' standard errors, the design effect."""
        system = _System(self, data, state)
        inverse = inverse_of_mean_zero(system.scores_information)
        if inverse is None:
            raise InputError("the answers do not fix the scores of modelled judges", hint="take judges as equal")
        effect = 1.0
        if cluster != "none":
            rows = _Data(outcomes)
            clusterings = cluster_ids(outcomes, cluster)
            pulls = _Gradient(self, rows, state)
            solved = system.solved.reshape(3 * rows.judges, rows.size)
            columns = [(3 * rows.judge + a, pulls.judges[a]) for a in range(3)]
            gradients = [Gradients(ids, rows.winner, rows.loser, pulls.scores, rows.size) for _, ids in clusterings]
            for found in gradients:
                found.explain(columns, 3 * rows.judges, solved)
            robust = robust_covariance(inverse, self.tau, clusterings, gradients)
            inverse, effect = robust, design_effect(robust, inverse)
        errors: Array = np.sqrt(np.diagonal(system.inverse_blocks, axis1=1, axis2=2))
        return inverse, errors, effect


class _Gradient:
    """Per row, the derivatives of its probability p, and of its log-likelihood, by score difference and judge."""

    def __init__(self, model: JudgeModel, data: _Data, state: _State) -> None:
        eta, eps = data.eta(state), state.eps[data.judge]
        difference = state.x[data.winner] - state.x[data.loser]
        beta = np.exp(state.log_beta)[data.judge]
        chance = model.activation.cdf(eta)
        self.p = (1 - eps) * chance + eps / 2
        density = (1 - eps) * chance * model.activation.slope(eta)
        self.by_score = density * beta
        self.by_judge = np.stack([self.by_score * difference, density * data.side, (0.5 - chance) * eps * (1 - eps)])
        pull = data.weight / self.p
        self.scores = pull * self.by_score
        self.judges = pull * self.by_judge


class _System:
    """Gradient and expected information of everything at once, solved by parts.

    The information has a block of scores, one of judges (3 x 3 each) and one across; the scores' own is what is left of
    their block after the judges' (the Schur complement).
    """

    def __init__(self, model: JudgeModel, data: _Data, state: _State) -> None:
        rows = _Gradient(model, data, state)
        eps, tests = state.eps, data.right + data.wrong
        self._gradient_x = data.pulled(rows.scores) - model.tau * state.x
        self._gradient_judges = np.stack([sum_by(data.judge, pull, data.judges) for pull in rows.judges])
        self._gradient_judges[0] -= model.slope_precision * state.log_beta
        self._gradient_judges[1] -= model.bias_precision * state.gamma
        self._gradient_judges[2] += (
            (LAPSES[0] - 1) * (1 - eps)
            - (LAPSES[1] - 1) * eps
            - data.right * eps * (1 - eps) / (2 - eps)
            + data.wrong * (1 - eps)
        )
        known = data.weight / np.maximum(rows.p * (1 - rows.p), 1e-300)
        blocks = np.empty((data.judges, 3, 3))
        self._across = np.empty((data.judges, 3, data.size))
        for a in range(3):
            values = known * rows.by_score * rows.by_judge[a]
            self._across[:, a] = data.by_judge(data.winner, values) - data.by_judge(data.loser, values)
            for b in range(3):
                blocks[:, a, b] = sum_by(data.judge, known * rows.by_judge[a] * rows.by_judge[b], data.judges)
        blocks[:, 0, 0] += model.slope_precision
        blocks[:, 1, 1] += model.bias_precision
        blocks[:, 2, 2] += (sum(LAPSES) - 2) * eps * (1 - eps) + tests * eps * (1 - eps) ** 2 / (2 - eps)
        self.inverse_blocks: Array = np.linalg.inv(blocks).astype(np.float64, copy=False)
        self.solved: Array = self.inverse_blocks @ self._across  # judges x 3 x items
        own = data.laplacian(known * rows.by_score**2) + model.tau * np.eye(data.size)
        self.scores_information: Array = own - np.tensordot(self._across, self.solved, axes=([0, 1], [0, 1]))

    def step(self) -> _State:
        """The step of Fisher's scoring."""
        rest = self._gradient_x - np.einsum("kai,ak->i", self.solved, self._gradient_judges)
        x = np.linalg.solve(self.scores_information, rest)
        left = self._gradient_judges.T - self._across @ x
        judges = np.clip(np.einsum("kab,kb->ka", self.inverse_blocks, left), -_LONGEST_STEP, _LONGEST_STEP)
        return _State(x, judges[:, 0], judges[:, 1], judges[:, 2])

    def promise(self, step: _State) -> float:
        """How much a step promises to add to the log-likelihood, to first order."""
        judges = np.stack([step.log_beta, step.gamma, step.logit])
        return float(self._gradient_x @ step.x + (self._gradient_judges * judges).sum())


class _State:
    """Scores and judges; the lapses by their logits, so that steps cannot leave the interval from 0 to 1."""

    def __init__(self, x: Array, log_beta: Array, gamma: Array, logit: Array) -> None:
        self.x, self.log_beta, self.gamma, self.logit = x, log_beta, gamma, logit

    @property
    def eps(self) -> Array:
        found: Array = 1 / (1 + np.exp(-self.logit))
        return found

    @classmethod
    def start(cls, data: _Data) -> _State:
        logit = float(np.log((LAPSES[0] - 1) / (LAPSES[1] - 1)))
        return cls(np.zeros(data.size), np.zeros(data.judges), np.zeros(data.judges), np.full(data.judges, logit))

    def moved(self, step: _State, length: float) -> _State:
        x = self.x + length * step.x
        return _State(
            x - x.mean(),
            self.log_beta + length * step.log_beta,
            self.gamma + length * step.gamma,
            self.logit + length * step.logit,
        )

    def dot(self, other: _State) -> float:
        pairs = zip(self.__dict__.values(), other.__dict__.values(), strict=True)
        return float(sum(a @ b for a, b in pairs))


class _Data:
    """Outcomes with every judge numbered; those without a name share the last number."""

    def __init__(self, outcomes: Outcomes) -> None:
        nameless = bool((outcomes.judge == UNKNOWN).any())
        self.size = len(outcomes.items)
        self.names = [*outcomes.judges, *([""] if nameless else [])]
        self.judges = len(self.names)
        self.winner, self.loser = outcomes.winner, outcomes.loser
        self.weight, self.side = outcomes.weight, outcomes.side
        self.judge = np.where(outcomes.judge == UNKNOWN, self.judges - 1, outcomes.judge)
        self.right = np.concatenate([outcomes.right, np.zeros(int(nameless))])
        self.wrong = np.concatenate([outcomes.wrong, np.zeros(int(nameless))])
        self.answers = sum_by(self.judge, self.weight, self.judges)

    def compact(self) -> _Data:
        """The same with equal rows put together."""
        side = self.side.astype(np.int64) + 1
        keys = ((self.judge * self.size + self.winner) * self.size + self.loser) * 3 + side
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        self.weight = sum_by(inverse, self.weight, first.size)
        self.winner, self.loser, self.judge = self.winner[first], self.loser[first], self.judge[first]
        self.side = self.side[first]
        return self

    def eta(self, state: _State) -> Array:
        beta = np.exp(state.log_beta)[self.judge]
        found: Array = beta * (state.x[self.winner] - state.x[self.loser]) + state.gamma[self.judge] * self.side
        return found

    def pulled(self, amounts: Array) -> Array:
        """Per item, the amounts that pull it up less those that pull it down."""
        return sum_by(self.winner, amounts, self.size) - sum_by(self.loser, amounts, self.size)

    def by_judge(self, item: Indices, amounts: Array) -> Array:
        """Per judge and item, the sum of amounts."""
        cells = self.judge * self.size + item
        return sum_by(cells, amounts, self.judges * self.size).reshape(self.judges, self.size)

    def laplacian(self, weights: Array) -> Array:
        table = -sum_by(self.winner * self.size + self.loser, weights, self.size**2).reshape(self.size, self.size)
        table = table + table.T
        table[np.diag_indices(self.size)] = -table.sum(axis=1)
        return table


def _judges(data: _Data, state: _State, errors: Array) -> tuple[Judge, ...]:
    return tuple(
        Judge(
            name,
            float(data.answers[k]),
            float(np.exp(state.log_beta[k])),
            float(state.gamma[k]),
            float(state.eps[k]),
            float(errors[k, 0]),
            float(errors[k, 1]),
            float(data.right[k] + data.wrong[k]),
            float(data.right[k]),
        )
        for k, name in enumerate(data.names)
    )
