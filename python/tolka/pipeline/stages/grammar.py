"""The stage that extracts translation rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, model_validator

from tolka.grammar import Extractor, Grammar, SuffixGrammar
from tolka.pipeline.stage import Settings, Threads, stage
from tolka.pipeline.stages.layout import TRAIN, CorpusDirectory
from tolka.train import defaults
from tolka.translate import Kind  # noqa: TC001 (pydantic reads the annotations)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tolka.progress import Progress


class GrammarSettings(Settings):
    """What rules are extracted; see `tolka.grammar.Extractor`, whose defaults hold where there is None.

    With `growing`, none are: the aligned text is kept, in which they are found when sentences ask for them, as
    `tolka.grammar.SuffixGrammar` does with so many `samples`.
    """

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
    growing: bool = False
    samples: int = Field(default=defaults.SAMPLES, ge=0)
    threads: Threads = 0

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, values: Any) -> Any:
        """The defaults of the kind are settings like any other, so that they are part of the key."""
        if not isinstance(values, dict):
            return values
        kind = values.get("kind", defaults.KIND)
        own = defaults.extraction(kind, growing=values.get("growing") is True) if kind in defaults.EXTRACT else {}
        return {**own, **values}


@stage("grammar", version=3, settings=GrammarSettings, inputs=("corpus", "links"), outputs=("grammar",))
def grammar(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: GrammarSettings, progress: Progress
) -> None:
    """Extract and score the rules of the aligned training section, or keep its text for models that grow."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    given = {name: value for name, value in settings if value is not None and name not in {"growing", "samples"}}
    source, target = (corpus.file(TRAIN, lang) for lang in corpus.langs)
    text = source, target, inputs["links"], outputs["grammar"]
    if settings.growing:
        extractor = Extractor(**given)
        SuffixGrammar.build(
            *text, extractor=extractor, samples=settings.samples, threads=settings.threads, progress=progress
        )
    else:
        Extractor(**given).extract(*text, progress=progress)


def open_rules(path: Path, sentences: Sequence[str], *, max_span: int = 0, threads: int = 0) -> Grammar:
    """The rules that the stage wrote; of those that grow, the ones that match somewhere in these sentences."""
    if not path.is_dir():
        return Grammar.load(path)
    return SuffixGrammar.load(path, max_span=max_span, threads=threads).extract(sentences)
