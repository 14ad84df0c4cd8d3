"""The stages of putting all sources together that neither training nor stacking has."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Self

from pydantic import Field, model_validator

from tolka.combine.gathering.unknown import only_unknown
from tolka.combine.oov import NothingFoundError, OovSettings, extend_vocabulary
from tolka.combine.stacking.stages import STAGES as STACKING
from tolka.combine.stages import Name, Seed, given, several, write_json
from tolka.combine.through import How, Legs, make_through
from tolka.errors import SettingsError
from tolka.grammar import ComposeLimits
from tolka.pipeline.stage import InputFile, Settings, Threads, registry, stage
from tolka.pipeline.stages.layout import CorpusDirectory
from tolka.train import TuneSettings, defaults, tune_translator
from tolka.translate import Translator

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tolka.progress import Progress


class ThroughSettings(Settings):
    """How legs become a model, and how that is tuned; see `tolka.combine.make_through`."""

    names: tuple[Name, ...] = Field(min_length=2)
    how: How = "dynamic"
    limit: int = Field(default=100, ge=0)
    linked: bool = False
    scale: Legs = "lm"
    tuner: str = defaults.TUNE["tuner"]
    seed: Seed = 1
    threads: Threads = 0


@stage(
    "through",
    version=1,
    settings=ThroughSettings,
    inputs=("corpus", *several("model")),
    outputs=("model", "tuning", "found"),
)
def through(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: ThroughSettings, progress: Progress
) -> None:
    """Make a model that leads through other languages, and tune what each leg says on the development section."""
    limits = ComposeLimits(settings.limit, settings.limit, settings.limit, settings.linked)
    made = make_through(
        list(given(inputs, "model", settings.names).values()),
        outputs["model"],
        how=settings.how,
        limits=limits,
        scale=settings.scale,
        threads=settings.threads,
        progress=progress,
    )
    corpus = CorpusDirectory.open(inputs["corpus"])
    sources, references = (list(corpus.lines("dev", lang)) for lang in corpus.langs)
    how = TuneSettings(tuner=settings.tuner, seed=settings.seed, fresh=False)
    tuned, result = tune_translator(
        Translator.load(outputs["model"]), sources, references, how, threads=settings.threads, progress=progress
    )
    tuned.save(outputs["model"])
    write_json(outputs["tuning"], {"score": float(result.score)})
    found = {"shared": list(made.shared_words), "words": list(made.pivot_words), "notes": list(made.notes)}
    write_json(outputs["found"], found)


class TextTable(Settings):
    """A file with text."""

    file: InputFile


class UnknownSettings(Settings):
    """What translations of unknown words are found in, and how; see `tolka.combine.oov.extend_vocabulary`.

    `find` has settings of `tolka.combine.oov.OovSettings`, such as `{ graph = "bipartite" }`.
    """

    mono: tuple[TextTable, ...] = Field(min_length=1)
    lexicons: tuple[TextTable, ...] = ()
    find: dict[str, bool | int | float | str] = Field(default_factory=dict)
    tuner: str = defaults.TUNE["tuner"]
    seed: Seed = 1
    threads: Threads = 0

    @model_validator(mode="after")
    def _check(self) -> Self:
        try:
            OovSettings(**self.find)  # type: ignore[arg-type]  # checked there
        except (SettingsError, TypeError) as error:
            raise ValueError(str(error)) from error
        return self


@stage(
    "unknown", version=1, settings=UnknownSettings, inputs=("corpus", "model"), outputs=("model", "extended", "found")
)
def unknown(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: UnknownSettings, progress: Progress
) -> None:
    """Find translations of words that a model does not know; what is made knows these words and no others.

    The model that knows both, its own words and those, is beside it. If there is nothing to find, both are the model as it
    was, and `found` says so.
    """
    corpus = CorpusDirectory.open(inputs["corpus"])
    try:
        made = extend_vocabulary(
            inputs["model"],
            outputs["extended"],
            [inputs[f"mono.{at}.file"] for at in range(len(settings.mono))],
            lexicons=[inputs[f"lexicons.{at}.file"] for at in range(len(settings.lexicons))],
            dev=list(corpus.pairs("dev")),
            settings=OovSettings(**settings.find),  # type: ignore[arg-type]  # checked there
            tune=TuneSettings(tuner=settings.tuner, seed=settings.seed, fresh=False),
            force=True,
            threads=settings.threads,
            progress=progress,
        )
    except NothingFoundError as error:
        for name in ("model", "extended"):
            shutil.copytree(inputs["model"], outputs[name], dirs_exist_ok=True)
        write_json(outputs["found"], {"unknown": 0, "translated": 0, "notes": [], "nothing": error.what})
        return
    only_unknown(outputs["extended"], outputs["model"])
    found = {"unknown": made.unknown, "translated": made.translated, "notes": list(made.notes)}
    write_json(outputs["found"], found)


STAGES = registry(*STACKING.values(), through, unknown)
"""All stages that are there to put sources together."""
