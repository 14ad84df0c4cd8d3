"""The stages of stacking that training does not have."""

from __future__ import annotations

import statistics
from itertools import compress
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from tolka.combine.folds import sample_sentences, split_folds
from tolka.combine.stages import Name, Seed, answer, ensemble, given, join, several, test_set
from tolka.corpus import read_lines, write_lines
from tolka.errors import FormatError, InputError
from tolka.grammar import Extractor
from tolka.lm import LanguageModelTrainer, mix_lms, tune_weights
from tolka.pipeline.stage import Settings, Threads, registry, stage
from tolka.pipeline.stages import BUILTIN
from tolka.pipeline.stages.grammar import GrammarSettings
from tolka.pipeline.stages.layout import TRAIN, CorpusDirectory
from tolka.train import defaults
from tolka.tune import read_weights, write_weights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tolka.progress import Progress

DEV = "dev"


class FoldsSettings(Settings):
    """How a text is divided; see `tolka.combine.split_folds`."""

    folds: int = Field(ge=2)
    contiguous: bool = False
    seed: Seed = 1


@stage("folds", version=1, settings=FoldsSettings, inputs=("corpus",), outputs=("folds",))
def folds(inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: FoldsSettings, progress: Progress) -> None:
    """Divide the training section into folds; pairs with the same source side are in the same one."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    sources = list(corpus.lines(TRAIN, corpus.langs[0]))
    with progress.task("dividing", total=len(sources), unit="pairs") as advance:
        found = split_folds(
            len(sources),
            settings.folds,
            seed=settings.seed,
            contiguous=settings.contiguous,
            groups=None if settings.contiguous else sources,
        )
        advance(len(sources))
    write_lines(outputs["folds"], map(str, found))


def read_folds(path: Path) -> list[int]:
    """The fold of each pair, as the stage wrote them."""
    return [int(line) for line in read_lines(path)]


class FoldGrammarSettings(GrammarSettings):
    """As for `grammar`; `voices` are the folds that models do without."""

    growing: Literal[False] = False
    # A list of JSON stands for a tuple, which the validator above hides.
    voices: tuple[int, ...] = Field(min_length=2, max_length=64, strict=False)


@stage(
    "fold-grammar",
    version=1,
    settings=FoldGrammarSettings,
    inputs=("corpus", "links", "folds"),
    outputs=("grammar",),
)
def fold_grammar(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: FoldGrammarSettings, progress: Progress
) -> None:
    """Extract the rules of the training section once, and score them for each model that does without a fold."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    left_out = {"growing", "samples", "voices"}
    wanted = {name: value for name, value in settings if value is not None and name not in left_out}
    source, target = (corpus.file(TRAIN, lang) for lang in corpus.langs)
    Extractor(**wanted).extract_folds(
        source,
        target,
        inputs["links"],
        read_folds(inputs["folds"]),
        outputs["grammar"],
        voices=settings.voices,
        progress=progress,
    )


class TakeSettings(Settings):
    """Which pairs are taken: of corpora by their names, those that are in no fold of a number, and a sample of them."""

    names: tuple[Name, ...] = ()
    fold: int | None = Field(default=None, ge=0)
    share: float | None = Field(default=None, gt=0, le=1)
    replacement: bool = False
    seed: Seed = 1


@stage("take", version=1, settings=TakeSettings, inputs=("corpus", "links", "left-out?"), outputs=("corpus", "links"))
def take(inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: TakeSettings, progress: Progress) -> None:
    """Take some pairs of the training section, with the links that all of it gave."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    kept = _named(corpus, settings.names)
    if settings.fold is not None:
        kept = [keep and fold != settings.fold for keep, fold in zip(kept, read_folds(inputs["left-out"]), strict=True)]
    chosen = list(compress(range(len(kept)), kept))
    if settings.share is not None:
        drawn = sample_sentences(len(chosen), settings.share, seed=settings.seed, replacement=settings.replacement)
        chosen = [chosen[at] for at in drawn]
    if not chosen:
        raise InputError("no pair is left to learn from", hint="give more text")
    with progress.task("taking pairs", total=len(chosen), unit="pairs") as advance:
        pairs, links = list(corpus.pairs(TRAIN)), list(read_lines(inputs["links"]))
        made = CorpusDirectory(outputs["corpus"], corpus.langs, (TRAIN,), (*corpus.history, "take"), corpus.text)
        made.create().write(TRAIN, (pairs[at] for at in chosen))
        write_lines(outputs["links"], (links[at] for at in chosen))
        advance(len(chosen))


def _named(corpus: CorpusDirectory, names: Sequence[str]) -> list[bool]:
    """For each pair of the training section whether it is of one of these corpora; of any if none are named."""
    if not names:
        return [True] * sum(1 for _ in corpus.lines(TRAIN, corpus.langs[0]))
    there = corpus.corpora()
    for name, pairs in there:
        if name in names and not pairs:
            raise InputError(f"no pair of the text {name!r} is left after cleaning", hint="is it parallel text?")
    return [name in names for name, pairs in there for _ in range(pairs)]


class HeldOutSettings(Settings):
    """Which pairs are tuned on: those of corpora by their names, or those of a fold; so many at most, from all over."""

    names: tuple[Name, ...] = ()
    fold: int | None = Field(default=None, ge=0)
    most: int | None = Field(default=None, ge=1)


@stage("held-out", version=1, settings=HeldOutSettings, inputs=("corpus", "left-out?"), outputs=("corpus",))
def held_out(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: HeldOutSettings, progress: Progress
) -> None:
    """Make a development section of pairs of the training section."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    kept = _named(corpus, settings.names)
    if settings.fold is not None:
        kept = [keep and fold == settings.fold for keep, fold in zip(kept, read_folds(inputs["left-out"]), strict=True)]
    pairs = list(compress(corpus.pairs(TRAIN), kept))
    if not pairs:
        raise InputError("no pair is left to tune on", hint="give more text")
    wanted = min(settings.most or len(pairs), len(pairs))
    with progress.task("holding out", total=wanted, unit="pairs") as advance:
        made = CorpusDirectory(outputs["corpus"], corpus.langs, (DEV,), (*corpus.history, "held-out"), corpus.text)
        made.create().write(DEV, (pairs[at * len(pairs) // wanted] for at in range(wanted)))
        advance(wanted)


class FoldLmSettings(Settings):
    """As for `lm`; `fold` is the one that the model does without."""

    fold: int = Field(ge=0)
    order: int = Field(default=defaults.LM["order"], ge=1, le=8)
    smoothing: Literal["kneser-ney", "witten-bell"] = defaults.LM["smoothing"]
    prune: tuple[int, ...] = ()
    threads: Threads = 0


@stage("fold-lm", version=1, settings=FoldLmSettings, inputs=("corpus", "left-out", "mono-to-mix?"), outputs=("lm",))
def fold_lm(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: FoldLmSettings, progress: Progress
) -> None:
    """Estimate a language model of the target side without a fold, which is then new to it.

    Further text has a model of its own, and the two are mixed as suits the fold best.
    """
    corpus = CorpusDirectory.open(inputs["corpus"])
    kept = [fold != settings.fold for fold in read_folds(inputs["left-out"])]
    trainer = LanguageModelTrainer(settings.order, settings.smoothing, prune=settings.prune, threads=settings.threads)
    with progress.task("language model", unit="models") as advance:
        model = trainer.train(compress(corpus.lines(TRAIN, corpus.langs[1]), kept))
        if "mono-to-mix" in inputs and inputs["mono-to-mix"].stat().st_size:
            other = trainer.train(inputs["mono-to-mix"])
            lines = compress(corpus.lines(TRAIN, corpus.langs[1]), (not keep for keep in kept))
            held = [line for line in lines if line.strip()]
            model = mix_lms([model, other], tune_weights([model, other], held) if held else (0.5, 0.5))
        # The name says what is written.
        path = outputs["lm"].with_suffix(".tlm")
        model.save(path)
        path.rename(outputs["lm"])
        advance(1)


class MeanWeightsSettings(Settings):
    """Whose weights they are."""

    names: tuple[Name, ...] = Field(min_length=1)


@stage("mean-weights", version=1, settings=MeanWeightsSettings, inputs=several("weights"), outputs=("weights",))
def mean_weights(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: MeanWeightsSettings, progress: Progress
) -> None:
    """The mean of several tunings' weights, each divided by the sum of their sizes."""
    with progress.task("weights", unit="files") as advance:
        found = [read_weights(path) for path in given(inputs, "weights", settings.names).values()]
        write_weights(outputs["weights"], average(found))
        advance(len(found))


def average(tunings: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of weights on the same scale.

    Raises:
        FormatError: They are of different features.
        InputError: All of one's are 0.

    Example:
        >>> average([{"lm": 1.0, "glue": -1.0}, {"lm": 6.0, "glue": 2.0}])
        {'lm': 0.625, 'glue': -0.125}
    """
    if any(own.keys() != tunings[0].keys() for own in tunings):
        raise FormatError("the weights are of different features")
    sizes = [sum(map(abs, own.values())) for own in tunings]
    if not all(sizes):
        raise InputError("all weights of a tuning are 0", hint="tune with more sentences")
    return {
        name: statistics.fmean(own[name] / size for own, size in zip(tunings, sizes, strict=True))
        for name in tunings[0]
    }


STAGES = registry(
    *BUILTIN.values(), test_set, folds, fold_grammar, take, held_out, fold_lm, mean_weights, join, ensemble, answer
)
"""All stages that stacking can use."""
