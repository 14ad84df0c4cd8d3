"""Real judgements replayed: the answers that active choice needs, as a share of what the campaign's own order needs.

Reads wmt-judgements under TOLKA_DATA (default: ../shared/data): WMT12, 13 and 15, 22 language pairs. Each strategy is
given the answers people gave, at most once each, and its ranking is compared with the ranking by all answers. A ratio
below 1 means fewer answers for the same Kendall tau; its interval is from a bootstrap over language pairs and runs.

    python bench/judge/replay.py [--runs 6] [--answers 2000] [--strategy order information] [--set wmt15]
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import asdict
from pathlib import Path
from statistics import mean, stdev

from tolka.judge.ask import Pool, replay, saving
from tolka.judge.exchange import read_answers

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data")) / "wmt-judgements"
LOOKS = (500, 1000, 2000)
TARGETS = (0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
WMT12 = [f"{other}-English" for other in ("Czech", "French", "German", "Spanish")]
WMT12 += [f"English-{other}" for other in ("Czech", "French", "German", "Spanish")]


def report(**fields: object) -> None:
    print(json.dumps(fields), flush=True)


def pools(wanted: str) -> dict[str, Pool]:
    found = {}
    if wanted in {"all", "wmt12"}:
        path = DATA / "wmt12" / "rankings.csv.xz"
        found |= {f"wmt12 {pair}": Pool(read_answers(path, "wmt", pair=pair)) for pair in WMT12}
    if wanted in {"all", "wmt13"}:
        for path in sorted((DATA / "wmt13").glob("preferences.*.csv.xz")):
            found[f"wmt13 {path.name.split('.')[1]}"] = Pool(read_answers(path, "preferences"))
    if wanted in {"all", "wmt15"}:
        for path in sorted((DATA / "wmt15").glob("pairwise.*.csv.xz")):
            found[f"wmt15 {path.name.split('.')[1]}"] = Pool(read_answers(path, "wmt"))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--answers", type=int, default=2000)
    parser.add_argument("--strategy", nargs="+", default=["order", "information"])
    parser.add_argument("--set", choices=["all", "wmt12", "wmt13", "wmt15"], default="all")
    parser.add_argument("--prior", type=float, default=0.25)
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--explore", type=float, default=0.0)
    given = parser.parse_args()
    strategies = ["random", *given.strategy]
    curves: dict[str, list] = {name: [] for name in strategies}
    start = time.process_time()
    for name, pool in pools(given.set).items():
        budget = min(given.answers, len(pool.answers) // 2)
        looks = range(50, budget + 1, 50)
        found = replay(
            pool,
            strategies,
            budget=budget,
            runs=given.runs,
            at=looks,
            prior=given.prior,
            batch=given.batch,
            explore=given.explore,
        )
        for curve in found.curves:
            curves[curve.strategy].append(curve)
        baseline = found.curves[0]
        for curve in found.curves[1:]:
            one = saving([curve], [baseline], 0.8, rounds=200)
            report(
                bench="replay",
                set=name,
                items=len(pool.items),
                pool=len(pool.answers),
                strategy=curve.strategy,
                tau_random={
                    str(at): round(float(baseline.tau[:, at // 50 - 1].mean()), 3) for at in LOOKS if at <= budget
                },
                tau={str(at): round(float(curve.tau[:, at // 50 - 1].mean()), 3) for at in LOOKS if at <= budget},
                ratio_at_0_8=None if one is None else round(one.ratio, 3),
            )
    for look in LOOKS:
        for name in given.strategy:
            both = [
                (one, other) for one, other in zip(curves[name], curves["random"], strict=True) if look in one.answers
            ]
            gains = [float((one.tau - other.tau)[:, one.answers.index(look)].mean()) for one, other in both]
            if len(gains) > 1:
                error = stdev(gains) / len(gains) ** 0.5
                report(
                    bench="replay", strategy=name, answers=look, tau_gain=round(mean(gains), 4), error=round(error, 4)
                )
    for target in TARGETS:
        for name in given.strategy:
            one = saving(curves[name], curves["random"], target, rounds=300)
            if one is not None:
                report(
                    bench="replay",
                    **{
                        key: round(value, 3) if isinstance(value, float) else value
                        for key, value in asdict(one).items()
                    },
                )
    report(bench="replay", cpu_seconds=round(time.process_time() - start, 1), settings=vars(given))


if __name__ == "__main__":
    main()
