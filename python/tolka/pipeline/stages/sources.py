"""Stages that a recipe starts from: text that people have, and text made to measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from tolka.corpus import read_corpus
from tolka.corpus.batches import in_batches
from tolka.corpus.rows import Format  # noqa: TC001 (pydantic reads the annotations)
from tolka.corpus.synthetic import LANGUAGES, Synthetic
from tolka.errors import InputError
from tolka.pipeline.stage import InputFile, Settings, stage
from tolka.pipeline.stages.layout import TRAIN, CorpusDirectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from tolka.corpus import Pair
    from tolka.progress import Progress

# A language code ends a file's name.
Lang = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")]
_SECTIONS = {TRAIN: ("source", "target"), "dev": ("dev_source", "dev_target"), "test": ("test_source", "test_target")}


class CorpusSettings(Settings):
    """Where the text is; a target that is left out is in the same file as its source (TSV, `|||`, TMX, PO)."""

    langs: tuple[Lang, Lang]
    source: InputFile
    target: InputFile | None = None
    dev_source: InputFile | None = None
    dev_target: InputFile | None = None
    test_source: InputFile | None = None
    test_target: InputFile | None = None
    format: Format | None = None
    repair: bool = False

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.langs[0] == self.langs[1]:
            raise ValueError(f"both sides are called {self.langs[0]}; name two languages")
        for section in ("dev", "test"):
            if getattr(self, f"{section}_target") is not None and getattr(self, f"{section}_source") is None:
                raise ValueError(f"{section}_target without {section}_source")
        return self


@stage("corpus", version=2, settings=CorpusSettings, outputs=("corpus",))
def corpus(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: CorpusSettings, progress: Progress
) -> None:
    """Read parallel text in any format."""
    sections = tuple(section for section, (source, _) in _SECTIONS.items() if source in inputs)
    made = CorpusDirectory(outputs["corpus"], settings.langs, sections, ("corpus",)).create()
    for section in sections:
        paths = [inputs[name] for name in _SECTIONS[section] if name in inputs]
        rows = read_corpus(paths, format=settings.format, langs=settings.langs, repair=settings.repair, required=True)
        with progress.task(f"reading {section}", unit="pairs") as advance:
            made.write(section, _counted(_pairs(rows, paths[0]), advance))


def _pairs(rows: Iterable[tuple[str, ...]], path: Path) -> Iterator[Pair]:
    for row in rows:
        if len(row) != 2:  # noqa: PLR2004
            hint = "name the other side as target" if len(row) == 1 else "leave two columns"
            raise InputError(f"a corpus has two sides, but this file has {len(row)}", path=path, hint=hint)
        yield row


def _counted(pairs: Iterable[Pair], advance: Callable[[int], None]) -> Iterator[Pair]:
    for batch in in_batches(pairs):
        yield from batch
        advance(len(batch))


class SynthSettings(Settings):
    """What text is made; see `tolka.corpus.synthetic`."""

    langs: tuple[Lang, Lang] = ("de", "en")
    pairs: int = Field(default=1000, ge=1, le=10_000_000)
    domain: Literal["home", "tech"] | None = None
    unique: bool = False
    seed: int = Field(default=1, ge=0, lt=1 << 64)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if unknown := sorted(set(self.langs) - set(LANGUAGES)):
            raise ValueError(f"no text can be made in {unknown[0]}; choose from {', '.join(LANGUAGES)}")
        if self.langs[0] == self.langs[1]:
            raise ValueError(f"both sides are called {self.langs[0]}; name two languages")
        return self


@stage("synth", version=2, settings=SynthSettings, outputs=("corpus",))
def synth(
    inputs: Mapping[str, Path],  # noqa: ARG001
    outputs: Mapping[str, Path],
    settings: SynthSettings,
    progress: Progress,
) -> None:
    """Make parallel text from a grammar, to try things on."""
    made = CorpusDirectory(outputs["corpus"], settings.langs, (TRAIN,), ("synth",)).create()
    source, target = settings.langs
    examples = Synthetic(settings.seed, settings.domain).sample(settings.pairs, unique=settings.unique)
    with progress.task("making text", total=settings.pairs, unit="pairs") as advance:
        made.write(TRAIN, _counted(((one.raw[source], one.raw[target]) for one in examples), advance))
