"""States of reservoirs over n-best lists: seconds per list and per core, beside the same algorithm in NumPy.

Each line of output is one JSON object. Lists are made up: translations of a sentence differ in a few words and links, as
those of decoders do. `--sentences 1000 --size 1000` is a whole development set; NumPy does a sample of it.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from tolka.lm import Embeddings
from tolka.rerank import Entry, GesnFeatures, GesnSettings, NBestList, Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float32]

T = TypeVar("T")
WORDS = 5000
KINDS = ("gesn-sequence", "gesn-bilingual", "gesn-dependency")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=20)
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--length", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--input-scale", type=float, default=GesnSettings().input_scale)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--sample", type=int, default=20, help="translations that NumPy does")
    options = parser.parse_args()
    random = np.random.default_rng(1)
    names = [f"w{word}" for word in range(WORDS)]
    table = Embeddings(names, random.normal(size=(WORDS, 25)))
    lists, sources = draw(random, options.sentences, options.size, options.length)
    for kind in options.kinds:
        features = GesnFeatures(kind, GesnSettings(input_scale=options.input_scale), table, table)
        wall = time.perf_counter()
        rows, seconds = timed(lambda features=features: features.rows(lists, sources, threads=options.threads))
        wall = time.perf_counter() - wall
        sample = lists[0].entries[: options.sample]
        found, peer = timed(
            lambda features=features, sample=sample: [numpy_states(features, sources[0], entry) for entry in sample]
        )
        error = float(np.abs(np.stack(found) - rows[: len(sample)]).max())
        each = seconds / len(rows)
        result = {
            "sentences": options.sentences,
            "translations": len(rows),
            "threads": options.threads,
            "seconds": round(seconds, 2),
            "wall": round(wall, 2),
            "microseconds_each": round(1e6 * each, 1),
            "ratio_to_numpy": round(peer / len(sample) / each, 1),
            "largest_difference": float(f"{error:.1e}"),
        }
        print(json.dumps({"kind": kind, **result}))


def timed(work: Callable[[], T]) -> tuple[T, float]:
    begin = time.process_time()
    result = work()
    return result, time.process_time() - begin


def draw(random: np.random.Generator, sentences: int, size: int, length: int) -> tuple[list[NBestList], list[Source]]:
    lists, sources = [], []
    for number in range(sentences):
        words = [f"w{word}" for word in random.integers(0, WORDS, length)]
        heads = tuple(int(random.integers(0, word)) if word else 0 for word in range(1, length + 1))
        sources.append(Source(tuple(words), tuple(min(head, word) for word, head in enumerate(heads))))
        target = random.integers(0, WORDS, length)
        entries = []
        for _ in range(size):
            own = target.copy()
            own[random.integers(0, length, 3)] = random.integers(0, WORDS, 3)
            jumps = random.integers(0, length, 2)
            links = tuple((word, int(jumps[0]) if word == jumps[1] else word) for word in range(length))
            entries.append(Entry(" ".join(f"w{word}" for word in own), links=links))
        lists.append(NBestList(number, tuple(entries)))
    return lists, sources


def numpy_states(features: GesnFeatures, source: Source, entry: Entry) -> Array:
    """One translation at a time, all of its words at once: as one writes it with NumPy."""
    matrices, words = features.matrices, entry.words.split()
    inputs = features.target.vectors([*words, "</s>"]) @ matrices["target.input"].T
    state, above = np.zeros_like(inputs), np.zeros((0, features.settings.size))
    drive, across, parents, children = np.zeros_like(above), np.zeros((0, 0)), np.zeros((0, 0)), np.zeros((0, 0))
    if features.needs_links:
        drive = (
            features.source.vectors([*source.words, "</s>"]) @ matrices["source.input"].T if features.source else drive
        )
        above = np.zeros_like(drive)
        across = np.zeros((len(drive), len(inputs)))
        for one, other in entry.links or ():
            across[one, other] = 1.0
    if features.needs_heads:
        parents = np.zeros((len(drive), len(drive)))
        for word, head in enumerate(source.heads or ()):
            parents[word, head - 1] = float(head > 0)
        children = mean(parents.T)
    for _ in range(features.settings.iterations):
        new = inputs + left(state) @ matrices["target.left"].T + right(state) @ matrices["target.right"].T
        if features.needs_links:
            new = new + mean(across.T) @ above @ matrices["target.align"].T
            heard = drive + left(above) @ matrices["source.left"].T + right(above) @ matrices["source.right"].T
            heard = heard + mean(across) @ state @ matrices["source.align"].T
            if features.needs_heads:
                heard = heard + parents @ above @ matrices["source.parent"].T
                heard = heard + children @ above @ matrices["source.child"].T
            heard = np.tanh(heard)
            change, above = float(np.abs(heard - above).max()), heard
        else:
            change = 0.0
        new = np.tanh(new)
        change, state = max(change, float(np.abs(new - state).max())), new
        if change < features.settings.tolerance:
            break
    total: Array = state.sum(axis=0)
    return total


def left(states: NDArray[np.floating]) -> NDArray[np.floating]:
    return np.concatenate([np.zeros_like(states[:1]), states[:-1]])


def right(states: NDArray[np.floating]) -> NDArray[np.floating]:
    return np.concatenate([states[1:], np.zeros_like(states[:1])])


def mean(edges: NDArray[np.floating]) -> NDArray[np.floating]:
    return edges / np.maximum(edges.sum(axis=1, keepdims=True), 1.0)


if __name__ == "__main__":
    main()
