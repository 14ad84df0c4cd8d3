"""The stage that links the words of the training section."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from tolka.align import Aligner
from tolka.corpus import write_lines
from tolka.pipeline.stage import Settings, Threads, stage
from tolka.pipeline.stages.layout import TRAIN, CorpusDirectory
from tolka.train import defaults

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tolka.progress import Progress


class AlignSettings(Settings):
    """Which model links words, and how its two directions become one; see `tolka.align`."""

    model: Literal["ibm1", "ibm2", "diagonal", "gauss", "hmm", "fertility"] = defaults.ALIGN["model"]
    symmetrise: str = defaults.ALIGN["symmetrise"]
    seed: int = Field(default=1, ge=0, lt=1 << 63)
    threads: Threads = 0


@stage("align", version=1, settings=AlignSettings, inputs=("corpus",), outputs=("links", "aligner"))
def align(inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: AlignSettings, progress: Progress) -> None:
    """Learn which words of the training section translate each other, and link them."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    aligner = Aligner(model=settings.model, seed=settings.seed, threads=settings.threads)
    aligner.train(corpus.pairs(TRAIN), progress=progress)
    write_lines(outputs["links"], aligner.lines(symmetrise=settings.symmetrise))
    aligner.save(outputs["aligner"])
