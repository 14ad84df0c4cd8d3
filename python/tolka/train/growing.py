"""Models that take in new sentence pairs at once: they keep their aligned text, and find rules in it on demand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tolka.align import Aligner
from tolka.corpus import CompoundSplitter, Truecaser, Vocabulary, read_lines, write_lines
from tolka.errors import InputError, SettingsError
from tolka.files import save_bundle
from tolka.grammar import SuffixGrammar, segment_names
from tolka.lm import LanguageModel, LanguageModelTrainer
from tolka.progress import SILENT
from tolka.train import defaults
from tolka.train.new_words import link_new_words
from tolka.translate.bundle import KIND, LM_TEXT, WEIGHTS, ModelFiles, OpenModel, open_model
from tolka.translate.description import Growing
from tolka.translate.on_demand import suffix_grammar
from tolka.translate.reordering import open_reordering, reorder_aligned
from tolka.translate.text import TextSteps, prepare_pairs
from tolka.tune import write_weights

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tolka.progress import Progress

LM = "lm"


@dataclass(frozen=True)
class UpdateReport:
    """What an update did.

    Attributes:
        added: Sentence pairs taken in.
        left_out: Pairs left out because a side is empty or too long.
        pairs: Sentence pairs that the model has now.
        segments: Parts that its text is in.
        lm: Whether the language model was made again.
    """

    added: int
    left_out: int
    pairs: int
    segments: int
    lm: bool


def make_growing(
    path: str | PathLike[str],
    sources: Sequence[str],
    targets: Sequence[str],
    *,
    lm: bool = True,
    samples: int = defaults.SAMPLES,
    threads: int = 0,
    progress: Progress = SILENT,
) -> UpdateReport:
    """Turn a model with a table of rules into one that keeps its text, so that `update_model` can add to it.

    Its weights stay: the rules have the same features, wherever they come from. Their probabilities are not smoothed, so
    weights are best tuned on a table without smoothing, as `tolka train --growing` does.

    Args:
        path: The model's directory.
        sources: The text that the model was trained on, as people write it.
        targets: Its translation.
        lm: Whether the language model is one of the target text alone, and is to grow with it.
        samples: Occurrences that are looked at; see `tolka.grammar.SuffixGrammar`.
        threads: How many; 0 for one per core.
        progress: Who is told.

    Raises:
        SettingsError: The model has no aligner, several tables, or features that only a table has.
        InputError: The texts differ in length.
    """
    opened = open_model(path)
    description = opened.description
    if description.growing is not None:
        raise SettingsError("the model grows already", hint="add pairs to it with tolka update")
    if len(description.grammars) != 1:
        raise SettingsError("a model with several tables of rules cannot grow")
    rules = defaults.extraction(description.kind, growing=True)
    rules["indicators"] = any(name.startswith("count_") for name in opened.weights)
    lm = lm and description.lms == [LM]
    order: dict[str, int | str | list[int]] | None = (
        {"order": LanguageModel.load(opened.files.lms[LM]).order} if lm else None
    )
    growing = Growing(rules=rules, samples=samples, lm=order)
    empty = replace(opened.files, grammars={}, text={})
    described = replace(description, growing=growing)
    return _grow(replace(opened, description=described, files=empty), sources, targets, threads, progress)


def update_model(
    path: str | PathLike[str],
    sources: Sequence[str],
    targets: Sequence[str],
    *,
    threads: int = 0,
    progress: Progress = SILENT,
) -> UpdateReport:
    """Add sentence pairs to a model that grows; it translates with them as soon as it is loaded again.

    The pairs are aligned by the model's aligner, and their rules are there at once. The language model is made again of
    all its text, if the model keeps that. Whenever the process is stopped, the model is the old or the new one.

    Args:
        path: The model's directory.
        sources: Sentences as people write them.
        targets: Their translations.
        threads: How many; 0 for one per core.
        progress: Who is told.

    Raises:
        SettingsError: The model does not grow.
        InputError: The texts differ in length, or nothing in them can be aligned.
        FileError: There is no model, or it cannot be written.
    """
    opened = open_model(path)
    if opened.description.growing is None:
        raise SettingsError(
            "the model has a table of rules, to which no pairs can be added",
            hint="name its training text with --corpus once, or train it with --growing",
        )
    return _grow(opened, sources, targets, threads, progress)


def _grow(
    opened: OpenModel, sources: Sequence[str], targets: Sequence[str], threads: int, progress: Progress
) -> UpdateReport:
    description, files = opened.description, opened.files
    growing = description.growing
    if growing is None or not files.aligner:
        raise SettingsError(
            "the model has not kept its aligner, so it cannot align new text",
            hint="train it again, keeping the aligner",
        )
    grammar = suffix_grammar(description, growing, files, threads=threads)
    if len(sources) != len(targets):
        raise InputError(f"the source has {len(sources)} lines and the target {len(targets)}")
    own, other = _steps(opened, 0), _steps(opened, 1)
    prepared = prepare_pairs(own, other, list(sources), list(targets), threads=threads)
    pairs = [pair for pair in zip(*prepared, strict=True) if _fits(*pair)]
    if not pairs:
        raise InputError("there is no sentence pair to add")
    with progress.task("aligning", total=len(pairs), unit="pairs") as advance:
        links = _align(files, pairs, threads)
        advance(len(pairs))
    source, target = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if (reordering := open_reordering(description, files)) is not None:
        source, links = reorder_aligned(reordering, source, links, threads=threads)
    there = opened.bundle.path
    made = {**description.made, "pairs": len(grammar) + len(pairs)}
    with save_bundle(
        there,
        kind=KIND,
        settings=replace(description, made=made).written(),
        features=list(opened.weights),
        stages=opened.bundle.stages,
    ) as out:
        if set(grammar.feature_names) - set(opened.weights):
            raise SettingsError("the model's table has other features than rules found on demand")
        grammar.append_to(out, segment_names(files.text), source, target, links)
        if growing.lm is not None:
            kept = [*read_lines(files.text[LM_TEXT])] if LM_TEXT in files.text else []
            write_lines(out.file(LM_TEXT), [*kept, *target])
            trained = LanguageModelTrainer(**growing.lm, threads=threads).train([*kept, *target])  # type: ignore[arg-type]
            trained.save(out.file(f"{LM}.tlm"))
        changed = {*files.text, *([f"{LM}.tlm"] if growing.lm is not None else [])}
        for name in sorted(set(files.named()) - changed):
            out.keep(name)
        write_weights(out.file(WEIGHTS), opened.weights)
    now = open_model(there)
    whole = SuffixGrammar(now.files.segments())
    parts = whole.stats().segments
    return UpdateReport(len(pairs), len(sources) - len(pairs), len(whole), parts, growing.lm is not None)


def _steps(opened: OpenModel, side: int) -> TextSteps:
    lang = opened.description.langs[side]
    path = opened.files.truecasers.get(lang)
    words = opened.files.compounds if side == 0 else None
    return TextSteps(
        lang,
        opened.description.text,
        None if path is None else Truecaser.load(path),
        None if words is None else CompoundSplitter.load(words),
    )


def _fits(source: str, target: str) -> bool:
    most: int = defaults.CLEAN["max_tokens"]
    return all(0 < len(side.split()) <= most for side in (source, target))


def _align(files: ModelFiles, pairs: list[tuple[str, str]], threads: int) -> list[list[tuple[int, int]]]:
    aligner = Aligner.from_files(files.aligner, threads=threads)
    known = [Vocabulary.load(files.aligner[name]) for name in ("source.words", "target.words")]
    links = aligner.align(pairs, symmetrise=defaults.ALIGN["symmetrise"])
    return [
        link_new_words(source.split(), target.split(), own, known[0], known[1])
        for (source, target), own in zip(pairs, links, strict=True)
    ]


def read_side(path: str | PathLike[str]) -> list[str]:
    """The lines of a file, plain or compressed."""
    return list(read_lines(Path(path)))
