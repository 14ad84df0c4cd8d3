"""Statistics, scores and resampling against sacrebleu in the same run: CPU seconds, their ratio, and equal values.

The texts are a WMT 2013 system's German-English output, its reference, and another system's output. Run it with
`.venv/bin/python bench/evaluate/run.py [--lines N]`.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

from tolka.evaluate import (
    Bleu,
    Chrf,
    Ter,
    approximate_randomisation,
    bootstrap_scores,
    collect_statistics,
    paired_bootstrap,
)

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))
METRICS: list[tuple[str, Any, Callable[[], Any]]] = [
    ("bleu", Bleu(), BLEU),
    ("chrf", Chrf(), CHRF),
    ("chrf++", Chrf(words=2), lambda: CHRF(word_order=2)),
    ("ter", Ter(), TER),
]


def texts(lines: int) -> tuple[list[str], list[str], list[str]]:
    with lzma.open(DATA / "wmt-judgements/wmt13/outputs.de-en.tsv.xz", "rt", encoding="utf-8", newline="\n") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    wanted = [rows[0].index(name) for name in ("reference", "online-B", "KIT_primary.2653")]
    reference, first, second = ([row[column] for row in rows[1 : lines + 1]] for column in wanted)
    return reference, first, second


def measured(work: Callable[[], Any], times: int = 1) -> tuple[Any, float]:
    """The result, and the least CPU seconds of several runs."""
    found, least = None, float("inf")
    for _ in range(times):
        start = time.process_time()
        found = work()
        least = min(least, time.process_time() - start)
    return found, least


def say(what: str, ours: float, theirs: float, **more: object) -> None:
    row = {"what": what, "cpu_s": round(ours, 4), "sacrebleu_cpu_s": round(theirs, 3)}
    print(json.dumps(row | {"sacrebleu_over_tolka": round(theirs / ours, 1)} | more), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=1000)
    reference, first, second = texts(parser.parse_args().lines)
    for name, metric, peer in METRICS:
        # A new peer each time: its tokenisers remember lines.
        expected, theirs = measured(lambda peer=peer: peer()._extract_corpus_statistics(first, [reference]))  # noqa: SLF001
        found, ours = measured(lambda metric=metric: collect_statistics(metric, [first], [reference])[0], times=3)
        equal = bool(np.array_equal(found.rows, np.array(expected, dtype=float)))
        apart = abs(found.score - peer().corpus_score(first, [reference]).score)
        say(f"{name} statistics", ours, theirs, lines=len(first), rows_equal=equal, score_apart=apart)

        # What tuners do: references prepared once, rows of hypotheses again and again.
        engine, [prepared] = metric.prepare([first], [reference])
        _, again = measured(lambda engine=engine, prepared=prepared: engine.stats(prepared, threads=1), times=5)
        row = {"what": f"{name} rows, references prepared", "cpu_us_per_hypothesis": round(1e6 * again / len(first), 2)}
        print(json.dumps(row), flush=True)
    for name, metric, peer in METRICS[:2]:
        baseline, system = collect_statistics(metric, [second, first], [reference])
        systems = [("base", second), ("system", first)]
        for kind, rounds, test in (("bs", 1000, paired_bootstrap), ("ar", 10_000, approximate_randomisation)):

            def paired(peer: Any = peer, kind: str = kind, rounds: int = rounds, named: Any = systems) -> Any:
                return PairedTest(named, {"it": peer()}, [reference], test_type=kind, n_samples=rounds)()[1]

            expected, theirs = measured(paired)
            result = expected[next(key for key in expected if key != "System")][1]
            found, ours = measured(lambda test=test, s=system, b=baseline, n=rounds: test(s, b, rounds=n), times=3)
            say(f"{name} {found.test}", ours, theirs, rounds=rounds, p=found.p, sacrebleu_p=result.p_value)
        start = time.perf_counter()
        bootstrap_scores(system, rounds=10_000)
        row = {"what": f"{name} bootstrap, 10,000 rounds", "wall_s": round(time.perf_counter() - start, 3)}
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
