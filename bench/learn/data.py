"""The texts that `run.py` trains and tests on, and the parser of English that goes with them."""

from __future__ import annotations

import hashlib
import lzma
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tolka.corpus import read_lines
from tolka.syntax import ConstituencyParser, read_penn

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))
SEED = 1
"""Of the sample: smaller ones begin larger ones."""
TUNING = 250
LONGEST, RATIO = 35, 2
"""White space has fewer words than a tokeniser: 35 of them are about 40 of its own."""
SYNTHETIC = "synthetic"
SYNTHETIC_TEST = 1000
"""As many are always made, since the training text depends on it."""


class Source(NamedTuple):
    """Where a data set comes from.

    Attributes:
        folder: Its folder.
        langs: From which language to which.
        fair: Whether long pairs, and those one side of which has more than twice the words of the other, are left out.
        mono: Lines of other training text in the target language whose n-grams are counted, at most.
        tokeniser: What metrics tokenise with; 13a does not know the full stop of Hindi.
        table: The table of the thesis beside which results are put.
    """

    folder: str
    langs: tuple[str, str]
    fair: bool = True
    mono: int = 100_000
    tokeniser: str = "13a"
    table: str = "5.2"


SOURCES = {
    "europarl": Source("europarl-fr-en", ("en", "fr")),
    "tatoeba": Source("tatoeba/en-de", ("en", "de")),
    # All there is of it is training text, as in the thesis.
    "hindi": Source("tatoeba/en-hi", ("en", "hi"), fair=False, mono=0, tokeniser="intl", table="5.3"),
    SYNTHETIC: Source("", ("en", "fr")),
}


class Texts(NamedTuple):
    """Files of one size of a data set; source first."""

    train: tuple[Path, Path]
    tune: tuple[Path, Path]
    test: tuple[Path, Path]
    mono: Path | None
    pairs: int

    def mark(self, parser: Path) -> str:
        """What a model that was trained on them with this parser can be recognised by."""
        files = (*self.train, *self.tune, *(() if self.mono is None else (self.mono,)), parser)
        digest = hashlib.sha256()
        for path in files:
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()[:16]


def texts_of(name: str, pairs: int, test: int, place: Path) -> Texts:
    """Write the texts of a data set, unless they are there.

    Args:
        name: The data set.
        pairs: How many pairs are trained on, at most.
        test: How many are tested on, the first ones.
        place: The directory they go to.
    """
    place.mkdir(parents=True, exist_ok=True)
    return _synthetic(pairs, test, place) if name == SYNTHETIC else _sampled(SOURCES[name], pairs, test, place)


def _sampled(source: Source, pairs: int, test: int, place: Path) -> Texts:
    whole = list(zip(*(_lines(source.folder, "train", lang) for lang in source.langs), strict=True))
    order = list(range(len(whole)))
    random.Random(SEED).shuffle(order)  # noqa: S311 - a sample, not a secret
    # An empty side is dropped by any training, and such pairs are not those that were asked for.
    usable = (at for at in order if all(whole[at]) and (not source.fair or _fair(*whole[at])))
    chosen = [at for at, _ in zip(usable, range(pairs), strict=False)]
    train = _write_pair(place, "train", source.langs, [whole[at] for at in chosen])
    used, known = set(chosen), {whole[at][1] for at in chosen}
    # From the other end, so that it is the same text for all sizes.
    other = (whole[at][1] for at in reversed(order) if at not in used and whole[at][1] not in known)
    mono = [line for line, _ in zip(other, range(source.mono), strict=False)]
    return Texts(
        train,
        _part(place, "tune", source, "dev", TUNING),
        _part(place, f"test-{test}", source, "test", test),
        _write(place / f"mono.{source.langs[1]}", mono) if mono else None,
        len(chosen),
    )


def _synthetic(pairs: int, test: int, place: Path) -> Texts:
    if test > SYNTHETIC_TEST:
        raise SystemExit(f"learn: there are {SYNTHETIC_TEST} synthetic test sentences")
    made, langs = place / "synthetic", SOURCES[SYNTHETIC].langs
    if not (made / "train.en-fr.multitrees").exists():
        sizes = ["--pairs", pairs, "--dev", TUNING, "--test", SYNTHETIC_TEST, "--seed", SEED]
        command = [sys.executable, "-m", "tolka", "corpus", "synth", "--multitrees", *map(str, sizes)]
        subprocess.run([*command, "-o", made, "--force", "-q"], check=True, stdout=subprocess.DEVNULL)
    sides = [list(read_lines(made / f"test.{lang}"))[:test] for lang in langs]
    tested = _write_pair(place, f"test-{test}", langs, list(zip(*sides, strict=True)))
    return Texts(_both(made, "train", langs), _both(made, "dev", langs), tested, made / f"mono.{langs[1]}", pairs)


def parser_of(name: str, place: Path, keep: Path) -> Path:
    """Train a parser of English, unless it is there: on GUM's training trees, or on those of the synthetic training text.

    Args:
        name: The data set.
        place: The directory of its texts.
        keep: The directory of all data sets.
    """
    synthetic = name == SYNTHETIC
    path = place / "synthetic.parser" if synthetic else keep / "english.parser"
    if not path.exists():
        bank = place / "synthetic" / "train.en.penn" if synthetic else DATA / "gum-const" / "train.ptb.xz"
        print(f"learn: training a parser on {bank.name}", file=sys.stderr, flush=True)
        ConstituencyParser().train(list(read_penn(bank))).save(path)
    return path


def _fair(source: str, target: str) -> bool:
    one, other = len(source.split()), len(target.split())
    return max(one, other) <= min(LONGEST, RATIO * min(one, other))


def _lines(folder: str, part: str, lang: str) -> list[str]:
    with lzma.open(DATA / folder / f"{part}.{lang}.xz", "rt", encoding="utf-8", newline="\n") as text:
        return [line.rstrip("\n") for line in text]


def _part(place: Path, name: str, source: Source, part: str, most: int) -> tuple[Path, Path]:
    sides = [_lines(source.folder, part, lang)[:most] for lang in source.langs]
    return _write_pair(place, name, source.langs, list(zip(*sides, strict=True)))


def _write_pair(place: Path, name: str, langs: tuple[str, str], pairs: list[tuple[str, str]]) -> tuple[Path, Path]:
    source, target = _both(place, name, langs)
    return _write(source, [one for one, _ in pairs]), _write(target, [other for _, other in pairs])


def _both(place: Path, name: str, langs: tuple[str, str]) -> tuple[Path, Path]:
    return place / f"{name}.{langs[0]}", place / f"{name}.{langs[1]}"


def _write(path: Path, lines: list[str]) -> Path:
    """What is there already stays, so that its times do."""
    text = "".join(f"{line}\n" for line in lines)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8", newline="\n")
    return path
