"""Reranking: test BLEU of a phrase-based system before and after, on two language pairs, with paired significance.

A system is trained on all training pairs and tuned on the development set; rerankers learn from its lists of other texts
(those of the year after), and its lists of the test set are reranked. `retuned` is a reranker of one state: what tuning the
decoder's weights once more is worth without reservoirs. Settings are chosen with `--dev`, which learns from one half of those
other texts and tests on the other half, never on test sets. Each line of output is one JSON object.

Models that read dependencies take part where a parser is given: `--parser de=german.model`, made by `tolka parse train`.
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

from tolka.evaluate import Bleu, collect_statistics, paired_bootstrap

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))
TOLKA = [sys.executable, "-m", "tolka"]
MORE = ("test_2017_flickr", "test_2017_mscoco")
# Name: folder, source, target, names of files to train the decoder, to tune it, to train rerankers, and to test.
SETS = {
    "multi30k-de": ("multi30k/tok-lc", "de", "en", (("train",), ("val",), MORE, ("test_2016_flickr",))),
    "multi30k-fr": ("multi30k/tok-lc", "fr", "en", (("train",), ("val",), MORE, ("test_2016_flickr",))),
}
PLAIN = ("gesn-sequence", "gesn-bilingual")
PARSED = ("gesn-dependency", "phrase-dependency", "gesn-dependency+phrase-dependency")
Texts = dict[str, list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--nbest", type=int, default=100)
    parser.add_argument("--pairs", type=int, help="training pairs at most, for a trial")
    parser.add_argument("--sentences", type=int, help="sentences at most of all other texts, for a trial")
    parser.add_argument("--parser", nargs="*", default=[], metavar="LANG=MODEL")
    parser.add_argument("--models", nargs="+", help="rerankers; all that the parsers allow if not given")
    parser.add_argument("--seeds", type=int, default=1, help="seeds of reservoirs and tuners")
    parser.add_argument("--dev", action="store_true", help="test on a part of the development set")
    parser.add_argument("--work", type=Path, help="keep models and lists here, and use those that are there")
    parser.add_argument("--set", nargs="*", default=[], metavar="OPTION=VALUE", help="options of `tolka rerank train`")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.only:
            measure(name, options, options.work or Path(scratch))


def measure(name: str, options: argparse.Namespace, work: Path) -> None:
    _, source, target, _ = SETS[name]
    work = work / name
    work.mkdir(parents=True, exist_ok=True)
    texts = read(name, options)
    for part, lines in texts.items():
        (work / part).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    model = work / "model"
    if not model.exists():
        sides = [[work / f"{part}.{lang}" for lang in (source, target)] for part in ("train", "tune")]
        command = ["train", *sides[0], "--dev", *sides[1], "--langs", source, target, "-o", model, "--kind", "phrase"]
        # Parsers know no parts of compounds.
        run([*command, "--tokenised", "--no-compounds", "--json", "--quiet"])
    parsers = dict(entry.split("=", 1) for entry in options.parser)
    for part in ("dev", "test"):
        lists = work / f"{part}.nbest"
        if not lists.exists():
            command = ["translate", model, work / f"{part}.{source}", "--nbest", options.nbest, "--derivations", "-q"]
            lists.write_bytes(run(command))
        if source in parsers and not (work / f"{part}.conllu").exists():
            (work / f"{part}.conllu").write_bytes(run(["parse", parsers[source], work / f"{part}.{source}"]))
    before = first_lines(work / "test.nbest", len(texts[f"test.{target}"]))
    kinds = options.models or ["retuned", *PLAIN, *(PARSED if source in parsers else ())]
    for kind in kinds:
        for seed in range(1, options.seeds + 1):
            show(
                {
                    "set": name,
                    "model": kind,
                    "seed": seed,
                    **rerank(kind, seed, work, before, options, (source, target)),
                }
            )


def rerank(
    kind: str, seed: int, work: Path, before: list[str], options: argparse.Namespace, langs: tuple[str, str]
) -> dict[str, float | str]:
    source, target = langs
    texts = {
        part: work / f"{part}.conllu" if "dependency" in kind else work / f"{part}.{source}" for part in ("dev", "test")
    }
    command = ["rerank", "train", work / "dev.nbest", "--ref", work / f"dev.{target}", "--source", texts["dev"]]
    command += ["--text-source", work / f"train.{source}", "--text-target", work / f"train.{target}"]
    command += ["--model", "gesn-sequence" if kind == "retuned" else kind, "-o", work / "reranker", "--seed", seed]
    # One unit settles slowly when it hardly contracts.
    command += ["--size", 1, "--contractivity", 0.5] if kind == "retuned" else []
    chosen = [
        f"--{option}" if index == 0 else option for text in options.set for index, option in enumerate(text.split("="))
    ]
    begin = time.perf_counter()
    report = json.loads(run([*command, *chosen, "--json", "--quiet"]))
    trained = time.perf_counter()
    after = (
        run(["rerank", "apply", work / "reranker", work / "test.nbest", "--source", texts["test"]]).decode().split("\n")
    )
    references = (work / f"test.{target}").read_text(encoding="utf-8").split("\n")[:-1]
    system, baseline = collect_statistics(Bleu(tokeniser="none"), [after[:-1], before], [references])
    compared = paired_bootstrap(system, baseline)
    return {
        "tuning_before": round(report["before"], 2),
        "tuning_after": round(report["after"], 2),
        "tuning_oracle": round(report["oracle"], 2),
        "before": round(baseline.score, 2),
        "after": round(system.score, 2),
        "gain": round(system.score - baseline.score, 2),
        "p": round(compared.p, 4),
        "train_seconds": round(trained - begin, 1),
        "apply_seconds": round(time.perf_counter() - trained, 1),
    }


def read(name: str, options: argparse.Namespace) -> Texts:
    """The texts: to train and to tune the decoder, to train rerankers, and to test."""
    folder, source, target, files = SETS[name]
    texts: Texts = {}
    for part, names in zip(("train", "tune", "dev", "test"), files, strict=True):
        for lang in (source, target):
            packed = [(DATA / folder / f"{file}.{lang}.xz").read_bytes() for file in names]
            texts[f"{part}.{lang}"] = [
                line for text in packed for line in lzma.decompress(text).decode().split("\n")[:-1]
            ]
    for lang in (source, target):
        texts[f"train.{lang}"] = texts[f"train.{lang}"][: options.pairs]
        if options.dev:
            both = texts[f"dev.{lang}"]
            texts[f"dev.{lang}"], texts[f"test.{lang}"] = both[::2], both[1::2]
        if options.sentences:
            for part in ("tune", "dev", "test"):
                texts[f"{part}.{lang}"] = texts[f"{part}.{lang}"][: options.sentences]
    return texts


def first_lines(path: Path, sentences: int) -> list[str]:
    """What the decoder chose."""
    found = [""] * sentences
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            number, words, _ = line.split(" ||| ", 2)
            found[int(number)] = found[int(number)] or words
    return found


def run(command: list[str | int | Path]) -> bytes:
    return subprocess.run([*TOLKA, *map(str, command)], stdout=subprocess.PIPE, check=True).stdout


def show(result: dict[str, object]) -> None:
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
