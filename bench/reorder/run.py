"""Pre-ordering German for English: how near each model comes to the English order, and what translation gains.

The order is judged on the test set by BLEU of the reordered words against the reference order (which alignments give),
Kendall's tau and the fuzzy score; translation by BLEU of lower-case words, with paired randomisation against the system
that reorders nothing. `oracle` puts every sentence into its reference order, also those of the test set, which takes the
translations: it is a bound, not a system. Speeds are sentences a CPU second on one thread.

Each line of output is one JSON object. The parser is trained on the German treebanks unless `--parser` names one.
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
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tolka.align import Aligner, read_links, write_links
from tolka.corpus import Tokeniser, write_lines
from tolka.decode import Decoder
from tolka.evaluate import evaluate
from tolka.grammar import Extractor, Grammar
from tolka.lm import LanguageModel, LanguageModelTrainer
from tolka.reorder import (
    ClassAnalyser,
    Trainable,
    create,
    in_order,
    link_confidences,
    load,
    map_links,
    monolingual_bleu,
    most_confident,
    reference_orders,
    score_orders,
    subsample,
)
from tolka.reorder.analysis import analyse, correlate
from tolka.syntax import Parser, Tree, read_conllu, write_conllu
from tolka.train import TuneSettings, defaults, tune_decoder
from tolka.translate.description import strategy_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))
# Folder, names of the training, development and test files.
SETS = {
    "tatoeba": ("tatoeba/en-de", ("train", "dev", "test")),
    "multi30k": ("multi30k/raw", ("train", "val", "test_2016_flickr")),
}
SECTIONS = ("train", "dev", "test")
TREEBANKS = ("de_lit-ud-test", "de_gsd-ud-dev")
MOST_WORDS = 80
HELD_OUT = 2000


@dataclass
class Corpus:
    """A parsed and aligned corpus; its sections lie behind each other."""

    name: str
    source: list[list[str]]
    target: list[list[str]]
    trees: list[Tree]
    links: list[list[tuple[int, int]]]
    confidence: NDArray[np.float64]
    begins: dict[str, range]

    @property
    def references(self) -> list[tuple[int, ...]]:
        """The orders that links give."""
        return reference_orders([len(words) for words in self.source], self.links)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--models", nargs="+", default=["none", "rules:collins-ud", "walker", "gru", "oracle"])
    parser.add_argument("--kinds", nargs="*", choices=["phrase", "hiero"], default=["phrase"])
    parser.add_argument("--pairs", type=int, default=100_000, help="pairs that models learn from")
    parser.add_argument(
        "--sample", action="store_true", help="draw these pairs, instead of those with the surest links"
    )
    parser.add_argument("--parser", type=Path, help="a UDPipe model of German")
    parser.add_argument("--classes", action="store_true", help="word classes instead of a parser")
    parser.add_argument("--seeds", type=int, default=1, help="tunings")
    parser.add_argument("--correlate", action="store_true", help="say how reordering goes with quality and with gains")
    parser.add_argument("--set", nargs="*", default=[], help="settings of the models, as key=value")
    parser.add_argument("--work", type=Path, help="keep what was made here, and use what is there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        options.work = options.work or Path(scratch)
        options.work.mkdir(parents=True, exist_ok=True)
        for name in options.only:
            bench(prepare(name, options), options)


def bench(corpus: Corpus, options: argparse.Namespace) -> None:
    references = corpus.references
    systems: dict[str, list[str]] = {}
    test = corpus.begins["test"]
    for model in options.models:
        orders, spent = reorder(corpus, references, model, options)
        found, right = [orders[at] for at in test], [references[at] for at in test]
        scores = score_orders(found, right)
        mono = monolingual_bleu([corpus.source[at] for at in test], found, right)
        order = {"mono_bleu": round(mono, 2), "tau01": round(float(scores.tau01.mean()), 4)}
        order["fuzzy"] = round(float(scores.fuzzy.mean()), 4)
        show({"set": corpus.name, "model": model, **order, **spent})
        wanted = [" ".join(corpus.target[at]).lower() for at in test]
        for kind in options.kinds:
            place = options.work / f"{corpus.name}-{slug(model)}{'-classes' if options.classes else ''}-{kind}"
            decoder, moved = build(corpus, orders, kind, place)
            for seed in range(1, options.seeds + 1):
                lines, tuned = translate(corpus, decoder, moved, TuneSettings(seed=seed))
                base = systems.setdefault(f"{kind} {seed}", lines)
                score = evaluate(lines, wanted, ["bleu"], tokenised=True, baseline=base)["bleu"]
                p = next(one.p for one in score.tests if one.test == "approximate randomisation")
                gain = round(score.score - (score.baseline or 0.0), 2)
                show(
                    {"set": corpus.name, "model": model, "kind": kind, "seed": seed, "bleu": round(score.score, 2)}
                    | {"gain": gain, "p": round(p, 4), **tuned}
                )
                if options.correlate:
                    first = None if model == options.models[0] else base
                    relate(corpus, references, {"model": model, "kind": kind, "seed": seed}, lines, first)


def relate(
    corpus: Corpus,
    references: list[tuple[int, ...]],
    system: dict[str, object],
    lines: list[str],
    baseline: list[str] | None,
) -> None:
    """How the reordering that sentences need goes with the quality of a system, or with its gain over a baseline."""
    test = corpus.begins["test"]
    found = analyse([corpus.trees[at] for at in test], [references[at] for at in test])
    wanted = [" ".join(corpus.target[at]).lower() for at in test]
    related = correlate(found, baseline=baseline or lines, oracle=baseline and lines, references=wanted)
    kept = ("gap",) if baseline else ("BLEU+1", "TER", "word")
    for row in related.rows:
        if row.y.startswith(kept):
            numbers = {name: float(f"{value:.4g}") for name, value in asdict(row).items() if isinstance(value, float)}
            show({"set": corpus.name, **system, "x": row.x, "y": row.y, **numbers})


def reorder(
    corpus: Corpus, references: list[tuple[int, ...]], model: str, options: argparse.Namespace
) -> tuple[list[tuple[int, ...]], dict[str, float]]:
    if model == "none":
        return [tuple(range(len(words))) for words in corpus.source], {}
    if model == "oracle":
        return references, {}
    settings = dict(one.split("=", 1) for one in options.set)
    saved = options.work / f"{corpus.name}-{slug(model)}{'-classes' if options.classes else ''}.pre"
    there = saved.exists()
    preorderer = load(saved) if there else create(model, **{key: json.loads(value) for key, value in settings.items()})
    spent: dict[str, float] = {}
    if isinstance(preorderer, Trainable) and not there:
        usable = [at for at in corpus.begins["train"] if len(corpus.source[at]) >= 3 and corpus.links[at]]  # noqa: PLR2004
        number = options.pairs + HELD_OUT
        if options.sample:
            usable = [usable[at] for at in subsample(len(usable), number, seed=2)]
        else:
            usable = [usable[at] for at in most_confident(corpus.confidence[usable], number)]
        watched = set(subsample(len(usable), HELD_OUT, seed=1))
        held_out = [usable[at] for at in sorted(watched)]
        learnt = [one for at, one in enumerate(usable) if at not in watched]
        wall, cpu = time.perf_counter(), time.process_time()
        preorderer.train(
            [corpus.trees[at] for at in learnt],
            [references[at] for at in learnt],
            held_out=([corpus.trees[at] for at in held_out], [references[at] for at in held_out]),
        )
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        words = sum(len(corpus.source[at]) for at in learnt) / len(learnt)
        spent = {
            "pairs": len(learnt),
            "words": round(words, 1),
            "train_wall": round(wall, 1),
            "train_cpu": round(cpu, 1),
        }
    if not there:
        preorderer.save(saved)
    begin = time.process_time()
    orders = preorderer.orders(corpus.trees, threads=1)
    spent["sentences_per_cpu_second"] = round(len(orders) / (time.process_time() - begin))
    return orders, spent


def build(
    corpus: Corpus, orders: list[tuple[int, ...]], kind: str, place: Path
) -> tuple[Decoder, dict[str, list[str]]]:
    """A decoder with rules from reordered text and the links that follow its words, and the reordered source."""
    moved = [in_order(words, order).lower() for words, order in zip(corpus.source, orders, strict=True)]
    target = [" ".join(words).lower() for words in corpus.target]
    train = corpus.begins["train"]
    files = {side: place.with_suffix(f".{side}") for side in ("de", "en", "links", "tbl")}
    write_text(files["de"], [moved[at] for at in train])
    write_text(files["en"], [target[at] for at in train])
    write_links(files["links"], [map_links(corpus.links[at], orders[at]) for at in train])
    Extractor(kind=kind, **defaults.extraction(kind)).extract(files["de"], files["en"], files["links"], files["tbl"])
    lm = place.with_name(f"{corpus.name}.tlm")
    if not lm.exists():
        LanguageModelTrainer(**defaults.LM).train([target[at] for at in train]).save(lm)
    decoder = Decoder(
        Grammar.load(files["tbl"]), LanguageModel.load(lm), kind=strategy_of(kind), **defaults.SEARCH[strategy_of(kind)]
    )
    return decoder, {section: [moved[at] for at in corpus.begins[section]] for section in SECTIONS[1:]}


def translate(
    corpus: Corpus, decoder: Decoder, moved: dict[str, list[str]], settings: TuneSettings
) -> tuple[list[str], dict[str, float]]:
    """Tune, and translate the test set."""
    wanted = [" ".join(corpus.target[at]).lower() for at in corpus.begins["dev"]]
    result = tune_decoder(decoder, moved["dev"], wanted, settings)
    lines = decoder.with_weights(result.weights).translate(moved["test"])
    return lines, {"dev": round(result.score, 2)}


def prepare(name: str, options: argparse.Namespace) -> Corpus:
    """Tokenise, parse and align all sections together, as the oracle needs it; what is there is used again."""
    source, target, begins = read_texts(name)
    links_file, sure_file = options.work / f"{name}.links", options.work / f"{name}.confidence.npy"
    if not sure_file.exists():
        aligner = Aligner(**{key: value for key, value in defaults.ALIGN.items() if key == "model"})
        pairs = [(" ".join(one).lower(), " ".join(other).lower()) for one, other in zip(source, target, strict=True)]
        aligner.train(pairs)
        write_lines(links_file, aligner.lines(symmetrise=defaults.ALIGN["symmetrise"]))
        np.save(sure_file, link_confidences(aligner, pairs, read_links(links_file)))
    if options.classes:
        train = [" ".join(source[at]) for at in begins["train"]]
        trees = ClassAnalyser.train(train).parse(source)
    else:
        file = options.work / f"{name}.conllu"
        if not file.exists():
            parser = Parser.load(parser_file(options))
            begin = time.process_time()
            write_conllu(file, parser.parse(source, threads=1))
            spent = time.process_time() - begin
            show({"set": name, "parsed_per_cpu_second": round(len(source) / spent)})
        trees = list(read_conllu(file))
    return Corpus(name, source, target, trees, read_links(links_file), np.load(sure_file), begins)


def read_texts(name: str) -> tuple[list[list[str]], list[list[str]], dict[str, range]]:
    folder, files = SETS[name]
    source: list[list[str]] = []
    target: list[list[str]] = []
    begins: dict[str, range] = {}
    for section, file in zip(SECTIONS, files, strict=True):
        sides = []
        for lang in ("de", "en"):
            with lzma.open(DATA / folder / f"{file}.{lang}.xz", "rt", encoding="utf-8", newline="\n") as text:
                lines = [line.rstrip("\n") for line in text]
            sides.append([line.split() for line in Tokeniser(lang, escape=False).lines(lines)])
        pairs = [pair for pair in zip(*sides, strict=True) if all(0 < len(side) <= MOST_WORDS for side in pair)]
        begins[section] = range(len(source), len(source) + len(pairs))
        source += [one for one, _ in pairs]
        target += [other for _, other in pairs]
    return source, target, begins


def parser_file(options: argparse.Namespace) -> Path:
    if options.parser is not None:
        return options.parser
    model = options.work / "de.udpipe"
    if not model.exists():
        treebank = options.work / "de.conllu"
        packed = [(DATA / "ud-treebanks" / f"{name}.conllu.xz").read_bytes() for name in TREEBANKS]
        treebank.write_bytes(b"".join(lzma.decompress(one) for one in packed))
        subprocess.run([sys.executable, "-m", "tolka", "parse", "train", treebank, "-o", model], check=True)
    return model


def write_text(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def slug(model: str) -> str:
    return model.replace(":", "-")


def show(result: dict[str, object]) -> None:
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
