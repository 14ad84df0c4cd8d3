"""The stages that tune translators by multitrees: weights of statistics, or the penalty of classifiers."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from tolka.evaluate import evaluate
from tolka.multitree import MultitreeTranslator
from tolka.pipeline.stage import Settings, Threads, stage
from tolka.pipeline.stages.multitree import tuning_set
from tolka.train import defaults
from tolka.tune import Tuner

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tolka.multitree import PenaltyTuning
    from tolka.progress import Progress


class PenaltySettings(Settings):
    """By which metric the penalty is chosen, and on how many sentences of the development section at most."""

    metric: Literal["gtm", "gtm1", "bleu", "chrf", "chrf++", "nist"] = "gtm"
    most: int = Field(default=250, ge=1)
    threads: Threads = 0


@stage(
    "penalty", version=1, settings=PenaltySettings, inputs=("corpus", "multitrees", "brackets?"), outputs=("tuning",)
)
def penalty(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: PenaltySettings, progress: Progress
) -> None:
    """Choose the penalty of classifiers that translates the development section best."""
    sentences, references, trees = tuning_set(inputs, settings.most)
    translator = MultitreeTranslator.load(inputs["multitrees"], threads=settings.threads)

    def score(translations: list[str], references: list[str]) -> float:
        found = evaluate(translations, references, metrics=[settings.metric], tokenised=True, threads=settings.threads)
        return found.scores[0].score

    found = translator.tune(sentences, references, trees, score=score, metric=settings.metric, progress=progress)
    outputs["tuning"].write_text(json.dumps({**asdict(found), "history": _history(found)}), encoding="utf-8")


def _history(tuning: PenaltyTuning) -> list[dict[str, Any]]:
    """As reports of training read it."""
    return [{"restart": 0, "score": score, "penalty": penalty} for penalty, score in tuning.curve]


class StatisticsSettings(Settings):
    """How weights of statistics are tuned, see `tolka.tune.Tuner`.

    `nbest` translations of each sentence are compared, on `most` sentences of the development section.
    """

    tuner: Literal["pro", "mert", "mira"] = defaults.TREE_TUNE["tuner"]
    metric: Literal["bleu", "chrf", "chrf++", "ter"] = defaults.TREE_TUNE["metric"]
    iterations: int = Field(default=defaults.TREE_TUNE["iterations"], ge=0, le=1000)
    nbest: int = Field(default=defaults.TREE_TUNE["nbest"], ge=1, le=10_000)
    most: int = Field(default=defaults.TREE_TUNE["most"], ge=1)
    seed: int = Field(default=1, ge=0, lt=1 << 63)
    threads: Threads = 0


@stage(
    "statistics",
    version=1,
    settings=StatisticsSettings,
    inputs=("corpus", "multitrees", "lm", "brackets?"),
    outputs=("tuning",),
)
def statistics(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: StatisticsSettings, progress: Progress
) -> None:
    """Find the weights of statistics and the language model that translate the development section best."""
    sentences, references, trees = tuning_set(inputs, settings.most)
    translator = MultitreeTranslator.load(inputs["multitrees"], threads=settings.threads).with_language(inputs["lm"])
    found = translator.tune_weights(
        sentences,
        references,
        trees,
        tuner=Tuner(settings.tuner, metric=settings.metric, seed=settings.seed, threads=settings.threads),
        most=settings.nbest,
        iterations=settings.iterations,
        progress=progress,
    )
    text = json.dumps(asdict(found), ensure_ascii=False, allow_nan=False)
    outputs["tuning"].write_text(f"{text}\n", encoding="utf-8")
