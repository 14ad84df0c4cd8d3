"""Ways to adapt to a domain, compared: the rows of Razmara (2013), tables 2.2 and 2.3, and what else there is.

Each line of output is one JSON object. For each setting there is a line a row: BLEU of the development and the test set (mean,
deviation and scores of all tunings), differences to concatenation and to the linear mixture with p of one test over all
tunings, and rules; then a line with what was kept. The setting with five domains has in each row also the test set of each
domain by itself, with the difference to concatenation on it and its p: a single system has to serve them all.

`--held` takes the test set from pairs of the domain's training text that nothing was trained on: as many as are needed to tell
systems apart, and a set by which none was ever chosen.

The thesis's figures (fr-en, EMEA and Europarl, Hiero) are beside those of the same rows; they are of other text, and only
their differences to concatenation can be compared.

    python bench/combine/adapt.py --only fr-en --tunings 3 --work /tmp/adapt
    python bench/combine/adapt.py --pairs 2000 --dev 100 --test 100 --starts 1 --evaluations 4
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

from tolka.combine import Adaptation, AdaptSettings, adapt
from tolka.combine.scores import Judge
from tolka.corpus import CorpusFiles

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))


class Domain(NamedTuple):
    """A text: its name, its folder, and how much of it is used."""

    name: str
    folder: str
    pairs: int


class Setting(NamedTuple):
    """What is adapted to what. With `everywhere`, dev and test sets are those of all domains together."""

    langs: tuple[str, str]
    inside: Domain
    outside: tuple[Domain, ...]
    everywhere: bool = False


SETTINGS = {
    "fr-en": Setting(
        ("fr", "en"), Domain("in", "manpages-l10n/en-fr", 5000), (Domain("out", "europarl-fr-en", 60_000),)
    ),
    "de-en": Setting(("de", "en"), Domain("in", "debian-ddtp/en-de", 5000), (Domain("out", "tatoeba/en-de", 160_000),)),
    "five": Setting(
        ("de", "en"),
        Domain("in", "gnome-user-docs/en-de", 3000),
        (
            Domain("talk", "tatoeba/en-de", 40_000),
            Domain("manuals", "manpages-l10n/en-de", 5000),
            Domain("packages", "debian-ddtp/en-de", 5000),
            Domain("fiction", "wesnoth-l10n/en-de", 5000),
        ),
        everywhere=True,
    ),
}
# BLEU of the test set, Razmara (2013), tables 2.2 and 2.3: other text.
THESIS = {
    "in": 33.69, "out": 25.32, "concatenation": 33.76, "linear": 35.57, "wmax": 35.39, "wmax-tuned": 35.47,
    "wsum": 35.35, "wsum-tuned": 35.53, "switch:max": 35.93, "switch:max-tuned": 35.96, "switch:sum": 34.90,
    "switch:sum-tuned": 34.72, "prod": 33.93, "prod-tuned": 35.24,
}  # fmt: skip
BASE = "concatenation"
EACH_DEV, EACH_TEST = 150, 250
"""Pairs of each domain, where sets are those of all domains."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SETTINGS, default=[*SETTINGS])
    parser.add_argument("--rows", default="", help="rows to make, with commas; all by default")
    parser.add_argument("--parts", default="", help="rows that ensembles are made of, with commas")
    parser.add_argument("--kind", choices=["hiero", "phrase"], default="hiero")
    parser.add_argument("--lm", choices=["all", "mixed"], default="all")
    parser.add_argument("--scale", choices=["auto", "l1", "lm", "none"], default="auto")
    parser.add_argument("--scheme", choices=["auto", "joint", "pairwise", "expected"], default="auto")
    parser.add_argument("--tunings", type=int, default=3)
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--evaluations", type=int)
    parser.add_argument("--pairs", type=int, help="pairs of each text, at most")
    parser.add_argument("--dev", type=int, help="pairs of the development set, at most")
    parser.add_argument("--test", type=int, help="pairs of the test set, at most")
    parser.add_argument("--held", type=int, help="test on so many pairs of the training text that are not trained on")
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
    domains = (setting.inside, *setting.outside)
    texts = {
        one.name: sample(place, one.name, setting.langs, [(one.folder, "train", least(one.pairs, options.pairs))])
        for one in domains
    }
    sets = {}
    for part, most, each in (("dev", options.dev, EACH_DEV), ("test", options.test, EACH_TEST)):
        some = [(one.folder, part, least(each, most)) for one in domains]
        wanted = some if setting.everywhere else [(setting.inside.folder, part, most)]
        sets[part] = sample(place, part, setting.langs, wanted)
    if options.held and not setting.everywhere:
        sets["test"] = hold_out(place, setting, least(setting.inside.pairs, options.pairs), options.held)
    asked = AdaptSettings(
        CorpusFiles("in", *texts["in"]),
        tuple(CorpusFiles(one.name, *texts[one.name]) for one in setting.outside),
        sets["dev"],
        sets["test"],
        setting.langs,
        only=listed(options.rows),
        parts=listed(options.parts),
        tunings=options.tunings,
        kind=options.kind,
        lm=options.lm,
        scheme=options.scheme,
        starts=options.starts,
        evaluations=options.evaluations,
        scale=options.scale,
        threads=options.threads,
        overrides=tuple(options.set),
        # Some translations of one project are in another, and the sets are what they are.
        force=True,
    )
    began, cpu = time.perf_counter(), cpu_seconds()
    done = adapt(asked, place / "model")
    spent = {"seconds": round(time.perf_counter() - began, 1), "cpu_seconds": round(cpu_seconds() - cpu, 1)}
    references = sets["test"][1].read_text(encoding="utf-8").split("\n")[:-1]
    counts = [count(one.folder, "test", setting.langs[1], least(EACH_TEST, options.test)) for one in domains]
    for row in done.rows:
        line = {"bench": "adapt", "setting": name, **row.to_json()}
        if row.name in THESIS and not setting.everywhere:
            line["thesis"] = {"bleu": THESIS[row.name], "difference": round(THESIS[row.name] - THESIS[BASE], 2)}
        if setting.everywhere:
            line["domains"] = by_domain(done, row.name, [one.name for one in domains], counts, references)
        show(line)
    kept = {name: value for name, value in done.to_json().items() if name != "rows"}
    show({"bench": "adapt", "setting": name, "tunings": options.tunings, **kept, **spent})


def by_domain(done: Adaptation, row: str, names: list[str], counts: list[int], references: list[str]) -> dict:
    """Scores of each domain's part of the test set."""
    found, begin = {}, 0
    for name, many in zip(names, counts, strict=True):
        part = slice(begin, begin + many)
        begin += many
        judge = Judge(references[part], tokenised=False)
        own = judge.statistics([text[part] for text in done[row].translations])
        said = {"bleu": round(judge.measure(own).mean, 3)}
        if row != BASE and any(one.name == BASE for one in done.rows):
            base = judge.statistics([text[part] for text in done[BASE].translations])
            difference, p = judge.compare(own, base)
            said |= {"difference": round(difference, 3), "p": p}
        found[name] = said
    return found


def least(*numbers: int | None) -> int | None:
    return min((one for one in numbers if one is not None), default=None)


def listed(text: str) -> tuple[str, ...]:
    return tuple(one for one in text.split(",") if one)


def lines_of(folder: str, part: str, lang: str, most: int | None) -> list[str]:
    with lzma.open(DATA / folder / f"{part}.{lang}.xz", "rt", encoding="utf-8", newline="\n") as text:
        whole = list(text)
    wanted = len(whole) if most is None else min(most, len(whole))
    return [whole[at * len(whole) // wanted] for at in range(wanted)]


def count(folder: str, part: str, lang: str, most: int | None) -> int:
    return len(lines_of(folder, part, lang, most))


def sample(
    place: Path, name: str, langs: tuple[str, str], wanted: list[tuple[str, str, int | None]]
) -> tuple[Path, Path]:
    """Pairs from all over texts, as two files."""
    files = place / f"{name}.{langs[0]}", place / f"{name}.{langs[1]}"
    for path, lang in zip(files, langs, strict=True):
        write(path, "".join(line for folder, part, most in wanted for line in lines_of(folder, part, lang, most)))
    return files


def write(path: Path, text: str) -> None:
    """What is there already stays, so that its times do."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8", newline="\n")


def hold_out(place: Path, setting: Setting, trained: int | None, most: int) -> tuple[Path, Path]:
    """Pairs of the domain's training text that are not trained on, and neither side of which is."""
    langs, folder = setting.langs, setting.inside.folder
    whole = [lines_of(folder, "train", lang, None) for lang in langs]
    used = [{*lines_of(folder, "train", lang, trained), *lines_of(folder, "dev", lang, None)} for lang in langs]
    free = [
        pair for pair in zip(*whole, strict=True) if not any(one in own for one, own in zip(pair, used, strict=True))
    ]
    wanted = min(most, len(free))
    files = place / f"held.{langs[0]}", place / f"held.{langs[1]}"
    for side, path in enumerate(files):
        write(path, "".join(free[at * len(free) // wanted][side] for at in range(wanted)))
    return files


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def show(result: dict) -> None:
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
