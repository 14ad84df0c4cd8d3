"""The stage that finds the weights of a model's features."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, model_validator

from tolka.decode import Decoder
from tolka.errors import InputError
from tolka.grammar import Grammar
from tolka.lm import LanguageModel
from tolka.pipeline.stage import Settings, Threads, stage
from tolka.pipeline.stages.layout import CorpusDirectory
from tolka.translate import TuneSettings, defaults, tune_decoder
from tolka.translate.defaults import Kind  # noqa: TC001 (pydantic reads the annotations)
from tolka.translate.translator import STRATEGIES
from tolka.tune import write_weights

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tolka.progress import Progress

Number = bool | int | float


class TuneStageSettings(Settings):
    """How weights are tuned, see `tolka.translate.TuneSettings`, and how hard to search meanwhile."""

    kind: Kind = defaults.KIND
    tuner: Literal["mira", "pro", "mert", "forest-mira", "forest-mert"] = defaults.TUNE["tuner"]
    metric: Literal["bleu", "chrf", "chrf++", "ter"] = defaults.TUNE["metric"]
    iterations: int = Field(default=defaults.TUNE["iterations"], ge=0, le=1000)
    patience: int = Field(default=defaults.TUNE["patience"], ge=1, le=1000)
    restarts: int = Field(default=defaults.TUNE["restarts"], ge=1, le=100)
    nbest: int = Field(default=defaults.TUNE["nbest"], ge=1, le=10_000)
    density: int = Field(default=defaults.TUNE["density"], ge=1, le=100_000)
    seed: int = Field(default=1, ge=0, lt=1 << 63)
    options: dict[str, Number] = Field(default_factory=dict)
    start: dict[str, float] = Field(default_factory=dict)
    start_scale: float = defaults.START_SCALE
    search: dict[str, Number] = Field(default_factory=dict)
    threads: Threads = 0

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, values: Any) -> Any:
        """The defaults of kind and tuner are settings like any other, so that they are part of the key."""
        if not isinstance(values, dict):
            return values
        kind, tuner = values.get("kind", defaults.KIND), values.get("tuner", defaults.TUNE["tuner"])
        filled = dict(values)
        for name, own in (
            ("options", defaults.TUNER.get(tuner)),
            ("start", defaults.START.get(kind)),
            ("search", defaults.SEARCH.get(kind)),
        ):
            if own is not None and isinstance(values.get(name, {}), dict):
                filled[name] = {**own, **values.get(name, {})}
        return filled


@stage(
    "tune",
    version=1,
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
    decoder = Decoder(
        Grammar.open(inputs["grammar"]),
        LanguageModel.load(inputs["lm"]),
        kind=STRATEGIES[settings.kind],
        **dict[str, Any](settings.search),
    )
    wanted = TuneSettings(**{name: value for name, value in settings if name not in {"search", "threads"}})
    result = tune_decoder(decoder, sources, references, wanted, threads=settings.threads, progress=progress)
    write_weights(outputs["weights"], {name: result.weights[name] for name in decoder.feature_names})
    text = json.dumps(asdict(result), ensure_ascii=False, allow_nan=False)
    outputs["tuning"].write_text(f"{text}\n", encoding="utf-8")
