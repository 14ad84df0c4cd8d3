"""Translation from raw text to scores: what `tolka train` and `tolka translate` take and give, with default settings.

Each line of output is one JSON object: training (CPU and wall seconds, peak memory, size), then for each tuning seed BLEU
of the development set (of words) and of the test set, and sentences a second for one core (CPU, loading left out), then
two threads (and two processes, which share nothing) against one, the time to load, and peak memory. `--growth` adds CPU
milliseconds a sentence by length.

BLEU is sacrebleu's: of words as they are for `multi30k-tok` (tokenised, lower case), with the tokeniser 13a otherwise.
There is no peer in the registries that does the same work; Moses' and cdec's figures on the `multi30k-tok` files are given
beside ours as they were measured once on another day, and are marked so.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import sacrebleu

from tolka import Translator

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))
# Name: folder, source, target, names of training, development and test files, whether tokenised.
SETS: dict[str, tuple[str, str, str, tuple[str, str, str], bool]] = {
    "multi30k-tok": ("multi30k/tok-lc", "de", "en", ("train", "val", "test_2016_flickr"), True),
    "multi30k": ("multi30k/raw", "de", "en", ("train", "val", "test_2016_flickr"), False),
    "tatoeba": ("tatoeba/en-de", "en", "de", ("train", "dev", "test"), False),
    "mafand": ("mafand/fr-wol", "fr", "wol", ("train", "dev", "test"), False),
    "europarl": ("europarl-fr-en", "fr", "en", ("train", "dev", "test"), False),
}
# Test BLEU and sentences a second on one core, measured once, with load time left out.
OTHERS = {
    "phrase": {"moses, pop 1000": (40.5, 39), "moses, pop 400": (40.5, 94)},
    "hiero": {"cdec, pop 30": (41.0, 25), "moses_chart untuned, pop 200": (39.0, 29)},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SETS, default=["multi30k-tok", "multi30k", "tatoeba", "mafand"])
    parser.add_argument("--kinds", nargs="+", choices=["hiero", "phrase"], default=["phrase", "hiero"])
    parser.add_argument("--tunings", type=int, default=3)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--set", nargs="*", default=[], help="settings for `tolka train`, as table.key=value")
    parser.add_argument("--work", type=Path, help="keep models here")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        measure(Path(options.child[0]), Path(options.child[1]), int(options.child[2]))
        return
    with tempfile.TemporaryDirectory() as scratch:
        work = options.work or Path(scratch)
        for name in options.only:
            texts = unpack(name, work)
            for kind in options.kinds:
                bench(name, kind, texts, work, options)


def bench(name: str, kind: str, texts: dict[str, Path], work: Path, options: argparse.Namespace) -> None:
    _, source, target, _, tokenised = SETS[name]
    references = texts["test-target"].read_text(encoding="utf-8").split("\n")[:-1]
    bleus, speeds = [], []
    model = work / f"{name}-{kind}"
    for tuning in range(1, options.tunings + 1):
        sides = [[texts[f"{part}-source"], texts[f"{part}-target"]] for part in ("train", "dev")]
        command = [*TOLKA, "train", *sides[0], "--dev", *sides[1], "--langs", source, target, "-o", model]
        command += ["--kind", kind, "--json", "--quiet", *(["--tokenised"] if tokenised else [])]
        command += [part for setting in (*options.set, f"tune.seed={tuning}") for part in ("--set", setting)]
        report, usage = run(command)
        if tuning == 1:
            stages = {one["stage"]: round(one["seconds"], 1) for one in report["stages"]}
            show({"set": name, "kind": kind, "train": usage, "sizes": report["sizes"], "stage_seconds": stages})
        found, _ = run([sys.executable, __file__, "--child", model, texts["test-source"], "1"])
        lines = found.pop("translations")
        bleu = sacrebleu.corpus_bleu(lines, [references], tokenize="none" if tokenised else "13a", force=True)
        bleus.append(bleu.score)
        speeds.append(found["sentences_per_core_second"])
        brevity = round(bleu.bp, 3)
        dev = round(report["dev"]["score"], 2)
        show(
            {
                "set": name,
                "kind": kind,
                "seed": tuning,
                "dev": dev,
                "test": round(bleu.score, 2),
                "bp": brevity,
                **found,
            }
        )
    two, _ = run([sys.executable, __file__, "--child", model, texts["test-source"], "2"])
    if two.pop("translations") != lines:
        raise SystemExit("two threads translate differently from one")
    # What the machine gives to two programs that share nothing.
    command = [sys.executable, __file__, "--child", model, texts["test-source"], "1"]
    both = [subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE) for _ in range(2)]
    walls = [json.loads(one.communicate()[0])["wall"] for one in both]
    mean = {"test_mean": round(statistics.fmean(bleus), 2), "speed_mean": round(statistics.fmean(speeds), 1)}
    gains = {"two_threads": found["wall"] / two["wall"], "two_processes": 2 * found["wall"] / max(walls)}
    show({"set": name, "kind": kind, **mean, **{what: round(gain, 2) for what, gain in gains.items()}})
    if name == "multi30k-tok":
        for peer, (score, speed) in OTHERS[kind].items():
            ratio = round(mean["speed_mean"] / speed, 1)
            show({"set": name, "kind": kind, "other": peer, "test": score, "speed": speed, "speed_ratio": ratio})
    if options.growth:
        growth(name, kind, model, texts)


def growth(name: str, kind: str, model: Path, texts: dict[str, Path]) -> None:
    """CPU milliseconds a sentence for sentences of given lengths, made by joining test sentences."""
    words = texts["test-source"].read_text(encoding="utf-8").split()
    translator = Translator.load(model)
    for length in (5, 10, 20, 40, 60, 100, 200, 400):
        lines = [" ".join(words[at : at + length]) for at in range(0, min(len(words) - length, 20 * length), length)]
        translator.translate(lines, threads=1)
        begin = time.process_time()
        translator.translate(lines, threads=1)
        spent = 1000 * (time.process_time() - begin) / len(lines)
        show(
            {"set": name, "kind": kind, "words": length, "ms": round(spent, 2), "ms_per_word": round(spent / length, 3)}
        )


def measure(model: Path, text: Path, threads: int) -> None:
    """In a process of its own: load, translate, and say what it took."""
    lines = text.read_text(encoding="utf-8").split("\n")[:-1]
    begin = time.perf_counter()
    translator = Translator.load(model)
    loaded = time.perf_counter() - begin
    wall, cpu = time.perf_counter(), time.process_time()
    translations = translator.translate(lines, threads=threads)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    speed = round(len(lines) / cpu, 1)
    found = {"sentences_per_core_second": speed, "load": round(loaded, 3), "wall": round(wall, 3), "megabytes": memory}
    print(json.dumps({**found, "translations": translations}))


TOLKA = [sys.executable, "-m", "tolka"]


def run(command: list[str | Path]) -> tuple[dict, dict]:
    """What a command says in JSON, and what it took."""
    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    took = {"cpu": round(cpu, 1), "wall": round(time.perf_counter() - begin, 1), "megabytes": after.ru_maxrss // 1024}
    return json.loads(done.stdout), took


def unpack(name: str, work: Path) -> dict[str, Path]:
    folder, source, target, files, _ = SETS[name]
    (work / "text").mkdir(parents=True, exist_ok=True)
    texts = {}
    for part, file in zip(("train", "dev", "test"), files, strict=True):
        for side, lang in (("source", source), ("target", target)):
            path = texts[f"{part}-{side}"] = work / "text" / f"{name}.{part}.{lang}"
            path.write_bytes(lzma.decompress((DATA / folder / f"{file}.{lang}.xz").read_bytes()))
    return texts


def show(result: dict) -> None:
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
