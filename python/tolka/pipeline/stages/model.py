"""The stage that packs a translator, the directory people keep and pass on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tolka.align.aligner import FILES as ALIGNER_FILES
from tolka.corpus import write_lines
from tolka.errors import InputError, SettingsError
from tolka.files import Bundle
from tolka.grammar import SuffixGrammar, segment_names
from tolka.pipeline.stage import stage
from tolka.pipeline.stages.layout import TRAIN, CorpusDirectory
from tolka.pipeline.stages.lm import growing_lm
from tolka.pipeline.stages.searching import SearchSettings
from tolka.reorder import ANALYSERS, PREORDERER
from tolka.translate import Description, ModelFiles, Translator, write_model
from tolka.translate.bundle import LM_TEXT, link_or_copy
from tolka.translate.description import CorpusPart, Growing, Reorder
from tolka.tune import read_weights

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.progress import Progress


class ModelSettings(SearchSettings):
    """What the model is, and how hard it searches unless it is told otherwise.

    `voice` is its own in a table that speaks for several models.
    """

    keep_aligner: bool = True
    voice: str | None = None


_PARTS = ("lm_origin", "truecaser", "compounds", "weights", "aligner", "analyser", "preorderer")


@stage(
    "model",
    version=2,
    settings=ModelSettings,
    inputs=("corpus", "grammar", "lm", *(f"{name}?" for name in _PARTS)),
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
    pairs = sum(1 for _ in corpus.lines(TRAIN, corpus.langs[0]))
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
        strategy=settings.chosen,
        langs=list(corpus.langs),
        text=text,
        search=settings.search,
        voices=None if settings.voice is None else {"grammar": settings.voice},
        reorder=order,
        aligner=bool(kept),
        corpora=[CorpusPart(name, count) for name, count in corpus.corpora()] or None,
        made={"pairs": pairs, "tuned": "weights" in inputs},
    )
    weights = read_weights(inputs["weights"]) if "weights" in inputs else None
    with TemporaryDirectory(dir=outputs["model"].parent) as place:
        if inputs["grammar"].is_dir():
            description, files = _growing(corpus, inputs, description, files, Path(place))
        with progress.task("packing", total=len(files.named()), unit="files") as advance:

            def put(source: Path, target: Path) -> None:
                # Stored outputs are never written to, so a second name is as good as a copy.
                link_or_copy(source, target)
                advance(1)

            whole = Translator(description, files, weights)
            stages = (*corpus.history, "model")
            write_model(outputs["model"], description, files, whole.weights, stages=stages, place=put)


def _growing(
    corpus: CorpusDirectory, inputs: Mapping[str, Path], description: Description, files: ModelFiles, place: Path
) -> tuple[Description, ModelFiles]:
    """What the model says of the text that it keeps in place of a table, and the text."""
    if not files.aligner:
        raise SettingsError(
            "a model that grows must keep its aligner, to align new text", hint="remove keep_aligner = false"
        )
    bundle = Bundle.open(inputs["grammar"], verify=False)
    grammar = SuffixGrammar.load(inputs["grammar"])
    made = int(description.made["pairs"])
    if len(grammar) != made:
        raise InputError(
            f"the aligned text has {len(grammar)} pairs and the corpus {made}",
            hint="let no stage between [grammar] and [model] change the corpus",
        )
    lm = growing_lm(inputs["lm_origin"]) if "lm_origin" in inputs else None
    text = {name: bundle.file(name) for name in segment_names(bundle.names)}
    if lm is not None:
        text[LM_TEXT] = place / LM_TEXT
        write_lines(text[LM_TEXT], corpus.lines(TRAIN, corpus.langs[1]))
    growing = Growing(rules=_rules(grammar), samples=grammar.samples, lm=lm)
    return replace(description, growing=growing), replace(files, grammars={}, text=text)


def _rules(grammar: SuffixGrammar) -> dict[str, bool | int | float | str]:
    """The settings of rules; their kind is the model's."""
    return {name: value for name, value in grammar.settings()["rules"].items() if name not in {"kind", "threads"}}


def _reordering(inputs: Mapping[str, Path]) -> tuple[Reorder, dict[str, Any]]:
    """What the model says of its pre-orderer, and the parts that are its files."""
    analyser = next(name for name in ANALYSERS if (inputs["analyser"] / name).exists())
    bundle = Bundle.open(inputs["preorderer"], kind=PREORDERER, verify=False)
    described = Reorder(analyser=analyser, settings=dict(bundle.settings), files=list(bundle.names))
    return described, {"analyser": inputs["analyser"] / analyser, "preorderer": bundle}
