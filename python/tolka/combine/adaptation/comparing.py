"""Comparing the ways to adapt to a domain, and keeping the best."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tolka.combine.adaptation.checks import check_texts
from tolka.combine.adaptation.page import adaptation_page
from tolka.combine.adaptation.recipe import adaptation_recipe, answers_of, model_of, table_of
from tolka.combine.adaptation.row import Row
from tolka.combine.adaptation.settings import ALL, ENSEMBLES, LINEAR
from tolka.combine.keeping import check_place, keep
from tolka.combine.recipes import CLEAN
from tolka.combine.scores import Judge, Measured
from tolka.corpus import Tokeniser, read_lines
from tolka.files import write_atomic
from tolka.grammar import Grammar
from tolka.pipeline.runner import RunResult, StageError, run
from tolka.pipeline.stages.layout import CorpusDirectory
from tolka.pipeline.training import work_of
from tolka.progress import SILENT
from tolka.translate import Translator

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tolka.combine.adaptation.settings import AdaptSettings
    from tolka.pipeline.runner import StageResult
    from tolka.progress import Progress

BASELINES = (ALL, LINEAR)
"""What rows are tested against."""

_EMPTY = re.compile(r"stage \[join-intersection\] failed: ")


@dataclass(frozen=True)
class Adaptation:
    """A finished comparison.

    Attributes:
        model: Where the best model is.
        page: Where the page is.
        settings: What was asked for.
        rows: The rows, in the order of `AdaptSettings.rows`.
        best: The name of the best row, by the mean of the development set.
        tuning: Which of its tunings was kept: that which is best on the development set, counted from 1.
        test: The score of the test set of the model on disk, which was loaded again.
        dev: The same of the development set.
        pairs: Pairs of each text that were left after cleaning.
        seconds: How long it took.
        notes: What deserves attention.
    """

    model: Path
    page: Path
    settings: AdaptSettings
    rows: tuple[Row, ...]
    best: str
    tuning: int
    test: float
    dev: float
    pairs: dict[str, int]
    seconds: float
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> Row:
        return next(row for row in self.rows if row.name == name)

    def to_json(self) -> dict[str, Any]:
        """All of it as plain JSON values, for machines."""
        return {
            "model": str(self.model),
            "page": str(self.page),
            "best": self.best,
            "tuning": self.tuning,
            "dev": self.dev,
            "test": self.test,
            "pairs": self.pairs,
            "rows": [row.to_json() for row in self.rows],
            "seconds": round(self.seconds, 3),
            "notes": list(self.notes),
        }


def adapt(
    settings: AdaptSettings,
    output: Path,
    *,
    work: Path | None = None,
    page: Path | None = None,
    progress: Progress = SILENT,
    patience: float | None = None,
    tell: Callable[[str], None] | None = None,
    stage_done: Callable[[StageResult], None] | None = None,
) -> Adaptation:
    """Compare all ways to adapt to a domain, keep the best, and write a page about it.

    Text is prepared, words are linked, and the language model is made once for all. What was stopped, killed even, goes on
    where it was when it is started again with the same settings; with other rows, only those are made.

    Args:
        settings: What is compared.
        output: The directory of the best model; a model that is there is replaced in the end.
        work: Where stages keep their outputs; beside the model by default.
        page: The page; beside the model by default.
        progress: Who is told.
        patience: See `tolka.pipeline.run`.
        tell: Is called with each note as soon as it is known.
        stage_done: Is called after each stage.

    Raises:
        InputError: The text must be wrong; see `tolka.combine.adaptation.checks`.
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
        for one in check_texts(settings).notes:
            note(one)
    place = work or work_of(output)

    def everything(asked: AdaptSettings) -> RunResult:
        recipe = adaptation_recipe(asked)
        return run(recipe, place, progress=progress, patience=patience, stage_done=stage_done)

    try:
        done = everything(settings)
    except StageError as error:
        rest = tuple(row for row in settings.rows if row != "intersection")
        if not _EMPTY.match(str(error)) or not rest or "intersection" in settings.parts:
            raise
        note("no rule is in the tables of all texts: there is no row for the intersection")
        settings = replace(settings, only=rest)
        done = everything(settings)
    for one in done.notes:
        note(one)
    judges = _judges(settings, done)
    rows = _rows(settings, done, judges)
    # The test set has no say in what is kept.
    best = max(rows, key=lambda row: row.dev.mean)
    tuning = max(range(settings.tunings), key=lambda at: best.dev.scores[at])
    with progress.task("keeping the best", unit="models"):
        keep(done[model_of(settings, best.name, tuning + 1)].outputs["model"], output)
        dev, test = _again(settings, output, done, judges)
    result = Adaptation(
        model=output,
        page=page or output.with_name(f"{output.name}.html"),
        settings=settings,
        rows=rows,
        best=best.name,
        tuning=tuning + 1,
        test=test,
        dev=dev,
        pairs=dict(CorpusDirectory.open(done[CLEAN].outputs["corpus"]).corpora()),
        seconds=done.seconds,
        notes=tuple(notes),
    )
    with write_atomic(result.page) as out:
        out.write(adaptation_page(result))
    return result


def _text(done: RunResult) -> CorpusDirectory:
    """The corpus as people write it."""
    return CorpusDirectory.open(done[CLEAN].outputs["corpus"])


def _judges(settings: AdaptSettings, done: RunResult) -> dict[str, Judge]:
    corpus = _text(done)
    return {
        section: Judge(
            list(corpus.lines(section, corpus.langs[1])), tokenised=settings.tokenised, threads=settings.threads
        )
        for section in ("dev", "test")
    }


def _rows(settings: AdaptSettings, done: RunResult, judges: dict[str, Judge]) -> tuple[Row, ...]:
    tunings = range(1, settings.tunings + 1)
    answers = {
        (row, section): [
            list(read_lines(done[answers_of(settings, row, tuning)].outputs["answers"] / section)) for tuning in tunings
        ]
        for row in settings.rows
        for section in judges
    }
    found = {key: judges[key[1]].statistics(texts) for key, texts in answers.items()}
    rules = {row: len(Grammar.load(done[table_of(settings, row)].outputs["grammar"])) for row in settings.systems}
    rows = []
    for row in settings.rows:
        against = {
            one: judges["test"].compare(found[row, "test"], found[one, "test"])
            for one in BASELINES
            if one in settings.rows and one != row
        }
        measured: dict[str, Measured] = {section: judges[section].measure(found[row, section]) for section in judges}
        own = sum(rules[one] for one in settings.members) if row in ENSEMBLES else rules[row]
        rows.append(
            Row(
                name=row,
                dev=measured["dev"],
                test=measured["test"],
                rules=own,
                p={name: p for name, (_, p) in against.items()},
                differences={name: difference for name, (difference, _) in against.items()},
                details=_details(settings, done, row),
                models=tuple(str(done[model_of(settings, row, tuning)].outputs["model"]) for tuning in tunings),
                translations=tuple(tuple(text) for text in answers[row, "test"]),
            )
        )
    return tuple(rows)


def _details(settings: AdaptSettings, done: RunResult, row: str) -> dict[str, Any]:
    """What was found out on the way to a row."""
    stages = {one.name: one for one in done.stages}
    if row in ENSEMBLES:
        tunings = range(1, settings.tunings + 1)
        return {"lambda": [_read(stages[model_of(settings, row, at)].outputs["tuning"])["weights"] for at in tunings]}
    table = stages[table_of(settings, row)]
    if table.stage == "join":
        return _read(table.outputs["weighed"])
    return _read(stages["select"].outputs["chosen"]) if table.name == "grammar-select" else {}


def _read(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_bytes()))


def _again(settings: AdaptSettings, output: Path, done: RunResult, judges: dict[str, Judge]) -> Sequence[float]:
    """The scores of what is on disk now."""
    corpus, translator = _text(done), Translator.load(output)
    scores = []
    for section, judge in judges.items():
        sources = list(corpus.lines(section, corpus.langs[0]))
        [own] = judge.statistics([translator.translate(sources, threads=settings.threads)])
        scores.append(own.score)
    return scores
