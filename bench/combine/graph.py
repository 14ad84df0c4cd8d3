"""What graphs of words cost: profiles, neighbours and labels, by size.

The text is made up: sentences of one of many topics, with words of all topics between those of their own, both drawn by Zipf's law.
So which neighbours are right is known: words of the same topic; and labels that spread are the numbers of topics. What
is measured runs in a process of its own, whose peak memory is its own.

- `million`: a graph of 1,000,000 nodes and some more from text to labels, stage by stage, in wall and in CPU seconds. A tenth of the nodes are seeds; `right` is the share of
  other nodes with labels whose most probable label is their topic.
- `growth`: counting profiles of 3,000 words in texts of 1, 4, 16 and 64 million words.
- `recall`: the approximate method beside the exact one, on words of this text and on words of real text (Tatoeba and Europarl, English).
- `scipy`: the exact method beside a product of sparse matrices of SciPy with the k greatest of each row, the same neighbours.

Prints one JSON line for each.

    nice -n 5 python bench/combine/graph.py
    python bench/combine/graph.py --only recall --queries 500
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from tolka.corpus import read_lines
from tolka.graph import AdsorptionSettings, Graph, Labels, Neighbours, Profiles, Text, propagate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

DATA = Path(os.environ.get("TOLKA_DATA", "../shared/data")) / "monolingual"
MILLION = 1_000_000
COMMON = 2000
"""Words that all topics share."""
EACH = 500
"""Words of a topic."""
LENGTH = 20
"""Words of a sentence."""
PRUNINGS = ((64, 200, 100), (256, 200, 100), (256, 500, 100), (256, 500, 200), (1000, 500, 200))
"""Columns of a row, rows of a column and candidates of the approximate method."""
BATCH = 20_000
"""Sentences that are made at a time."""


def main() -> None:
    parts: dict[str, Callable[[argparse.Namespace], None]] = {
        "million": million,
        "growth": growth,
        "recall": recall,
        "scipy": beside_scipy,
    }
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=parts, default=list(parts))
    parser.add_argument("--nodes", type=int, default=MILLION, help="nodes of the large graph")
    parser.add_argument("--tokens", type=int, default=24 * MILLION, help="words of its text")
    parser.add_argument("--sizes", nargs="+", type=int, default=[1, 4, 16, 64], help="millions of words, for growth")
    parser.add_argument("--among", nargs="+", type=int, default=[20_000, 100_000, 300_000], help="nodes, for recall")
    parser.add_argument("--queries", type=int, default=2000, help="nodes whose neighbours are found, for recall")
    parser.add_argument("-k", type=int, default=20)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        parts[options.alone](options)
        return
    for name in options.only:
        for more in each_run(name, options):
            done = subprocess.run([sys.executable, __file__, *sys.argv[1:], "--alone", name, *more], check=False)
            if done.returncode:
                sys.exit(done.returncode)


def each_run(name: str, options: argparse.Namespace) -> Iterator[list[str]]:
    """The arguments of each process of a part."""
    if name == "growth":
        yield from (["--sizes", str(size)] for size in options.sizes)
    elif name == "recall":
        yield from (["--among", str(size)] for size in [*options.among, 0])
    else:
        yield []


def sentences(tokens: int, nodes: int, seed: int = 1) -> Iterator[list[str]]:
    """Made up sentences with so many words, drawn from about `nodes` different ones."""
    random = np.random.default_rng(seed)
    topics = max(1, (nodes - COMMON) // EACH)
    shared, own = (np.cumsum(1 / np.arange(1, size + 1)) for size in (COMMON, EACH))
    names = np.array([f"c{at}" for at in range(COMMON)] + [f"w{at}" for at in range(topics * EACH)], dtype=object)
    for begin in range(0, tokens // LENGTH, BATCH):
        count = min(BATCH, tokens // LENGTH - begin)
        topic = random.integers(topics, size=(count, 1))
        drawn = random.random((count, LENGTH))
        common = np.searchsorted(shared, drawn * shared[-1])
        special = COMMON + topic * EACH + np.searchsorted(own, drawn * own[-1])
        words = names[np.where(random.random((count, LENGTH)) < 0.4, common, special)]  # noqa: PLR2004 two in five
        yield [" ".join(line) for line in words]


def text_of(tokens: int, nodes: int) -> Text:
    text = Text()
    for lines in sentences(tokens, nodes):
        text.add(lines)
    return text


class Clock:
    """Says what was spent since it was last asked."""

    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def lap(self) -> dict[str, float]:
        """What was spent since."""
        now = time.perf_counter(), time.process_time()
        spent = {"wall_seconds": round(now[0] - self.wall, 2), "cpu_seconds": round(now[1] - self.cpu, 2)}
        self.wall, self.cpu = now
        return spent


def peak() -> int:
    """Megabytes that this process has had at most. What getrusage says begins with the size of whoever started it."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next((int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM:")), 0)


def say(name: str, **values: object) -> None:
    print(json.dumps({"bench": "graph", "part": name, **values}), flush=True)


def million(options: argparse.Namespace) -> None:
    start = Clock()
    clock, spent = Clock(), {}
    # Some words never come, so that more are drawn from than are nodes.
    text = text_of(options.tokens, options.nodes * 21 // 20)
    spent["text"] = clock.lap()
    counts = text.profiles(threads=options.threads)
    spent["profiles"] = clock.lap()
    del text
    nodes, entries = counts.nodes, len(counts.matrix()[1])
    if len(nodes) < options.nodes:
        sys.exit(f"graph: the text has {len(nodes):,} words, which are less than {options.nodes:,}: give more --tokens")
    clock.lap()
    profiles = counts.weigh("ppmi", threads=options.threads)
    del counts
    spent["weigh"] = clock.lap()
    neighbours = profiles.neighbours(options.k, method="approximate", threads=options.threads)
    spent["neighbours"] = clock.lap()
    del profiles
    graph = Graph.of(len(nodes), neighbours.edges())
    found = len(neighbours.ids)
    del neighbours
    spent["graph"] = clock.lap()
    topics = np.array([int(name[1:]) // EACH if name[0] == "w" else -1 for name in nodes])
    seeded = (np.random.default_rng(2).random(len(nodes)) < 0.1) & (topics >= 0)  # noqa: PLR2004 a tenth
    starts = np.concatenate([[0], np.cumsum(seeded)])
    seeds = Labels.of(len(nodes), (starts, topics[seeded], np.ones(int(seeded.sum()))))
    clock.lap()
    labels = propagate(graph, seeds, AdsorptionSettings(keep=20), threads=options.threads)
    spent["propagate"] = clock.lap()
    asked = [node for node in np.flatnonzero(~seeded & (topics >= 0)).tolist() if len(labels.row(node)[0])]
    right = sum(labels.best(node, 1)[0][0] == topics[node] for node in asked)
    say(
        "million",
        nodes=len(nodes),
        tokens=options.tokens,
        entries=entries,
        neighbours=found,
        stages=spent,
        in_all=start.lap(),
        peak_mb=peak(),
        labelled=round(len(asked) / int((~seeded & (topics >= 0)).sum()), 4),
        right=round(right / max(1, len(asked)), 4),
    )


def growth(options: argparse.Namespace) -> None:
    (size,) = options.sizes
    clock = Clock()
    text = text_of(size * MILLION, options.nodes)
    made = {"text": clock.lap(), "text_peak_mb": peak()}
    order = np.argsort(-text.counts.astype(np.int64), kind="stable")
    words = text.words
    # Words of all frequencies, as nodes of a table and words to be translated are.
    wanted = [words[at] for at in order[:: max(1, len(order) // 3000)][:3000]]
    clock.lap()
    profiles = text.profiles(wanted, threads=options.threads)
    spent = clock.lap()
    say(
        "growth",
        million_tokens=size,
        nodes=len(wanted),
        entries=len(profiles.matrix()[1]),
        **made,
        profiles=spent,
        peak_mb=peak(),
    )


def milliseconds(seconds: float, queries: int) -> float:
    """Of each query."""
    return round(1000 * max(seconds, 0.0) / queries, 3)


def words_of(options: argparse.Namespace) -> tuple[str, Profiles]:
    """Profiles among which neighbours are found."""
    (size,) = options.among
    if size:
        return "made up", text_of(24 * size, size).profiles().weigh("ppmi")
    text = Text()
    for name in ("tatoeba.en.xz", "europarl.en.xz"):
        text.add(line.lower() for line in read_lines(DATA / name))
    return "english", text.profiles(min_count=2).weigh("ppmi")


def recall(options: argparse.Namespace) -> None:
    name, profiles = words_of(options)
    of = np.random.default_rng(3).permutation(len(profiles))[: options.queries]
    clock = Clock()
    profiles.neighbours(options.k, of[:1], threads=options.threads)
    index = clock.lap()
    exact = profiles.neighbours(options.k, of, threads=options.threads)
    spent = clock.lap()["cpu_seconds"] - index["cpu_seconds"]
    everyone: dict[str, object] = {}
    for columns, rows, candidates in PRUNINGS:

        def nearly(
            some: NDArray[np.int64], columns: int = columns, rows: int = rows, candidates: int = candidates
        ) -> Neighbours:
            return profiles.neighbours(
                options.k,
                some,
                method="approximate",
                columns=columns,
                rows=rows,
                candidates=candidates,
                threads=options.threads,
            )

        # The index is made once for all rows: what a single one takes is left out of what all take.
        nearly(of[:1])
        index = clock.lap()
        found = nearly(of)
        both = clock.lap()
        everyone[f"{columns} columns, {rows} rows, {candidates} candidates"] = {
            "recall": round(found.recall(exact), 4),
            "index_cpu_seconds": index["cpu_seconds"],
            "cpu_milliseconds_each": milliseconds(both["cpu_seconds"] - index["cpu_seconds"], len(of)),
        }
    say(
        "recall",
        text=name,
        nodes=len(profiles),
        queries=len(of),
        k=options.k,
        exact_cpu_milliseconds_each=milliseconds(spent, len(of)),
        approximate=everyone,
    )


def beside_scipy(options: argparse.Namespace) -> None:
    profiles = text_of(2_400_000, 100_000).profiles().weigh("ppmi")
    starts, ids, values = profiles.matrix()
    of = np.random.default_rng(3).permutation(len(profiles))[: options.queries]
    clock = Clock()
    own = profiles.neighbours(options.k, of, threads=1)
    spent = clock.lap()
    shape = (len(profiles), len(profiles.contexts))
    matrix = sparse.csr_array((values.astype(np.float64), ids.astype(np.int64), starts.astype(np.int64)), shape=shape)
    lengths = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    matrix = sparse.csr_array(sparse.diags_array(1 / np.maximum(lengths, 1e-300)) @ matrix)
    other = sparse.csr_array(matrix.T)
    best = []
    for at in of:
        row = (matrix[[at]] @ other).toarray()[0]
        row[at] = 0
        best.append(np.sort(row[np.argpartition(-row, options.k)[: options.k]])[::-1])
    theirs = clock.lap()
    apart = max(
        float(np.abs(np.array([weight for _, weight in own.row(place)]) - found[: len(own.row(place))]).max())
        for place, found in enumerate(best)
        if own.row(place)
    )
    say(
        "scipy",
        nodes=len(profiles),
        queries=len(of),
        tolka=spent,
        scipy=theirs,
        ratio=round(theirs["cpu_seconds"] / spent["cpu_seconds"], 2),
        greatest_difference=apart,
    )


if __name__ == "__main__":
    main()
