"""Compare the searches of a chart: mean model score against CPU seconds, for several pop limits.

A trained table and language model are given, and weights if they are not those of Multi30k:

    python bench/translate/search.py --table de-en.tbl --lm en.tlm --source test.de --svg search.svg
"""

from __future__ import annotations

import argparse
import json
import time
from math import log
from pathlib import Path
from typing import Any

from tolka.decode import Decoder
from tolka.grammar import Grammar
from tolka.lm import LanguageModel

LIMITS = (5, 10, 20, 30, 50, 100, 200, 500)
SEARCHES: dict[str, dict[str, Any]] = {
    "cube": {"search": "cube"},
    "boundary": {"search": "boundary"},
    "two passes": {"passes": 2},
}
# Relative to the language model; found by tuning on Multi30k.
WEIGHTS = {
    "lm": 1.0,
    "phrase_fe": 0.75,
    "lex_fe": 0.07,
    "phrase_ef": 0.7,
    "lex_ef": 0.45,
    "word_count": 1.9,
    "rule_count": -0.6,
    "glue": -0.5,
}
COLOURS = ("#1f6feb", "#d1570a", "#2da44e")


def measure(decoder: Decoder, lines: list[str], repeats: int) -> dict[str, float]:
    """The least CPU time of several runs, and what search did."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        found = decoder.statistics(lines, threads=1)
        times.append(time.process_time() - start)
    seconds, pops = min(times), sum(one.pops for one in found)
    return {
        "score": sum(one.score for one in found) / len(found),
        "cpu_seconds": seconds,
        "ms_per_sentence": seconds * 1e3 / len(lines),
        "ns_per_pop": seconds * 1e9 / pops,
        "pops_per_sentence": pops / len(lines),
        "queries_per_pop": sum(one.queries for one in found) / pops,
        "scored_per_pop": sum(one.scored for one in found) / pops,
    }


def draw(rows: list[dict[str, Any]]) -> str:
    """Score against time, as SVG; the axis of time is logarithmic."""
    width, height, edge = 640, 400, 56
    xs, ys = [log(row["ms_per_sentence"]) for row in rows], [row["score"] for row in rows]

    def place(value: float, values: list[float], size: int) -> float:
        low, high = min(values), max(values)
        return edge + (value - low) / ((high - low) or 1) * (size - 2 * edge)

    times = [row["ms_per_sentence"] for row in rows]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{width / 2}" y="{height - 8}" text-anchor="middle">CPU ms per sentence</text>',
        f'<text x="14" y="{height / 2}" text-anchor="middle" transform="rotate(-90 14 {height / 2})">model score</text>',
        f'<text x="{edge}" y="{height - 28}" text-anchor="middle">{min(times):.1f}</text>',
        f'<text x="{width - edge}" y="{height - 28}" text-anchor="middle">{max(times):.1f}</text>',
        f'<text x="{edge - 8}" y="{height - edge}" text-anchor="end">{min(ys):.2f}</text>',
        f'<text x="{edge - 8}" y="{edge}" text-anchor="end">{max(ys):.2f}</text>',
    ]
    for number, (name, colour) in enumerate(zip(SEARCHES, COLOURS, strict=True)):
        points = [
            (place(log(row["ms_per_sentence"]), xs, width), height - place(row["score"], ys, height), row["pop_limit"])
            for row in rows
            if row["search"] == name
        ]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for x, y, limit in points:
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"><title>{name} {limit}</title></circle>'
            )
        parts.append(
            f'<text x="{width - edge}" y="{height - edge - 16 * number}" text-anchor="end" fill="{colour}">{name}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Print one JSON line for each search and pop limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", type=Path, required=True, help="a grammar (.tbl)")
    parser.add_argument("--lm", type=Path, required=True, help="a language model (.tlm)")
    parser.add_argument("--source", type=Path, required=True, help="tokenised sentences")
    parser.add_argument("--weights", type=Path, help="JSON, weights by feature")
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--limits", type=int, nargs="+", default=list(LIMITS))
    parser.add_argument("--svg", type=Path, help="where to draw score against time")
    given = parser.parse_args()
    weights = json.loads(given.weights.read_text(encoding="utf-8")) if given.weights else WEIGHTS
    lines = given.source.read_text(encoding="utf-8").split("\n")[: given.sentences]
    grammar, lm = Grammar.load(given.table), LanguageModel.load(given.lm)
    rows = []
    for limit in given.limits:
        for name, settings in SEARCHES.items():
            decoder = Decoder(grammar, lm, weights=weights, pop_limit=limit, **settings)
            row = {"bench": "search", "search": name, "pop_limit": limit, **measure(decoder, lines, given.repeats)}
            print(json.dumps(row), flush=True)
            rows.append(row)
    if given.svg:
        given.svg.write_text(draw(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
