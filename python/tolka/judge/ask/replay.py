"""Real answers as the judges: what would another way of asking have needed?

The answers of a campaign are a pool. A strategy asks about two items and is given one of the answers that people gave
about these two, each at most once; a pair whose answers are used up cannot be asked any more. What it learns is
compared with the ranking by all answers. "random" here is the order of the pool, shuffled: what the campaign itself did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tolka.errors import InputError, SettingsError
from tolka.judge.answers import Choice
from tolka.judge.ask.curves import Curve, measure
from tolka.judge.ask.engine import Interview
from tolka.judge.ask.pairs import Pair, PairBelief
from tolka.judge.ask.simulate import Simulation, checkpoints
from tolka.judge.ask.strategies import ColdStart, strategy_named
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from tolka.judge.answers import Answer
    from tolka.judge.rank import Activation
    from tolka.progress import Progress

    Array = NDArray[np.float64]

AS_IT_CAME = "random"
# Answers that are chosen together, before the belief is fitted again: a judge's page of them, and ten times quicker.
BATCH = 10
# The end of the seed of the pool's order, which has nothing to do with how ties are settled.
_ORDER = 1


class Pool:
    """Answers to draw from, by pair, each once.

    Args:
        answers: The answers; ties and "cannot decide" are left out, as a forced choice has neither.
        ties: Keep ties instead, each counting half for both.
    """

    def __init__(self, answers: Iterable[Answer], *, ties: Literal["drop", "half"] = "drop") -> None:
        kept = {Choice.LEFT, Choice.RIGHT, *([Choice.TIE] if ties == "half" else [])}
        usable = [answer for answer in answers if answer.choice in kept and answer.test is None]
        self.items = tuple(sorted({name for answer in usable for name in (answer.left, answer.right)}))
        if len(self.items) < 2:  # noqa: PLR2004
            raise InputError("there are no answers to replay", hint="give a file with answers about two items or more")
        self.answers = [
            # As questions have them: the item that comes first in the alphabet on the left.
            (Pair(answer.left, answer.right), answer.choice)
            if answer.left < answer.right
            else (Pair(answer.right, answer.left), _MIRRORED[answer.choice])
            for answer in usable
            if answer.left != answer.right
        ]

    def pairs(self) -> list[Pair]:
        """The pairs that have answers."""
        return sorted({pair for pair, _ in self.answers})

    def shuffled(self, seed: Sequence[int]) -> list[tuple[Pair, Choice]]:
        """The answers in a random order."""
        order = np.random.default_rng(list(seed)).permutation(len(self.answers))
        return [self.answers[at] for at in order]


_MIRRORED = {Choice.LEFT: Choice.RIGHT, Choice.RIGHT: Choice.LEFT, Choice.TIE: Choice.TIE}


def replay(
    answers: Iterable[Answer] | Pool,
    strategies: Sequence[str] = ("order", "information", "random"),
    *,
    budget: int | None = None,
    runs: int = 10,
    at: Sequence[int] | None = None,
    prior: float = 0.25,
    activation: str | Activation = "logistic",
    batch: int = BATCH,
    explore: float = 0.0,
    seed: int = 1,
    progress: Progress = SILENT,
) -> Simulation:
    """Draw learning curves with real answers.

    Args:
        answers: What judges said, or a pool of it.
        strategies: Names; "random" is the pool in a random order.
        budget: The most answers used, half of those there are if nothing is said: near the end of a pool every
            strategy has the same answers.
        runs: How often to begin again with another order.
        at: Checkpoints.
        prior: The precision of the belief's prior.
        activation: How differences become chances.
        batch: Questions chosen at once.
        explore: The share of questions chosen at random.
        seed: Of everything random.
        progress: Hears of runs.
    """
    pool = answers if isinstance(answers, Pool) else Pool(answers)
    budget = max(1, len(pool.answers) // 2) if budget is None else budget
    if not 1 <= budget <= len(pool.answers):
        raise SettingsError(
            f"{budget:,} answers cannot be replayed from {len(pool.answers):,}", hint="lower the number of answers"
        )
    if runs < 1:
        raise SettingsError(f"there is at least one run, not {runs}")
    looks = checkpoints(budget) if at is None else tuple(look for look in at if look <= budget)
    final = PairBelief(pool.items, activation=activation, prior=prior)
    for pair, choice in pool.answers:
        final.update(pair, choice)
    truth = final.mean
    pairs = pool.pairs()
    curves = []
    with progress.task("replaying", total=runs * len(strategies), unit="runs") as advance:
        for name in strategies:
            rows = []
            for run in range(runs):
                belief = PairBelief(pool.items, activation=activation, prior=prior, pairs=pairs)
                order = pool.shuffled([seed, run, _ORDER])
                if name == AS_IT_CAME:
                    rows.append(_in_order(belief, order, looks, truth))
                else:
                    strategy = strategy_named(name)
                    interview: Interview[Pair, Choice] = Interview(
                        belief,
                        strategy=strategy if prior > 0 else ColdStart(strategy),
                        batch=batch,
                        explore=explore,
                        seed=seed + run,
                    )
                    rows.append(_chosen(interview, belief, order, looks, truth))
                advance(1)
            table = np.array(rows)
            curves.append(Curve(name, looks, table[:, :, 0], table[:, :, 1], table[:, :, 2]))
    settings: dict[str, Any] = {
        "items": len(pool.items),
        "pool": len(pool.answers),
        "answers": budget,
        "runs": runs,
        "prior": prior,
        "activation": final.activation.name,
        "batch": batch,
        "explore": explore,
        "seed": seed,
    }
    return Simulation(tuple(curves), settings)


def _in_order(
    belief: PairBelief, order: Sequence[tuple[Pair, Choice]], looks: Sequence[int], truth: Array
) -> list[tuple[float, float, float]]:
    rows, done = [], 0
    for look in looks:
        for pair, choice in order[done:look]:
            belief.update(pair, choice)
        done = look
        rows.append(measure(belief, truth))
    return rows


def _chosen(
    interview: Interview[Pair, Choice],
    belief: PairBelief,
    order: Sequence[tuple[Pair, Choice]],
    looks: Sequence[int],
    truth: Array,
) -> list[tuple[float, float, float]]:
    waiting: dict[Pair, list[Choice]] = {}
    for pair, choice in order:
        waiting.setdefault(pair, []).append(choice)
    rows: list[tuple[float, float, float]] = []
    wanted = list(looks)
    while wanted and (questions := interview.next()):
        for pair in questions:
            if not waiting[pair]:
                interview.put_aside(pair)
                continue
            interview.learn(pair, waiting[pair].pop())
            if wanted and len(interview.steps_) >= wanted[0]:
                rows.append(measure(belief, truth))
                wanted.pop(0)
    return rows
