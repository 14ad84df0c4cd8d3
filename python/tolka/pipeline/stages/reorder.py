"""Stages that parse the source, and put its words into the order of the target language."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from tolka.align import Aligner, read_links, write_links
from tolka.corpus.batches import in_batches
from tolka.decode import words_of
from tolka.errors import InputError, SettingsError
from tolka.pipeline.stage import InputFile, Need, Settings, Threads, stage
from tolka.pipeline.stages.layout import TRAIN, CorpusDirectory
from tolka.reorder import (
    ANALYSERS,
    CLASSES,
    KINDS,
    ClassAnalyser,
    Trainable,
    create,
    in_order,
    link_confidences,
    map_links,
    most_confident,
    plain,
    reference_orders,
    subsample,
    teach,
)
from tolka.syntax import Parser, read_conllu, write_conllu

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tolka.align.links import Link
    from tolka.progress import Progress
    from tolka.reorder import Analyser, Order, Preorderer
    from tolka.syntax import Tree

# Of two words there is little to learn.
_LEAST_WORDS = 3


class ParseSettings(Settings):
    """The parser, a file that `tolka parse train` wrote."""

    model: InputFile
    threads: Threads = 0

    def needs(self) -> tuple[Need, ...]:
        """UDPipe."""
        return (Need("ufal.udpipe", "parsing", "syntax"),)


@stage("parse", version=1, settings=ParseSettings, inputs=("corpus",), outputs=("trees", "analyser"))
def parse(inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: ParseSettings, progress: Progress) -> None:
    """Give the sentences of the source language their dependency trees."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    parser = Parser.load(inputs["model"])
    outputs["analyser"].mkdir()
    shutil.copyfile(inputs["model"], outputs["analyser"] / "udpipe")
    outputs["trees"].mkdir()
    source = _Trees(corpus, parser, settings.threads)
    for section in corpus.sections:
        with progress.task(f"parsing {section}", unit="sentences") as advance:
            write_conllu(outputs["trees"] / f"{section}.conllu", _counted(source.of(section), advance))


class ReorderSettings(Settings):
    """Which pre-orderer learns from how many pairs, drawn or those with the surest links; see `tolka.reorder`."""

    model: str = "gru"
    policy: Literal["previous", "following", "begin"] = "previous"
    pairs: int = Field(default=300_000, ge=1)
    choose: Literal["drawn", "surest"] = "drawn"
    held_out: int = Field(default=1000, ge=0)
    classes: int = Field(default=CLASSES, ge=2, le=10_000)
    options: dict[str, bool | int | float | str] = Field(default_factory=dict)
    seed: int = Field(default=1, ge=0, lt=1 << 63)
    threads: Threads = 0

    def needs(self) -> tuple[Need, ...]:
        """Recurrent networks are trained with JAX."""
        recurrent = self.model in KINDS and self.model != "walker"
        return (Need("jax", "training a recurrent pre-orderer", "neural"),) if recurrent else ()


@stage(
    "reorder",
    version=2,
    settings=ReorderSettings,
    inputs=("corpus", "links", "aligner?", "trees?", "analyser?"),
    outputs=("corpus", "links", "analyser", "preorderer"),
    notes=True,
)
def reorder(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: ReorderSettings, progress: Progress
) -> None:
    """Learn how words move in translation, and move them before it; where nothing is parsed, by the words' classes."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    outputs["analyser"].mkdir()
    if "trees" in inputs:
        if settings.classes != CLASSES:
            raise SettingsError("reorder.classes is of no use where sentences are parsed", hint="remove it, or [parse]")
        name = next(name for name in ANALYSERS if (inputs["analyser"] / name).exists())
        shutil.copyfile(inputs["analyser"] / name, outputs["analyser"] / name)
        trees = _Trees(corpus, inputs["trees"], settings.threads)
    else:
        analyser = ClassAnalyser.train(corpus.lines(TRAIN, corpus.langs[0]), classes=settings.classes)
        analyser.save(outputs["analyser"] / "classes")
        trees = _Trees(corpus, analyser, settings.threads)
    links = read_links(inputs["links"])
    # Rules have nothing random about them.
    seed = {"seed": settings.seed} if settings.model in KINDS else {}
    preorderer = create(settings.model, **{**seed, **settings.options})
    if isinstance(preorderer, Trainable):
        aligner = None
        if settings.choose == "surest":
            if "aligner" not in inputs:
                raise SettingsError("only an aligner says which links are sure", hint='leave out choose = "surest"')
            aligner = Aligner.load(inputs["aligner"], threads=settings.threads)
        _teach(preorderer, trees, links, aligner, settings, progress, outputs["notes"])
    preorderer.save(outputs["preorderer"])
    moved = corpus.next(outputs["corpus"], "reorder")
    for section in corpus.sections:
        with progress.task(f"reordering {section}", unit="sentences") as advance:
            orders = _orders(preorderer, trees.of(section), settings.threads, advance)
            pairs = zip(corpus.pairs(section), orders, strict=True)
            if section != TRAIN:
                moved.write(section, ((_moved(source, order), target) for (source, target), order in pairs))
            else:
                followed: list[list[Link]] = []
                moved.write(section, _with_links(pairs, links, followed))
                write_links(outputs["links"], followed)


class _Trees:
    """The trees of a corpus' source side, section by section; a line without words has none."""

    def __init__(self, corpus: CorpusDirectory, origin: Analyser | Path, threads: int) -> None:
        """Take the trees from the directory that [parse] wrote, or make them now."""
        self.corpus, self.origin, self.threads = corpus, origin, threads

    def of(self, section: str) -> Iterator[Tree | None]:
        lines = self.corpus.lines(section, self.corpus.langs[0])
        if not isinstance(self.origin, Path):
            return self._made(lines, self.origin)
        return self._read(lines, read_conllu(self.origin / f"{section}.conllu"))

    def _made(self, lines: Iterable[str], analyser: Analyser) -> Iterator[Tree | None]:
        for batch in in_batches(lines):
            words = [plain(words_of(line)) for line in batch]
            found = iter(analyser.parse([one for one in words if one], threads=self.threads))
            yield from (next(found) if one else None for one in words)

    def _read(self, lines: Iterable[str], trees: Iterator[Tree]) -> Iterator[Tree | None]:
        for line in lines:
            words = tuple(plain(words_of(line)))
            tree = next(trees, None) if words else None
            if words and (tree is None or tree.forms != words):
                raise InputError(
                    f"the tree of {line!r} is missing",
                    hint="let no stage between [parse] and [reorder] change the corpus",
                )
            yield tree


def _teach(
    preorderer: Trainable,
    trees: _Trees,
    links: Sequence[Sequence[Link]],
    aligner: Aligner | None,
    settings: ReorderSettings,
    progress: Progress,
    checkpoint: Path,
) -> None:
    """Train on some pairs of the training section, and watch others."""
    lengths = [len(words_of(line)) for line in trees.corpus.lines(TRAIN, trees.corpus.langs[0])]
    usable = [at for at, own in enumerate(links) if own and lengths[at] >= _LEAST_WORDS]
    if not usable:
        raise InputError("no pair of the training section has links", hint="look at what [align] wrote")
    watched = min(settings.held_out, len(usable) // 10)
    if aligner is not None and len(usable) > settings.pairs + watched:
        # Surer links make truer orders (Huang 2009).
        pairs = list(trees.corpus.pairs(TRAIN))
        sure = link_confidences(aligner, [pairs[at] for at in usable], [links[at] for at in usable])
        usable = [usable[at] for at in most_confident(sure, settings.pairs + watched)]
    usable = [usable[at] for at in subsample(len(usable), settings.pairs + watched, seed=settings.seed)]
    chosen = set(usable)
    kept = {at: tree for at, tree in enumerate(trees.of(TRAIN)) if at in chosen and tree is not None}
    orders = dict(
        zip(
            usable,
            reference_orders([lengths[at] for at in usable], [links[at] for at in usable], policy=settings.policy),
            strict=True,
        )
    )
    held_out = [usable[at] for at in subsample(len(usable), watched, seed=settings.seed)] if watched else []
    learnt = sorted(chosen - set(held_out))
    teach(
        preorderer,
        [kept[at] for at in learnt],
        [orders[at] for at in learnt],
        held_out=([kept[at] for at in held_out], [orders[at] for at in held_out]) if held_out else None,
        progress=progress,
        checkpoint=checkpoint,
    )


def _orders(
    preorderer: Preorderer, trees: Iterable[Tree | None], threads: int, advance: Callable[[int], None]
) -> Iterator[Order]:
    for batch in in_batches(trees):
        found = iter(preorderer.orders([tree for tree in batch if tree is not None], threads=threads))
        advance(len(batch))
        yield from (() if tree is None else next(found) for tree in batch)


def _with_links(
    pairs: Iterable[tuple[tuple[str, str], Order]], links: Sequence[Sequence[Link]], followed: list[list[Link]]
) -> Iterator[tuple[str, str]]:
    """The moved pairs, while their links are collected."""
    for ((source, target), order), own in zip(pairs, links, strict=True):
        followed.append(map_links(own, order))
        yield _moved(source, order), target


def _moved(line: str, order: Order) -> str:
    return in_order(words_of(line), order)


def _counted(trees: Iterable[Tree | None], advance: Callable[[int], None]) -> Iterator[Tree]:
    for tree in trees:
        advance(1)
        # Whoever reads the trees reads the lines, too, and sees which of them have no words.
        if tree is not None:
            yield tree
