"""The stage that packs a translator, the directory people keep and pass on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field, model_validator

from tolka.align.aligner import FILES as ALIGNER_FILES
from tolka.files import Bundle
from tolka.pipeline.stage import Settings, stage
from tolka.pipeline.stages.layout import TRAIN, CorpusDirectory
from tolka.reorder import ANALYSERS, PREORDERER
from tolka.translate import Description, ModelFiles, Translator, defaults, write_model
from tolka.translate.bundle import link_or_copy
from tolka.translate.defaults import Kind  # noqa: TC001 (pydantic reads the annotations)
from tolka.translate.description import Reorder
from tolka.tune import read_weights

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tolka.progress import Progress

Number = bool | int | float


class ModelSettings(Settings):
    """What the model is, and how hard it searches unless it is told otherwise."""

    kind: Kind = defaults.KIND
    search: dict[str, Number] = Field(default_factory=dict)
    keep_aligner: bool = True

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, values: Any) -> Any:
        """The defaults of the kind are settings like any other, so that they are part of the key."""
        if isinstance(values, dict) and isinstance(values.get("search", {}), dict):
            own = defaults.SEARCH.get(values.get("kind", defaults.KIND), {})
            return {**values, "search": {**own, **values.get("search", {})}}
        return values


@stage(
    "model",
    version=1,
    settings=ModelSettings,
    inputs=("corpus", "grammar", "lm", "truecaser?", "compounds?", "weights?", "aligner?", "analyser?", "preorderer?"),
    outputs=("model",),
)
def model(inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: ModelSettings, progress: Progress) -> None:
    """Pack rules, language model, weights and text settings into a translator."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    text = corpus.text_settings()
    kept: dict[str, Path] = {}
    if settings.keep_aligner and "aligner" in inputs:
        bundle = Bundle.open(inputs["aligner"], kind="aligner", verify=False)
        kept = {name: bundle.file(name) for name in ALIGNER_FILES}
    order, parts = _reordering(inputs) if "preorderer" in inputs else (None, {})
    files = ModelFiles(
        grammars={"grammar": inputs["grammar"]},
        lms={"lm": inputs["lm"]},
        truecasers={lang: inputs["truecaser"] / f"truecaser.{lang}" for lang in corpus.langs} if text.truecase else {},
        compounds=inputs["compounds"] if text.compounds else None,
        aligner=kept,
        **parts,
    )
    description = Description(
        kind=settings.kind,
        langs=list(corpus.langs),
        text=text,
        search=settings.search,
        reorder=order,
        aligner=bool(kept),
        made={"pairs": sum(1 for _ in corpus.lines(TRAIN, corpus.langs[0])), "tuned": "weights" in inputs},
    )
    with progress.task("packing", total=len(files.named()), unit="files") as advance:

        def place(source: Path, target: Path) -> None:
            # Stored outputs are never written to, so a second name is as good as a copy.
            link_or_copy(source, target)
            advance(1)

        weights = read_weights(inputs["weights"]) if "weights" in inputs else None
        whole = Translator(description, files, weights)
        write_model(outputs["model"], description, files, whole.weights, stages=(*corpus.history, "model"), place=place)


def _reordering(inputs: Mapping[str, Path]) -> tuple[Reorder, dict[str, Any]]:
    """What the model says of its pre-orderer, and the parts that are its files."""
    analyser = next(name for name in ANALYSERS if (inputs["analyser"] / name).exists())
    bundle = Bundle.open(inputs["preorderer"], kind=PREORDERER, verify=False)
    described = Reorder(analyser=analyser, settings=dict(bundle.settings), files=list(bundle.names))
    return described, {"analyser": inputs["analyser"] / analyser, "preorderer": bundle}
