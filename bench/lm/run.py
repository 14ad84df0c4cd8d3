"""Language models: estimation, file sizes and queries beside KenLM, in the same run.

Reads TOLKA_DATA (default: ../shared/data). The peers are used where they are found: `lmplz` and `build_binary` in
KENLM_BIN or on PATH, and the `kenlm` package if it can be imported. Every line is one JSON object; `ratio` is ours
divided by theirs, so below 1 is better (for `per_second`, above 1).

    python bench/lm/run.py [--tokens 900000]
    python bench/lm/run.py --large 64000000    # only estimation on disk, of a text that text.py makes; minutes
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import lzma
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from itertools import islice
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))
ORDER = 5
# What estimation on disk may use; lmplz gets the same.
LARGE_MB = 1500


def report(**fields: object) -> None:
    print(json.dumps(fields), flush=True)


def measure(command: list[str], stdin: Path | None = None, stdout: Path | None = None) -> tuple[float, float]:
    """CPU seconds and peak megabytes of a command."""
    with (stdin or Path(os.devnull)).open("rb") as source, (stdout or Path(os.devnull)).open("wb") as sink:
        child = subprocess.Popen(command, stdin=source, stdout=sink, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def peer(name: str) -> str | None:
    directory = os.environ.get("KENLM_BIN")
    return shutil.which(name, path=directory) if directory else shutil.which(name)


def corpus(work: Path, tokens: int) -> tuple[Path, Path]:
    """The first lines of Europarl with about this many tokens, lower-cased, and the development set."""
    train, dev = work / "train.tok", work / "dev.tok"
    seen = 0
    with lzma.open(DATA / "europarl-fr-en" / "train.en.xz", "rt", encoding="utf-8", newline="\n") as lines:
        with train.open("w", encoding="utf-8") as out:
            for line in lines:
                words = line.lower().split()
                out.write(" ".join(words) + "\n")
                seen += len(words)
                if seen >= tokens:
                    break
        with dev.open("w", encoding="utf-8") as out:
            # Held-out lines of the same source, many enough that a run takes a while.
            out.writelines(" ".join(line.lower().split()) + "\n" for line in islice(lines, 20_000))
    return train, dev


def differences(ours: Path, theirs: Path) -> float:
    """The largest difference of a value in two ARPA files with the same n-grams."""

    def values(path: Path) -> dict[str, tuple[float, ...]]:
        found = {}
        with path.open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                fields = line.rstrip("\n").split("\t")
                if len(fields) > 1:
                    found[fields[1]] = (float(fields[0]), float(fields[2]) if len(fields) > 2 else 0.0)  # noqa: PLR2004
        return found

    one, two = values(ours), values(theirs)
    if one.keys() != two.keys():
        sys.exit("the models have different n-grams")
    return max(abs(a - b) for gram, pair in one.items() for a, b in zip(pair, two[gram], strict=True))


def estimation(work: Path, train: Path) -> None:
    ours, theirs = work / "ours.arpa", work / "theirs.arpa"
    tolka = [sys.executable, "-m", "tolka", "lm", "train", str(train), "--order", str(ORDER), "-o", str(ours)]
    idle, _ = measure([sys.executable, "-m", "tolka", "lm", "train", "--help"])
    cpu, megabytes = measure(tolka)
    line = {"bench": "estimate", "cpu_s": round(cpu, 2), "of_it_python_start": round(idle, 2), "mb": round(megabytes)}
    if lmplz := peer("lmplz"):
        their_cpu, their_mb = measure([lmplz, "-o", str(ORDER), "-S", "1G"], stdin=train, stdout=theirs)
        line |= {
            "lmplz_cpu_s": round(their_cpu, 2),
            "lmplz_mb": round(their_mb),
            "ratio": round(cpu / their_cpu, 2),
        }
    disk_cpu, disk_mb = measure([*tolka[:-1], str(work / "disk.arpa"), "--memory", "64"])
    # A child's peak counts the memory of the process that started it, so files are read only after all is measured.
    if theirs.exists():
        line |= {"largest_difference": differences(ours, theirs)}
    report(**line)
    same = (work / "disk.arpa").read_bytes() == ours.read_bytes()
    report(bench="estimate on disk, 64 MB", cpu_s=round(disk_cpu, 2), mb=round(disk_mb), same_bytes=same)
    (work / "disk.arpa").unlink()


def sizes(work: Path) -> None:
    from tolka.lm import LanguageModel  # noqa: PLC0415 after the subprocesses, which are measured without it

    model = LanguageModel.load(work / "ours.arpa")
    grams = sum(model.counts)
    forms = [("fast", "fast", None, ["probing"]), ("small", "small", None, ["trie"])]
    forms.append(("small, 8 bits", "small", 8, ["-q", "8", "-b", "8", "trie"]))
    for name, form, bits, arguments in forms:
        path = work / f"{form}{bits or ''}.tlm"
        model.save(path, form=form, bits=bits)
        start = time.perf_counter()
        LanguageModel.load(path)
        seconds = time.perf_counter() - start
        line = {
            "bench": f"size {name}",
            "bytes": path.stat().st_size,
            "per_ngram": round(path.stat().st_size / grams, 2),
        }
        line |= {"load_ms": round(seconds * 1000, 1), "ngrams": grams}
        if build := peer("build_binary"):
            theirs = work / f"{form}{bits or ''}.kenlm"
            measure([build, *arguments, str(work / "ours.arpa"), str(theirs)])
            line |= {"kenlm_bytes": theirs.stat().st_size}
            line |= {"ratio": round(path.stat().st_size / theirs.stat().st_size, 2)}
        report(**line)


class DiskUse:
    """The most that a directory's file system held beyond what it held at the start, nameless files included."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.most, self.done = directory, 0, threading.Event()
        self.watcher = threading.Thread(target=self.watch)

    def watch(self) -> None:
        """Look twice a second."""
        start = shutil.disk_usage(self.directory).used
        while not self.done.wait(0.5):
            self.most = max(self.most, shutil.disk_usage(self.directory).used - start)

    def __enter__(self) -> Self:
        self.watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.done.set()
        self.watcher.join()


def large(work: Path, tokens: int) -> None:
    """Estimation of a corpus that does not fit in the memory it may use."""
    text, ours, theirs = work / "large.tok", work / "ours.arpa", work / "theirs.arpa"
    if not text.exists():
        subprocess.run([sys.executable, ROOT / "bench" / "lm" / "text.py", str(tokens), text], check=True)
    os.environ["TMPDIR"] = str(work)
    command = [sys.executable, "-m", "tolka", "lm", "train", str(text), "--order", str(ORDER), "-o", str(ours)]
    start = time.perf_counter()
    with DiskUse(work) as disk:
        cpu, megabytes = measure([*command, "--memory", str(LARGE_MB)])
    line = {"bench": f"estimate on disk, {LARGE_MB} MB", "tokens": tokens, "cpu_s": round(cpu, 1)}
    line |= {"wall_s": round(time.perf_counter() - start, 1), "mb": round(megabytes), "disk_mb": disk.most >> 20}
    counts = ngram_counts(ours)
    line |= {"ngrams": sum(counts), "arpa_mb": ours.stat().st_size >> 20}
    report(**line)
    if lmplz := peer("lmplz"):
        start = time.perf_counter()
        with DiskUse(work) as disk:
            arguments = ["-o", str(ORDER), "-S", f"{LARGE_MB}M", "-T", f"{work}/"]
            # Some of the text has words like <s>, which tolka leaves out too; nor does tolka stop at odd discounts.
            arguments += ["--skip_symbols", "--discount_fallback"]
            their_cpu, their_mb = measure([lmplz, *arguments], stdin=text, stdout=theirs)
        report(
            bench=f"lmplz -S {LARGE_MB}M",
            cpu_s=round(their_cpu, 1),
            wall_s=round(time.perf_counter() - start, 1),
            mb=round(their_mb),
            disk_mb=disk.most >> 20,
            ratio=round(cpu / their_cpu, 2),
            same_counts=ngram_counts(theirs) == counts,
        )


def ngram_counts(arpa: Path) -> list[int]:
    with arpa.open(encoding="utf-8", newline="\n") as lines:
        return [int(line.split("=")[1]) for line in islice(lines, ORDER + 1) if "=" in line]


def cache_bytes() -> int | None:
    """The size of the last level of the processor's cache, if the system tells."""
    found = sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"))
    return int(found[-1].read_text().strip().removesuffix("K")) << 10 if found else None


def engine(work: Path, train: Path, dev: Path) -> None:
    from tolka.lm import LanguageModel  # noqa: PLC0415

    # A third of the text gives a model that fits in the cache of most processors.
    lines = train.read_text(encoding="utf-8").split("\n")
    LanguageModel.train(lines[: len(lines) // 3], ORDER).save(work / "cached.tlm")
    command = ["cargo", "run", "--release", "--quiet", "--package", "tolka-engine", "--example", "lm_query", "--"]
    for form in ("cached", "fast", "small", "small8"):
        done = subprocess.run(
            [*command, str(work / f"{form}.tlm"), str(dev)], cwd=ROOT, capture_output=True, text=True, check=True
        )
        size = (work / f"{form}.tlm").stat().st_size
        name = "fast, a third of the text" if form == "cached" else form
        report(bench=f"engine query {name}", model_bytes=size, cache_bytes=cache_bytes(), **json.loads(done.stdout))


def python(work: Path, dev: Path) -> None:
    from tolka.lm import LanguageModel  # noqa: PLC0415

    lines = dev.read_text(encoding="utf-8").split("\n")[:-1]
    words = sum(len(line.split()) + 1 for line in lines)

    def cpu() -> float:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime

    def best(work: object) -> float:
        times = []
        for _ in range(5):
            start = cpu()
            work()  # type: ignore[operator]
            times.append(cpu() - start)
        return words / min(times)

    for form, theirs in (("fast", "fast.kenlm"), ("small", "small.kenlm")):
        model = LanguageModel.load(work / f"{form}.tlm")
        ours = best(lambda model=model: model.scores(lines, threads=1))
        line = {"bench": f"python scores {form}", "words": words, "per_second": round(ours)}
        if importlib.util.find_spec("kenlm") and (work / theirs).exists():
            import kenlm  # noqa: PLC0415

            other = kenlm.Model(str(work / theirs))
            rate = best(lambda other=other: [other.score(text) for text in lines])
            line |= {"kenlm_per_second": round(rate), "ratio": round(ours / rate, 2)}
            far = max(abs(a - other.score(text)) for a, text in zip(model.scores(lines).tolist(), lines, strict=True))
            line |= {"largest_difference": far}
        report(**line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=900_000)
    parser.add_argument("--large", type=int, metavar="TOKENS", help="only estimate on disk, of a text of this size")
    arguments = parser.parse_args()
    tokens = arguments.tokens
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        if arguments.large:
            large(work, arguments.large)
            return
        train, dev = corpus(work, tokens)
        estimation(work, train)
        sizes(work)
        engine(work, train, dev)
        python(work, dev)


if __name__ == "__main__":
    main()
