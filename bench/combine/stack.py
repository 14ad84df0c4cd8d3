"""Stacking against conventional training and what could explain its gain away: Razmara (2013), tables 4.2 to 4.4, figure 4.2.

Each line of output is one JSON object. For each setting there is a line a row: BLEU of the test set (mean, deviation and scores
of all tunings), differences to conventional training and to the same weights with all text, each with p of one test over all
tunings, and how many models it is of; then a line with the folds and the time.

The text is French and English of Europarl. `10k` has 10,000 pairs and 2,000 to tune on in 6 folds, `dev` these 2,000 alone in 8
(one of them is what conventional training tunes on there), `100k` ten times as much in 51 folds, every fifth of which makes a
model. The language model is of the same text, unless `--lm europarl` adds the English of all pairs that are not used otherwise.

The thesis's figures (fr-en, WMT05 sets, a language model of all of Europarl) are beside those of the same rows; they are of other
text, and only their differences can be compared.

    python bench/combine/stack.py --only 10k dev --tunings 3 --work /tmp/stack
    python bench/combine/stack.py --only 10k --pairs 1000 --dev 200 --test 200 --tunings 1
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import resource
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tolka.combine import StackSettings, stack
from tolka.corpus import CorpusFiles, Truecaser
from tolka.lm import LanguageModelTrainer
from tolka.translate import TextSettings, TextSteps

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data")) / "europarl-fr-en"
LANGS = ("fr", "en")


class Setting(NamedTuple):
    """How much text there is, and into how many folds it is divided."""

    pairs: int
    folds: int
    every: int = 1


SETTINGS = {"10k": Setting(10_000, 6), "dev": Setting(0, 8), "100k": Setting(100_000, 51, 5)}
# BLEU of the test set, Razmara (2013), tables 4.2 to 4.4 and figure 4.2: other text.
THESIS = {
    "10k": {
        "conventional": 28.75, "bma": 29.49, "mean": 28.92, "wsum": 29.87, "wmax": 29.78, "prod": 29.21,
        "switch:max": 29.69, "switch:sum": 29.59,
        "fixed-mean": 28.10, "fixed-wsum": 29.17, "fixed-wmax": 28.81, "fixed-prod": 28.46, "fixed-switch:max": 28.10,
        "fixed-switch:sum": 28.10,
        "without-mean": 28.03, "without-wsum": 29.20, "without-wmax": 28.88, "without-prod": 28.08,
        "without-switch:max": 27.97, "without-switch:sum": 28.20,
        "with-mean": 27.08, "with-wsum": 28.77, "with-wmax": 28.23, "with-prod": 27.73, "with-switch:max": 28.23,
        "with-switch:sum": 28.08,
    },
    "dev": {
        "resub": 18.08, "mean": 22.47, "wsum": 23.76, "wmax": 23.75, "prod": 23.78, "switch:max": 23.02,
        "switch:sum": 23.47,
    },
    "100k": {
        "conventional": 29.53, "bma": 29.75, "wsum": 34.00, "wmax": 34.07, "prod": 33.11, "switch:max": 34.05,
        "switch:sum": 33.96,
    },
}  # fmt: skip
# The thesis has no conventional training of a development set alone.
BASE = {"10k": "conventional", "dev": "mean", "100k": "conventional"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SETTINGS, default=["10k", "dev"])
    parser.add_argument("--rows", default="", help="rows to make, with commas; the usual ones by default")
    parser.add_argument("--folds", type=int, help="folds, in place of the setting's")
    parser.add_argument("--every", type=int, help="every so-manieth makes a model, in place of the setting's")
    parser.add_argument("--kind", choices=["hiero", "phrase"], default="hiero")
    parser.add_argument("--lm", choices=["own", "europarl"], default="own")
    parser.add_argument("--shared-lm", action="store_true", help="tune with language models that have seen the fold")
    parser.add_argument("--tunings", type=int, default=3)
    parser.add_argument("--pairs", type=int, help="pairs of the training text, at most")
    parser.add_argument("--dev", type=int, help="pairs of the development set, at most")
    parser.add_argument("--test", type=int, help="pairs of the test set, at most")
    parser.add_argument("--most", type=int, default=2000, help="pairs of a fold to tune on, at most")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--set", nargs="*", default=[], help="settings of stages, as table.key=value")
    parser.add_argument("--work", type=Path, help="keep what is made here, to go on from it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.only:
            bench(name, (options.work or Path(scratch)) / name, options)


def bench(name: str, place: Path, options: argparse.Namespace) -> None:
    setting = SETTINGS[name]
    place.mkdir(parents=True, exist_ok=True)
    pairs = least(setting.pairs, options.pairs)
    train = None if not pairs else CorpusFiles("train", *sample(place, "train", pairs))
    asked = StackSettings(
        dev=sample(place, "dev", options.dev),
        langs=LANGS,
        train=train,
        test=sample(place, "test", options.test),
        folds=options.folds or setting.folds,
        every=options.every or setting.every,
        compare=True,
        only=tuple(one for one in options.rows.split(",") if one),
        held_lm=not options.shared_lm,
        most=options.most,
        tunings=options.tunings,
        kind=options.kind,
        lm=other_lm(place, pairs, options.threads) if options.lm == "europarl" else None,
        threads=options.threads,
        overrides=tuple(options.set),
    )
    began, cpu = time.perf_counter(), cpu_seconds()
    done = stack(asked, place / "model")
    spent = {"seconds": round(time.perf_counter() - began, 1), "cpu_seconds": round(cpu_seconds() - cpu, 1)}
    setup = {"setting": name, "lm": options.lm, "held_lm": not options.shared_lm, "tunings": options.tunings}
    thesis = THESIS[name]
    for row in done.rows:
        line = {"bench": "stack", **setup, **row.to_json()}
        if row.name in thesis:
            line["thesis"] = {
                "bleu": thesis[row.name],
                "difference": round(thesis[row.name] - thesis[BASE[name]], 2),
                "to": BASE[name],
            }
        show(line)
    kept = {key: value for key, value in done.to_json().items() if key != "rows"}
    show({"bench": "stack", **setup, **kept, **spent})


def least(*numbers: int | None) -> int | None:
    return min((one for one in numbers if one is not None), default=None)


def lines_of(part: str, lang: str) -> list[str]:
    with lzma.open(DATA / f"{part}.{lang}.xz", "rt", encoding="utf-8", newline="\n") as text:
        return list(text)


def spread(whole: int, most: int | None) -> list[int]:
    """Numbers from all over."""
    wanted = whole if most is None else min(most, whole)
    return [at * whole // wanted for at in range(wanted)]


def sample(place: Path, part: str, most: int | None) -> tuple[Path, Path]:
    """Pairs from all over a text, as two files."""
    files = place / f"{part}.{LANGS[0]}", place / f"{part}.{LANGS[1]}"
    for path, lang in zip(files, LANGS, strict=True):
        lines = lines_of(part, lang)
        text = "".join(lines[at] for at in spread(len(lines), most))
        # What is there already stays, so that its times do.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8", newline="\n")
    return files


def other_lm(place: Path, pairs: int | None, threads: int) -> Path:
    """A language model of the English of all pairs that are not used otherwise, prepared as training does."""
    path = place / f"other-{pairs or 0}.tlm"
    if not path.exists():
        lines = lines_of("train", LANGS[1])
        used = set(spread(len(lines), pairs)) if pairs else set()
        # Truecasers differ little from one of a text a tenth as large.
        steps = TextSteps(LANGS[1], TextSettings(truecase=False, notation=True))
        words = steps.tokenise([line.rstrip("\n") for at, line in enumerate(lines) if at not in used])
        cased = Truecaser(language=LANGS[1]).train(words).truecase_lines(words)
        LanguageModelTrainer(order=5, threads=threads).train(cased).save(path)
    return path


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def show(result: dict) -> None:
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
