"""Word alignment: error rate, CPU seconds and memory of every model, beside eflomal in the same run.

Text is Moses-tokenised (sacremoses) and lower-cased, gold pairs first. eflomal takes part if `eflomal-align` is on
PATH or named by EFLOMAL. Each line of output is one JSON object; `--growth` measures time per pair from 10k to 300k
pairs instead, `--only` picks sets by name, `--models` picks models.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sacremoses import MosesTokenizer

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))
MODELS = ["ibm1", "ibm2", "diagonal", "gauss", "hmm", "fertility"]
# Gold sets with training text of the same languages: source, target, files of training text, lines from each.
SETS: dict[str, tuple[str, str, list[str], int, list[str]]] = {
    "en-fr": ("en", "fr", ["europarl-fr-en/train"], 60_000, ["en-fr.hansards.wpt03"]),
    "de-en": (
        "de",
        "en",
        [
            "tatoeba/en-de/train",
            "multi30k/raw/train",
            "wesnoth-l10n/en-de/train",
            "debian-guides/en-de/train",
        ],
        20_000,
        ["de-en.europarl100"],
    ),
    "en-cs": (
        "en",
        "cs",
        [
            "multi30k/raw/train",
            "tatoeba/en-cs/train",
            "libreoffice-l10n/multiway/train.help",
            "wesnoth-l10n/en-cs/train",
        ],
        20_000,
        ["en-cs.czenali"],
    ),
    "en-hi": ("en", "hi", ["libreoffice-l10n/en-hi/train", "tatoeba/en-hi/train"], 20_000, ["en-hi.wpt05"]),
    "en-es": (
        "en",
        "es",
        [
            "debian-guides/en-es/train",
            "wesnoth-l10n/en-es/train",
            "manpages-l10n/en-es/train",
            "debian-ddtp/en-es/train",
        ],
        20_000,
        ["en-es.epps-inesc", "en-es.xlwa-dev", "en-es.xlwa-train"],
    ),
    "en-it": (
        "en",
        "it",
        [
            "wesnoth-l10n/en-it/train",
            "debian-guides/en-it/train",
            "libreoffice-l10n/multiway/train.help",
            "debian-ddtp/en-it/train",
        ],
        20_000,
        ["en-it.xlwa-dev", "en-it.xlwa-test", "en-it.xlwa-train"],
    ),
    "grc-en": ("grc", "en", [], 0, ["bible"]),
}


def lines(path: Path) -> list[str]:
    opened = lzma.open if path.suffix == ".xz" else gzip.open
    with opened(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]


def prepare(name: str, work: Path, cap: int = 60_000) -> list[tuple[str, int]]:
    """Write src, tgt and a gold file for each gold set; gives (gold set, pairs)."""
    first, second, files, each, gold_sets = SETS[name]
    sides: tuple[list[str], list[str]] = ([], [])
    found = []
    for gold in gold_sets:
        if gold == "bible":
            stem = "bible-grc-en/verses"
            texts = [lines(DATA / f"{stem}.{language}.xz") for language in (first, second)]
            links = lines(DATA / f"{stem}.align.xz")
        else:
            texts = [lines(DATA / f"gold-alignments/{gold}.{language}.gz") for language in (first, second)]
            links = lines(DATA / f"gold-alignments/{gold}.align.gz")
        for side, text in zip(sides, texts, strict=True):
            side.extend(line.lower() for line in text)
        (work / f"{gold}.gold").write_text("\n".join(links) + "\n", encoding="utf-8")
        found.append((gold, len(links)))
    for side, language in zip(sides, (first, second), strict=True):
        tokenise = MosesTokenizer(lang=language).tokenize
        raw: list[str] = []
        for file in files:
            path = DATA / f"{file}.{language}.xz"
            if path.exists():
                raw += lines(path)[: min(each, cap - len(raw))]
        side.extend(tokenise(line, return_str=True, escape=False).lower() for line in raw)
    for file, side in zip(("src", "tgt"), sides, strict=True):
        (work / file).write_text("\n".join(side) + "\n", encoding="utf-8")
    return found


def measured(command: list[str]) -> tuple[float, float]:
    """CPU seconds and peak memory (MB) of a command."""
    script = (
        "import json,resource,subprocess,sys;"
        "done=subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,stderr=subprocess.PIPE);"
        "use=resource.getrusage(resource.RUSAGE_CHILDREN);"
        "sys.stderr.buffer.write(done.stderr[-2000:] if done.returncode else b'');"
        "print(json.dumps([use.ru_utime+use.ru_stime,use.ru_maxrss/1024]));sys.exit(done.returncode)"
    )
    done = subprocess.run([sys.executable, "-c", script, *command], stdout=subprocess.PIPE, check=True)
    cpu, memory = json.loads(done.stdout)
    return cpu, memory


def error_rates(work: Path, links_file: str, gold_sets: list[tuple[str, int]]) -> dict[str, float]:
    from tolka.align import alignment_error_rate, read_gold, read_links  # noqa: PLC0415 - after the arguments

    links = read_links(work / links_file)
    rates = {}
    start = 0
    for gold, count in gold_sets:
        score = alignment_error_rate(links[start : start + count], read_gold(work / f"{gold}.gold"))
        rates[gold] = round(100 * score.aer, 2)
        start += count
    return rates


def tolka(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tolka", "align", *arguments]


def compare(name: str, models: list[str], work: Path) -> None:
    gold_sets = prepare(name, work)
    peer = os.environ.get("EFLOMAL") or shutil.which("eflomal-align")
    peer_cpu = None
    src, tgt = str(work / "src"), str(work / "tgt")
    if peer:
        forward, backward = str(work / "forward"), str(work / "backward")
        cpu, memory = measured([peer, "-s", src, "-t", tgt, "-f", forward, "-r", backward, "--overwrite"])
        peer_cpu = cpu
        subprocess.run(tolka("symmetrise", forward, backward, "-o", str(work / "links")), check=True)
        rates = error_rates(work, "links", gold_sets)
        print(json.dumps({"set": name, "model": "eflomal", "cpu_s": round(cpu, 1), "mb": round(memory), "aer": rates}))
    for model in models:
        kind, *flags = model.split("+")
        options = ["--model", kind, *(f"--{flag}" for flag in flags), "--quiet", "-o", str(work / "links")]
        cpu, memory = measured(tolka("train", src, tgt, *options, "--save", str(work / model)))
        row: dict[str, object] = {"set": name, "model": model, "cpu_s": round(cpu, 1), "mb": round(memory)}
        if peer_cpu:
            row["cpu_of_eflomal"] = round(cpu / peer_cpu, 3)
        row["aer"] = error_rates(work, "links", gold_sets)
        print(json.dumps(row), flush=True)


def growth(model: str) -> None:
    from tolka.align import Aligner  # noqa: PLC0415 - after the arguments

    sides = [lines(DATA / f"europarl-fr-en/train.{language}.xz") for language in ("en", "fr")]
    for pairs in (10_000, 30_000, 100_000, 300_000):
        text = [(a.lower(), b.lower()) for a, b in zip(sides[0][:pairs], sides[1][:pairs], strict=True)]
        before = resource.getrusage(resource.RUSAGE_SELF)
        # The same number of sweeps everywhere: the default spends more of them on small texts.
        Aligner(model=model, chains=1, sweeps=(2, 2, 4)).train(text)
        after = resource.getrusage(resource.RUSAGE_SELF)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        row = {"model": model, "pairs": pairs, "cpu_s": round(cpu, 2), "cpu_us_per_pair": round(1e6 * cpu / pairs, 1)}
        print(json.dumps(row), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=list(SETS), choices=list(SETS))
    parser.add_argument("--models", nargs="*", default=[*MODELS, "ibm1+agree", "hmm+agree", "diagonal+agree"])
    parser.add_argument("--growth", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        if options.growth:
            for model in ("diagonal", "fertility"):
                growth(model)
            return
        for name in options.only:
            compare(name, options.models, Path(directory))


if __name__ == "__main__":
    main()
