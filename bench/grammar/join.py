"""Joining tables: CPU seconds, peak memory and sizes, and the weights that a development text finds.

Reads TOLKA_DATA (default: ../shared/data): German-English of GNOME's user documentation ("in") and of Tatoeba ("out"). The
texts are tokenised, lower-cased, aligned and extracted first (kept in GRAMMAR_WORK, if that is set, for the next run); only
joining is measured. Every line is one JSON object.

    python bench/grammar/join.py [--pairs N] [--kinds hiero phrase] [--how linear fill-up ...]
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import sys
import tempfile
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from run import DATA, measure

from tolka.align import Aligner
from tolka.corpus import Tokeniser
from tolka.grammar import Extractor, Grammar

CORPORA = {"in": "gnome-user-docs", "out": "tatoeba"}
HOW = ("linear", "log-linear", "union", "intersection", "fill-up", "back-off")


def text(corpus: str, part: str, pairs: int) -> list[list[str]]:
    sides = []
    for language in ("de", "en"):
        with lzma.open(
            DATA / corpus / "en-de" / f"{part}.{language}.xz", "rt", encoding="utf-8", newline="\n"
        ) as lines:
            sides.append(Tokeniser(language).lines([line.lower() for line in islice(lines, pairs)]))
    return sides


def prepare(work: Path, pairs: int, kinds: list[str]) -> dict[str, dict[str, int]]:
    """The tables of both texts, whose numbers of rules it gives, and the aligned development text of the first."""
    for name, corpus in CORPORA.items():
        if all((work / f"{name}-{pairs}.{kind}").exists() for kind in kinds):
            continue
        source, target = text(corpus, "train", pairs)
        aligner = Aligner("fertility").train(list(zip(source, target, strict=True)))
        links = aligner.align(list(zip(source, target, strict=True)))
        for kind in kinds:
            Extractor(kind).extract(source, target, links, work / f"{name}-{pairs}.{kind}")  # type: ignore[arg-type]
        if name == "in":
            source, target = text(corpus, "dev", pairs)
            links = aligner.align(list(zip(source, target, strict=True)))
            written = [" ".join(f"{i}-{j}" for i, j in line) for line in links]
            for side, lines in zip(("source", "target", "links"), (source, target, written), strict=True):
                (work / f"dev.{side}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return {kind: {name: len(Grammar.load(work / f"{name}-{pairs}.{kind}")) for name in CORPORA} for kind in kinds}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--kinds", nargs="+", default=["hiero", "phrase"])
    parser.add_argument("--how", nargs="+", choices=HOW, default=HOW)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        work = Path(os.environ.get("GRAMMAR_WORK", directory))
        # The peak of a process begins with that of the one that starts it, which therefore stays small.
        with get_context("spawn").Pool(1) as pool:
            sizes = pool.apply(prepare, (work, given.pairs, given.kinds))
        dev = [str(work / f"dev.{side}") for side in ("source", "target", "links")]
        table = Path(directory) / "joined"
        for kind in given.kinds:
            files = {name: work / f"{name}-{given.pairs}.{kind}" for name in CORPORA}
            tables = [f"{name}={path}" for name, path in files.items()]
            for options in [*(["--how", how] for how in given.how), ["--dev", *dev]]:
                found = measure(["grammar", "join", *tables], table, options)
                found.pop("features")
                how = "linear, weighed" if options[0] == "--dev" else options[1]
                print(json.dumps({"bench": "join", "kind": kind, "how": how, **sizes[kind], **found}), flush=True)


if __name__ == "__main__":
    main()
