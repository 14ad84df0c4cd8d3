"""Ways of asking on made-up items, batches with and without imagination, and the time a question takes.

The settings are those of the specification of CLAIRE's simulation: 15 items with spread 1.5, 7 with 1.0, 7 with 0.2.
Every line is one JSON object: Kendall's tau and the error of the scores after 50, 100 and 200 answers, and `ratio`, the
CPU time of a question to that of a random one.

    python bench/judge/curves.py [--runs 20]
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np

from tolka.judge.ask import Budget, Interview, PairBelief, choose, kendall, simulate, strategy_named
from tolka.judge.ask.simulate import simulated_judge

SETTINGS = ((15, 1.5), (7, 1.0), (7, 0.2))
STRATEGIES = ("random", "uniform", "adjacent", "trueskill", "information", "order")
LOOKS = (50, 100, 200)
BATCH = 20


def report(**fields: object) -> None:
    print(json.dumps(fields), flush=True)


class Unimaginative:
    """A belief that cannot imagine answers: its batches are the best questions, each alone."""

    def __init__(self, belief: PairBelief) -> None:
        self.belief = belief
        self.questions, self.information, self.update = belief.questions, belief.information, belief.update


def batches(runs: int) -> None:
    """Tau after 100 answers, asked one by one, twenty at a time, and twenty at a time without imagination."""
    names = [f"item{number}" for number in range(15)]
    for kind, size in (("one by one", 1), ("imagined", BATCH), ("best alone", BATCH)):
        taus = []
        for run in range(runs):
            truth = np.random.default_rng([1, run]).normal(0, 1.5, len(names))
            belief = PairBelief(names)
            judge = simulated_judge(belief, truth, np.random.default_rng([2, run]))
            asked = Unimaginative(belief) if kind == "best alone" else belief
            Interview(asked, stop=[Budget(100)], batch=size, seed=run).run(judge)
            taus.append(kendall(belief.mean, truth))
        error = np.std(taus, ddof=1) / np.sqrt(runs)
        report(
            bench="batch", kind=kind, size=size, tau=round(float(np.mean(taus)), 3), tau_error=round(float(error), 3)
        )


def times() -> None:
    """CPU milliseconds from one answer to the next question, fit included."""
    rng = np.random.default_rng(1)
    for items in (7, 20, 100):
        names = [f"item{number}" for number in range(items)]
        truth = rng.normal(0, 1, items)
        spent = {}
        for name in ("random", "information", "order", "sampled information"):
            if name.startswith("sampled") and items > BATCH:
                continue
            belief = PairBelief(names, method="sampled" if name.startswith("sampled") else "gaussian")
            judge = simulated_judge(belief, truth, rng)
            for _ in range(10 * items):
                [pair] = choose(belief, strategy_named("random"), rng=rng)
                belief.update(pair, judge(pair))
            belief.mean  # noqa: B018 - the first fit is not what is measured
            strategy = strategy_named(name.split()[-1])
            start = time.process_time()
            for _ in range(20):
                [pair] = choose(belief, strategy, rng=rng)
                belief.update(pair, judge(pair))
                belief.mean  # noqa: B018
            spent[name] = (time.process_time() - start) / 20 * 1000
            report(
                bench="question",
                items=items,
                strategy=name,
                milliseconds=round(spent[name], 2),
                ratio=round(spent[name] / spent["random"], 2),
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    given = parser.parse_args()
    times()
    batches(given.runs)
    for items, spread in SETTINGS:
        found = simulate(items, spread, LOOKS[-1], STRATEGIES, runs=given.runs, at=LOOKS)
        for curve in found.curves:
            report(bench="curves", items=items, spread=spread, runs=given.runs, **curve.as_json())


if __name__ == "__main__":
    main()
