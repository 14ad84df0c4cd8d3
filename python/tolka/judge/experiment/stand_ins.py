"""Experiments on free data that stands in for the thesis's own."""

from __future__ import annotations

import tempfile
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tolka.judge.experiment.reproduce import Experiment, Finding, SkippedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tolka.judge.experiment.reproduce import Setting

# Where the text is: tokenised German and English, and gold alignments of the same languages.
TEXT = "multi30k/tok-lc"
GOLD = "gold-alignments/de-en.europarl100"
JUDGED = tuple(
    (f"wmt13 {pair}", f"wmt-judgements/wmt13/preferences.{pair}.csv", f"wmt-judgements/wmt13/outputs.{pair}.tsv")
    for pair in ("cs-en", "de-en", "es-en", "fr-en")
)
_PAIRS = 20_000  # of text to train an aligner on


def _lines(path: Path, most: int | None = None) -> list[str]:
    from tolka.corpus import read_lines  # noqa: PLC0415

    return list(islice(read_lines(path), most))


def information_curve(setting: Setting) -> list[Finding]:
    """BLEU of a text of whose information so much is left; the thesis prints nats per word of its own text."""
    from tolka.judge.experiment.surprisal import surprisal_curve  # noqa: PLC0415

    training = setting.file(f"{TEXT}/train.en")
    text = _lines(setting.file(f"{TEXT}/val.en"), setting.lines)
    points = sorted(surprisal_curve(_lines(training), text, seed=setting.seed), key=lambda point: point.information)
    whole = points[-1].information
    shares = np.array([point.information / whole for point in points])
    found = []
    for nats, bleu in ((3.5, 0.28), (5.5, 0.52), (7.6, 0.82), (10.0, 1.0)):
        for name in ("bleu", "control"):
            ours = float(np.interp(nats / 10, shares, [getattr(point, name) for point in points])) / 100
            what = f"BLEU with {nats / 10:.0%} of the information left"
            found.append(
                Finding(what, ours, bleu, printed=True)
                if name == "bleu"
                else Finding(f"{what}, words lost at random", ours)
            )
    return [*found, Finding("nats per word of the whole text", whole, 10.0, printed=True)]


def language_model_weight(setting: Setting) -> list[Finding]:
    """The weight of the language model that BLEU asks for, and those that stand-in readers prefer."""
    from tolka.judge.experiment.sweep import READERS, preferred, readers_answers, sweep  # noqa: PLC0415
    from tolka.translate import Translator  # noqa: PLC0415

    def run(model: Path, source: list[str], reference: list[str]) -> list[Finding]:
        found = sweep(Translator.load(model), source, reference, threads=setting.threads)
        at_one = next(point for point in found.points if point.alpha == 1)
        rows = [
            Finding("alpha after tuning to BLEU (2 to 2.5 there)", found.tuned, 2.25, printed=True),
            Finding("alpha with the best BLEU", found.best.alpha, 2.25, printed=True),
            Finding("BLEU lost by the alpha of Bayes, 1", found.best.bleu - at_one.bleu),
        ]
        for reader in READERS:
            answers = readers_answers(found, reference, reader, seed=setting.seed)
            rows.append(Finding(f"alpha that a made-up reader for {reader} prefers", preferred(answers, found)[1]))
        return rows

    return _translating(setting, run)


def language_model_data(setting: Setting) -> list[Finding]:
    """BLEU by the text of the language model: does every doubling pay?"""
    from tolka.evaluate import evaluate  # noqa: PLC0415
    from tolka.lm import LanguageModel  # noqa: PLC0415
    from tolka.translate import Translator  # noqa: PLC0415

    text = _lines(setting.file(f"{TEXT}/train.en"))

    def run(model: Path, source: list[str], reference: list[str]) -> list[Finding]:
        scores = []
        sizes = [len(text) >> halved for halved in (4, 3, 2, 1, 0)]
        with tempfile.TemporaryDirectory() as folder:
            for size in sizes:
                path = Path(folder) / f"{size}.tlm"
                LanguageModel.train(text[:size], order=3).save(path)
                translator = Translator.load(model, lm=path)
                outputs = translator.translate(source, threads=setting.threads)
                tokenised = translator.description.text.tokenised
                scores.append(evaluate(outputs, reference, ["bleu"], tokenised=tokenised)["bleu"].score)
        gains = np.diff(scores)
        rows = [Finding(f"BLEU with {size:,} lines", score) for size, score in zip(sizes, scores, strict=True)]
        return [
            *rows,
            Finding("share of doublings that raise BLEU", float((gains > 0).mean()), 1.0, printed=True),
            Finding("BLEU gained by a doubling, mean", float(gains.mean())),
        ]

    return _translating(setting, run)


def _translating(setting: Setting, run: Callable[[Path, list[str], list[str]], list[Finding]]) -> list[Finding]:
    """Run with the model that was given, or with a small one trained for it, on lines that it has not seen."""
    source = _lines(setting.file(f"{TEXT}/test_2016_flickr.de"), setting.lines)
    reference = _lines(setting.file(f"{TEXT}/test_2016_flickr.en"), setting.lines)
    if setting.model is not None:
        return run(setting.model, source, reference)
    if setting.train is None:
        raise SkippedError("needs a translation model (--model)")
    train, dev = ((setting.file(f"{TEXT}/{part}.de"), setting.file(f"{TEXT}/{part}.en")) for part in ("train", "val"))
    return run(setting.train(train, dev, setting.seed), source, reference)


def correlation(setting: Setting) -> list[Finding]:
    """CLAIRE and BLEU beside a ranking by people that neither has seen; with all answers, and with 200 ($20)."""
    from tolka.judge.exchange import read_answers  # noqa: PLC0415
    from tolka.judge.experiment.correlation import correlations, read_outputs  # noqa: PLC0415

    found: list[Finding] = []
    for name, answers, outputs in JUDGED:
        try:
            said, table = setting.file(answers), setting.file(outputs)
        except SkippedError:
            continue
        reference, systems = read_outputs(table)
        by = {
            one.by: one.mean
            for one in correlations(
                read_answers(said, "preferences"),
                outputs=systems,
                reference=reference,
                metrics=["bleu"],
                budgets=[200],
                runs=min(setting.runs, 5),
                seed=setting.seed,
            )
        }
        found.append(Finding(f"{name}: Spearman of CLAIRE", by["claire"].spearman, 0.643))
        if "claire 200" in by:
            found.append(Finding(f"{name}: Spearman of CLAIRE, 200 answers", by["claire 200"].spearman, 0.643))
        found.append(Finding(f"{name}: Spearman of BLEU", by["bleu"].spearman, 0.107))
    if not found:
        setting.file(JUDGED[0][1])  # says what is missing
        setting.file(JUDGED[0][2])
    return found


def budget(setting: Setting) -> list[Finding]:
    """How right a ranking of real systems is after the 200 answers that $20 buy, chosen or not."""
    from tolka.judge.ask import Pool, replay  # noqa: PLC0415
    from tolka.judge.exchange import read_answers  # noqa: PLC0415

    name, answers, _ = JUDGED[0]
    pool = Pool(read_answers(setting.file(answers), "preferences"))
    most = min(200, len(pool.answers))
    done = replay(
        pool, ["random", "information", "order"], budget=most, runs=setting.runs, at=[most], seed=setting.seed
    )
    return [
        Finding(f"{name}: Kendall of {curve.strategy} after {most} answers", float(curve.tau[:, -1].mean()))
        for curve in done.curves
    ]


def aligner(setting: Setting) -> list[Finding]:
    """Alignment errors of Model 2 with and without the Gaussian; the thesis has BLEU alone and finds no difference."""
    from tolka.align import Aligner, alignment_error_rate, read_gold  # noqa: PLC0415

    gold = read_gold(setting.file(f"{GOLD}.align"))
    sides = [_lines(setting.file(f"{GOLD}.{lang}")) for lang in ("de", "en")]
    more = [_lines(setting.file(f"{TEXT}/train.{lang}"), _PAIRS) for lang in ("de", "en")]
    sides = [[*side, *extra] for side, extra in zip(sides, more, strict=True)]
    pairs = [(one.lower(), other.lower()) for one, other in zip(*sides, strict=True)]
    rates = {}
    for model in ("ibm2", "gauss"):
        links = Aligner(model=model, seed=setting.seed, threads=setting.threads).train(pairs).align(pairs[: len(gold)])
        rates[model] = alignment_error_rate(links, gold).aer
    return [
        Finding("alignment error rate of Model 2", rates["ibm2"]),
        Finding("alignment error rate with the Gaussian", rates["gauss"]),
        Finding("the Gaussian's less Model 2's (no difference, in BLEU, there)", rates["gauss"] - rates["ibm2"], 0.0),
    ]


def _not_here(what: str) -> Callable[[Setting], list[Finding]]:
    def run(_: Setting) -> list[Finding]:
        raise SkippedError(what)

    return run


ON_DATA = (
    Experiment("information-curve", "table 3.1", "a text without its information", information_curve),
    Experiment("lm-weight", "3.1.3", "how much the language model should count", language_model_weight),
    Experiment("lm-data", "3.1.6", "more text for the language model", language_model_data),
    Experiment("correlation", "3.5", "CLAIRE and BLEU beside people", correlation),
    Experiment("budget", "3.5", "what $20 buy", budget),
    Experiment("aligner", "appendix D", "the Gaussian aligner", aligner),
    Experiment(
        "rule-based", "3.1.1, 3.1.2", "Systran, Pharaoh, a hybrid", _not_here("the systems of 2006 cannot be had")
    ),
    Experiment("parsing", "1.4", "questions about parses", _not_here("tolka has no assisted parsing yet")),
    Experiment("word-senses", "2.4", "questions about senses", _not_here("tolka has no assisted word senses yet")),
)
