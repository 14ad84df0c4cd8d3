"""The stage that reads further text of the target language, for the language model."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from tolka.corpus import Truecaser, read_lines
from tolka.pipeline.stage import InputFile, Settings, Threads, stage
from tolka.pipeline.stages.layout import CorpusDirectory
from tolka.translate import TextSteps

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tolka.progress import Progress


class MonoSettings(Settings):
    """Where the text is."""

    source: InputFile
    threads: Threads = 0


@stage("mono", version=1, settings=MonoSettings, inputs=("corpus", "truecaser?", "mono?"), outputs=("mono",))
def mono(inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: MonoSettings, progress: Progress) -> None:
    """Prepare a text of the target language like the corpus, and add it to that of other such stages above."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    lang = corpus.langs[1]
    text = corpus.text_settings()
    truecaser = Truecaser.load(inputs["truecaser"] / f"truecaser.{lang}") if text.truecase else None
    steps = TextSteps(lang, text, truecaser)
    if "mono" in inputs:
        shutil.copyfile(inputs["mono"], outputs["mono"])
        outputs["mono"].chmod(0o644)
    with (
        outputs["mono"].open("a", encoding="utf-8", newline="\n") as out,
        progress.task(f"reading {inputs['source'].name}", unit="lines") as advance,
    ):
        for batch in read_lines(inputs["source"]).batches():
            out.writelines(f"{line}\n" for line in steps.prepare(batch, threads=settings.threads) if line)
            advance(len(batch))
