"""How often 95 % intervals hold, over strategies, numbers of items and how much segments matter.

Made-up judges answer by known scores, question after question by the engine that asks people; the ranking's intervals
are then compared with the truth. Every line is one JSON object: `plain` is the share of scores within the intervals of
independent answers to pairs fixed beforehand, `held` that within the intervals of the ranking, `pairs` the same for all
differences of two scores; `error` is the standard error of a share; `parted` is the share of runs in which items that are
equal came into two groups, and `wide` how many times as wide as plain ones the ranking's intervals were.

    python bench/judge/coverage.py [--runs 200] [--answers 200] [--strategies order information] [--items 5 12]
"""

from __future__ import annotations

import argparse
import json
import math

import numpy as np

from tolka.judge import Answer, Choice
from tolka.judge.ask import Budget, Design, Interview, NarrowEnough, Pair, PairBelief, SureOfOrder, strategy_named
from tolka.judge.rank import Ranker

STRATEGIES = ("order", "information", "trueskill", "adjacent", "uniform", "random")
ITEMS = (3, 5, 12)
# How far a segment moves each score (a standard deviation), and how many segments there are.
SEGMENTS = ((0.0, 200), (1.0, 100), (1.0, 30), (2.0, 20))
RULES = {"none": (), "width": (NarrowEnough(1.0),), "order": (SureOfOrder(0.95),)}


def one_run(
    design: Design, truth: np.ndarray, answers: int, effect: float, segments: int, stop: str, seed: int
) -> list[Answer]:
    """The answers of one interview."""
    rng = np.random.default_rng([seed, 3])
    names = [f"item{number:02}" for number in range(len(truth))]
    place = {name: number for number, name in enumerate(names)}
    local = truth + rng.normal(0, effect, (segments, len(truth)))
    given: list[Answer] = []

    def judge(pair: Pair) -> Choice:
        segment = int(rng.integers(segments))
        gap = local[segment, place[pair.left]] - local[segment, place[pair.right]]
        choice = Choice.LEFT if rng.random() < 1 / (1 + math.exp(-gap)) else Choice.RIGHT
        given.append(Answer(pair.left, pair.right, choice, segment=f"s{segment}"))
        return choice

    belief = PairBelief(names)
    rules = [*RULES[stop], Budget(answers)]
    strategy = strategy_named(design.strategy)
    Interview(belief, strategy=strategy, stop=rules, batch=design.batch, explore=design.explore, seed=seed).run(judge)
    return given


def cell(design: Design, truth: np.ndarray, given: argparse.Namespace, effect: float, segments: int, stop: str) -> dict:
    """Many runs of one kind."""
    # A random effect per segment flattens the curve (Zeger et al. 1988): the marginal scores are nearer together.
    wanted = (truth - truth.mean()) / math.sqrt(1 + 0.346 * 2 * effect**2)
    upper = np.triu_indices(len(truth), 1)
    plain, held, pairs, wide, parted, ends = [], [], [], [], 0, []
    for run in range(given.runs):
        answers = one_run(design, truth, given.answers, effect, segments, stop, run)
        alone = Ranker(cluster="none", draws=1).fit(answers).posterior
        ranking = Ranker(design=design, draws=1).fit(answers)
        found = ranking.posterior
        at = [int(name[4:]) for name in found.items]  # an item may have no answers
        aims = wanted[at]
        for posterior, into in ((alone, plain), (found, held)):
            low, high = posterior.interval()
            into.append((low <= aims) & (aims <= high))
        differences, errors = found.differences()
        misses = np.abs(differences - (aims[:, None] - aims)) > 1.959964 * errors
        pairs.append(~misses[np.triu_indices(len(at), 1)] if len(at) < len(truth) else ~misses[upper])
        wide.append(float((found.errors / alone.errors).mean()))
        parted += len(ranking.groups) > 1
        ends.append(ranking.answers)
    share = [float(np.concatenate(one).mean()) for one in (plain, held, pairs)]
    each = [float(one.mean()) for one in held]
    return {
        "plain": round(share[0], 3),
        "held": round(share[1], 3),
        "pairs": round(share[2], 3),
        "error": round(float(np.std(each, ddof=1)) / math.sqrt(len(each)), 4),
        **({"parted": round(parted / given.runs, 3)} if not np.ptp(truth) else {}),
        "wide": round(float(np.mean(wide)), 2),
        "answers": round(float(np.mean(ends))),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--strategies", nargs="+", default=STRATEGIES)
    parser.add_argument("--items", type=int, nargs="+", default=ITEMS)
    parser.add_argument("--spreads", type=float, nargs="+", default=(0.0,), help="from the best item to the mean")
    parser.add_argument("--segments", nargs="+", default=[f"{effect:g}:{number}" for effect, number in SEGMENTS])
    parser.add_argument("--explore", type=float, default=0.15)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--stop", choices=RULES, default="none")
    given = parser.parse_args()
    for strategy in given.strategies:
        design = Design(strategy, given.explore, given.batch, stopping=given.stop != "none")
        for items in given.items:
            for spread in given.spreads:
                for kind in given.segments:
                    effect, number = kind.split(":")
                    truth = np.linspace(spread, -spread, items)
                    found = cell(design, truth, given, float(effect), int(number), given.stop)
                    named = {"strategy": strategy, "items": items, "spread": spread, "segments": kind}
                    print(json.dumps({**named, **found}), flush=True)


if __name__ == "__main__":
    main()
