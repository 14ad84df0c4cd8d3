"""Everything in one translator (`tolka combine gather`), and what each step gives: Razmara (2013), section 6.3, which was not run there.

German to French of Multi30k. There are `--pairs` direct pairs; texts of German and English and of English and French, of other
sentences (`--legs` pairs each, and none in both); the German of further sentences and of Tatoeba as monolingual text; and the dictionary of FreeDict. The
language model is the same for all: of the direct pairs and of the French of the second leg. So a way through English gives its rules
and not its text.

Each line of output is one JSON object, a line a row: BLEU of the test set (mean, deviation and scores of all tunings), differences
to the row without any step and to those with one step less, each with p of one test over all tunings, words that nothing translates,
and the CPU seconds of translating 1,000 sentences. The last line has the time and the greatest memory of all.

    python bench/combine/gather.py --tunings 3 --keep kept --table kept/gather.md
    python bench/combine/gather.py --pairs 500 --legs 2000 --tunings 1 --kind phrase
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tolka.combine import GatherSettings, Sources, gather
from tolka.corpus import read_lines, write_lines
from tolka.files import to_toml

if TYPE_CHECKING:
    from tolka.combine.gathering import GatherRow
    from tolka.pipeline import StageResult

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))
TEXT = DATA / "multi30k" / "raw"
TRAIN, HALF = 29_000, 14_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1000, help="direct pairs")
    parser.add_argument("--legs", type=int, default=HALF, help="pairs of each leg, at most")
    parser.add_argument("--mono", type=int, default=100_000, help="sentences of Tatoeba")
    parser.add_argument("--tunings", type=int, default=3)
    parser.add_argument("--kind", choices=["hiero", "phrase"], default="hiero")
    parser.add_argument("--without", nargs="*", default=[], help="steps to leave out")
    parser.add_argument("--operation", default="wsum")
    parser.add_argument("--scheme", default="auto")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--set", nargs="*", default=[], help="settings of stages, as table.key=value")
    parser.add_argument("--keep", type=Path, help="keep what is made here, to go on from it")
    parser.add_argument("--table", type=Path, help="a file for the table in Markdown")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        bench(options.keep or Path(scratch), options)


def bench(place: Path, options: argparse.Namespace) -> None:
    place.mkdir(parents=True, exist_ok=True)
    asked = GatherSettings(
        Sources.load(write_sources(place, options)),
        without=tuple(options.without),
        compare=True,
        tunings=options.tunings,
        kind=options.kind,
        operation=options.operation,
        scheme=options.scheme,
        threads=options.threads,
        overrides=tuple(options.set),
    )
    began = time.perf_counter()
    done = gather(asked, place / f"model-{options.kind}", stage_done=told)
    for row in done.rows:
        print(json.dumps(row.to_json(), ensure_ascii=False), flush=True)
    said = {
        "parts": dict(done.parts),
        "again": done.test,
        "seconds": round(time.perf_counter() - began, 1),
        "gigabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
        "notes": list(done.notes),
    }
    print(json.dumps(said, ensure_ascii=False), flush=True)
    if options.table is not None:
        heads = "| system | BLEU | to direct | p | unknown words | times | CPU s |\n|---|---|---|---|---|---|---|\n"
        options.table.write_text(heads + "".join(map(line, done.rows)), encoding="utf-8")


def told(stage: StageResult) -> None:
    if not stage.cached:
        print(f"gather: {stage.name}: {stage.usage.seconds:.1f} s", file=sys.stderr, flush=True)


def line(row: GatherRow) -> str:
    each = " ".join(f"{score:.2f}" for score in row.test.scores)
    against = f"{row.differences['direct']:+.2f} | {row.p['direct']:.4f}" if row.p else "| "
    seconds = "" if row.seconds is None else f"{row.seconds:.1f}"
    known = row.covered
    return f"| {row.name} | {row.test.mean:.2f} ({each}) | {against} | {known.unknown_types} | {known.unknown_tokens} | {seconds} |\n"


def write_sources(place: Path, options: argparse.Namespace) -> Path:
    """The texts, and the file that names them."""
    first = TRAIN - 2 * HALF
    if options.pairs > first:
        sys.exit(f"gather: at most {first} direct pairs, as the rest is that of the legs")
    legs = min(options.legs, HALF)
    spans = {
        "direct": (("de", "fr"), 0, options.pairs),
        "first": (("de", "en"), first, legs),
        "second": (("en", "fr"), first + HALF, legs),
        "mono": (("de",), first + HALF, HALF),
    }
    for name, (langs, begin, count) in spans.items():
        for lang in langs:
            lines = list(read_lines(TEXT / f"train.{lang}.xz"))[begin : begin + count]
            write_lines(place / f"{name}.{lang}", lines)
    for name, section in (("dev", "val"), ("test", "test_2016_flickr")):
        for lang in ("de", "fr"):
            write_lines(place / f"{name}.{lang}", read_lines(TEXT / f"{section}.{lang}.xz"))
    tatoeba = list(read_lines(DATA / "monolingual" / "tatoeba.de.xz"))[: options.mono]
    write_lines(place / "tatoeba.de", tatoeba)
    with lzma.open(DATA / "lexicons" / "freedict.deu-fra.tsv.xz") as lexicon:
        (place / "lexicon.tsv").write_bytes(lexicon.read())
    sources = {"langs": ["de", "fr"], "dev": ["dev.de", "dev.fr"], "test": ["test.de", "test.fr"]}
    unknown = {"mono": ["mono.de", "tatoeba.de"], "lexicon": ["lexicon.tsv"]}
    text = to_toml({**sources, "unknown": unknown} if "unknown" not in options.without else sources)
    text += '\n[[direct]]\nfiles = ["direct.de", "direct.fr"]\n'
    text += '\n[[through]]\npivots = ["en"]\nlegs = [["first.de", "first.en"], ["second.en", "second.fr"]]\n'
    path = place / "sources.toml"
    path.write_text(text, encoding="utf-8")
    return path


if __name__ == "__main__":
    main()
