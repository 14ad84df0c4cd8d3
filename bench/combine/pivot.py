"""Triangulation against direct translation and what could explain its gain away: Razmara (2013), table 3.2.

Each line of output is one JSON object. For each setting there is a line a row: BLEU of the test set (mean, deviation and scores of all
tunings) and its difference to `direct` with p of one test over all tunings; then a line with the differences of `ensemble` to all
rows, a line with unknown words of the test set on each path, lines with the
rules that the test set can use and with what composing takes, and one with the CPU of translating by a table, composed while decoding, and directly.

| row | what it is |
|---|---|
| `direct` | trained on the little direct text there is |
| `direct-again` | its weights tuned a second time from where they are, as those of ways are: what comes from more tuning |
| `direct-seeds` | an ensemble of as many models as `ensemble` has, all direct, tuned by other seeds: what comes from ensembles |
| `via-P` | through one pivot, composed while decoding, tuned on the development set; `legs-P` has the legs' weights instead |
| `sum-P`, `max-P` | the same by a table of sums or maxima of products |
| `mixture` | the mean of all pivots' tables of sums, then mixed with the direct table by EM, then tuned (the thesis's baseline) |
| `ensemble` | all ways and the direct model, as `tolka combine triangulate` makes it |
| `ways` | the same without the direct model |
| `wmax`, `switch:max`, `prod` | the same with this operation instead of `wsum`; `wsum-equal` and so on have equal lambdas |
| `auto` | the same with the operation that is best with equal lambdas on the development set |
| `cascade-P-N` | the legs one after the other, with the N best translations into the pivot |

All models into the target have one language model, of all target text that is no development or test text, so that none of the
gain is its. Legs are trained on other sentences than the direct text unless `--parallel` is given, and the two legs of a pivot on other
sentences than each other. Lines that share a side with the development or test set are left out.

    python bench/combine/pivot.py --only multi30k --pairs 1000 --keep /tmp/pivot --table pivot.md
    python bench/combine/pivot.py --only multi30k --pairs 300 --legs 1000 --dev 50 --test 50 --tunings 1 --evaluations 3
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
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tolka.align import Aligner
from tolka.combine import (
    Cascade,
    EnsembleTuneSettings,
    combine_ways,
    coverage,
    dev_pairs,
    make_through,
    mixture_weights,
)
from tolka.combine.scores import Judge
from tolka.combine.tuning import OPERATIONS
from tolka.corpus import Truecaser
from tolka.decode.mixture import Mixture
from tolka.grammar import Grammar, compose_tables, filter_grammar, join_tables
from tolka.lm import LanguageModelTrainer
from tolka.pipeline.training import TrainSettings, train
from tolka.train import TuneSettings, tune_translator
from tolka.translate import TextSettings, TextSteps, Translator
from tolka.translate.bundle import open_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))
DIRECT, TARGET_LM = "direct", "target.tlm"
BLOCKS = 3
"""Multi-parallel text is divided so: one part for the direct text, two for legs."""

Pair = tuple[str, str]


class Setting(NamedTuple):
    """Where texts are. `{lang}` stands for the language; legs of their own have a folder for each pair of languages."""

    langs: Pair
    pivots: tuple[str, ...]
    train: str
    dev: str
    test: str
    legs: str | None = None
    names: Mapping[str, str] = MappingProxyType({})
    """What languages are called for tokenisers, where files have other names."""


SETTINGS = {
    "multi30k": Setting(
        ("de", "fr"),
        ("en", "cs"),
        "multi30k/raw/train.{lang}",
        "multi30k/raw/val.{lang}",
        "multi30k/raw/test_2016_flickr.{lang}",
    ),
    "libreoffice": Setting(
        ("de", "fr"),
        ("en", "cs", "it"),
        "libreoffice-l10n/multiway/train.help.{lang}",
        "libreoffice-l10n/multiway/dev.{lang}",
        "libreoffice-l10n/multiway/test.{lang}",
    ),
    "seed": Setting(
        ("fur_Latn", "srd_Latn"),
        ("eng_Latn", "szl_Latn"),
        "nllb-seed/train.{lang}",
        "nllb-seed/dev.{lang}",
        "nllb-seed/test.{lang}",
        names={"fur_Latn": "fur", "srd_Latn": "srd", "eng_Latn": "en", "szl_Latn": "szl"},
    ),
    "tatoeba": Setting(
        ("de", "fr"),
        ("en",),
        "tatoeba/de-fr/dev.{lang}",
        "tatoeba/de-fr/dev.{lang}",
        "tatoeba/de-fr/test.{lang}",
        legs="tatoeba/{pair}/train.{lang}",
    ),
}
# BLEU of the thesis's German to French (table 3.2): other text.
THESIS = {"via-en": 13.62, "direct": 17.37, "mixture": 18.28, "wmax": 18.22, "ensemble": 17.98, "switch:max": 17.70}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SETTINGS, default=["multi30k"])
    parser.add_argument("--rows", default="", help="rows to make, with commas; the usual ones by default")
    parser.add_argument("--kind", choices=["hiero", "phrase"], default="hiero")
    parser.add_argument("--pairs", type=int, default=1000, help="pairs of the direct text")
    parser.add_argument("--legs", type=int, default=10_000, help="pairs of each leg, at most")
    parser.add_argument(
        "--parallel", action="store_true", help="let legs be of the same sentences as the direct text, and all of them"
    )
    parser.add_argument("--dev", type=int, default=300, help="pairs of the development set, at most")
    parser.add_argument("--test", type=int, default=1000, help="pairs of the test set, at most")
    parser.add_argument("--tunings", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=10, help="of tuning features, at most")
    parser.add_argument("--evaluations", type=int, default=20, help="decodings of each search for lambdas, at most")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--set", nargs="*", default=[], help="settings of stages of training, as table.key=value")
    parser.add_argument("--keep", type=Path, help="keep what is made here, to go on from it")
    parser.add_argument("--table", type=Path, help="a file for the figures in Markdown")
    parser.add_argument("--compose", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.compose:
        show(composing(*map(Path, options.compose)))
        return
    told: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.only:
            called = [name, options.kind, options.pairs, options.legs, *(["parallel"] if options.parallel else [])]
            place = (options.keep or Path(scratch)) / "-".join(map(str, called))
            told += table(name, list(Bench(name, place, options).run()))
    if options.table is not None:
        options.table.write_text("\n".join(told) + "\n", encoding="utf-8")


class Bench:
    """One setting: its texts, its models, and what they translate; all of it is made when it is first asked for."""

    def __init__(self, name: str, place: Path, options: argparse.Namespace) -> None:
        self.name, self.setting, self.place, self.options = name, SETTINGS[name], place, options
        place.mkdir(parents=True, exist_ok=True)
        self.check()
        self.source, self.target = self.setting.langs
        self.texts = Texts(self.setting, options)
        self.dev, self.test = self.texts.dev, self.texts.test
        self.lines = [source for source, _ in self.test]
        self.tuning = {"threads": options.threads}

    def check(self) -> None:
        """Refuse what was made with other settings; rows and tunings may be others."""
        free = {"only", "rows", "tunings", "threads", "keep", "table", "compose"}
        own = json.dumps({name: value for name, value in sorted(vars(self.options).items()) if name not in free})
        path = self.place / "settings.json"
        if path.exists() and path.read_text(encoding="utf-8") != own:
            sys.exit(f"{self.place} was made with {path.read_text(encoding='utf-8')}")
        path.write_text(own, encoding="utf-8")

    def run(self) -> Iterator[dict[str, Any]]:
        """All rows, and what else is measured."""
        judge = Judge([target for _, target in self.test], tokenised=False)
        base, all_found = None, {}
        for row in self.rows():
            tunings = 1 if row.startswith(("legs-", "cascade-")) else self.options.tunings
            found = judge.statistics([self.translated(row, seed) for seed in range(1, tunings + 1)])
            base, all_found[row] = base or found, found
            measured = judge.measure(found)
            line = {
                **self.said(),
                "row": row,
                "bleu": round(measured.mean, 2),
                "deviation": round(measured.deviation, 2),
                "scores": [round(one, 2) for one in measured.scores],
            }
            if row != DIRECT:
                # With one tuning it is compared with one.
                difference, p = judge.compare(found, base[: len(found)])
                line |= {"difference": round(difference, 2), "p": round(p, 4)}
            yield show(line)
        if whole := all_found.get("ensemble"):
            others = {
                row: judge.compare(whole[: len(one)], one[: len(whole)])
                for row, one in all_found.items()
                if one is not whole
            }
            against = {row: {"difference": round(found, 2), "p": round(p, 4)} for row, (found, p) in others.items()}
            yield show({**self.said(), "ensemble against": against})
        yield show({**self.said(), "unknown": self.unknown(), "pairs": self.texts.sizes()})
        yield show({**self.said(), "rules for the test set": self.rules_for_test()})
        yield show({**self.said(), "composing": [self.composed(pivot) for pivot in self.setting.pivots]})
        yield show({**self.said(), "cpu": self.cpu()})

    def said(self) -> dict[str, Any]:
        """What every line says."""
        return {"bench": "pivot", "setting": self.name, "kind": self.options.kind, "parallel": self.options.parallel}

    def rows(self) -> list[str]:
        """The rows that are made."""
        if self.options.rows:
            return [DIRECT, *(row for row in self.options.rows.split(",") if row != DIRECT)]
        pivots = self.setting.pivots
        alone = [f"{kind}-{pivot}" for kind in ("via", "legs", "sum", "max") for pivot in pivots]
        cascades = [f"cascade-{pivots[0]}-{most}" for most in (1, 15)]
        rest = ["direct-again", "direct-seeds", "mixture", "ensemble", "wmax", "switch:max", "auto"]
        return [DIRECT, *alone, *rest, *cascades]

    def translated(self, row: str, seed: int) -> list[str]:
        """The test set as one of a row's tunings translates it."""
        path = self.place / "out" / f"{row.replace(':', '-')}.{seed}"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            if row.startswith("cascade-"):
                _, pivot, most = row.split("-")
                legs = [Translator.load(leg) for leg in self.legs(pivot)]
                found = Cascade(*legs, nbest=int(most)).translate(self.lines, **self.tuning)
            else:
                found = Translator.load(self.model(row, seed)).translate(self.lines, **self.tuning)
            write(path, found)
        return path.read_text(encoding="utf-8").split("\n")[:-1]

    def model(self, row: str, seed: int) -> Path:
        """The model of a row."""
        path = self.place / "models" / f"{row.replace(':', '-')}.{seed}"
        if (path / "model.toml").exists():
            return path
        path.parent.mkdir(exist_ok=True)
        began = time.perf_counter()
        kind, _, pivot = row.partition("-")
        if row == DIRECT:
            self.tuned(self.trained(DIRECT, self.texts.direct, self.setting.langs), path, seed, fresh=True)
        elif row == "direct-again":
            self.tuned(self.model(DIRECT, seed), path, seed + 100)
        elif kind == "legs":
            make_through(self.legs(pivot), path)
        elif kind in {"via", "sum", "max"} and pivot in self.setting.pivots:
            with tempfile.TemporaryDirectory(dir=self.place) as folder:
                make_through(self.legs(pivot), Path(folder) / "way", how="dynamic" if kind == "via" else kind)
                self.tuned(Path(folder) / "way", path, seed)
        elif row == "mixture":
            self.mixture(path, seed)
        else:
            self.ensemble(row, path, seed)
        print(f"{path.name}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
        return path

    def tuned(self, model: Path, path: Path, seed: int, *, fresh: bool = False) -> None:
        """Tune a model on the development set, and save it elsewhere."""
        how = TuneSettings(fresh=fresh, seed=seed, iterations=self.options.iterations)
        sources, targets = map(list, zip(*self.dev, strict=True))
        made, _ = tune_translator(Translator.load(model), sources, targets, how, **self.tuning)
        made.save(path)

    def ensemble(self, row: str, path: Path, seed: int) -> None:
        """Make an ensemble, and find what its parts count."""
        ways = {f"via-{pivot}": self.model(f"via-{pivot}", seed) for pivot in self.setting.pivots}
        parts = {DIRECT: self.model(DIRECT, seed), **ways}
        if row == "ways":
            parts = ways
        elif row == "direct-seeds":
            parts = {
                f"seed{at}": self.model(DIRECT, (seed - 1 + at) % max(3, len(parts)) + 1) for at in range(len(parts))
            }
        operation = row.removesuffix("-equal") if row.removesuffix("-equal") in OPERATIONS else "wsum"
        with tempfile.TemporaryDirectory(dir=self.place) as folder:
            whole = Path(folder) / "whole"
            some = OPERATIONS if row == "auto" else ()
            how = EnsembleTuneSettings(
                some,
                scheme="uniform" if row.endswith("-equal") else "auto",
                starts=1,
                evaluations=self.options.evaluations,
                seed=seed,
            )
            mixture = Mixture(operation=operation)  # type: ignore[arg-type]  # one of OPERATIONS
            _, told = combine_ways(parts, whole, dev=self.dev, mixture=mixture, settings=how, **self.tuning)
            weights = {name: round(float(weight), 4) for name, weight in told.mixture.weights.items()}
            print(f"{path.name}: {told.mixture.operation} {weights} dev {told.score:.2f}", file=sys.stderr, flush=True)
            whole.rename(path)

    def mixture(self, path: Path, seed: int) -> None:
        """The mean of the pivots' tables, then what EM says of the direct table and that."""
        table = self.place / "mixture.tbl"
        # Tables through pivots have probabilities only.
        model = self.trained("direct-plain", self.texts.direct, self.setting.langs, ["grammar.indicators=false"])
        opened = open_model(model)
        direct = Grammar.load(next(iter(opened.files.grammars.values())))
        if not table.exists():
            both = self.place / "pivots.tbl"
            tables = {pivot: self.static(pivot) for pivot in self.setting.pivots}
            if len(tables) > 1:
                join_tables(tables, both, threads=self.options.threads)
            else:
                both = self.static(self.setting.pivots[0])
            translator = Translator.load(model)
            text = [
                translator.prepare_pairs(*map(list, zip(*pairs, strict=True)))
                for pairs in (self.texts.direct, self.dev)
            ]
            words = [one + other for one, other in zip(*text, strict=True)]
            links = Aligner("hmm").train(zip(*words, strict=True)).lines()[len(text[0][0]) :]
            rules = dev_pairs(*text[1], links, self.place / "dev.tbl", self.options.kind)
            joined = {DIRECT: direct, "pivots": Grammar.load(both)}
            found = mixture_weights(rules, joined)
            print(f"mixture: {found.weights}", file=sys.stderr, flush=True)
            join_tables(joined, table, weights=found.weights, threads=self.options.threads)
        files = replace(opened.files, grammars={"grammar": table})
        with tempfile.TemporaryDirectory(dir=self.place) as folder:
            Translator(opened.description, files, opened.weights, stages=["mixture"]).save(Path(folder) / "mixed")
            self.tuned(Path(folder) / "mixed", path, seed)

    def static(self, pivot: str) -> Path:
        """The table of sums through a pivot."""
        path = self.place / f"sum-{pivot}.tbl"
        if not path.exists():
            tables = [next(iter(open_model(leg).files.grammars.values())) for leg in self.legs(pivot)]
            compose_tables(*tables, path, recased=True, threads=self.options.threads)
        return path

    def legs(self, pivot: str) -> tuple[Path, Path]:
        """The two models of a pivot."""
        first, second = (self.source, pivot), (pivot, self.target)
        return (
            self.trained(f"{first[0]}-{first[1]}", self.texts.leg(*first), first),
            self.trained(f"{second[0]}-{second[1]}", self.texts.leg(*second), second),
        )

    def trained(self, name: str, pairs: list[Pair], langs: Pair, more: Sequence[str] = ()) -> Path:
        """A model that is trained, and tuned on the development set of its languages."""
        path = self.place / "trained" / name
        if (path / "model.toml").exists():
            return path
        path.parent.mkdir(exist_ok=True)
        began = time.perf_counter()
        called = self.setting.names
        dev = self.texts.leg_dev(*langs) if langs != self.setting.langs else self.dev
        asked = TrainSettings(
            *self.files(name, pairs, langs),
            langs=(called.get(langs[0], langs[0]), called.get(langs[1], langs[1])),
            dev=self.files(f"{name}.dev", dev, langs),
            kind=self.options.kind,
            lm=self.target_lm() if langs[1] == self.target else None,
            threads=self.options.threads,
            overrides=(f"tune.iterations={self.options.iterations}", *more, *self.options.set),
            force=True,
        )
        train(asked, path)
        print(f"{name}: {len(pairs):,} pairs, {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
        return path

    def files(self, name: str, pairs: list[Pair], langs: Pair) -> tuple[Path, Path]:
        """Pairs as two files."""
        (self.place / "text").mkdir(exist_ok=True)
        paths = [self.place / "text" / f"{name}.{lang}" for lang in langs]
        for path, side in zip(paths, zip(*pairs, strict=True), strict=True):
            write(path, side)
        return paths[0], paths[1]

    def target_lm(self) -> Path:
        """One language model for all models into the target language."""
        path = self.place / TARGET_LM
        if not path.exists():
            sides = [target for _, target in self.texts.direct]
            sides += [target for pivot in self.setting.pivots for _, target in self.texts.leg(pivot, self.target)]
            called = self.setting.names.get(self.target, self.target)
            steps = TextSteps(called, TextSettings(truecase=False, notation=True))
            words = steps.tokenise(list(dict.fromkeys(sides)))
            cased = Truecaser(language=called).train(words).truecase_lines(words)
            LanguageModelTrainer(order=5, threads=self.options.threads).train(cased).save(path)
        return path

    def unknown(self) -> dict[str, Any]:
        """Words of the test set that each path does not know."""
        models = {DIRECT: Translator.load(self.model(DIRECT, 1))}
        for pivot in self.setting.pivots:
            models[f"via-{pivot}"] = Translator.load(self.model(f"via-{pivot}", 1))
        found = coverage(models, self.lines, threads=self.options.threads)
        for pivot in self.setting.pivots:
            name = f"{self.source}-{pivot}"
            found[name] = coverage({name: Translator.load(self.legs(pivot)[0])}, self.lines)[name]
        return {
            name: {"types": [one.unknown_types, one.types], "tokens": [one.unknown_tokens, one.tokens]}
            for name, one in found.items()
        }

    def composed(self, pivot: str) -> dict[str, Any]:
        """What composing a table of sums takes, in a process of its own."""
        tables = [next(iter(open_model(leg).files.grammars.values())) for leg in self.legs(pivot)]
        with tempfile.TemporaryDirectory(dir=self.place) as folder:
            command = [sys.executable, __file__, "--compose", *map(str, tables), str(Path(folder) / "made.tbl")]
            told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            kept = self.kept(self.legs(pivot)[0], Path(folder) / "made.tbl")
        return {"pivot": pivot, **json.loads(told), "rules_for_test": kept}

    def rules_for_test(self) -> dict[str, int]:
        """Rules of the direct table and of first legs that the test set can use; those of composed tables are told beside them."""
        models = [self.model(DIRECT, 1), *(self.legs(pivot)[0] for pivot in self.setting.pivots)]
        names = [DIRECT, *(f"{self.source}-{pivot}" for pivot in self.setting.pivots)]
        return {name: self.kept(model) for name, model in zip(names, models, strict=True)}

    def kept(self, model: Path, table: Path | None = None) -> int:
        """Rules of a table that the test set can use, as a model prepares it; of its own table if none is given."""
        lines = Translator.load(model).source.prepare(self.lines, threads=self.options.threads)
        grammar = Grammar.load(table or next(iter(open_model(model).files.grammars.values())))
        with tempfile.TemporaryDirectory(dir=self.place) as folder:
            return len(filter_grammar(grammar, lines, Path(folder) / "kept.tbl"))

    def cpu(self) -> dict[str, float]:
        """CPU seconds of translating by each, in turn, with one thread."""
        pivot = self.setting.pivots[0]
        lines = self.lines[:300]
        models = {name: Translator.load(self.model(name, 1)) for name in (DIRECT, f"sum-{pivot}", f"via-{pivot}")}
        spent = dict.fromkeys(models, float("inf"))
        for _ in range(2):
            for name, model in models.items():
                began = time.process_time()
                model.translate(lines, threads=1)
                spent[name] = min(spent[name], time.process_time() - began)
        ratio = spent[f"via-{pivot}"] / spent[f"sum-{pivot}"]
        return {**{name: round(own, 2) for name, own in spent.items()}, "dynamic / static": round(ratio, 2)}


class Texts:
    """The texts of a setting, without what is in its development or test set."""

    def __init__(self, setting: Setting, options: argparse.Namespace) -> None:
        self.setting, self.options = setting, options
        self.langs = (*setting.langs, *setting.pivots)
        known = self.langs if setting.legs is None else setting.langs
        self.read: Callable[[str, str], list[str]] = cache(lambda form, lang: lines_of(form.format(lang=lang)))
        dev = spread(len(self.read(setting.dev, setting.langs[0])), None)
        if setting.legs is not None:
            # The only direct text is a development set.
            self.direct_rows, dev = dev[: options.pairs], dev[options.pairs :]
            self.leg_rows = []
        else:
            whole = self.fresh(known)
            blocks = [whole[at::BLOCKS] for at in range(BLOCKS)]
            self.direct_rows = thin(whole if options.parallel else blocks[0], options.pairs)
            self.leg_rows = [thin(whole if options.parallel else one, options.legs) for one in blocks[1:]]
        # Legs of their own have development sets of their own.
        self.dev_rows = thin(dev if setting.legs is not None else dev[::2], options.dev)
        self.leg_dev_rows = thin(dev[1::2], options.dev)
        self.test_rows = spread(len(self.read(setting.test, setting.langs[0])), options.test)
        self.direct = self.pairs(setting.train, self.direct_rows, setting.langs)
        self.dev = self.pairs(setting.dev, self.dev_rows, setting.langs)
        self.test = self.pairs(setting.test, self.test_rows, setting.langs)

    def fresh(self, langs: Sequence[str]) -> list[int]:
        """Lines that share no side with the development or the test set."""
        form = self.setting
        used = {lang: {*self.read(form.dev, lang), *self.read_test(lang)} for lang in langs}
        rows = zip(*(self.read(form.train, lang) for lang in langs), strict=True)
        seen: set[str] = set()
        kept = []
        for at, row in enumerate(rows):
            # A line that is there twice would be in two blocks.
            if row[0] in seen or any(side in used[lang] for side, lang in zip(row, langs, strict=True)):
                continue
            seen.add(row[0])
            kept.append(at)
        return kept

    def read_test(self, lang: str) -> list[str]:
        """Not every test set has all pivots."""
        path = DATA / f"{self.setting.test.format(lang=lang)}.xz"
        return self.read(self.setting.test, lang) if path.exists() else []

    def pairs(self, form: str, rows: Sequence[int], langs: Pair) -> list[Pair]:
        """Lines of a text in two languages."""
        sides = [self.read(form, lang) for lang in langs]
        return [(sides[0][at], sides[1][at]) for at in rows]

    def leg(self, first: str, second: str) -> list[Pair]:
        """The text of a leg: the two of a pivot are of different blocks, and so are those that begin or end alike."""
        if self.setting.legs is not None:
            return self.own_leg("train", first, second)
        at = self.setting.pivots.index(second if first == self.setting.langs[0] else first)
        is_second = second == self.setting.langs[1]
        return self.pairs(self.setting.train, self.leg_rows[(at + is_second) % len(self.leg_rows)], (first, second))

    def leg_dev(self, first: str, second: str) -> list[Pair]:
        """What a leg is tuned on."""
        if self.setting.legs is not None:
            return thin(self.own_leg("dev", first, second), self.options.dev)
        return self.pairs(self.setting.dev, self.leg_dev_rows, (first, second))

    def own_leg(self, part: str, first: str, second: str) -> list[Pair]:
        """Pairs of a folder of the two languages, without sentences of the test and the development set."""
        folder = "-".join(sorted((first, second), key=lambda lang: lang != self.setting.pivots[0]))
        form = (self.setting.legs or "").replace("train", part).replace("{pair}", folder)
        sides = [self.read(form, lang) for lang in (first, second)]
        own = {
            lang: {*self.read(self.setting.dev, lang), *self.read(self.setting.test, lang)}
            for lang in self.setting.langs
        }
        none: set[str] = set()
        bad = [own.get(lang, none) for lang in (first, second)]
        rows = [pair for pair in zip(*sides, strict=True) if pair[0] not in bad[0] and pair[1] not in bad[1]]
        return thin(rows, self.options.legs)

    def sizes(self) -> dict[str, int]:
        """Pairs of each text, and source lines that are in the direct text and in a first leg."""
        source, target = self.setting.langs
        direct = {one for one, _ in self.direct}
        found = {"direct": len(self.direct), "dev": len(self.dev), "test": len(self.test)}
        for pivot in self.setting.pivots:
            legs = self.leg(source, pivot), self.leg(pivot, target)
            found |= {f"{source}-{pivot}": len(legs[0]), f"{pivot}-{target}": len(legs[1])}
            found[f"{pivot} in both legs"] = len({other for _, other in legs[0]} & {one for one, _ in legs[1]})
            found[f"{source} in direct and {source}-{pivot}"] = len(direct & {one for one, _ in legs[0]})
        return found


def composing(first: Path, second: Path, out: Path) -> dict[str, Any]:
    began, cpu = time.perf_counter(), time.process_time()
    made = compose_tables(first, second, out, recased=True)
    return {
        "rules": made.rules,
        "ways": made.ways,
        "of": [len(Grammar.load(one)) for one in (first, second)],
        "seconds": round(time.perf_counter() - began, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
        "peak_mb": peak() >> 10,
        "mb": out.stat().st_size >> 20,
    }


def peak() -> int:
    """Kilobytes at most, with what is mapped. What getrusage says begins with the size of whoever started the process."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


def table(name: str, lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The rows in Markdown, the thesis's figures beside them."""
    yield f"| {name} | BLEU (each) | difference to direct (p) | thesis, de-fr |"
    yield "|---|---|---|---|"
    for line in lines:
        if "row" not in line:
            continue
        each = f"{line['bleu']:.2f} ({' '.join(f'{one:.2f}' for one in line['scores'])})"
        beside = f"{line['difference']:+.2f} ({line['p']:.4f})" if "p" in line else ""
        yield f"| {line['row']} | {each} | {beside} | {THESIS.get(line['row'], '')} |"
    yield ""
    unknown = next(line["unknown"] for line in lines if "unknown" in line)
    yield "| path | unknown types | unknown tokens |"
    yield "|---|---|---|"
    for path, own in unknown.items():
        yield f"| {path} | {own['types'][0]} of {own['types'][1]} | {own['tokens'][0]} of {own['tokens'][1]} |"
    yield ""


def thin(items: Sequence[Any], most: int | None) -> list[Any]:
    """Items from all over."""
    return [items[at] for at in spread(len(items), most)]


def spread(whole: int, most: int | None) -> list[int]:
    wanted = whole if most is None else min(most, whole)
    return [at * whole // wanted for at in range(wanted)]


def lines_of(name: str) -> list[str]:
    with lzma.open(DATA / f"{name}.xz", "rt", encoding="utf-8", newline="\n") as text:
        return [line.rstrip("\n") for line in text]


def write(path: Path, lines: Sequence[str]) -> None:
    """What is there already stays, so that its times do."""
    text = "".join(f"{line}\n" for line in lines)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8", newline="\n")


def show(result: dict[str, Any]) -> dict[str, Any]:
    print(json.dumps(result), flush=True)
    return result


if __name__ == "__main__":
    main()
