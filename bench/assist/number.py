"""Number and gender of subjects: feature heads against the majority and the syntactic head, beside Mohammad (2012, 1.3).

Prints one JSON object a setting. English: subjects of GUM labelled by VBZ and VBP, in five folds, so that each model learns from
80 % as in the thesis, and GUM's own division (train, dev) and GENTLE; accuracy over all subjects, over those of more than one
word, and `clear`: without *I* and *you* alone. Others: subjects of Universal Dependencies in five folds. `p` is McNemar's exact
test against the syntactic head. `--save FILE` writes the model of English that tolka brings along.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scipy.stats import binomtest

from tolka.assist.number import FeatureHead, LeafTable, Majority, SyntacticHead, agreement, english_agreement
from tolka.syntax import Constituent, read_conllu, read_penn

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))
FOLDS = 5
NUMBER, GENDER = ("sing", "plur"), ("masc", "fem")
UD = {
    "de": ("de_gsd-ud-dev", "de_lit-ud-test", "pud/de_pud-ud-test"),
    "fr": ("fr_sequoia-ud-train", "fr_sequoia-ud-dev", "fr_sequoia-ud-test", "fr_gsd-ud-dev", "pud/fr_pud-ud-test"),
    "it": ("partut/it_partut-ud-train", "partut/it_partut-ud-dev", "it_isdt-ud-dev", "pud/it_pud-ud-test"),
}
BEST: dict[str, Any] = {"lexicalised": True, "smoothing": 1.0, "backoff": "endings"}
ABOUT = """The number of English noun phrases, for agreement; bench/assist/number.py --save writes this file.
Learned probabilities only, from the trees of the training part of GUM (Zeldes 2017, https://gucorpling.org/gum),
whose annotations are licensed CC BY 4.0."""
Example = tuple[Constituent, str]
Learner = Majority | SyntacticHead | FeatureHead


def learners(leaves: LeafTable, heads: Any, *, closed: bool = False) -> dict[str, Callable[[], Learner]]:
    given: dict[str, Any] = {"values": leaves.values, "leaves": leaves, "heads": heads}
    seeds = count(1)  # Another start in each fold.
    found: dict[str, Callable[[], Learner]] = {
        "majority": Majority,
        "syntactic head": lambda: SyntacticHead(leaves, heads),
        "EM, printed": lambda: FeatureHead(em="printed", **given),
        "EM, printed, random start": lambda: FeatureHead(em="printed", start="random", seed=next(seeds), **given),
        "EM, exact": lambda: FeatureHead(**given),
        "EM, exact, random start": lambda: FeatureHead(start="random", seed=next(seeds), **given),
        "EM, exact, smoothed": lambda: FeatureHead(smoothing=1, **given),
        "EM, lexicalised": lambda: FeatureHead(lexicalised=True, **given),
        "EM, lexicalised, smoothed": lambda: FeatureHead(**BEST, **given),
    }
    if closed:
        words = {**given, "leaves": LeafTable.load("english-words", "number")}
        found["EM, exact, closed classes given"] = lambda: FeatureHead(smoothing=1, **words)
        found["EM, lexicalised, smoothed, closed classes given"] = lambda: FeatureHead(**BEST, **words)
    return found


def hits(learner: Learner, train: list[Example], test: list[Example]) -> list[bool]:
    learner.train(train)
    return [learner.predict(tree) == value for tree, value in test]


def in_folds(make: Callable[[], Learner], examples: list[Example]) -> list[list[bool]]:
    order = list(range(len(examples)))
    random.Random(1).shuffle(order)  # noqa: S311 - folds, not secrets
    found = []
    for fold in range(FOLDS):
        test = order[fold::FOLDS]
        held = set(test)
        train = [example for number, example in enumerate(examples) if number not in held]
        found.append(hits(make(), train, [examples[number] for number in test]))
    return found


def percent(right: list[bool]) -> float:
    return round(100 * sum(right) / max(len(right), 1), 2)


def mcnemar(right: list[bool], other: list[bool]) -> float:
    won = sum(a > b for a, b in zip(right, other, strict=True))
    lost = sum(a < b for a, b in zip(right, other, strict=True))
    return float(f"{binomtest(won, won + lost).pvalue:.2g}") if won + lost else 1.0


def compared(task: str, examples: list[Example], kinds: dict[str, Callable[[], Learner]]) -> None:
    base: list[bool] = []
    for name, make in kinds.items():
        begin = time.process_time()
        folds = in_folds(make, examples)
        right = [one for fold in folds for one in fold]
        if name == "syntactic head":
            base = right
        shares = [percent(fold) for fold in folds]
        row: dict[str, object] = {"task": task, "model": name, "examples": len(examples), "accuracy": percent(right)}
        row |= {"lowest": min(shares), "highest": max(shares)}
        if base:
            row["p"] = mcnemar(right, base)
        print(json.dumps(row | {"cpu_seconds": round(time.process_time() - begin, 1)}), flush=True)


def divided(
    task: str, train: list[Example], tests: dict[str, list[Example]], kinds: dict[str, Callable[[], Learner]]
) -> None:
    base: dict[str, list[bool]] = {}
    for name, make in kinds.items():
        learner = make().train(train)
        for part, test in tests.items():
            right = [learner.predict(tree) == value for tree, value in test]
            if name == "syntactic head":
                base[part] = right
            row: dict[str, object] = {"task": task, "test": part, "model": name, "examples": len(test)}
            row["accuracy"] = percent(right)
            if part in base:
                row["p"] = mcnemar(right, base[part])
            print(json.dumps(row), flush=True)


def gum(part: str, *, persons: bool) -> list[Example]:
    return list(english_agreement(read_penn(DATA / "gum-const" / f"{part}.ptb.xz"), persons=persons))


def several(examples: list[Example]) -> list[Example]:
    return [(tree, value) for tree, value in examples if len(tree.leaves()) > 1]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--save", type=Path, help="where the model of English goes; nothing else is done")
    arguments.add_argument("--languages", nargs="*", default=["en", *UD])
    given = arguments.parse_args()
    if given.save:
        leaves = LeafTable.load("english-words", "number")
        FeatureHead(**BEST, leaves=leaves, least=3).train(gum("train", persons=False)).save(given.save, comment=ABOUT)
        return
    for language in given.languages:
        if language == "en":
            table = LeafTable.load("english", "number")
            # The thesis's labels make *I* a plural, which a list of pronouns contradicts.
            for what, persons in (("", True), (", clear", False)):
                kinds = learners(table, "collins", closed=not persons)
                train, *tests = (gum(part, persons=persons) for part in ("train", "dev", "gentle"))
                compared(f"number, en{what}", train, kinds)
                divided(f"number, en{what}", train, {"dev": tests[0], "gentle": tests[1]}, kinds)
            train, *tests = (several(gum(part, persons=True)) for part in ("train", "dev", "gentle"))
            kinds = learners(table, "collins", closed=True)
            compared("number, en, several words", train, kinds)
            divided("number, en, several words", train, {"dev": tests[0], "gentle": tests[1]}, kinds)
            continue
        files = (DATA / "ud-treebanks" / f"{name}.conllu.xz" for name in UD[language])
        # Treebanks share sentences; one must not be learnt from and asked for.
        trees = list({tree.forms: tree for file in files for tree in read_conllu(file)}.values())
        for feature, values in (("Number", NUMBER), ("Gender", GENDER)):
            examples = list(agreement(trees, feature, values))
            if not examples:
                continue
            kinds = learners(LeafTable.of_feats(feature, values), "words")
            compared(f"{feature.lower()}, {language}", examples, kinds)
            compared(f"{feature.lower()}, {language}, several words", several(examples), kinds)


if __name__ == "__main__":
    main()
