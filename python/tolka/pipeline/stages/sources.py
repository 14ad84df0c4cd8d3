"""Stages that a recipe starts from: text that people have, and text made to measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from tolka.corpus import read_corpus
from tolka.corpus.batches import in_batches
from tolka.corpus.rows import Format  # noqa: TC001 (pydantic reads the annotations)
from tolka.corpus.several import NAME, pairs_only
from tolka.corpus.synthetic import LANGUAGES, Synthetic
from tolka.pipeline.stage import InputFile, Settings, stage
from tolka.pipeline.stages.layout import TRAIN, CorpusDirectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from tolka.corpus import Pair
    from tolka.progress import Progress

# A language code ends a file's name.
Lang = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")]
_SECTIONS = {TRAIN: ("source", "target"), "dev": ("dev_source", "dev_target"), "test": ("test_source", "test_target")}


class CorpusTable(Settings):
    """One of several corpora; a target that is left out is in the same file as its source (TSV, `|||`, TMX, PO)."""

    name: Annotated[str, StringConstraints(pattern="^" + NAME.pattern.replace(r"\Z", "$"))]
    source: InputFile
    target: InputFile | None = None


class CorpusSettings(Settings):
    """Where the text is: a corpus in `source` and `target`, or several in `corpora`, each with a name.

    A target that is left out is in the same file as its source (TSV, `|||`, TMX, PO).
    """

    langs: tuple[Lang, Lang]
    source: InputFile | None = None
    corpora: tuple[CorpusTable, ...] | None = None
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
        if (self.source is None) == (not self.corpora):
            raise ValueError("name the text once: with source, or with a list of corpora")
        if self.target is not None and self.source is None:
            raise ValueError("target without source")
        names = [one.name for one in self.corpora or ()]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"two corpora are called {twice}; give each a name of its own")
        for section in ("dev", "test"):
            if getattr(self, f"{section}_target") is not None and getattr(self, f"{section}_source") is None:
                raise ValueError(f"{section}_target without {section}_source")
        return self


@stage("corpus", version=2, settings=CorpusSettings, outputs=("corpus",))
def corpus(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: CorpusSettings, progress: Progress
) -> None:
    """Read parallel text in any format."""
    sections = tuple(
        section
        for section, (source, _) in _SECTIONS.items()
        if source in inputs or (section == TRAIN and settings.corpora)
    )
    made = CorpusDirectory(outputs["corpus"], settings.langs, sections, ("corpus",)).create()
    for section in sections:
        groups = [[inputs[name] for name in _SECTIONS[section] if name in inputs]]
        if section == TRAIN and settings.corpora:
            groups = [
                [inputs[f"corpora.{number}.{key}"] for key in ("source", "target") if getattr(one, key) is not None]
                for number, one in enumerate(settings.corpora)
            ]
        counts: list[int] = []
        with progress.task(f"reading {section}", unit="pairs") as advance:
            made.write(section, _counted(_all_pairs(groups, settings, counts), advance))
        if section == TRAIN and settings.corpora:
            made.name_corpora([(one.name, count) for one, count in zip(settings.corpora, counts, strict=True)])


def _all_pairs(groups: Sequence[Sequence[Path]], settings: CorpusSettings, counts: list[int]) -> Iterator[Pair]:
    """The pairs of corpora one after the other, while it is counted how many each has."""
    for paths in groups:
        rows = read_corpus(paths, format=settings.format, langs=settings.langs, repair=settings.repair, required=True)
        counts.append(0)
        for pair in pairs_only(rows, paths[0]):
            counts[-1] += 1
            yield pair


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
