"""How long forests take to be rewritten, by length, and how many sentences have none, one or several rewrites.

python bench/assist/rewriting.py en.parser text.tok
"""

import argparse
import json
import math
import time
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

from tolka.assist.rewriting import Rewriter
from tolka.corpus import read_lines
from tolka.syntax import ConstituencyParser, penn_words

BUCKET = 10


def main() -> None:
    """Print one line of JSON."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("parser", type=Path)
    arguments.add_argument("text")
    arguments.add_argument("--sentences", type=int, default=200)
    given = arguments.parse_args()
    parser = ConstituencyParser.load(given.parser)
    rewriter = Rewriter(["en.passive", "en.cleft"])
    parsing: dict[int, list[float]] = defaultdict(list)
    rewriting: dict[int, list[float]] = defaultdict(list)
    sizes: dict[int, list[int]] = defaultdict(list)
    groups: Counter[str] = Counter()
    asked = exact = 0
    count = 0
    for line in read_lines(given.text):
        words = line.split()
        if not words:
            continue
        if count == given.sentences:
            break
        count += 1
        bucket = len(words) // BUCKET * BUCKET
        start = time.perf_counter()
        forest = parser.forest(penn_words(words))
        middle = time.perf_counter()
        found = rewriter.rewritten(forest)
        end = time.perf_counter()
        parsing[bucket].append(1000 * (middle - start))
        rewriting[bucket].append(1000 * (end - middle))
        sizes[bucket].append(forest.num_edges)
        exact += found.exact
        groups["none" if not found.rewrites else "one" if len(found.rewrites) == 1 else "several"] += 1
        entropy = -sum(mass * math.log(mass) for _, mass in found.cells if mass > 0)
        asked += entropy > 0.1  # noqa: PLR2004 - nats
    report = {
        "sentences": count,
        "exact": exact / count,
        "outputs": {name: groups[name] / count for name in ("none", "one", "several")},
        "worth asking about": asked / count,
        "by words": {
            f"{bucket}-{bucket + BUCKET - 1}": {
                "sentences": len(rewriting[bucket]),
                "edges": median(sizes[bucket]),
                "parse ms": round(median(parsing[bucket]), 1),
                "rewrite ms": round(median(rewriting[bucket]), 2),
                "slowest ms": round(max(rewriting[bucket]), 2),
            }
            for bucket in sorted(rewriting)
        },
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
