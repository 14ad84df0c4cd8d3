"""What each default of `tolka train` is worth: from a textbook system to the default one, a step at a time.

The textbook system aligns with a reparametrised IBM model 2, counts phrase pairs without smoothing and splits no
compounds. Each line of output is one JSON object: a step with everything before it, and test BLEU as a mean of several
tunings, with the gain over the textbook system. The figures of a step are comparable within one run only.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import sacrebleu
from run import SETS, TOLKA, run, show, unpack

PLAIN = {"align.model": "diagonal", "grammar.smoothing": "none", "grammar.indicators": "false"}
# What is taken back of PLAIN, one after the other; compounds have an option of their own.
STEPS = ("textbook", "align.model", "grammar.smoothing", "grammar.indicators", "compounds")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SETS, default=["multi30k-tok", "mafand"])
    parser.add_argument("--kinds", nargs="+", choices=["hiero", "phrase"], default=["phrase", "hiero"])
    parser.add_argument("--tunings", type=int, default=3)
    parser.add_argument("--ends", action="store_true", help="the first and the last step only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.only:
            texts = unpack(name, Path(scratch))
            for kind in options.kinds:
                climb(name, kind, texts, Path(scratch), options)


def climb(name: str, kind: str, texts: dict[str, Path], work: Path, options: argparse.Namespace) -> None:
    plain = dict(PLAIN)
    first = None
    for step in STEPS:
        plain.pop(step, None)
        if options.ends and step not in {STEPS[0], STEPS[-1]}:
            continue
        flags = [] if step == "compounds" else ["--no-compounds"]
        found = [
            test(name, kind, texts, work, flags, {**plain, "tune.seed": seed + 1}) for seed in range(options.tunings)
        ]
        mean = statistics.fmean(found)
        first = mean if first is None else first
        show({"set": name, "kind": kind, "step": step, "test": round(mean, 2), "gain": round(mean - first, 2)})


def test(name: str, kind: str, texts: dict[str, Path], work: Path, flags: list[str], settings: dict) -> float:
    _, source, target, _, tokenised = SETS[name]
    sides = [[texts[f"{part}-source"], texts[f"{part}-target"]] for part in ("train", "dev")]
    model = work / f"{name}-{kind}"
    command = [*TOLKA, "train", *sides[0], "--dev", *sides[1], "--langs", source, target, "-o", model]
    command += ["--kind", kind, "--json", "--quiet", *(["--tokenised"] if tokenised else []), *flags]
    run([*command, *(part for key, value in settings.items() for part in ("--set", f"{key}={value}"))])
    child = [sys.executable, Path(__file__).with_name("run.py"), "--child", model, texts["test-source"], "1"]
    lines = run(child)[0]["translations"]
    references = texts["test-target"].read_text(encoding="utf-8").split("\n")[:-1]
    return sacrebleu.corpus_bleu(lines, [references], tokenize="none" if tokenised else "13a", force=True).score


if __name__ == "__main__":
    main()
