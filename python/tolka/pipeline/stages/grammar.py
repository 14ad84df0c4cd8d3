"""The stage that extracts translation rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, model_validator

from tolka.grammar import Extractor
from tolka.pipeline.stage import Settings, Threads, stage
from tolka.pipeline.stages.layout import TRAIN, CorpusDirectory
from tolka.translate import defaults
from tolka.translate.defaults import Kind  # noqa: TC001 (pydantic reads the annotations)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tolka.progress import Progress


class GrammarSettings(Settings):
    """What rules are extracted; see `tolka.grammar.Extractor`, whose defaults hold where there is None."""

    kind: Kind = defaults.KIND
    max_length: int | None = Field(default=None, ge=1)
    max_symbols: int | None = Field(default=None, ge=1)
    max_gaps: int | None = Field(default=None, ge=0, le=2)
    min_gap: int | None = Field(default=None, ge=1)
    adjacent: bool | None = None
    loose: bool | None = None
    counting: Literal["unit", "fractional"] | None = None
    orientation: Literal["none", "word", "phrase"] | None = None
    smoothing: Literal["none", "good-turing", "kneser-ney"] | None = None
    several: Literal["frequent", "min", "max"] | None = None
    floor: float | None = Field(default=None, gt=0.0, lt=1.0)
    min_count: float | None = Field(default=None, ge=0.0)
    singletons: int | None = Field(default=None, ge=0)
    significance: Literal["alpha+epsilon", "alpha-epsilon"] | float | None = None
    limit: int | None = Field(default=None, ge=0)
    orientation_prior: float | None = Field(default=None, ge=0.0)
    indicators: bool | None = None
    exact: bool | None = None
    threads: Threads = 0

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, values: Any) -> Any:
        """The defaults of the kind are settings like any other, so that they are part of the key."""
        if not isinstance(values, dict):
            return values
        return {**defaults.EXTRACT.get(values.get("kind", defaults.KIND), {}), **values}


@stage("grammar", version=2, settings=GrammarSettings, inputs=("corpus", "links"), outputs=("grammar",))
def grammar(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: GrammarSettings, progress: Progress
) -> None:
    """Extract and score the rules of the aligned training section."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    given = {name: value for name, value in settings if value is not None}
    source, target = (corpus.file(TRAIN, lang) for lang in corpus.langs)
    Extractor(**given).extract(source, target, inputs["links"], outputs["grammar"], progress=progress)
