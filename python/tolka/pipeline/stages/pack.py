"""The stage that packs what a recipe made into a bundle, the directory people keep and pass on."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from tolka.files import save_bundle
from tolka.pipeline.stage import Settings, stage
from tolka.pipeline.stages.layout import CorpusDirectory

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tolka.progress import Progress


class PackSettings(Settings):
    """Packing has no settings."""


@stage(
    "pack",
    version=1,
    settings=PackSettings,
    inputs=("corpus", "truecaser?", "stats?", "report?"),
    outputs=("bundle",),
)
def pack(
    inputs: Mapping[str, Path],
    outputs: Mapping[str, Path],
    settings: PackSettings,  # noqa: ARG001
    progress: Progress,
) -> None:
    """Pack the corpus and what was learned from it into a bundle of kind "corpus"."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    files = {path.name: path for section in corpus.sections for path in map(corpus.file, [section] * 2, corpus.langs)}
    if "truecaser" in inputs:
        files |= {path.name: path for path in inputs["truecaser"].iterdir()}
    files |= {f"{name}.json": inputs[name] for name in ("stats", "report") if name in inputs}
    with (
        save_bundle(
            outputs["bundle"],
            kind="corpus",
            settings={"langs": list(corpus.langs), "sections": list(corpus.sections)},
            stages=(*corpus.history, "pack"),
        ) as bundle,
        progress.task("packing", total=len(files), unit="files") as advance,
    ):
        for name, path in sorted(files.items()):
            shutil.copyfile(path, bundle.file(name))
            advance(1)
