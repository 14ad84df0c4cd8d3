"""What people who know only the source language give a translator by choosing between words (Mohammad 2012, chapter 2).

A phrase model is trained on Tatoeba, German to English, and its search graphs are calibrated on sentences that it was neither
trained nor tuned on; simulated people then answer questions about test sentences. Each line of output is one JSON object:

- `model`: pairs, and the scale of scores: calibrated, and the one that is guessed without references;
- `reliability`: translations of words by their probability, and how often they were right;
- `asking`: BLEU and the share of changed sentences after 1, 2 and 4 questions for each sentence, by who answers (an oracle that
  sees the reference and believes in the model's table, one that sees it and has a dictionary of its own, both with errors, a
  coin), by how questions are chosen, and by `variant`, what answers mean,
  and how many are `taken` for mistakes;
- `budget`: the same after so many questions over all sentences, the most informative first, or by chance;
- `time`: milliseconds for a sentence's graph and first question, and for an answer and the next question.

Both oracles see the reference that BLEU compares with, which favours them: what choosing questions is worth is the difference to
random questions with the same oracle. `thesis` is what the thesis reports, with people and on other text: +0.4 BLEU, 4 % changed.

    python bench/assist/senses.py --keep /tmp/senses
    python bench/assist/senses.py --pairs 5000 --sentences 100 --only asking
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import tempfile
import time
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolka.assist.senses import (
    STRATEGIES,
    LexiconUser,
    NoisyUser,
    ReferenceUser,
    SenseModel,
    SenseSimulation,
    User,
    budget,
    calibrate,
    simulate_senses,
)
from tolka.combine.oov import read_lexicon
from tolka.pipeline import TrainSettings, train
from tolka.translate import Translator

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))
PARTS = ("asking", "variants", "time")
THESIS = {"gain": 0.4, "changed": 0.04}
BUDGETS = (25, 50, 100, 200, 400, 800)
# How many answers are taken for mistakes.
BELIEVED = (0.0, 0.1, 0.2, 0.3, 0.4)
VARIANTS: dict[str, dict[str, Any]] = {
    "words alone": {"exact": True},
    "the thesis": {"exact": True, "errors": 0.0, "scale": 1.0},
    "substitutes of a thesaurus": {"thesaurus": DATA / "lexicons/thesaurus.de.dat.xz"},
    "scale 1": {"scale": 1.0},
}


def lines(name: str, lang: str, first: int, last: int) -> list[str]:
    with lzma.open(DATA / "tatoeba/en-de" / f"{name}.{lang}.xz", "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for at, line in enumerate(file) if first <= at < last]


def trained(work: Path, pairs: int) -> Path:
    """The model; on the first half of the development set it is tuned."""
    model = work / f"de-en-{pairs}"
    if not (model / "model.toml").exists():
        for name, count in (("train", pairs), ("dev", 1000)):
            for lang in ("de", "en"):
                text = "".join(f"{line}\n" for line in lines(name, lang, 0, count))
                (work / f"{name}.{lang}").write_text(text, encoding="utf-8")
        settings = TrainSettings(
            work / "train.de",
            work / "train.en",
            ("de", "en"),
            kind="phrase",
            dev=(work / "dev.de", work / "dev.en"),
        )
        train(settings, model, threads=1)
    return model


def row(found: SenseSimulation, **about: Any) -> dict[str, Any]:
    curve = [asdict(one) for one in found.curve if one.questions in {1, 2, 4}]
    return {**about, "before": round(found.before, 2), "curve": [_rounded(one) for one in curve], "thesis": THESIS}


def _rounded(one: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in one.items()}


def users(pairs: tuple[tuple[str, str], ...]) -> dict[str, User]:
    reference, lexicon = ReferenceUser(), LexiconUser(pairs)
    made: dict[str, User] = {"reference": reference, "lexicon": lexicon}
    for share in (0.1, 0.2, 0.3):
        made[f"reference, errors {share:.0%}"] = NoisyUser(reference, share)
        made[f"lexicon, errors {share:.0%}"] = NoisyUser(lexicon, share)
    # Right as often as wrong.
    made["coin"] = NoisyUser(reference, 0.5)
    return made


def show(kind: str, **row: Any) -> None:
    print(json.dumps({"kind": kind, **row}, ensure_ascii=False), flush=True)


def measure(model: SenseModel, options: argparse.Namespace) -> None:
    sources, references = (lines("test", lang, 0, options.sentences) for lang in ("de", "en"))
    made = users(read_lexicon(DATA / "lexicons/ding.de-en.txt.xz", langs=("de", "en")).pairs)

    def asked(own: SenseModel, user: str, **settings: Any) -> SenseSimulation:
        return simulate_senses(own, sources, references, user=made[user], **settings)

    for name in ("reference", "lexicon") if "asking" in options.only else ():
        for strategy in STRATEGIES:
            found = asked(model, name, strategy=strategy)
            show("asking", user=name, strategy=strategy, **row(found))
            for one in budget(found, references, BUDGETS):
                show("budget", user=name, strategy=strategy, **_rounded(asdict(one)), thesis=THESIS)
    if "variants" in options.only:
        vary(model, made, asked)
    if "time" in options.only:
        timed(model, sources)


def vary(model: SenseModel, made: dict[str, User], asked: Callable[[SenseModel, str], SenseSimulation]) -> None:
    """How far answers are believed, who answers, and what answers mean."""
    for errors in BELIEVED:
        believing = SenseModel(model.translator, scale=model.scale, errors=errors)
        for user in (name for name in made if name.startswith("reference")):
            show("asking", user=user, strategy="information", taken=errors, **row(asked(believing, user)))
    for user in (name for name in list(made)[2:] if not name.startswith("reference")):
        show("asking", user=user, strategy="information", **row(asked(model, user)))
    for name, settings in VARIANTS.items():
        other = SenseModel(model.translator, **{"scale": model.scale, **settings})
        show("asking", user="reference", strategy="information", variant=name, **row(asked(other, "reference")))


def timed(model: SenseModel, sources: list[str]) -> None:
    """On one thread; restoring text is part of it."""
    begun = time.process_time()
    dialogues = list(model.dialogues(sources))
    first = time.process_time() - begun
    begun, answers = time.process_time(), 0
    for dialogue in dialogues:
        while (question := dialogue.question) is not None and answers < len(sources):
            dialogue.answer(question.id, 0)
            answers += 1
    each = (time.process_time() - begun) / max(1, answers)
    sizes = sorted(len(dialogue.graph) for dialogue in dialogues if dialogue.graph is not None)
    show(
        "time",
        ms_to_first_question=round(1e3 * first / len(sources), 2),
        ms_an_answer=round(1e3 * each, 2),
        edges={"median": sizes[len(sizes) // 2], "most": sizes[-1]},
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=60_000)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--model", type=Path, help="a model trained before, in place of a new one")
    parser.add_argument("--keep", type=Path, help="a folder for the model, which is found there again")
    options = parser.parse_args()
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
    folder = tempfile.TemporaryDirectory() if options.keep is None else nullcontext(str(options.keep))
    with folder as work:
        path = options.model or trained(Path(work), options.pairs)
        model = SenseModel(Translator.load(path))
        found = calibrate(model, lines("dev", "de", 1000, 2000), lines("dev", "en", 1000, 2000))
        show(
            "model",
            model=options.model.name if options.model else options.pairs,
            scale=round(found.scale, 5),
            guessed=round(model.scale, 5),
            loss=round(found.loss, 4),
            loss_at_1=round(found.loss_before, 4),
            error=round(found.error, 4),
            words=found.phrases,
        )
        for at_1, bins in ((False, found.bins), (True, found.bins_before)):
            for one in bins:
                show("reliability", scale=1.0 if at_1 else round(found.scale, 5), **_rounded(asdict(one)))
        measure(model.with_scale(found.scale), options)


if __name__ == "__main__":
    main()
