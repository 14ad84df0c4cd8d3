"""Constituency parsing of English: labelled brackets on GUM and GENTLE, speed, and what training takes.

Prints one JSON object: seconds of training, then for each test set F1, tagging accuracy, CPU milliseconds a sentence and the
share of flat trees; `ms_25` is the mean over sentences of 23 to 27 words, `forests_60` has what forests of 55 to 65 words take,
with parsing, and how large they are. Function tags are scored if they are learnt.
`--text` names text, one tokenised sentence a line, that is parsed for its speed and flat trees only.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

from tolka.corpus import read_lines
from tolka.syntax import ConstituencyParser, penn_words, read_penn, score_constituents

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))
NEAR_25 = range(23, 28)
NEAR_60 = range(55, 66)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--model", type=Path, help="a parser that is there already")
    arguments.add_argument("--save", type=Path, help="where the parser goes")
    arguments.add_argument("--settings", type=json.loads, default={}, help="of the parser, as JSON")
    arguments.add_argument("--parsing", type=json.loads, default={}, help="settings that matter in parsing only")
    arguments.add_argument("--text", type=Path, help="tokenised text to parse")
    arguments.add_argument("--sets", nargs="*", default=["dev", "gentle"])
    given = arguments.parse_args()
    found: dict[str, object] = {"benchmark": "constituents", **given.settings, **given.parsing}
    if given.model:
        parser = ConstituencyParser.load(given.model)
    else:
        begin = time.process_time()
        trees = list(read_penn(DATA / "gum-const" / "train.ptb.xz"))
        parser = ConstituencyParser(**given.settings).train(trees)
        found["train_cpu_seconds"] = round(time.process_time() - begin, 1)
    if given.save:
        parser.save(given.save)
        found["megabytes"] = round(given.save.stat().st_size / 1e6, 1)
    for name, value in given.parsing.items():
        setattr(parser, name, value)
    for name in given.sets:
        gold = list(read_penn(DATA / "gum-const" / f"{name}.ptb.xz"))
        sentences = [tree.words() for tree in gold]
        begin = time.process_time()
        parsed = list(parser.parse_stream(sentences))
        spent = time.process_time() - begin
        scores = score_constituents(gold, [tree for tree, _ in parsed])
        found[name] = {
            "f1": round(scores.f1, 2),
            "precision": round(scores.precision, 2),
            "recall": round(scores.recall, 2),
            "complete": round(scores.complete, 2),
            "tags": round(scores.tags, 2),
            "functions": round(scores.functions, 2),
            "flat": sum(flat for _, flat in parsed),
            "ms": round(1000 * spent / len(gold), 1),
            "ms_25": _timed(parser, [words for words in sentences if len(words) in NEAR_25]),
            "forests_60": _forests(parser, [words for words in sentences if len(words) in NEAR_60]),
        }
    if given.text:
        sentences = [penn_words(line.split()) for line in read_lines(given.text) if line.split()]
        begin = time.process_time()
        flat = sum(flat for _, flat in parser.parse_stream(sentences))
        spent = time.process_time() - begin
        words = sum(map(len, sentences)) / len(sentences)
        found["text"] = {
            "sentences": len(sentences),
            "words": round(words, 1),
            "ms": round(1000 * spent / len(sentences), 1),
            "flat": flat,
        }
    print(json.dumps(found))


def _forests(parser: ConstituencyParser, sentences: list[list[str]]) -> dict[str, float]:
    spent, edges = [], []
    for words in sentences:
        begin = time.process_time()
        forest = parser.forest(words)
        spent.append(1000 * (time.process_time() - begin))
        edges.append(forest.num_edges)
    if not spent:
        return {}
    middle = len(spent) // 2
    found = {"ms": sum(spent) / len(spent), "ms_most": max(spent), "edges": sorted(edges)[middle]}
    return {name: round(value, 1) for name, value in found.items()}


def _timed(parser: ConstituencyParser, sentences: list[list[str]]) -> float:
    begin = time.process_time()
    parser.parse(sentences, threads=1)
    return round(1000 * (time.process_time() - begin) / max(len(sentences), 1), 1)


if __name__ == "__main__":
    main()
