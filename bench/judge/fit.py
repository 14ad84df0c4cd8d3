"""Fitting against choix and evalica in the same run, and WMT 2015 rankings against the official ones.

The first part makes up answers about `--items` items and fits them: CPU seconds, the ratio to each peer on the same
answers, and how far scores are apart at most. The second ranks the ten language pairs of WMT 2015 and correlates with
the published TrueSkill scores. Run it with `.venv/bin/python bench/judge/fit.py [--items N] [--answers M] [--only PART]`.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import choix
import evalica
import numpy as np
from scipy.stats import kendalltau, spearmanr

from tolka.judge.exchange import read_answers
from tolka.judge.rank import Counts, Likelihood, Ranker, bootstrap, newton

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))


def measured(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """The result, CPU seconds and seconds by the clock."""
    cpu, clock = time.process_time(), time.perf_counter()
    found = work()
    return found, time.process_time() - cpu, time.perf_counter() - clock


def show(**result: Any) -> None:
    print(
        json.dumps(
            {name: float(f"{value:.5g}") if isinstance(value, float) else value for name, value in result.items()}
        )
    )


def made(items: int, answers: int, seed: int = 1) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 1, items)
    first = rng.integers(0, items, answers)
    second = (first + rng.integers(1, items, answers)) % items
    won = rng.random(answers) < 1 / (1 + np.exp(scores[second] - scores[first]))
    return np.where(won, first, second), np.where(won, second, first)


def apart(scores: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(np.abs(scores - scores.mean() - other + other.mean()).max())


def fit(items: int, answers: int) -> None:
    winner, loser = made(items, answers)
    names = [f"item{i}" for i in range(items)]
    size = {"items": items, "answers": answers}
    newton(Likelihood(Counts.from_pairs(names[:2], [0, 1], [1, 0])))  # imports are not what is measured
    counts, count_cpu, count_clock = measured(lambda: Counts.from_pairs(names, winner, loser))
    show(what="count answers", **size, pairs=counts.wins.size, cpu=count_cpu, clock=count_clock)
    solution, cpu, clock = measured(lambda: newton(Likelihood(counts)))
    show(what="fit counts", **size, cpu=cpu, clock=clock, iterations=solution.iterations)
    _, whole_cpu, whole_clock = measured(lambda: Ranker(prior=0).fit(Counts.from_pairs(names, winner, loser)))
    show(what="count, fit, intervals, ranks, all pairs", **size, cpu=whole_cpu, clock=whole_clock)

    matrix = counts.matrix()
    scores, peer, _ = measured(lambda: choix.ilsr_pairwise_dense(matrix, max_iter=1000, tol=1e-9))
    show(peer="choix.ilsr_pairwise_dense", cpu=peer, ratio=peer / cpu, apart=apart(solution.scores, scores))

    # evalica counts answers and fits them in one call, so it is compared with counting and fitting here.
    left, right, winners = winner.tolist(), loser.tolist(), [evalica.Winner.X] * answers
    result, peer, _ = measured(
        lambda: evalica.bradley_terry(left, right, winners, tolerance=1e-9, limit=10_000, solver="pyo3")
    )
    logs = np.log(np.array([result.scores[i] for i in range(items)]))
    both = count_cpu + cpu
    show(peer="evalica.bradley_terry", cpu=peer, ratio=peer / both, apart=apart(solution.scores, logs))


def resample(rounds: int) -> None:
    """The bootstrap of a campaign of ordinary size."""
    items, answers = 20, 10_000
    winner, loser = made(items, answers, seed=2)
    counts = Counts.from_pairs([str(i) for i in range(items)], winner, loser)
    likelihood = Likelihood(counts, prior=0.25)
    newton(likelihood)
    found, cpu, _ = measured(lambda: bootstrap(likelihood, rounds=rounds))
    show(what="bootstrap", items=items, answers=answers, rounds=rounds, cpu=cpu, error=float(found.errors.mean()))
    few = max(rounds // 50, 10)
    left, right, winners = winner.tolist(), loser.tolist(), [evalica.Winner.X] * answers
    _, peer, _ = measured(
        lambda: evalica.bootstrap(
            evalica.bradley_terry, left, right, winners, n_resamples=few, bootstrap_method="percentile", random_state=1
        )
    )
    show(peer="evalica.bootstrap", rounds=few, cpu=peer, ratio_per_round=(peer / few) / (cpu / rounds))


def wmt15() -> None:
    taus, rhos, plain, wider = [], [], [], []
    for path in sorted((DATA / "wmt-judgements/wmt15").glob("pairwise.*.csv.xz")):
        pair = path.name.split(".")[1]
        official = {}
        for line in (path.parent / f"official-clusters.{pair}.txt").read_text(encoding="utf-8").split("\n"):
            if line and not line.startswith("+"):
                name, score = line.split(" ")[:2]
                official[name] = float(score)
        answers, reading, _ = measured(lambda path=path: list(read_answers(path, "wmt")))
        ranking, cpu, _ = measured(lambda answers=answers: Ranker().fit(answers))
        dropped = Ranker(ties="drop").fit(answers)
        independent = Ranker(cluster="none").fit(answers)
        wider.append(float(ranking.errors.mean() / independent.errors.mean()))
        assert set(ranking.items) == set(official), pair  # noqa: S101
        known = [official[item] for item in ranking.items]
        taus.append(float(kendalltau(known, ranking.scores).statistic))
        rhos.append(float(spearmanr(known, ranking.scores).statistic))
        plain.append(float(kendalltau([official[item] for item in dropped.items], dropped.scores).statistic))
        show(
            what="wmt15",
            pair=pair,
            systems=len(official),
            answers=ranking.answers,
            kendall=taus[-1],
            spearman=rhos[-1],
            kendall_without_ties=plain[-1],
            groups=len(ranking.groups),
            wider_by_segments=wider[-1],
            reading_cpu=reading,
            fitting_cpu=cpu,
        )
    means = {"kendall": taus, "spearman": rhos, "kendall_without_ties": plain, "wider_by_segments": wider}
    show(what="wmt15 mean", pairs=len(taus), **{name: float(np.mean(values)) for name, values in means.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--answers", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--only", choices=["fit", "bootstrap", "wmt15"])
    chosen = parser.parse_args()
    if chosen.only in {None, "fit"}:
        fit(chosen.items, chosen.answers)
    if chosen.only in {None, "bootstrap"}:
        resample(chosen.rounds)
    if chosen.only in {None, "wmt15"}:
        wmt15()


if __name__ == "__main__":
    main()
