"""Reranking: BLEU of a phrase-based system before and after, on two language pairs, with paired significance.

A system is made of all training pairs and tuned on the development set. Rerankers learn from its lists of the development set,
as those of Miceli Barone (2015) did, and from lists of `--aside` training pairs, translated with rules of the other pairs and the
same weights: texts that neither rules nor weights know. `--learn-from` takes one of both. Settings were chosen on `other` (the texts
of the year after), never on `test`. `retuned` is a reranker of one state: what tuning the decoder's weights once more is worth
without reservoirs. Each line of output is one JSON object.

Models that read dependencies take part where a parser is given: `--parser de=german.model`, made by `tolka parse train`.
"""

from __future__ import annotations

import argparse
import gc
import json
import lzma
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tolka.evaluate import Bleu, collect_statistics, paired_bootstrap
from tolka.lm import Embeddings
from tolka.rerank import GesnSettings, NBestList, Reranker, Source, read_nbest, read_sources
from tolka.tune import NBestLists

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))
TOLKA = [sys.executable, "-m", "tolka"]
MORE = ("test_2017_flickr", "test_2017_mscoco")
# Name: folder, source, target, names of files to train and to tune the decoder, to choose settings, and to test.
SETS = {
    "multi30k-de": ("multi30k/tok-lc", "de", "en", (("train",), ("val",), MORE, ("test_2016_flickr",))),
    "multi30k-fr": ("multi30k/tok-lc", "fr", "en", (("train",), ("val",), MORE, ("test_2016_flickr",))),
}
PLAIN = ("gesn-sequence", "gesn-bilingual")
PARSED = ("gesn-dependency", "phrase-dependency", "gesn-dependency+phrase-dependency")
LEARNT_FROM = {"aside": ("aside",), "tune": ("tune",), "both": ("aside", "tune")}
TESTS = ("test", "other")


@dataclass(frozen=True)
class Part:
    """A text with its lists."""

    lists: list[NBestList]
    references: list[str]
    sources: list[Source]

    def chosen(self) -> list[str]:
        """What the decoder chose."""
        found = [""] * len(self.references)
        for own in self.lists:
            found[own.number] = own.entries[0].words
        return found

    def joined(self, other: Part) -> Part:
        """Both texts."""
        moved = [NBestList(own.number + len(self.references), own.entries, own.source) for own in other.lists]
        return Part([*self.lists, *moved], [*self.references, *other.references], [*self.sources, *other.sources])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--nbest", type=int, default=100)
    parser.add_argument("--pairs", type=int, help="training pairs at most, for a trial")
    parser.add_argument("--aside", type=int, default=2000, help="training pairs whose lists rerankers learn from")
    parser.add_argument("--sentences", type=int, help="sentences at most of all other texts, for a trial")
    parser.add_argument("--learn-from", choices=LEARNT_FROM, default="both")
    parser.add_argument("--parser", nargs="*", default=[], metavar="LANG=MODEL")
    parser.add_argument("--models", nargs="+", help="rerankers; all that the parsers allow if not given")
    parser.add_argument("--tests", nargs="+", choices=TESTS, default=list(TESTS))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="seeds of reservoirs and tuners")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="settings of reservoirs")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--work", type=Path, help="keep models and lists here, and use those that are there")
    options = parser.parse_args()
    # Lists are millions of small things without cycles.
    gc.disable()
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.only:
            measure(name, options, options.work or Path(scratch))


def measure(name: str, options: argparse.Namespace, work: Path) -> None:
    _, source, target, _ = SETS[name]
    work = work / name
    work.mkdir(parents=True, exist_ok=True)
    for part, lines in read(name, options).items():
        (work / part).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    make(work, source, target, options)
    parsers = dict(entry.split("=", 1) for entry in options.parser)
    kinds = options.models or ["retuned", *PLAIN, *(PARSED if source in parsers else ())]
    needs_trees = any("dependency" in kind for kind in kinds)
    parts = {}
    for part in (*LEARNT_FROM[options.learn_from], *options.tests):
        trees = work / f"{part}.conllu"
        if needs_trees and not trees.exists():
            trees.write_bytes(run(["parse", parsers[source], work / f"{part}.{source}"]))
        lists = list(read_nbest(str(work / f"{part}.nbest")))
        references = (work / f"{part}.{target}").read_text(encoding="utf-8").split("\n")[:-1]
        parts[part] = Part(lists, references, list(read_sources(trees if needs_trees else work / f"{part}.{source}")))
    learnt, *more = (parts[part] for part in LEARNT_FROM[options.learn_from])
    for other in more:
        learnt = learnt.joined(other)
    for part in options.tests:
        words = [entry.words for own in parts[part].lists for entry in own.entries]
        oracle = NBestLists(parts[part].references, []).oracle([len(own.entries) for own in parts[part].lists], words)
        show({"set": name, "part": part, "sentences": len(parts[part].references), "oracle": round(oracle, 2)})
    vectors = [Embeddings.train(str(work / f"rules.{lang}")) for lang in (source, target)]
    settings = {key: json.loads(value) for key, value in (entry.split("=", 1) for entry in options.set)}
    for kind in kinds:
        for seed in options.seeds:
            gesn = GesnSettings(**settings, seed=seed)
            # One unit settles slowly when it hardly contracts.
            gesn = GesnSettings(size=1, contractivity=0.5) if kind == "retuned" else gesn
            reranker = Reranker("gesn-sequence" if kind == "retuned" else kind, gesn=gesn, seed=seed)
            begin = time.process_time()
            reranker.train(
                learnt.lists, learnt.references, learnt.sources,
                source_embeddings=vectors[0], target_embeddings=vectors[1], threads=options.threads,
            )  # fmt: skip
            seconds = round(time.process_time() - begin, 1)
            report = reranker.report_
            found: dict[str, object] = {"set": name, "model": kind, "seed": seed, "sentences": report.sentences}
            found |= {
                key: round(getattr(report, key), 2)
                for key in ("before", "after", "oracle", "held_out")
                if getattr(report, key) is not None
            }
            found |= {"share": report.share, "train_cpu_seconds": seconds}
            for part in options.tests:
                found |= judge(reranker, part, parts[part], options.threads)
            show(found)


def judge(reranker: Reranker, name: str, part: Part, threads: int) -> dict[str, float]:
    begin = time.process_time()
    after = [
        "" if own.best is None else own.best.words for own in reranker.rerank(part.lists, part.sources, threads=threads)
    ]
    seconds = time.process_time() - begin
    after += [""] * (len(part.references) - len(after))
    system, baseline = collect_statistics(Bleu(tokeniser="none"), [after, part.chosen()], [part.references])
    return {
        f"{name}_before": round(baseline.score, 2),
        f"{name}_after": round(system.score, 2),
        f"{name}_gain": round(system.score - baseline.score, 2),
        f"{name}_p": round(paired_bootstrap(system, baseline).p, 4),
        f"{name}_cpu_seconds": round(seconds, 1),
    }


def make(work: Path, source: str, target: str, options: argparse.Namespace) -> None:
    """The decoder, one of fewer rules for the pairs that are set aside, and their lists."""
    for model, text, tune in (("model", "train", "tune"), ("aside-model", "rules", "few")):
        if not (work / model).exists():
            sides = [work / f"{part}.{lang}" for part in (text, tune) for lang in (source, target)]
            command: list[str | int | Path] = ["train", *sides[:2], "--dev", *sides[2:], "-o", work / model]
            # Parsers know no parts of compounds. Weights of the second are not used.
            command += [
                "--langs",
                source,
                target,
                "--kind",
                "phrase",
                "--tokenised",
                "--no-compounds",
                "--json",
                "--quiet",
            ]
            run([*command, *(["--set", "tune.iterations=1"] if tune == "few" else [])])
    weights = next((work / "model").glob("weights-*.txt"))
    for part in ("tune", "aside", *TESTS):
        lists = work / f"{part}.nbest"
        if not lists.exists():
            chosen = work / ("aside-model" if part == "aside" else "model")
            command = ["translate", chosen, work / f"{part}.{source}", "--weights", weights]
            lists.write_bytes(run([*command, "--nbest", options.nbest, "--derivations", "-q"]))


def read(name: str, options: argparse.Namespace) -> dict[str, list[str]]:
    """The texts: to train and to tune the decoder, to train rerankers, to choose their settings, and to test."""
    folder, source, target, files = SETS[name]
    texts: dict[str, list[str]] = {}
    for part, names in zip(("train", "tune", "other", "test"), files, strict=True):
        for lang in (source, target):
            packed = [(DATA / folder / f"{file}.{lang}.xz").read_bytes() for file in names]
            lines = [line for text in packed for line in lzma.decompress(text).decode().split("\n")[:-1]]
            texts[f"{part}.{lang}"] = lines[: options.pairs if part == "train" else options.sentences]
    for lang in (source, target):
        # Here and there: translators of one stretch are not those of the next.
        whole = texts[f"train.{lang}"]
        step = len(whole) // options.aside
        apart = set(range(step - 1, step * options.aside, step))
        texts[f"aside.{lang}"] = [line for number, line in enumerate(whole) if number in apart]
        texts[f"rules.{lang}"] = [line for number, line in enumerate(whole) if number not in apart]
        texts[f"few.{lang}"] = texts[f"tune.{lang}"][:30]
    return texts


def run(command: list[str | int | Path]) -> bytes:
    return subprocess.run([*TOLKA, *map(str, command)], stdout=subprocess.PIPE, check=True).stdout


def show(result: dict[str, object]) -> None:
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
