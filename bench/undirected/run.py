"""Undirected search beside charts, on one model: time of each part, BLEU, and whether it differs.

The rows have the form of the tables of Gesmundo & Henderson (2014, section 5). A model of Multi30k is trained first, unless one
of `tolka train` is given with text that it has not seen:

    python bench/undirected/run.py --model de-en --source test.de --reference test.en [--train dev.de dev.en]

With `--train`, `learn_actions` learns on that text first, and trained rows are printed as well; the weights that forests are
scored with are those of the model. `wide` undoes what makes the default a narrow search, as the authors had it.

Prints one JSON line for each row: milliseconds a sentence (CPU, one thread, the best of the turns, rows in turns), of which
parsing, factors and rescoring; model score, BLEU, and against the two-pass chart with 30 pops the ratio of times, the one-tailed
sign test over sentences and a paired bootstrap.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tolka.decode import Decoder
from tolka.evaluate import Bleu, Statistics, collect_statistics, paired_bootstrap, sign_test
from tolka.learn import Learning, learn_actions
from tolka.translate import Translator

DATA = Path(os.environ.get("TOLKA_DATA", "../shared/data")) / "multi30k" / "raw"
PAPER = {
    "prune": None,
    "narrow": None,
    "repairs": 0,
    "beam": 1,
    "rest": "rules",
    "lm": "full",
    "scale": 8.5,
    "relative": False,
}
WIDE = {"prune": 20.0, "narrow": None, "repairs": 0, "beam": 1}
ROWS: dict[str, dict[str, Any]] = {
    "chart, two passes, 30 pops": {"kind": "chart", "passes": 2, "pop_limit": 30, "beam": None},
    "chart, two passes, 1 pop": {"kind": "chart", "passes": 2, "pop_limit": 1, "beam": None},
    "chart, two passes, 30 pops, beam": {"kind": "chart", "passes": 2, "pop_limit": 30},
    "chart, 1 pop": {"kind": "chart", "pop_limit": 1},
    "chart, 5 pops": {"kind": "chart", "pop_limit": 5},
    "chart, 30 pops": {"kind": "chart", "pop_limit": 30},
    "chart, boundary, 30 pops": {"kind": "chart", "pop_limit": 30, "search": "boundary"},
    "undirected, as the authors": PAPER,
    "undirected, no factors": {**PAPER, "factors": "off"},
    "undirected, wide": WIDE,
    "undirected, wide, factors of words": {**WIDE, "rest": "words"},
    "undirected, wide, easy first": {**WIDE, "order": "margin"},
    "undirected, wide, beam 8": {**WIDE, "beam": 8},
    "undirected, wide, 4 starts, beam 8": {**WIDE, "beam": 8, "starts": 4},
    "undirected, narrow": {"beam": 1, "repairs": 0},
    "undirected, narrow, repaired": {"beam": 1},
    "undirected, 8 tries, repaired once": {"tries": 8, "repairs": 1, "prune": 10.0},
    "undirected": {},
}
BASE = next(iter(ROWS))


def read(path: Path, most: int | None) -> list[str]:
    return path.read_text("utf-8").splitlines()[:most]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--reference", type=Path)
    parser.add_argument("--train", nargs=2, type=Path)
    parser.add_argument("--sentences", type=int)
    parser.add_argument("--turns", type=int, default=2)
    options = parser.parse_args()
    if options.model is None:
        with tempfile.TemporaryDirectory() as place:
            measure(trained(Path(place), options))
    elif options.source is None or options.reference is None:
        parser.error("a model is measured on --source and --reference")
    else:
        measure(options)


def trained(place: Path, options: argparse.Namespace) -> argparse.Namespace:
    """A model of Multi30k, German to English, and its first test set."""
    files = {}
    for part in ("train", "val", "test_2016_flickr"):
        for lang in ("de", "en"):
            files[part, lang] = place / f"{part}.{lang}"
            files[part, lang].write_bytes(lzma.decompress((DATA / f"{part}.{lang}.xz").read_bytes()))
    pairs = [[str(files[part, lang]) for lang in ("de", "en")] for part in ("train", "val")]
    command = [sys.executable, "-m", "tolka", "train", *pairs[0], "--dev", *pairs[1], "-o", str(place / "model"), "-q"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    options.model, options.source = place / "model", files["test_2016_flickr", "de"]
    options.reference = files["test_2016_flickr", "en"]
    return options


def measure(options: argparse.Namespace) -> None:
    translator = Translator.load(options.model)
    sentences = translator.prepare(read(options.source, options.sentences))
    references = read(options.reference, options.sentences)
    decoders = {name: decoder(translator, row) for name, row in ROWS.items()}
    if options.train:
        source, target = translator.prepare_pairs(*(read(path, None) for path in options.train))
        for name in [name for name in decoders if decoders[name].kind == "undirected"]:
            learnt = learn_actions(decoders[name], source, target, learning=Learning())
            decoders[f"{name}, trained"] = decoders[name].with_weights(learnt.weights)
    found: dict[str, dict[str, Any]] = {}
    for _ in range(options.turns):
        for name, one in decoders.items():
            one.translate(sentences[:20], threads=1)
            start = time.process_time()
            taken = one.statistics(sentences, threads=1)
            seconds = time.process_time() - start
            if name not in found or seconds < found[name]["seconds"]:
                found[name] = {"seconds": seconds, "taken": taken}
    judged = judge(translator, found, references)
    for name, row in found.items():
        print(json.dumps(described(name, row, found[BASE], judged)), flush=True)


def decoder(translator: Translator, row: dict[str, Any]) -> Decoder:
    model = translator.decoder
    kind = row.get("kind", "undirected")
    settings = {name: value for name, value in row.items() if name != "kind"}
    grammars = model.grammars if len(model.grammars) > 1 else next(iter(model.grammars.values()))
    lms = model.lms if len(model.lms) > 1 else next(iter(model.lms.values()))
    return Decoder(grammars, lms, kind=kind, weights=model.weights, **settings)


def judge(translator: Translator, found: dict[str, dict[str, Any]], references: list[str]) -> dict[str, Statistics]:
    texts = {name: translator.restore([one.text for one in row["taken"]]) for name, row in found.items()}
    return dict(zip(texts, collect_statistics(Bleu(), list(texts.values()), [references]), strict=True))


def described(name: str, row: dict[str, Any], base: dict[str, Any], judged: dict[str, Statistics]) -> dict[str, Any]:
    taken, count = row["taken"], len(row["taken"])

    def mean(field: str) -> float:
        return sum(getattr(one, field) for one in taken) / count

    def rescoring(one: dict[str, Any]) -> float:
        return sum(each.factors + each.rescoring for each in one["taken"])

    line = {
        "row": name,
        "ms": round(row["seconds"] * 1e3 / count, 3),
        **{field: round(mean(field) * 1e3, 3) for field in ("parsing", "factors", "rescoring")},
        "score": round(mean("score"), 3),
        "bleu": round(judged[name].score, 2),
        "scored": round(mean("scored")),
        "queries": round(mean("queries")),
        "faster": round(base["seconds"] / row["seconds"], 2),
        "rescoring_faster": round(rescoring(base) / rescoring(row), 2),
    }
    if name != BASE:
        line["sign_p"] = sign_test(judged[BASE], judged[name]).p
        line["bootstrap_p"] = paired_bootstrap(judged[name], judged[BASE]).p
    return line


if __name__ == "__main__":
    main()
