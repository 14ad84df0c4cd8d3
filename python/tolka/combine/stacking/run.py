"""Stacking a text, and comparing that with other ways to use it."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tolka.combine.keeping import check_place, keep
from tolka.combine.recipes import CLEAN
from tolka.combine.scores import Judge, Measured
from tolka.combine.stacking.checks import check_texts
from tolka.combine.stacking.page import stacking_page
from tolka.combine.stacking.recipe import TEST, answers_of, bases, model_of, scheme_of, stacking_recipe
from tolka.combine.stacking.row import StackRow
from tolka.combine.stacking.settings import CONVENTIONAL, LEAST_FOLD_PAIRS, MEAN, RETRAINED
from tolka.corpus import Tokeniser, read_lines
from tolka.files import write_atomic
from tolka.pipeline.runner import run
from tolka.pipeline.stages.layout import CorpusDirectory
from tolka.pipeline.training import work_of
from tolka.progress import SILENT
from tolka.translate import Translator

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tolka.combine.stacking.settings import StackSettings
    from tolka.pipeline.runner import RunResult, StageResult
    from tolka.progress import Progress

BASELINES = (CONVENTIONAL, RETRAINED)
"""What rows are tested against."""


@dataclass(frozen=True)
class Fold:
    """A model of a stack.

    Attributes:
        number: The fold that it does without.
        pairs: What it is tuned on.
        score: BLEU of that under the weights that were found, of words.
    """

    number: int
    pairs: int
    score: float


@dataclass(frozen=True)
class Stacking:
    """A finished stacking.

    Attributes:
        model: Where the ensemble is.
        page: Where the page is.
        settings: What was asked for, with the numbers of folds that were found to suit the text.
        folds: Its models.
        rows: What was compared, if anything was.
        test: The score of the test set of the model on disk, which was loaded again; None without a test set.
        pairs: Pairs of each text that were left after cleaning.
        seconds: How long it took.
        notes: What deserves attention.
    """

    model: Path
    page: Path
    settings: StackSettings
    folds: tuple[Fold, ...]
    rows: tuple[StackRow, ...]
    test: float | None
    pairs: dict[str, int]
    seconds: float
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> StackRow:
        return next(row for row in self.rows if row.name == name)

    @property
    def held_out(self) -> float:
        """The mean of what models score on what they do without."""
        return statistics.fmean(fold.score for fold in self.folds)

    def to_json(self) -> dict[str, Any]:
        """All of it as plain JSON values, for machines."""
        return {
            "model": str(self.model),
            "page": str(self.page),
            "operation": self.settings.operation,
            "folds": self.settings.folds,
            "models": [vars(fold) for fold in self.folds],
            "held_out": self.held_out,
            "test": self.test,
            "pairs": self.pairs,
            "rows": [row.to_json() for row in self.rows],
            "seconds": round(self.seconds, 3),
            "notes": list(self.notes),
        }


def stack(
    settings: StackSettings,
    output: Path,
    *,
    work: Path | None = None,
    page: Path | None = None,
    progress: Progress = SILENT,
    patience: float | None = None,
    tell: Callable[[str], None] | None = None,
    stage_done: Callable[[StageResult], None] | None = None,
) -> Stacking:
    """Make models of a text without one of its folds each, tune each on that fold, and let them translate together.

    Text is prepared, words are linked and rules are extracted once for all models (Razmara 2013, chapter 4). What was
    stopped, killed even, goes on where it was when it is started again with the same settings.

    Args:
        settings: What is stacked.
        output: The directory of the ensemble; a model that is there is replaced in the end.
        work: Where stages keep their outputs; beside the model by default.
        page: The page; beside the model by default.
        progress: Who is told.
        patience: See `tolka.pipeline.run`.
        tell: Is called with each note as soon as it is known.
        stage_done: Is called after each stage.

    Raises:
        InputError: The text must be wrong, or too little; see `tolka.combine.stacking.checks`.
        FileError: The output holds something else, or a file cannot be read.
        SettingsError: A setting makes no sense.
        StageError: A stage failed.
    """
    check_place(output)
    if not settings.tokenised:
        for lang in settings.langs:
            Tokeniser(lang)
    notes: list[str] = []

    def note(text: str) -> None:
        notes.append(text)
        if tell is not None:
            tell(text)

    with progress.task("checking the text", unit="pairs"):
        found, pairs = check_texts(settings)
    for one in found.notes:
        note(one)
    settings = settings.divided(pairs)
    each = pairs // (settings.folds or 1)
    if each < LEAST_FOLD_PAIRS:
        note(f"folds have about {each} pairs, which is little to tune on: fewer folds may be better")
    recipe = stacking_recipe(settings)
    done = run(recipe, work or work_of(output), progress=progress, patience=patience, stage_done=stage_done)
    for one in done.notes:
        note(one)
    judge = _judge(settings, done)
    rows = () if judge is None else _rows(settings, done, judge)
    with progress.task("keeping the model", unit="models"):
        keep(done[model_of(settings, settings.operation, 1)].outputs["model"], output)
        test = None if judge is None else _again(settings, output, done, judge)
    result = Stacking(
        model=output,
        page=page or output.with_name(f"{output.name}.html"),
        settings=settings,
        folds=_folds(settings, done),
        rows=rows,
        test=test,
        pairs=dict(CorpusDirectory.open(done[CLEAN].outputs["corpus"]).corpora()),
        seconds=done.seconds,
        notes=tuple(notes),
    )
    with write_atomic(result.page) as out:
        out.write(stacking_page(result))
    return result


def _test(done: RunResult) -> CorpusDirectory:
    """The test set as people write it."""
    return CorpusDirectory.open(done[TEST].outputs["corpus"])


def _judge(settings: StackSettings, done: RunResult) -> Judge | None:
    if settings.test is None:
        return None
    corpus = _test(done)
    references = list(corpus.lines("test", corpus.langs[1]))
    return Judge(references, tokenised=settings.tokenised, threads=settings.threads)


def _folds(settings: StackSettings, done: RunResult) -> tuple[Fold, ...]:
    found = []
    for number, base in zip(settings.used, bases(settings, settings.operation), strict=True):
        corpus = CorpusDirectory.open(done[base.dev].outputs["corpus"])
        tuned = json.loads(done[base.weights_of(1)].outputs["tuning"].read_bytes())
        pairs = sum(1 for _ in corpus.lines("dev", corpus.langs[0]))
        found.append(Fold(number, pairs, float(tuned["score"])))
    return tuple(found)


def _rows(settings: StackSettings, done: RunResult, judge: Judge) -> tuple[StackRow, ...]:
    tunings = range(1, settings.tunings + 1)
    answers = {
        row: [
            [tuple(read_lines(done[one].outputs["answers"] / "test")) for one in answers_of(settings, row, tuning)]
            for tuning in tunings
        ]
        for row in settings.rows
    }
    found = {row: [judge.statistics(own) for own in texts] for row, texts in answers.items()}
    rows = []
    for row in settings.rows:
        average = scheme_of(row)[1] == MEAN
        if average:
            each = [judge.measure(own) for own in found[row]]
            means = tuple(own.mean for own in each)
            low, high = (statistics.fmean(getattr(own, end) for own in each) for end in ("low", "high"))
            measured = Measured(means, low, high)
        else:
            measured = judge.measure([own for [own] in found[row]])
        against = {
            one: judge.compare([own for [own] in found[row]], [own for [own] in found[one]])
            for one in BASELINES
            if one in found and one != row and not average
        }
        rows.append(
            StackRow(
                name=row,
                test=measured,
                p={name: p for name, (_, p) in against.items()},
                differences={name: difference for name, (difference, _) in against.items()},
                models=len(bases(settings, row)),
                each=tuple(tuple(one.score for one in own) for own in found[row]) if average else (),
                translations=() if average else tuple(own for [own] in answers[row]),
            )
        )
    return tuple(rows)


def _again(settings: StackSettings, output: Path, done: RunResult, judge: Judge) -> float:
    """The score of what is on disk now."""
    corpus, translator = _test(done), Translator.load(output)
    sources = list(corpus.lines("test", corpus.langs[0]))
    [own] = judge.statistics([translator.translate(sources, threads=settings.threads)])
    return own.score
