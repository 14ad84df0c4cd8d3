"""Corpus preparation against what a person would write in Python, and truecasing against sacremoses.

Europarl French-English, 100,000 pairs. One JSON line per result: CPU seconds of both, and how many times less ours takes.
"""

from __future__ import annotations

import json
import lzma
import os
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sacremoses import MosesTruecaser

from tolka.corpus import CleanSettings, Truecaser, Vocabulary, clean, pair_statistics

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")

DATA = Path(os.environ.get("TOLKA_DATA", Path(__file__).resolve().parents[2].parent / "shared" / "data"))
PAIRS = 100_000


def read(name: str) -> list[str]:
    with lzma.open(DATA / "europarl-fr-en" / name, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line, _ in zip(file, range(PAIRS), strict=False)]


def seconds(work: Callable[[], Result]) -> tuple[float, Result]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def report(name: str, ours: float, peer: float, **more: float) -> None:
    line = {"bench": "prepare", "name": name, "cpu_seconds": round(ours, 3), "peer_cpu_seconds": round(peer, 3)}
    print(json.dumps({**line, "times_less": round(peer / ours, 1), **more}))


def plain_clean(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Only length, ratio, identical and duplicate, the quickest way."""
    seen, kept = set(), []
    for source, target in pairs:
        short, long = sorted((len(source.split()), len(target.split())))
        if short and long <= 100 and long <= 3 * short + 6 and source != target and (source, target) not in seen:  # noqa: PLR2004
            seen.add((source, target))
            kept.append((source, target))
    return kept


def plain_vocabulary(lines: list[str]) -> list[list[int]]:
    counts = Counter(word for line in lines for word in line.split())
    ids = {word: number for number, (word, _) in enumerate(counts.most_common(), start=3)}
    return [[ids.get(word, 0) for word in line.split()] for line in lines]


def plain_statistics(pairs: list[tuple[str, str]]) -> tuple[int, list[int]]:
    sides: list[Counter[str]] = [Counter(), Counter()]
    for pair in pairs:
        for side, line in zip(sides, pair, strict=True):
            side.update(line.split())
    return len(set(pairs)), [len(side) for side in sides]


def main() -> None:
    french, english = read("train.fr.xz"), read("train.en.xz")
    pairs = list(zip(french, english, strict=True))

    ours, result = seconds(lambda: clean(pairs, CleanSettings(languages=("fr", "en"))))
    peer, kept = seconds(lambda: plain_clean(pairs))
    report("clean: all rules, against four in plain Python", ours, peer, kept=result.report.kept, peer_kept=len(kept))

    ours, _ = seconds(lambda: Vocabulary.from_lines(english).encode_lines(english))
    peer, _ = seconds(lambda: plain_vocabulary(english))
    report("vocabulary: build and encode, against a dict", ours, peer)

    ours, found = seconds(lambda: pair_statistics(pairs))
    peer, (_, types) = seconds(lambda: plain_statistics(pairs))
    assert [found.source.types, found.target.types] == types  # noqa: S101
    report("statistics: all, against counting words", ours, peer)

    some = english[:20_000]
    ours, cased = seconds(lambda: (t := Truecaser().train(some), t.truecase_lines(some))[1])

    def peer_truecase() -> list[str]:
        truecaser = MosesTruecaser()
        truecaser.train([line.split() for line in some])
        return [truecaser.truecase(line, return_str=True, use_known=True) for line in some]

    peer, peer_cased = seconds(peer_truecase)
    words = [pair for a, b in zip(cased, peer_cased, strict=True) for pair in zip(a.split(), b.split(), strict=True)]
    same = sum(a == b for a, b in words) / len(words)
    report("truecase: train and apply 20,000 lines, against sacremoses", ours, peer, same_words=round(same, 4))


if __name__ == "__main__":
    main()
