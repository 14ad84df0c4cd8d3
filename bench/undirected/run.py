"""Undirected search beside charts, in the form of the tables of Gesmundo & Henderson (2014, section 5).

    python bench/undirected/run.py                          # Multi30k, German to English; a model is trained first
    python bench/undirected/run.py --model fr-en --dev dev.fr dev.en --test test.fr test.en [--sentences 400]

Everything is done for each of `--trainings` seeds: a chart is tuned with MIRA on the development set (the model itself is the first), all
rows use these weights, and rows with `learnt` learn what actions count on the same text. Prints one JSON line for each row: milliseconds a sentence (CPU, one
thread, the least of the turns, rows in turns), of which parsing, factors and rescoring; the model's score, and the share of sentences
in which another row found a better one (search errors); BLEU on average and of each
training; against the chart with two passes and 30 pops the ratios of times, the difference in BLEU with p of one test over all
trainings (approximate randomisation), the one-tailed sign test and a paired bootstrap of the first training; how long learning took.
With `--mert` there is a line on two rounds of MERT with lists of the chart beside all of learning. `--picture FILE` draws BLEU by time.
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
from typing import TYPE_CHECKING, Any

from picture import drawn

from tolka.combine.scores import Judge
from tolka.evaluate import paired_bootstrap, sign_test
from tolka.learn import Learning, learn_actions
from tolka.train import TuneSettings, tune_decoder
from tolka.translate import Translator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tolka.decode import Decoder

DATA = Path(os.environ.get("TOLKA_DATA", "../shared/data")) / "multi30k" / "raw"
GREEDY = {"starts": 1, "repairs": 0}
WIDE = {"prune": 20.0, "narrow": None}
PAPER = {**GREEDY, "prune": None, "narrow": None, "rest": "rules", "lm": "full", "scale": 8.5, "relative": False}
OWN = {"method": "better", "step": "perceptron", "rate": 0.1, "samples": 1}
HARD = {**WIDE, "starts": 8, "repairs": 3, "regrow": 8, "narrow": 1.0}
TWO = {"kind": "chart", "passes": 2, "beam": None}
ROWS: dict[str, dict[str, Any]] = {
    "chart, two passes, 30 pops": {**TWO, "pop_limit": 30},
    "chart, two passes, 1 pop": {**TWO, "pop_limit": 1},
    "chart, two passes, boundary, 30 pops": {**TWO, "pop_limit": 30, "search": "boundary"},
    "chart, 1 pop": {"kind": "chart", "pop_limit": 1},
    "chart, 2 pops": {"kind": "chart", "pop_limit": 2},
    "chart, 5 pops": {"kind": "chart", "pop_limit": 5},
    "chart, 30 pops": {"kind": "chart", "pop_limit": 30},
    "chart, boundary, 5 pops": {"kind": "chart", "pop_limit": 5, "search": "boundary"},
    "chart, boundary, 30 pops": {"kind": "chart", "pop_limit": 30, "search": "boundary"},
    "chart, boundary, 200 pops": {"kind": "chart", "pop_limit": 200, "search": "boundary"},
    "as the authors": PAPER,
    "as the authors, learnt as they did": {**PAPER, "learnt": OWN},
    "as the authors, learnt": {**PAPER, "learnt": {}},
    "as the authors, learnt, single actions": {**PAPER, "learnt": {"span": "action"}},
    "as the authors, learnt, not averaged": {**PAPER, "learnt": {"averaged": False}},
    "as the authors, no factors, learnt": {**PAPER, "factors": "off", "learnt": {}},
    "greedy, wide": {**GREEDY, **WIDE},
    "greedy, wide, learnt": {**GREEDY, **WIDE, "learnt": {}},
    "greedy, wide, regret": {**GREEDY, **WIDE, "actions": {"action.regret": 1.0, "action.context_free": 0.0}},
    "greedy, wide, factor and regret": {
        **GREEDY,
        **WIDE,
        "actions": {"action.regret": 1.0, "action.context_free": 1.0},
    },
    "greedy, wide, easy first": {**GREEDY, **WIDE, "order": "margin"},
    "greedy, wide, factors of words": {**GREEDY, **WIDE, "rest": "words"},
    "greedy, wide, 4 starts": {**GREEDY, **WIDE, "starts": 4},
    "greedy, wide, beam 8": {**GREEDY, **WIDE, "beam": 8},
    "greedy": GREEDY,
    "greedy, 8 tries": {**GREEDY, "tries": 8},
    "greedy, 8 tries, learnt": {**GREEDY, "tries": 8, "learnt": {}},
    "greedy, 8 tries, 4 starts": {**GREEDY, "tries": 8, "starts": 4},
    "default": {},
    "default, learnt": {"learnt": {}},
    "default, learnt in context": {"context": 16, "learnt": {"rate": 0.03}},
    "harder": HARD,
    "harder, learnt in context": {**HARD, "context": 16, "learnt": {"rate": 0.03}},
}
BASE = next(iter(ROWS))
MISSED = 0.01
"""By how much less than the best that any row found a translation scores where search went wrong."""
LEARNT = "default, learnt"
AS_CHART = "chart, 30 pops, with what actions learnt"


def read(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--dev", nargs=2, type=Path)
    parser.add_argument("--test", nargs=2, type=Path)
    parser.add_argument("--sentences", type=int, help="of the test set, the first")
    parser.add_argument("--trainings", type=int, default=3)
    parser.add_argument("--turns", type=int, default=2, choices=range(1, 100), metavar="N")
    parser.add_argument("--rows", nargs="+", choices=list(ROWS), help="the first row is always there")
    parser.add_argument("--mert", action="store_true", help="measure what tuning with MERT takes, too")
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    if options.model is None:
        with tempfile.TemporaryDirectory() as place:
            measure(trained(Path(place), options))
    elif options.dev is None or options.test is None:
        parser.error("a model is measured with --dev and --test")
    else:
        measure(options)


def trained(place: Path, options: argparse.Namespace) -> argparse.Namespace:
    """A model of Multi30k, German to English, and its first test set."""
    files = {}
    for part in ("train", "val", "test_2016_flickr"):
        files[part] = [place / f"{part}.{lang}" for lang in ("de", "en")]
        for path in files[part]:
            path.write_bytes(lzma.decompress((DATA / f"{path.name}.xz").read_bytes()))
    texts = [*map(str, files["train"]), "--dev", *map(str, files["val"])]
    command = [sys.executable, "-m", "tolka", "train", *texts, "-o", str(place / "model"), "-q"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    options.model, options.dev, options.test = place / "model", files["val"], files["test_2016_flickr"]
    return options


class Row:
    """What was found of a row: of each training the decoder, the texts, the time."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.decoders: list[Decoder] = []
        self.learning = 0.0
        self.seconds = float("inf")
        self.taken: list[list[Any]] = []

    def mean(self, field: str) -> float:
        """Of a count or a time of the first training, by sentence."""
        return sum(getattr(one, field) for one in self.taken[0]) / len(self.taken[0])

    @property
    def rescoring(self) -> float:
        """Seconds a sentence behind the first pass."""
        return self.mean("factors") + self.mean("rescoring")


def measure(options: argparse.Namespace) -> None:
    translator = Translator.load(options.model)
    dev = translator.prepare_pairs(*map(read, options.dev))
    source, references = (read(path)[: options.sentences] for path in options.test)
    sentences = translator.prepare(source)
    names = [BASE, *(name for name in options.rows or ROWS if name != BASE)]
    rows = {name: Row(name) for name in [*names, *([AS_CHART] if LEARNT in names else [])]}
    chart = translator.decoder.with_search("chart", pop_limit=30)
    for seed in range(1, options.trainings + 1):
        # A model that was trained with a chart has the weights of the first seed.
        own = chart.weights if seed == 1 else tune_decoder(chart, *dev, TuneSettings(seed=seed)).weights
        train_rows(rows, chart.with_weights(own), dev, seed)
    for row in rows.values():
        row.learning /= options.trainings
        row.taken = [one.statistics(sentences, threads=1) for one in row.decoders]
    for _ in range(options.turns):
        for row in rows.values():
            begin = time.process_time()
            taken = row.decoders[0].statistics(sentences, threads=1)
            seconds = (time.process_time() - begin) / len(sentences)
            if seconds < row.seconds:
                row.seconds, row.taken[0] = seconds, taken
    judge = Judge(references, tokenised=False)
    judged = {
        name: judge.statistics([translator.restore([one.text for one in taken]) for taken in row.taken])
        for name, row in rows.items()
    }
    lines = list(described(rows, judge, judged))
    for line in lines:
        print(json.dumps(line), flush=True)
    if options.mert:
        print(json.dumps(training(chart, dev, rows)), flush=True)
    if options.picture:
        searches = [line for line in lines if line["row"] != AS_CHART]
        options.picture.write_text(drawn(searches), encoding="utf-8")


def train_rows(rows: dict[str, Row], model: Decoder, dev: tuple[list[str], list[str]], seed: int) -> None:
    """Decoders of all rows under the weights of a model, after learning where a row learns."""
    for name in (name for name in rows if name != AS_CHART):
        one = searching(model, ROWS[name])
        if "learnt" in ROWS[name]:
            begin = time.process_time()
            learnt = learn_actions(one, *dev, learning=Learning(**{**ROWS[name]["learnt"], "seed": seed}), threads=1)
            rows[name].learning += time.process_time() - begin
            one = one.with_weights(learnt.weights)
        rows[name].decoders.append(one)
    if AS_CHART in rows:
        rows[AS_CHART].decoders.append(as_chart(rows[LEARNT].decoders[-1]))


def searching(model: Decoder, row: dict[str, Any]) -> Decoder:
    settings = {name: value for name, value in row.items() if name not in {"kind", "learnt", "actions"}}
    return model.with_search(row.get("kind", "undirected"), **settings).with_weights(row.get("actions", {}))


def as_chart(learnt: Decoder) -> Decoder:
    """A chart that counts features as the actions do: whether what was learnt is more than other weights."""
    chart = learnt.with_search("chart", pop_limit=30)
    same = {name: learnt.weights.get(f"action.{name}", weight) for name, weight in chart.weights.items()}
    return chart.with_weights(same)


def has_same_scores(name: str) -> bool:
    """Whether a row scores translations as the model does."""
    return name != AS_CHART and not ROWS[name].keys() & {"learnt", "actions"}


def described(rows: dict[str, Row], judge: Judge, judged: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    base = rows[BASE]
    same = [row.taken[0] for name, row in rows.items() if has_same_scores(name)]
    best = [max(one.score for one in each) for each in zip(*same, strict=True)]
    for name, row in rows.items():
        measured = judge.measure(judged[name])
        line: dict[str, Any] = {
            "row": name,
            "ms": round(row.seconds * 1e3, 3),
            **{field: round(row.mean(field) * 1e3, 3) for field in ("parsing", "factors", "rescoring")},
            "score": round(row.mean("score"), 2),
            "scored": round(row.mean("scored")),
            "queries": round(row.mean("queries")),
            "actions": round(row.mean("pops"), 1),
            "bleu": round(measured.mean, 2),
            "each": [round(score, 2) for score in measured.scores],
            "faster": round(base.seconds / row.seconds, 2),
            "rescoring_faster": round(base.rescoring / row.rescoring, 2),
        }
        if has_same_scores(name):
            missed = sum(one.score < top - MISSED for one, top in zip(row.taken[0], best, strict=True))
            line["missed"] = round(missed / len(best), 3)
        if row.learning:
            line["learning_seconds"] = round(row.learning, 1)
        if name != BASE:
            difference, p = judge.compare(judged[name], judged[BASE])
            line |= {
                "difference": round(difference, 2),
                "p": round(p, 4),
                "sign_p": round(sign_test(judged[BASE][0], judged[name][0]).p, 4),
                "bootstrap_p": round(paired_bootstrap(judged[name][0], judged[BASE][0]).p, 4),
            }
        yield line


def training(chart: Decoder, dev: tuple[list[str], list[str]], rows: dict[str, Row]) -> dict[str, Any]:
    """CPU time of two rounds of MERT with lists of the chart, beside all that learning actions takes."""
    begin = time.process_time()
    tuned = tune_decoder(chart, *dev, TuneSettings(tuner="mert", iterations=2), threads=1)
    mert, rounds = time.process_time() - begin, len(tuned.history) - 1
    learning = {name: row.learning for name, row in rows.items() if row.learning}
    return {
        "row": "training",
        "sentences": len(dev[0]),
        "mert_seconds": round(mert, 1),
        "mert_rounds": rounds,
        "mert_to_learning": {name: round(mert / seconds, 1) for name, seconds in learning.items()},
    }


if __name__ == "__main__":
    main()
