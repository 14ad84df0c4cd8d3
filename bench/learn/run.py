"""Learning to search beside phrases and rules, in the form of tables 5.2, 5.3 and 5.12 of Galron (2012).

    python bench/learn/run.py --keep kept                                   # Europarl, 10,000 pairs, all systems: many hours
    python bench/learn/run.py --data tatoeba --pairs 2500 5000 10000 --systems phrase forest-permissive best --keep kept
    python bench/learn/run.py --data tatoeba --systems best parts --keep kept   # what each part of the default gives
    python bench/learn/run.py --data synthetic --pairs 1000 --test 200 --epochs 2 --tunings 1 --table synthetic.md

Every row is what people get who type it: `tolka train` with the options of the row, `tolka translate` of the test set, and scores of the
text that came out. Systems whose weights are tuned (`best`, `phrase`, `hiero`) are trained with `--tunings` seeds; those of the thesis
choose one penalty of ten, and are trained once. `best` is tuned by pairwise ranking, and so are the controls `phrase-pro` and
`hiero-pro`: so much of a difference is the tuner's.

Prints one JSON line for each row: precision, recall and F of the General Text Matcher with exponents 1 and 2 (of all words of the
text), BLEU, NIST; `against` others (the system of which it is one step further, `straw-man`, `phrase`) differences with p by Wilcoxon's test
and the sign test (F of sentences) and by approximate randomisation over all tunings; what training with the first seed took,
altogether (the whole process) and by stage, and what translating took; `to_phrase` has ratios. With several `--pairs` a line for each system says
how training grows. A training that was stopped goes on, and has `resumed`: its costs are not those of a whole one, and have no
ratios. Stages that ran beside another one have no CPU time of their own.

With `--keep` all there is stays, and rows that are there with the same options, text and system are not run again, unless `--again` says
so. `engine` tells builds apart: rows that another one made are taken, with a note on standard error.
The seeds of a row share a work directory. A row that failed has `error`, and the others go on. `--set` goes to all rows, that of
`multitree.` and `grammar.` to those that have this table; with `ROW:` before it to this row alone, with `multitree:` to all multitrees. `--table FILE` writes Markdown with the figures of the
thesis beside.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data import SOURCES, SYNTHETIC, Texts, parser_of, texts_of
from scores import Row, Translations, growth, ratios, table

from tolka import _engine
from tolka.combine.scores import Judge
from tolka.multitree import SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

THESIS = (
    "straw-man", "single-strict", "single-permissive", "forest-strict", "forest-permissive", "forest-permissive-viterbi",
)  # fmt: skip
BEST, PHRASE = "best", "phrase"
TREES, RULES = "multitree", "rules"
FURTHER = tuple(name for name in SYSTEMS if name not in {*THESIS, BEST})
ROWS: dict[str, tuple[str, ...]] = {
    **{name: ("--kind", TREES, "--system", name) for name in (*THESIS, *FURTHER)},
    # What nobody has to name.
    BEST: ("--kind", TREES),
    PHRASE: ("--kind", "phrase"),
    "phrase-pro": ("--kind", "phrase", "--tuner", "pro"),
    "hiero": ("--kind", "hiero"),
    "hiero-pro": ("--kind", "hiero", "--tuner", "pro"),
}


def without(*statistics: str) -> str:
    """The weights that tuning begins with, but those of statistics whose names begin so."""
    kept = {name: weight for name, weight in (SYSTEMS[BEST].weights or {}).items() if not name.startswith(statistics)}
    return f"multitree.weights={{{', '.join(f'{json.dumps(name)} = {weight}' for name, weight in kept.items())}}}"


PARTS = {
    "best-without-context": ("multitree.epochs=0",),
    "best-without-places": (without("before.", "behind."),),
    "best-without-lm": (without("lm"),),
    "best-supervised-phrases": ('multitree.lexicon="supervisor"',),
    "best-phrases-of-3": ("multitree.longest=[3, 3]",),
    "best-beam-20": ("multitree.beam=20",),
    "best-shared-context": ("multitree.coarse=0.000732421875",),
    "best-all-templates": ('multitree.templates="all"',),
}
"""What is `best` but for one part, to see what that gives; `--systems parts` are all of them."""
for name, settings in PARTS.items():
    ROWS[name] = (*ROWS[BEST], *(part for one in settings for part in ("--set", one)))

BESIDE = {
    **dict.fromkeys(PARTS, (BEST,)),
    "single-strict": ("straw-man",),
    "single-permissive": ("single-strict",),
    "forest-strict": ("single-strict",),
    "forest-permissive": ("forest-strict", "single-permissive"),
    "forest-permissive-viterbi": ("forest-permissive",),
    **dict.fromkeys(FURTHER, ("forest-permissive",)),
    BEST: ("forest-permissive", "phrase-pro", "hiero", "hiero-pro"),
    "phrase-pro": (PHRASE,),
    "hiero": (PHRASE,),
    "hiero-pro": ("hiero",),
}
"""What a row is tested against first, as the thesis does: that of which it is one step further."""
ALWAYS = ("straw-man", PHRASE)
ONLY = {"multitree.": TREES, "grammar.": RULES}
"""Settings that only one kind of row knows."""
MEGABYTE = 1 << 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", choices=SOURCES, default="europarl")
    parser.add_argument(
        "--systems", nargs="+", choices=[*ROWS, "parts"], default=[name for name in ROWS if name not in PARTS]
    )
    parser.add_argument("--pairs", type=int, nargs="+", default=[10_000], help="to train on; several to see growth")
    parser.add_argument("--test", type=int, default=1000, help="sentences of the test set, the first")
    parser.add_argument("--tunings", type=int, default=3, choices=range(1, 100), metavar="N")
    parser.add_argument("--epochs", type=int, help="of systems that have more than one")
    parser.add_argument(
        "--set", action="append", default=[], metavar="[ROW:]TABLE.KEY=VALUE", help="for tolka train; can be repeated"
    )
    parser.add_argument("--parser", type=Path, help="a parser of English, instead of one trained on GUM")
    parser.add_argument("--keep", type=Path, help="where texts, models and results stay")
    parser.add_argument("--again", action="store_true", help="from the beginning, whatever is kept")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--table", type=Path, help="a file for the table in Markdown")
    options = parser.parse_args()
    if "parts" in options.systems:
        options.systems += PARTS
    with tempfile.TemporaryDirectory() as scratch:
        keep = (options.keep or Path(scratch)).resolve()
        lines = [line for pairs in options.pairs for line in bench(pairs, keep, options)]
    done = [line for line in lines if "error" not in line]
    grown = []
    for name in ROWS if len(options.pairs) > 1 else ():
        if own := [line for line in done if line["row"] == name]:
            grown.append(growth(own))
            print(json.dumps(grown[-1]), flush=True)
    if options.table is not None:
        options.table.write_text("\n".join(tables(done, options, grown)), encoding="utf-8")
    if len(done) < len(lines):
        raise SystemExit(1)


def tables(lines: Sequence[Row], options: argparse.Namespace, grown: Sequence[Row]) -> Iterator[str]:
    sizes = sorted({line["pairs"] for line in lines})
    for pairs in sizes:
        own = [line for line in lines if line["pairs"] == pairs]
        title = (
            f"{options.data}, {' to '.join(SOURCES[options.data].langs)}, {pairs:,} pairs, {own[0]['test']:,} tested"
        )
        yield table(own, title, SOURCES[options.data].table, grown if pairs == sizes[-1] else ())


def bench(pairs: int, keep: Path, options: argparse.Namespace) -> list[Row]:
    """All rows of one size."""
    place = keep / f"{options.data}-{pairs}"
    texts = texts_of(options.data, pairs, options.test, place)
    parser = options.parser.resolve() if options.parser else parser_of(options.data, place, keep)
    bench = Bench(place, texts, parser, options)
    failed: list[Row] = []
    found: dict[str, tuple[list[Row], list[Row]]] = {}
    for name in (name for name in ROWS if name in options.systems):
        try:
            found[name] = bench.row(name)
        except subprocess.CalledProcessError as error:
            # Standard error has what it said.
            said = f"tolka {error.cmd[3]} ended with {error.returncode}"
            failed.append({"bench": "learn", "data": options.data, "pairs": texts.pairs, "row": name, "error": said})
    lines = [*bench.described(found), *failed]
    for line in lines:
        print(json.dumps(line), flush=True)
    return lines


class Bench:
    """Trains and translates with the rows of one size of a data set."""

    def __init__(self, place: Path, texts: Texts, parser: Path, options: argparse.Namespace) -> None:
        self.place, self.texts, self.parser, self.options = place, texts, parser, options
        self.mark = texts.mark(parser)
        self.engine = short(Path(str(_engine.__file__)).read_bytes())
        self.results = place / "results"
        self.results.mkdir(exist_ok=True)

    def row(self, name: str) -> tuple[list[Row], list[Row]]:
        """What training and translating took, for each seed."""
        alone = name in SYSTEMS and SYSTEMS[name].weights is None
        seeds = 1 if alone else self.options.tunings
        if self.options.again:
            shutil.rmtree(self.work(name), ignore_errors=True)
        trained, translated = [], []
        for seed in range(1, seeds + 1):
            trained.append(self._trained(name, seed))
            translated.append(self._translated(name, seed, trained[-1]["asked"]))
        return trained, translated

    def marked(self, name: str) -> str:
        """What a row is made of beside its options: texts, the parser, and what the system of its name is."""
        system = json.dumps(SYSTEMS[name].stored(), sort_keys=True) if name in SYSTEMS else ""
        return short(f"{self.mark} {system}".encode())

    def work(self, name: str) -> Path:
        """Where a row's stages are kept. They know systems by name only, so one that was made otherwise has another place."""
        return self.place / "work" / f"{name}-{self.marked(name)}"

    def asked(self, name: str, seed: int) -> list[str]:
        """The options of a row that its model depends on."""
        kind = TREES if TREES in ROWS[name] else RULES
        given = []
        for one in self.options.set:
            row, colon, setting = one.partition(":")
            if colon and row in {*ROWS, TREES}:
                given += [setting] if row in {name, kind} else []
            elif all(kind == known for start, known in ONLY.items() if one.startswith(start)):
                given.append(one)
        if self.options.epochs is not None and name in SYSTEMS and SYSTEMS[name].epochs > 1:
            given.append(f"multitree.epochs={self.options.epochs}")
        # Synthetic sentences are few enough to be seen twice.
        force = ["--force"] if self.options.data == SYNTHETIC else []
        return [*ROWS[name], "--seed", str(seed), *(part for one in given for part in ("--set", one)), *force]

    def command(self, name: str, seed: int) -> list[str]:
        """What trains a row."""
        texts = self.texts
        parser = ["--parser", str(self.parser)] if TREES in ROWS[name] else []
        mono = ["--mono", str(texts.mono)] if texts.mono is not None else []
        return [
            *(sys.executable, "-m", "tolka", "train", *map(str, texts.train), *self.asked(name, seed), *parser),
            *("--dev", *map(str, texts.tune), *mono, "--threads", str(self.options.threads)),
            *("-o", str(self._model(name, seed)), "--work", str(self.work(name)), "--json", "-q"),
        ]

    def _model(self, name: str, seed: int) -> Path:
        return self.place / "models" / f"{name}-{seed}"

    def _trained(self, name: str, seed: int) -> Row:
        asked = [*self.asked(name, seed), self.marked(name)]
        path = self.results / f"{name}-{seed}.json"
        if (kept := self._kept(path, asked)) is not None:
            return kept
        work = self.work(name)
        before = work.exists()
        self._model(name, seed).parent.mkdir(exist_ok=True)
        said = path.with_suffix(".out")
        found = spend(self.command(name, seed), said)
        result = json.loads(said.read_bytes())
        said.unlink()
        stages, partial = stages_of(result["stages"], work)
        # Each stage counts its peak from the beginning, and the process has only the last one's.
        peaks = (stages[one["stage"]]["peak_megabytes"] or 0.0 for one in result["stages"] if not one["cached"])
        found["peak_megabytes"] = max(found["peak_megabytes"], *peaks)
        return write(
            path,
            {
                "asked": asked,
                "engine": self.engine,
                **found,
                # What was there before took its time then.
                "resumed": partial or (before and any(one["cached"] for one in result["stages"])),
                "stages": stages,
                "penalty": penalty_of(result["stages"]),
                **{key: result[key] for key in ("dev", "sizes", "weights", "notes")},
            },
        )

    def _translated(self, name: str, seed: int, asked: list[str]) -> Row:
        source, reference = self.texts.test
        text = self.results / f"{name}-{seed}.{reference.name}"
        path = text.with_suffix(f"{text.suffix}.json")
        if text.exists() and (kept := self._kept(path, asked)) is not None:
            return kept
        threads = ["--threads", str(self.options.threads)]
        command = [sys.executable, "-m", "tolka", "translate", str(self._model(name, seed)), *threads, "-q"]
        return write(path, {"asked": asked, "engine": self.engine, "text": text.name, **spend(command, text, source)})

    def _kept(self, path: Path, asked: list[str]) -> Row | None:
        """What an earlier run wrote, if it was asked for the same."""
        if self.options.again or not path.exists():
            return None
        kept: Row = json.loads(path.read_bytes())
        if kept["asked"] != asked:
            return None
        if kept["engine"] != self.engine:
            print(f"learn: {path.name} is kept from another build; --again makes it anew", file=sys.stderr, flush=True)
        return kept

    def described(self, found: dict[str, tuple[list[Row], list[Row]]]) -> list[Row]:
        """A line for each row."""
        references = lines_of(self.texts.test[1])
        judge = Judge(references, tokenised=False, threads=self.options.threads)
        tokeniser = SOURCES[self.options.data].tokeniser
        texts = {name: [lines_of(self.results / one["text"]) for one in said] for name, (_, said) in found.items()}
        scored = {name: Translations.read(own, references, tokeniser) for name, own in texts.items()}
        lines: dict[str, Row] = {}
        for name, (trained, translated) in found.items():
            first = {key: value for key, value in trained[0].items() if key not in {"asked", "weights"}}
            lines[name] = {
                "bench": "learn",
                "data": self.options.data,
                "pairs": self.texts.pairs,
                "test": len(references),
                "row": name,
                "options": trained[0]["asked"][:-1],
                "tunings": len(trained),
                **scored[name].scores(),
                "training": first,
                "translating": {key: translated[0][key] for key in ("seconds", "cpu_seconds", "peak_megabytes")},
            }
            others = dict.fromkeys((*BESIDE.get(name, ()), *ALWAYS))
            lines[name]["against"] = {
                other: scored[name].against(scored[other], judge)
                for other in others
                if other in scored and other != name
            }
        for line in lines.values():
            if PHRASE in lines:
                line["to_phrase"] = ratios(line, lines[PHRASE])
        return list(lines.values())


def spend(command: Sequence[str], output: Path, source: Path | None = None) -> dict[str, float]:
    """Run a command, its output into a file, and say what all of its process took."""
    print(f"learn: {' '.join(command[2:])}", file=sys.stderr, flush=True)
    told = output.with_name(f"{output.name}.spent")
    watched = [sys.executable, "-S", str(Path(__file__).with_name("spent.py")), str(told), *command]
    with output.open("wb") as out, (source or Path(os.devnull)).open("rb") as given:
        process = subprocess.Popen(watched, stdin=given, stdout=out)
        try:
            process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    spent: dict[str, float] = json.loads(told.read_bytes())
    told.unlink()
    return spent


def stages_of(stages: Sequence[Row], work: Path) -> tuple[dict[str, Row], bool]:
    """What each stage took when it was run, by the logs of the work directory; and whether one was stopped in between."""
    runs = sorted((work / "runs").glob("*.jsonl"), key=lambda path: int(path.stem))
    events = [json.loads(line) for path in runs for line in path.read_text(encoding="utf-8").splitlines()]
    ran = {event["key"]: event for event in events if event["event"] == "stage_end" and not event["cached"]}
    begun = [event["key"] for event in events if event["event"] == "stage_start" and not event["cached"]]
    ended = [event["key"] for event in events if event["event"] == "stage_end" and not event["cached"]]
    found: dict[str, Row] = {}
    for one in stages:
        cost = ran.get(one["key"], one)
        peak = cost["peak_rss_bytes"]
        found[one["stage"]] = {
            "seconds": cost["seconds"],
            "cpu_seconds": cost["cpu_seconds"],
            "peak_megabytes": None if peak is None else round(peak / MEGABYTE, 1),
        }
    return found, any(begun.count(one["key"]) > ended.count(one["key"]) for one in stages)


def penalty_of(stages: Sequence[Row]) -> Any:
    """The penalty of classifiers that was best on the tuning set, if one was chosen."""
    path = next((one["outputs"].get("tuning") for one in stages if "tuning" in one["outputs"]), None)
    return None if path is None else json.loads(Path(path).read_bytes()).get("penalty")


def short(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def write(path: Path, row: Row) -> Row:
    """As a whole or not at all."""
    fresh = path.with_suffix(".fresh")
    fresh.write_text(json.dumps(row), encoding="utf-8")
    fresh.replace(path)
    return row


if __name__ == "__main__":
    main()
