"""Rule extraction: CPU seconds, peak memory and sizes, from aligned text to the finished table.

Reads TOLKA_DATA (default: ../shared/data). The text is aligned first with tolka's default aligner (kept in
GRAMMAR_WORK, if that is set, for the next run); only extraction is measured. Every line is one JSON object.

    python bench/grammar/run.py [--corpus multi30k|europarl] [--pairs N] [--min-gap 1 2] [--kinds hiero phrase]
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))
CORPORA = {
    "multi30k": ("multi30k/tok-lc/train.de.xz", "multi30k/tok-lc/train.en.xz", "fertility"),
    "europarl": ("europarl-fr-en/train.fr.xz", "europarl-fr-en/train.en.xz", "diagonal"),
}


def prepare(work: Path, corpus: str, pairs: int) -> list[Path]:
    """The first pairs of a corpus, lower-cased, and their links."""
    source, target, model = CORPORA[corpus]
    files = [work / f"{corpus}-{pairs}.{side}" for side in ("source", "target", "links")]
    if all(file.exists() for file in files):
        return files
    for name, file in zip((source, target), files, strict=False):
        with lzma.open(DATA / name, "rt", encoding="utf-8", newline="\n") as lines:
            text = [" ".join(line.lower().split()) + "\n" for line in islice(lines, pairs)]
        file.write_text("".join(text), encoding="utf-8")
    command = [sys.executable, "-m", "tolka", "align", "train", str(files[0]), str(files[1]), "--model", model]
    with files[2].open("wb") as out:
        subprocess.run(command, stdout=out, check=True)
    return files


def measure(command: list[str], table: Path, options: list[str]) -> dict[str, object]:
    command = [sys.executable, "-m", "tolka", *command, "-o", str(table), "--json"]
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([*command, *options], stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        out.seek(0)
        printed = out.read()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit("it failed")
    return {
        **json.loads(printed),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "peak_mb": round(usage.ru_maxrss / 1024),
        "table_mb": round(table.stat().st_size / (1 << 20)),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", choices=CORPORA, default="multi30k")
    parser.add_argument("--pairs", type=int, default=29_000)
    parser.add_argument("--min-gap", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--kinds", nargs="+", default=["hiero", "phrase"])
    parser.add_argument("--memory", type=int, default=2048)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        work = Path(os.environ.get("GRAMMAR_WORK", directory))
        files = prepare(work, given.corpus, given.pairs)
        table = Path(directory) / "table"
        for kind in given.kinds:
            for gap in given.min_gap if kind == "hiero" else [1]:
                options = ["--kind", kind, "--min-gap", str(gap), "--memory", str(given.memory)]
                found = measure(["grammar", "extract", *map(str, files)], table, options)
                print(json.dumps({"bench": "grammar", "corpus": given.corpus, "min_gap": gap, **found}), flush=True)


if __name__ == "__main__":
    main()
