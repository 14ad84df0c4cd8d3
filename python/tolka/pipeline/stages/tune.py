"""The stage that finds the weights of a model's features."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from tolka.decode import Decoder
from tolka.decode.decoder import ACTION
from tolka.errors import InputError
from tolka.lm import LanguageModel
from tolka.pipeline.stage import Threads, stage
from tolka.pipeline.stages.grammar import open_rules
from tolka.pipeline.stages.layout import CorpusDirectory
from tolka.pipeline.stages.searching import SearchSettings
from tolka.train import TuneSettings, defaults, tune_decoder
from tolka.translate.loading import rules_of
from tolka.translate.searching import read_search
from tolka.tune import write_weights

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tolka.progress import Progress


class TuneStageSettings(SearchSettings):
    """How weights are tuned, see `tolka.train.TuneSettings`, and how hard to search meanwhile.

    `voice` is that of the model in a table that speaks for several.
    """

    tuner: Literal["mira", "pro", "mert", "forest-mira", "forest-mert", "drl"] = defaults.TUNE["tuner"]
    metric: Literal["bleu", "chrf", "chrf++", "ter"] = defaults.TUNE["metric"]
    iterations: int = Field(default=defaults.TUNE["iterations"], ge=0, le=1000)
    patience: int = Field(default=defaults.TUNE["patience"], ge=1, le=1000)
    restarts: int = Field(default=defaults.TUNE["restarts"], ge=1, le=100)
    nbest: int = Field(default=defaults.TUNE["nbest"], ge=1, le=10_000)
    density: int = Field(default=defaults.TUNE["density"], ge=1, le=100_000)
    seed: int = Field(default=1, ge=0, lt=1 << 63)
    options: dict[str, bool | int | float | str] = Field(default_factory=dict)
    start: dict[str, float] = Field(default_factory=dict)
    start_scale: float = defaults.START_SCALE
    voice: str | None = None
    threads: Threads = 0


@stage(
    "tune",
    version=2,
    settings=TuneStageSettings,
    inputs=("corpus", "grammar", "lm"),
    outputs=("weights", "tuning"),
)
def tune(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: TuneStageSettings, progress: Progress
) -> None:
    """Tune the weights on the development section; the history of it is written beside them."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    if "dev" not in corpus.sections:
        raise InputError(
            "there is no development section to tune on", hint="name dev_source under [corpus], or [split]"
        )
    sources, references = (list(corpus.lines("dev", lang)) for lang in corpus.langs)
    search = read_search(settings.search)
    rules = open_rules(inputs["grammar"], sources, max_span=search.get("max_span", 0), threads=settings.threads)
    spoken = rules_of(rules, settings.voice, inputs["grammar"])
    decoder = Decoder(spoken, LanguageModel.load(inputs["lm"]), kind=settings.chosen, **search)
    wanted = TuneSettings(**{name: value for name, value in settings if name in TuneSettings.__dataclass_fields__})
    result = tune_decoder(decoder, sources, references, wanted, threads=settings.threads, progress=progress)
    acting = [name for name in result.weights if name.startswith(ACTION)]
    write_weights(outputs["weights"], {name: result.weights[name] for name in [*decoder.feature_names, *acting]})
    text = json.dumps(asdict(result), ensure_ascii=False, allow_nan=False)
    outputs["tuning"].write_text(f"{text}\n", encoding="utf-8")
