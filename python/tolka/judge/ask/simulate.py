"""Made-up items whose scores are known, to see what a way of asking is worth before people are asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.errors import SettingsError
from tolka.judge.answers import Choice
from tolka.judge.ask.curves import Curve, measure
from tolka.judge.ask.engine import Interview
from tolka.judge.ask.pairs import PairBelief
from tolka.judge.ask.stopping import Budget
from tolka.judge.ask.strategies import ColdStart, strategy_named
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from tolka.judge.ask.pairs import Method, Pair
    from tolka.judge.rank import Activation
    from tolka.progress import Progress

    Array = NDArray[np.float64]

MOST_ANSWERS = 1_000_000
# The ends of seeds, so that streams of random numbers have nothing in common; zeros would be lost there.
_TRUTH, _JUDGES = 1, 2


@dataclass(frozen=True)
class Simulation:
    """Learning curves and the settings they depend on."""

    curves: tuple[Curve, ...]
    settings: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"settings": self.settings, "curves": [curve.as_json() for curve in self.curves]}


def checkpoints(answers: int) -> tuple[int, ...]:
    """Where to look: about twenty places, closer together at the start, always with the last answer.

    Example:
        >>> checkpoints(100)
        (5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100)
    """
    unit = 10 ** max(0, len(str(answers)) - 2)
    places = [*range(unit // 2 or 1, 3 * unit, unit // 2 or 1), *range(3 * unit, answers, unit), answers]
    step = -(-len(places) // 40)
    return tuple(sorted({place for place in [*places[step - 1 :: step], answers] if place <= answers}))


def simulate(
    items: int,
    spread: float,
    answers: int,
    strategies: Sequence[str] = ("information", "random"),
    *,
    runs: int = 20,
    at: Sequence[int] | None = None,
    prior: float = 0.25,
    activation: str | Activation = "logistic",
    method: Method = "gaussian",
    batch: int = 1,
    explore: float = 0.0,
    lapse: float = 0.0,
    side: float = 0.0,
    seed: int = 1,
    progress: Progress = SILENT,
) -> Simulation:
    """Draw learning curves for items with normally distributed scores.

    Every strategy meets the same items. A strategy's ranking is always that of the model, so what differs is only
    which questions were asked.

    Args:
        items: How many.
        spread: The standard deviation of their true scores.
        answers: Answers in each run.
        strategies: Names, see `STRATEGIES`.
        runs: How often to begin again with other items.
        at: Checkpoints; chosen to fit the number of answers if nothing is said.
        prior: The precision of the belief's prior.
        activation: How differences become chances, for the judges and for the belief.
        method: How the belief computes information.
        batch: Questions chosen at once.
        explore: The share of questions chosen at random.
        lapse: The share of answers that are a coin's.
        side: How far judges lean to the left side, in units of scores.
        seed: Of everything random.
        progress: Hears of runs.

    Example:
        >>> found = simulate(5, 1.0, 100, ["information", "random"], runs=3)
        >>> [curve.strategy for curve in found.curves], found.curves[0].answers[-1]
        (['information', 'random'], 100)
    """
    if items < 2:  # noqa: PLR2004
        raise SettingsError(f"ranking takes at least two items, not {items}")
    if not (np.isfinite(spread) and spread >= 0):
        raise SettingsError(f"a spread is a number from 0, not {spread:g}")
    if not 1 <= answers <= MOST_ANSWERS:
        raise SettingsError(f"there can be 1 to {MOST_ANSWERS:,} answers, not {answers:,}")
    if runs < 1:
        raise SettingsError(f"there is at least one run, not {runs}")
    if not 0 <= lapse <= 1:
        raise SettingsError(f"a share of lapses is between 0 and 1, not {lapse:g}")
    looks = checkpoints(answers) if at is None else tuple(at)
    names = [f"item{number}" for number in range(1, items + 1)]
    seen: dict[str, list[Array]] = {strategy_named(name).name: [] for name in strategies}
    with progress.task("simulating", total=runs * len(seen), unit="runs") as advance:
        for run in range(runs):
            truth = np.random.default_rng([seed, run, _TRUTH]).normal(0.0, spread, items)
            for number, name in enumerate(seen):
                belief = PairBelief(names, activation=activation, prior=prior, method=method, seed=seed)
                rng = np.random.default_rng([seed, run, _JUDGES + number])
                judge = simulated_judge(belief, truth, rng, lapse=lapse, side=side)
                strategy = strategy_named(name)
                interview: Interview[Pair, Choice] = Interview(
                    belief,
                    strategy=strategy if prior > 0 else ColdStart(strategy),
                    stop=[Budget(answers)],
                    batch=batch,
                    explore=explore,
                    seed=seed + run,
                )
                seen[name].append(_follow(interview, judge, looks, truth))
                advance(1)
    curves = []
    for name, runs_of in seen.items():
        table = np.stack(runs_of)
        curves.append(Curve(name, looks, table[:, :, 0], table[:, :, 1], table[:, :, 2]))
    settings = {
        "items": items,
        "spread": spread,
        "answers": answers,
        "runs": runs,
        "prior": prior,
        "activation": belief.activation.name,
        "method": belief.method,
        "batch": batch,
        "explore": explore,
        "lapse": lapse,
        "side": side,
        "seed": seed,
    }
    return Simulation(tuple(curves), settings)


def simulated_judge(
    belief: PairBelief, truth: Array, rng: np.random.Generator, *, lapse: float = 0.0, side: float = 0.0
) -> Callable[[Pair], Choice]:
    """A judge who answers by true scores, the activation, a share of coin flips and a lean to the left side."""
    index = {name: number for number, name in enumerate(belief.items)}

    def answer(pair: Pair) -> Choice:
        # Sides are shuffled, as on the page, so that a lean does not favour the item that is named first.
        swapped = rng.random() < 0.5  # noqa: PLR2004
        first, second = (pair.right, pair.left) if swapped else (pair.left, pair.right)
        chance = float(belief.activation.cdf(truth[index[first]] - truth[index[second]] + side))
        won = rng.random() < (1 - lapse) * chance + lapse / 2
        return Choice.LEFT if won != swapped else Choice.RIGHT

    return answer


def _follow(
    interview: Interview[Pair, Choice], judge: Callable[[Pair], Choice], looks: Sequence[int], truth: Array
) -> Array:
    """Run an interview and measure its belief at the checkpoints."""
    rows: list[tuple[float, float, float]] = []
    wanted = list(looks)
    while wanted and (questions := interview.next()):
        for question, answer in [(question, judge(question)) for question in questions]:
            interview.learn(question, answer)
            if wanted and len(interview.steps_) >= wanted[0]:
                rows.append(measure(interview.belief, truth))  # type: ignore[arg-type]
                wanted.pop(0)
    return np.array(rows)
