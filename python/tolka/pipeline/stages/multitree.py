"""Stages of translators that search for multitrees: source trees, training, and the directory people keep."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, fields, replace
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_type_hints

from pydantic import Field, create_model, model_validator

from tolka.align import Aligner, grow_posteriors
from tolka.corpus import read_lines, write_lines
from tolka.decode import words_of
from tolka.errors import InputError, SettingsError
from tolka.multitree import SYSTEMS, MultitreeSettings, MultitreeTranslator, PenaltyTuning, Watch
from tolka.multitree.parsing import parse_tokens
from tolka.pipeline.stage import InputFile, Settings, Threads, stage
from tolka.pipeline.stages.layout import TRAIN, CorpusDirectory
from tolka.reorder import CLASSES, ClassAnalyser
from tolka.syntax import ConstituencyParser, format_penn, parse_penn, with_words
from tolka.translate.bundle import COMPOUNDS
from tolka.translate.description import CorpusPart
from tolka.translate.multitree import LONGEST, PARSER, TreeDescription, write_tree_model

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tolka.progress import Progress
    from tolka.syntax import Constituent

    TuningSet = tuple[list[list[str]], list[list[str]], list[Constituent | None]]

BEST = "best"
"""The system that is trained unless another one is named."""
_LEAST_LINK = 1e-6


class ConstituentsSettings(Settings):
    """The parser, a file that `tolka parse train` wrote."""

    model: InputFile
    threads: Threads = 0


@stage(
    "constituents", version=1, settings=ConstituentsSettings, inputs=("corpus",), outputs=("brackets", "constituents")
)
def constituents(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: ConstituentsSettings, progress: Progress
) -> None:
    """Give the sentences of the source language their constituency trees."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    parser = ConstituencyParser.load(inputs["model"])
    shutil.copyfile(inputs["model"], outputs["constituents"])
    outputs["brackets"].mkdir()
    flat = {}
    for section in corpus.sections:
        words = [words_of(line) for line in corpus.lines(section, corpus.langs[0])]
        trees, flat[section] = parse_tokens(parser, words, threads=settings.threads, progress=progress)
        # A line for each, so that nobody has to guess which sentence has none.
        shown = ("" if tree is None else format_penn(tree) for tree in trees)
        write_lines(outputs["brackets"] / f"{section}.penn", shown)
    (outputs["brackets"] / "flat.json").write_text(json.dumps(flat), encoding="utf-8")


def _stage_settings() -> type[Settings]:
    """Every setting of `MultitreeSettings`, none of which need be said: a system has it."""
    hints = get_type_hints(MultitreeSettings)
    made: dict[str, Any] = {}
    for one in fields(MultitreeSettings):
        kind = hints[one.name]
        # TOML has no word for what is not there.
        made[one.name] = (kind | (Literal["none"] if NoneType in get_args(kind) else None), None)
    return create_model("_Chosen", __base__=Settings, __module__=__name__, **made)


if TYPE_CHECKING:
    _Chosen = Settings
else:
    _Chosen = _stage_settings()


class MultitreeStageSettings(_Chosen):
    """Which system is trained, and what it does otherwise; see `tolka.multitree.MultitreeSettings`.

    `most_words` are those of the longer side of a pair that is learnt from. As many sentences of the development section as
    `watched` says are translated whenever classifiers were trained, where they alone decide, for the curve. Without a parser, words have `classes`: with 0 all are
    the same.
    """

    system: str = BEST
    most_words: int = Field(default=40, ge=1, le=400)
    classes: int = Field(default=CLASSES, ge=0, le=10_000)
    watched: int = Field(default=100, ge=0)
    threads: Threads = 0

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, values: Any) -> Any:
        """What the system says are settings like any other, so that they are part of the key."""
        if not isinstance(values, dict):
            return values
        system = values.get("system", BEST)
        if not isinstance(system, str) or system not in SYSTEMS:
            return values
        said = {name: "none" if value is None else value for name, value in asdict(SYSTEMS[system]).items()}
        # JSON has no tuples, and what comes back from here is no longer JSON.
        return {**said, **{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}}

    @model_validator(mode="after")
    def _make_sense(self) -> MultitreeStageSettings:
        self.chosen()
        return self

    def chosen(self) -> MultitreeSettings:
        """The settings of the system with what was said otherwise.

        Raises:
            SettingsError: There is no such system, or a value makes no sense.
        """
        if self.system not in SYSTEMS:
            raise SettingsError(f"there is no system {self.system!r}", hint=f"use one of {', '.join(SYSTEMS)}")
        said = {one.name: getattr(self, one.name) for one in fields(MultitreeSettings)}
        given: dict[str, Any] = {
            name: None if value == "none" else value for name, value in said.items() if value is not None
        }
        return replace(SYSTEMS[self.system], **given)


@stage(
    "multitree",
    version=3,
    settings=MultitreeStageSettings,
    inputs=("corpus", "aligner", "brackets?", "mono?"),
    outputs=("multitrees",),
    notes=True,
)
def multitree(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: MultitreeStageSettings, progress: Progress
) -> None:
    """Learn to search for multitrees from the training section; pairs that cannot be learnt from are accounted for."""
    wanted = settings.chosen()
    corpus = CorpusDirectory.open(inputs["corpus"])
    lines = list(corpus.pairs(TRAIN))
    pairs = [(words_of(source), words_of(target)) for source, target in lines]
    classes: Mapping[str, str] = {}
    if "brackets" not in inputs and settings.classes:
        classes = _classes([source for source, _ in pairs], settings.classes)
    trees = trees_of(inputs, TRAIN, [source for source, _ in pairs])
    with progress.task("linking words", total=len(pairs), unit="pairs") as advance:
        found = Aligner.load(inputs["aligner"], threads=settings.threads).posteriors(lines)
        grown = (grow_posteriors(one) for one in found)
        links = [[(i, j, max(p, _LEAST_LINK)) for (i, j), p in one.items()] for one in grown]
        advance(len(pairs))
    # Classifiers of joins ask how often n-grams were seen; where there are none, the language model has read it.
    counted = "mono" in inputs and wanted.epochs and wanted.learn == "all"
    further = [words_of(line) for line in read_lines(inputs["mono"])] if counted else None
    is_watched = wanted.weights is None and settings.watched and "dev" in corpus.sections
    translator = MultitreeTranslator(wanted, classes=classes, threads=settings.threads)
    translator.train(
        pairs,
        trees,
        links=links,
        text=further,
        most_words=settings.most_words,
        checkpoint=outputs["notes"],
        watch=Watch(*tuning_set(inputs, settings.watched)) if is_watched else None,
        progress=progress,
    )
    translator.save(outputs["multitrees"])


def _classes(sentences: list[list[str]], classes: int) -> dict[str, str]:
    """The class of each word as it is written; those that are rare have none."""
    known = ClassAnalyser.train([" ".join(words) for words in sentences], classes=classes).classes
    written = {word for words in sentences for word in words}
    return {word: known[word.lower()] for word in sorted(written) if word.lower() in known}


def trees_of(inputs: Mapping[str, Path], section: str, sentences: list[list[str]]) -> list[Constituent | None] | None:
    """The trees that [constituents] wrote, if it did."""
    if "brackets" not in inputs:
        return None
    lines = list(read_lines(inputs["brackets"] / f"{section}.penn"))
    if len(lines) != len(sentences):
        raise InputError(
            f"there are {len(lines)} trees for the {len(sentences)} sentences of the section {section}",
            hint="let no stage between [constituents] and this one change the corpus",
        )
    # Brackets that are words are written otherwise in trees.
    return [with_words(parse_penn(line), words) if line else None for line, words in zip(lines, sentences, strict=True)]


def tuning_set(inputs: Mapping[str, Path], most: int) -> TuningSet:
    """Sentences of the development section, their translations and trees; without empty sides, and lines of several pieces."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    if "dev" not in corpus.sections:
        raise InputError(
            "there is no development section to tune on", hint="name dev_source under [corpus], or [split]"
        )
    sides = [[words_of(line) for line in corpus.lines("dev", lang)] for lang in corpus.langs]
    trees = trees_of(inputs, "dev", sides[0]) or [None] * len(sides[0])
    rows = [row for row in zip(*sides, trees, strict=True) if 0 < len(row[0]) <= LONGEST and row[1]][:most]
    if not rows:
        raise InputError(
            "no pair of the development section has words on both sides, and no more than are searched at once",
            hint="name another one",
        )
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


class TreeModelSettings(Settings):
    """There is nothing to choose."""


@stage(
    "tree-model",
    version=2,
    settings=TreeModelSettings,
    inputs=("corpus", "multitrees", "tuning?", "lm?", "constituents?", "truecaser?", "compounds?"),
    outputs=("model",),
)
def tree_model(
    inputs: Mapping[str, Path],
    outputs: Mapping[str, Path],
    settings: TreeModelSettings,  # noqa: ARG001 - as every stage
    progress: Progress,
) -> None:
    """Pack what was learnt, the language model, the parser and text settings into a translator."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    text = corpus.text_settings()
    translator = MultitreeTranslator.load(inputs["multitrees"])
    if "lm" in inputs and translator.settings.weights is not None:
        translator.with_language(inputs["lm"])
    if "tuning" in inputs:
        _take(translator, json.loads(inputs["tuning"].read_bytes()))
    files = {f"truecaser.{lang}": inputs["truecaser"] / f"truecaser.{lang}" for lang in corpus.langs if text.truecase}
    if text.compounds:
        files[COMPOUNDS] = inputs["compounds"]
    if "constituents" in inputs:
        files[PARSER] = inputs["constituents"]
    account = translator.account_
    description = TreeDescription(
        langs=list(corpus.langs),
        parser="constituents" if PARSER in files else "classes" if translator.classes else "flat",
        multitree={},
        text=text,
        corpora=[CorpusPart(name, count) for name, count in corpus.corpora()] or None,
        made={"pairs": 0 if account is None else account.pairs, "tuned": "tuning" in inputs},
    )
    with progress.task("packing", total=1, unit="models") as advance:
        stages = (*corpus.history, "multitree", "tree-model")
        write_tree_model(outputs["model"], description, translator, files, stages=stages)
        advance(1)


def _take(translator: MultitreeTranslator, found: Mapping[str, Any]) -> None:
    """Translate from now on as tuning found it best: by [statistics], weights; by [penalty], that of classifiers."""
    if "weights" in found:
        translator.searching(weights=found["weights"])
        return
    curve = tuple((float(penalty), float(score)) for penalty, score in found["curve"])
    tuning = PenaltyTuning(found["metric"], found["penalty"], found["score"], curve)
    translator.record_ = replace(translator.record_, tuning=tuning)
    translator.with_penalty(tuning.penalty)
