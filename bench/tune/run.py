"""Tuning: CPU seconds of each tuner on made-up n-best lists, MIRA beside the same algorithm in NumPy.

Each line of output is one JSON object. The lists are drawn from planted weights with noise, so the score on the lists says
whether the tuner did its work; `oracle` is the score of the planted weights. `--sentences` and `--size` set the scale.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from tolka.tune import Hypothesis, NBestLists, Tuner

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

T = TypeVar("T")
FEATURES = 14
EPOCHS = 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--size", type=int, default=100)
    options = parser.parse_args()
    lists, start, planted, rows, stats = draw(options.sentences, options.size)
    scale = {"sentences": options.sentences, "hypotheses": lists.hypotheses, "features": FEATURES}
    oracle = Tuner("mert", restarts=1, rounds=0).fit(lists, planted).score_
    seconds: dict[str, float] = {}
    for kind, settings in (("mira", {"epochs": EPOCHS}), ("pro", {"interpolation": 1.0}), ("mert", {"restarts": 4})):
        tuner, seconds[kind] = timed(
            lambda kind=kind, settings=settings: Tuner(kind, threads=1, **settings).fit(lists, start)
        )
        result = {"start": tuner.history_[0], "score": tuner.score_, "oracle": oracle, "seconds": seconds[kind]}
        print(json.dumps({"tuner": kind, **settings, **scale, **rounded(result)}))
    (score, _), peer = timed(lambda: numpy_mira(np.array(list(start.values())), rows, stats))
    ratio = {"score": score, "seconds": peer, "ratio": peer / seconds["mira"]}
    print(json.dumps({"tuner": "mira in NumPy", "epochs": EPOCHS, **scale, **rounded(ratio)}))


def rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in values.items()}


def timed(work: Callable[[], T]) -> tuple[T, float]:
    begin = time.process_time()
    result = work()
    return result, time.process_time() - begin


def draw(sentences: int, size: int) -> tuple[NBestLists, dict[str, float], dict[str, float], list[Array], list[Array]]:
    """Translations with wrong words, and features that tell of the wrong words, mixed and noisy."""
    random = np.random.default_rng(1)
    names = [f"f{number}" for number in range(FEATURES)]
    planted = random.uniform(-1, 1, FEATURES)
    references, proposed = [], []
    for _ in range(sentences):
        right = [f"w{word}" for word in random.integers(0, 5000, 20)]
        references.append(" ".join(right))
        own = []
        for _ in range(size):
            wrong = set(random.integers(0, 20, random.integers(0, 15)).tolist())
            words = " ".join("no" if at in wrong else word for at, word in enumerate(right))
            row = random.normal(size=FEATURES)
            row += planted / (planted @ planted) * (-0.5 * len(wrong) + random.normal(scale=0.5) - planted @ row)
            own.append(Hypothesis(words, dict(zip(names, row.tolist(), strict=True))))
        proposed.append(own)
    lists = NBestLists(references, names)
    lists.add(proposed)
    metric = lists._metric()  # noqa: SLF001
    rows = [
        np.array([list(entry.features.values()) for entry in own], dtype=np.float32).astype(float) for own in proposed
    ]
    stats = [
        metric.stats(lists._table.texts([entry.words for entry in own], "none"), np.full(size, at, dtype=np.uint32))  # noqa: SLF001
        for at, own in enumerate(proposed)
    ]
    start = dict(zip(names, random.uniform(-0.1, 0.1, FEATURES).tolist(), strict=True))
    return lists, start, dict(zip(names, planted.tolist(), strict=True)), rows, stats


def bleu(stats: Array) -> Array:
    with np.errstate(divide="ignore"):
        precisions = np.log(stats[..., 2:6]) - np.log(stats[..., 6:10])
    return np.exp(np.minimum(0.0, 1.0 - stats[..., 1] / stats[..., 0]) + precisions.mean(axis=-1))


def numpy_mira(weights: Array, rows: list[Array], stats: list[Array]) -> tuple[float, Array]:
    random = np.random.default_rng(1)
    background = np.array([4.0, 4.0, 4.0, 3.0, 2.0, 1.0, 4.0, 3.0, 2.0, 1.0])
    total, steps, best = np.zeros_like(weights), 0, (-1.0, weights)
    for _ in range(EPOCHS):
        for sentence in random.permutation(len(rows)):
            model = rows[sentence] @ weights
            joined = stats[sentence] + background
            gain = bleu(joined) * joined[:, 1]
            hope, fear = int(np.argmax(model + gain)), int(np.argmax(model - gain))
            if hope != fear:
                delta = rows[sentence][hope] - rows[sentence][fear]
                loss = gain[hope] - gain[fear] - delta @ weights
                if loss > 0:
                    weights = weights + min(0.01, loss / (delta @ delta)) * delta
                background = 0.999 * background + stats[sentence][hope]
            total += weights
            steps += 1
        average = total / steps
        chosen = sum(own[np.argmax(row @ average)] for row, own in zip(rows, stats, strict=True))
        best = max(best, (100.0 * float(bleu(np.asarray(chosen))), average), key=lambda pair: pair[0])
    return best


if __name__ == "__main__":
    main()
