"""Stages that prepare a corpus: clean, split, tokenise, truecase, compounds, placeholders, stats."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from pydantic import Field

from tolka.corpus import (
    CleanSettings,
    CompoundSplitter,
    SplitSettings,
    Tokeniser,
    Truecaser,
    Vocabulary,
    clean_to_files,
    pair_statistics,
    split_to_files,
)
from tolka.corpus.clean import RULES, CleanStream
from tolka.corpus.split import PARTS
from tolka.decode import words_of
from tolka.errors import InputError
from tolka.markup import mask_pair, number_styles, without_tags
from tolka.pipeline.mirror import mirror, rebuild
from tolka.pipeline.stage import Settings, stage
from tolka.pipeline.stages.layout import SPLIT_REPORT, TRAIN, CorpusCounter, CorpusDirectory

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tolka.progress import Progress

Clean = mirror(CleanSettings, without=("languages",))
Split = mirror(SplitSettings)


@stage("clean", version=2, settings=Clean, inputs=("corpus",), outputs=("corpus", "report"))
def clean(inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: Settings, progress: Progress) -> None:
    """Normalise all text, and drop bad pairs from the training section."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    wanted = rebuild(CleanSettings, settings, languages=corpus.langs)
    cleaned = corpus.next(outputs["corpus"], "clean", invisible=wanted.invisible, nfc=wanted.nfc, spaces=wanted.spaces)
    counter = CorpusCounter(corpus.corpora())
    report = clean_to_files(
        corpus.pairs(TRAIN), cleaned.path / TRAIN, corpus.langs, wanted, progress=progress, told=counter
    )
    cleaned.name_corpora(counter.corpora())
    if not report.kept:
        raise InputError("no pair is left after cleaning", hint="loosen the rules under [clean]")
    (cleaned.path / f"{TRAIN}.report.json").rename(outputs["report"])
    # A test set is what people agreed to be tested on: its pairs stay, in the same normal form as the training text.
    gently = rebuild(CleanSettings, settings, languages=corpus.langs, without=RULES)
    for section in corpus.sections:
        if section != TRAIN:
            cleaned.write(section, CleanStream(corpus.pairs(section), gently, progress=progress))


@stage("split", version=3, settings=Split, inputs=("corpus",), outputs=("corpus",))
def split(inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: Settings, progress: Progress) -> None:
    """Set pairs aside for development and test, chosen by their content."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    wanted = rebuild(SplitSettings, settings)
    there = [section for section in corpus.sections if section != TRAIN]
    if any(getattr(wanted, section) for section in there):
        raise InputError(
            f"the corpus has the section {there[0]} already", hint="remove [split], or set its size to 0 under it"
        )
    # A size of 0 makes no section, so that one from elsewhere can stand in its place.
    made = [part for part in PARTS if part == TRAIN or getattr(wanted, part)]
    divided = corpus.next(outputs["corpus"], "split", tuple(part for part in PARTS if part in {*made, *there}))
    counter = CorpusCounter(corpus.corpora())
    report = split_to_files(
        lambda: corpus.pairs(TRAIN), divided.path / "all", corpus.langs, wanted, progress=progress, told=counter
    )
    (divided.path / SPLIT_REPORT).write_text(f"{json.dumps(report.to_dict())}\n", encoding="utf-8")
    divided.name_corpora(counter.corpora())
    for part in PARTS:
        for lang in corpus.langs:
            path = divided.path / f"all.{part}.{lang}"
            if part in made:
                path.rename(divided.file(part, lang))
            else:
                path.unlink()
    for section in there:
        for lang in corpus.langs:
            shutil.copyfile(corpus.file(section, lang), divided.file(section, lang))


class TokeniseSettings(Settings):
    """How text is cut into words; see `tolka.corpus.Tokeniser`."""

    escape: bool = True
    protect: bool = False
    notation: bool = True
    abbreviations: tuple[str, ...] = ()


@stage("tokenise", version=3, settings=TokeniseSettings, inputs=("corpus",), outputs=("corpus",))
def tokenise(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: TokeniseSettings, progress: Progress
) -> None:
    """Cut all text into words with spaces between."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    cut = corpus.next(outputs["corpus"], "tokenise", **settings.model_dump(mode="json"))
    for lang in corpus.langs:
        tokeniser = Tokeniser(lang, **settings.model_dump())
        lines = _untagged(tokeniser) if settings.notation else tokeniser.lines
        _each_line(corpus, cut, lang, lines, progress)


def _untagged(tokeniser: Tokeniser) -> Callable[[list[str]], list[str]]:
    """Cuts lines without their inline tags, as a translator sees them."""
    return lambda lines: tokeniser.lines(without_tags(lines))


class TruecaseSettings(Settings):
    """Truecasing has no settings; languages come with the corpus."""


@stage("truecase", version=2, settings=TruecaseSettings, inputs=("corpus",), outputs=("corpus", "truecaser"))
def truecase(
    inputs: Mapping[str, Path],
    outputs: Mapping[str, Path],
    settings: TruecaseSettings,  # noqa: ARG001
    progress: Progress,
) -> None:
    """Learn the usual case of words from the training section, and write all text in it."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    cased = corpus.next(outputs["corpus"], "truecase", truecase=True)
    outputs["truecaser"].mkdir()
    for lang in corpus.langs:
        truecaser = Truecaser(language=lang).train(corpus.lines(TRAIN, lang))
        truecaser.save(outputs["truecaser"] / f"truecaser.{lang}")
        _each_line(corpus, cased, lang, truecaser.truecase_lines, progress)


class CompoundsSettings(Settings):
    """What may be a part; see `tolka.corpus.CompoundSplitter`."""

    min_length: int = Field(default=4, ge=1)
    min_count: int = Field(default=5, ge=1)
    max_parts: int = Field(default=4, ge=2, le=8)


@stage("compounds", version=1, settings=CompoundsSettings, inputs=("corpus",), outputs=("corpus", "compounds"))
def compounds(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: CompoundsSettings, progress: Progress
) -> None:
    """Learn the words of the source language from the training section, and split its compounds everywhere."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    cut = corpus.next(outputs["corpus"], "compounds")
    source, target = corpus.langs
    splitter = CompoundSplitter(language=source, **settings.model_dump()).train(corpus.lines(TRAIN, source))
    splitter.save(outputs["compounds"])
    _each_line(corpus, cut, source, splitter.split_lines, progress)
    _each_line(corpus, cut, target, list, progress)


class PlaceholderSettings(Settings):
    """Placeholders have no settings; languages come with the corpus."""


@stage("placeholders", version=1, settings=PlaceholderSettings, inputs=("corpus",), outputs=("corpus",))
def placeholders(
    inputs: Mapping[str, Path],
    outputs: Mapping[str, Path],
    settings: PlaceholderSettings,  # noqa: ARG001
    progress: Progress,
) -> None:
    """Put placeholders in the place of numbers and addresses that both sides of a pair have."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    masked = corpus.next(outputs["corpus"], "placeholders")
    styles = number_styles(*corpus.langs)
    for section in corpus.sections:
        with progress.task(section, unit="pairs") as advance:
            pairs = (mask_pair(words_of(one), words_of(other), styles=styles) for one, other in corpus.pairs(section))
            advance(masked.write(section, ((" ".join(one), " ".join(other)) for one, other in pairs)))


def _each_line(
    corpus: CorpusDirectory,
    changed: CorpusDirectory,
    lang: str,
    change: Callable[[list[str]], list[str]],
    progress: Progress,
) -> None:
    """Write every section's text in one language with each line changed."""
    for section in corpus.sections:
        with (
            changed.file(section, lang).open("w", encoding="utf-8", newline="\n") as out,
            progress.task(f"{section}.{lang}", unit="lines") as advance,
        ):
            for batch in corpus.lines(section, lang).batches():
                out.writelines(f"{line}\n" for line in change(batch))
                advance(len(batch))


class StatsSettings(Settings):
    """How much is listed."""

    top: int = Field(default=10, ge=0, le=10_000)


@stage("stats", version=1, settings=StatsSettings, inputs=("corpus",), outputs=("stats",))
def stats(inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: StatsSettings, progress: Progress) -> None:
    """Describe each section; words of the others that the training section does not have count as unknown."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    source, target = (Vocabulary.from_lines(corpus.lines(TRAIN, lang)) for lang in corpus.langs)
    found = {
        section: pair_statistics(
            corpus.pairs(section),
            against=None if section == TRAIN else (source, target),
            top=settings.top,
            progress=progress,
        ).to_dict()
        for section in corpus.sections
    }
    text = json.dumps({"langs": corpus.langs, "sections": found}, ensure_ascii=False, allow_nan=False, indent=1)
    outputs["stats"].write_text(f"{text}\n", encoding="utf-8")
