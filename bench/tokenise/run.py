"""Measure the tokeniser against sacremoses: agreement, CPU time in the same run, and the detokeniser's round trip.

    python bench/tokenise/run.py [--differences] [--lines 20000]

Prints one JSON line per result. Agreement is the F1 of token spans over the non-space characters of the line: a token
agrees if the other tokeniser has one that begins and ends at the same characters. The data is read from TOLKA_DATA
(default ../shared/data beside the repository).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sacremoses import MosesTokenizer

from tolka.corpus import Detokeniser, Tokeniser, read_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")
DATA = Path(os.environ.get("TOLKA_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
AGREEMENT = [
    ("multi30k/raw/train.en.xz", "en"),
    ("multi30k/raw/train.de.xz", "de"),
    ("multi30k/raw/train.fr.xz", "fr"),
    ("multi30k/raw/train.cs.xz", "cs"),
    ("europarl-fr-en/train.en.xz", "en"),
    ("europarl-fr-en/train.fr.xz", "fr"),
]
BEYOND = [
    ("wmt-newstest/newstest2013.es.xz", "es"),
    ("debian-ddtp/en-it/train.it.xz", "it"),
    ("tatoeba/en-hi/train.hi.xz", "hi"),
]
ROUND_TRIP = [
    *AGREEMENT,
    ("tatoeba/en-hi/train.hi.xz", "hi"),
    ("tatoeba/en-de/train.de.xz", "de"),
    ("wmt-newstest/newstest2013.en.xz", "en"),
    ("wmt-newstest/newstest2013.es.xz", "es"),
    ("debian-ddtp/en-es/train.es.xz", "es"),
    ("debian-ddtp/en-it/train.it.xz", "it"),
]
# Text that no rule or abbreviation was chosen by; keep it so.
UNSEEN = [(f"ntrex/ntrex-first.{lang}.xz", lang) for lang in ("en", "de", "fr", "es", "it", "cs", "hi")]

# What no detokeniser can know: space where the language puts none, none where it puts one, letters lost to "?".
UNUSUAL = re.compile(r" [,.;:!?।)\]}]|[(\[{] |[^\W\d],[^\W\d]|\w' s\b")
UNUSUAL_FRENCH = re.compile(r" [,.)\]}]|[(\[{] |[^\W\d],[^\W\d]|[^\s!?][;:!?»](?=\s|$)|[«»?]\w|\w' \w")


def spans(tokens: list[str]) -> Iterator[tuple[int, int]]:
    end = 0
    for token in tokens:
        start, end = end, end + len(token)
        yield start, end


def difference_class(text: str) -> str:
    """Name the rule behind a stretch of characters that the two cut differently."""
    if re.fullmatch(r"\.?'?|.*\.'", text) or "'" in text:
        return "apostrophe"
    if text.endswith("."):
        return "ordinal" if text[:-1].isdigit() else "initial" if not text[1:-1] else "abbreviation"
    if "," in text:
        return "comma"
    return "character class"


def differences(ours: list[str], theirs: list[str]) -> Iterator[tuple[str, str]]:
    """The smallest stretches between common boundaries that are cut differently."""
    text = "".join(ours)
    cuts = [{end for _, end in spans(tokens)} | {0} for tokens in (ours, theirs)]
    common = sorted(cuts[0] & cuts[1])
    for start, end in pairwise(common):
        inner = [sorted(cut for cut in side if start < cut < end) for side in cuts]
        if inner[0] != inner[1]:
            parts = [" ".join(text[a:b] for a, b in zip([start, *cut], [*cut, end], strict=True)) for cut in inner]
            yield difference_class(text[start:end]), f"{parts[1]} -> {parts[0]}"


def cpu(work: Callable[[], list[T]]) -> tuple[float, list[T]]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def agreement(name: str, lang: str, most: int, show: bool) -> None:
    lines = [line for _, line in zip(range(most), read_lines(DATA / name), strict=False)]
    tokeniser, peer = Tokeniser(lang, escape=False, notation=False), MosesTokenizer(lang)
    tokeniser.line(lines[0]), peer.tokenize(lines[0])
    seconds, ours = cpu(lambda: [line.split(" ") if line else [] for line in tokeniser.lines(lines, threads=1)])
    engine_seconds, _ = cpu(lambda: tokeniser.lines(lines, threads=1))
    peer_seconds, theirs = cpu(lambda: [peer.tokenize(line, escape=False) for line in lines])
    same = count = 0
    classes: Counter[str] = Counter()
    examples: Counter[tuple[str, str]] = Counter()
    for mine, other in zip(ours, theirs, strict=True):
        same += len(set(spans(mine)) & set(spans(other)))
        count += len(mine) + len(other)
        if mine != other:
            for kind, example in differences(mine, other):
                classes[kind] += 1
                examples[kind, example] += 1
    size = sum(len(line.encode()) + 1 for line in lines)
    result = {
        "bench": "tokenise",
        "data": name,
        "lines": len(lines),
        "span_f1": round(2 * same / count, 6),
        "differences": dict(classes.most_common()),
        "mb_per_cpu_second": round(size / engine_seconds / 1e6, 1),
        "sacremoses_mb_per_cpu_second": round(size / peer_seconds / 1e6, 3),
        "times_faster": round(peer_seconds / engine_seconds, 1),
        "times_faster_with_lists": round(peer_seconds / seconds, 1),
    }
    print(json.dumps(result, ensure_ascii=False), flush=True)
    if show:
        for (kind, example), times in examples.most_common(30):
            print(f"    {times:5} {kind}: {example}")


def round_trip(name: str, lang: str, most: int, show: bool) -> None:
    lines = [" ".join(line.split()) for _, line in zip(range(most), read_lines(DATA / name), strict=False)]
    lines = [line for line in lines if line]
    # Text that is not words is the matter of notation.py.
    tokens = Tokeniser(lang, notation=False).lines(lines, threads=1)
    seconds, back = cpu(lambda: Detokeniser(lang).lines(tokens, threads=1))
    unusual = UNUSUAL_FRENCH if lang == "fr" else UNUSUAL
    usual = [not unusual.search(line) for line in lines]
    returned = [line == other for line, other in zip(lines, back, strict=True)]
    result = {
        "bench": "detokenise",
        "data": name,
        "lines": len(lines),
        "round_trip": round(sum(returned) / len(lines), 5),
        "lines_spaced_as_usual": sum(usual),
        "round_trip_spaced_as_usual": round(sum(map(all, zip(usual, returned, strict=True))) / sum(usual), 5),
        "mb_per_cpu_second": round(sum(len(line.encode()) + 1 for line in tokens) / seconds / 1e6, 1),
    }
    print(json.dumps(result, ensure_ascii=False), flush=True)
    if show:
        found: Counter[str] = Counter()
        for line, other, as_usual in zip(lines, back, usual, strict=True):
            if line != other and as_usual:
                at = next((i for i, (a, b) in enumerate(zip(line, other, strict=False)) if a != b), 0)
                found[f"{line[max(0, at - 12) : at + 8]!r} became {other[max(0, at - 12) : at + 8]!r}"] += 1
        for example, times in found.most_common(15):
            print(f"    {times:5} {example}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--differences", action="store_true", help="print what differs")
    arguments.add_argument("--lines", type=int, default=20_000, help="lines read of each file")
    options = arguments.parse_args()
    for name, lang in AGREEMENT + BEYOND + UNSEEN:
        agreement(name, lang, options.lines, options.differences)
    for name, lang in ROUND_TRIP + UNSEEN:
        round_trip(name, lang, options.lines, options.differences)


if __name__ == "__main__":
    main()
