"""The stage that makes the language model of the target side."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from tolka.lm import LanguageModel, LanguageModelTrainer, mix_lms, tune_weights
from tolka.pipeline.stage import InputFile, Settings, Threads, stage
from tolka.pipeline.stages.layout import TRAIN, CorpusDirectory
from tolka.train import defaults

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tolka.progress import Progress


class LmSettings(Settings):
    """What model is estimated, see `tolka.lm.LanguageModelTrainer`; or the one to take instead."""

    order: int = Field(default=defaults.LM["order"], ge=1, le=8)
    smoothing: Literal["kneser-ney", "witten-bell"] = defaults.LM["smoothing"]
    prune: tuple[int, ...] = ()
    file: InputFile | None = None
    threads: Threads = 0


@stage("lm", version=2, settings=LmSettings, inputs=("corpus", "mono?"), outputs=("lm", "lm_origin"))
def lm(inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: LmSettings, progress: Progress) -> None:
    """Estimate a language model of the target side of the training section, or compile one that exists.

    Further text has a model of its own, and the two are mixed as suits the development section best; without such a
    section they count the same. What the model is made of is written beside it: only one of the target side alone can be
    made again when a model takes in more pairs.
    """
    origin = "file" if "file" in inputs else "corpus"
    with progress.task("language model", unit="models") as advance:
        if "file" in inputs:
            model = LanguageModel.load(inputs["file"])
            advance(1)
            if model.form in {"fast", "small"}:
                shutil.copyfile(inputs["file"], outputs["lm"])
                _write_origin(outputs["lm_origin"], origin, settings)
                return
        else:
            corpus = CorpusDirectory.open(inputs["corpus"])
            model = _trainer(settings).train(corpus.file(TRAIN, corpus.langs[1]))
            advance(1)
            if "mono" in inputs and inputs["mono"].stat().st_size:
                other = _trainer(settings).train(inputs["mono"])
                advance(1)
                model = mix_lms([model, other], _shares(corpus, model, other))
                origin = "mixture"
    # The name says what is written.
    path = outputs["lm"].with_suffix(".tlm")
    model.save(path)
    path.rename(outputs["lm"])
    _write_origin(outputs["lm_origin"], origin, settings)


def _write_origin(path: Path, origin: str, settings: LmSettings) -> None:
    trained = {"order": settings.order, "smoothing": settings.smoothing, "prune": list(settings.prune)}
    path.write_text(f"{json.dumps({'text': origin, 'settings': trained})}\n", encoding="utf-8")


def growing_lm(path: Path) -> dict[str, Any] | None:
    """Settings to make the language model again of a text that grew; None if it is made of other text, too."""
    origin = json.loads(path.read_bytes())
    return dict(origin["settings"]) if origin["text"] == "corpus" else None


def _trainer(settings: LmSettings) -> LanguageModelTrainer:
    return LanguageModelTrainer(settings.order, settings.smoothing, prune=settings.prune, threads=settings.threads)


def _shares(corpus: CorpusDirectory, model: LanguageModel, other: LanguageModel) -> tuple[float, ...]:
    if "dev" not in corpus.sections:
        return (0.5, 0.5)
    text = [line for line in corpus.lines("dev", corpus.langs[1]) if line.strip()]
    return tune_weights([model, other], text) if text else (0.5, 0.5)
