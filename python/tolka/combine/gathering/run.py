"""Putting all sources into one translator, and comparing that with fewer steps."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from tolka.combine.covering import coverage
from tolka.combine.gathering.checks import check_texts
from tolka.combine.gathering.page import gathering_page
from tolka.combine.gathering.recipe import (
    TEST,
    UNKNOWN,
    Plan,
    answers_of,
    gather_recipe,
    parts_of,
    row_of,
    stack_settings,
)
from tolka.combine.gathering.row import GatherRow
from tolka.combine.keeping import check_place, keep
from tolka.combine.scores import Judge
from tolka.corpus import Tokeniser, read_corpus, read_lines, read_pairs, write_pairs
from tolka.errors import InputError
from tolka.files import write_atomic
from tolka.pipeline.runner import run
from tolka.pipeline.stages.layout import CorpusDirectory
from tolka.pipeline.training import work_of
from tolka.pipeline.work import WorkDirectory
from tolka.progress import SILENT
from tolka.translate import Translator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tolka.combine.gathering.settings import GatherSettings, Row
    from tolka.combine.stacking.settings import StackSettings
    from tolka.pipeline.runner import RunResult, StageResult
    from tolka.progress import Progress

_LEAST_HALF = 50
"""Pairs of a half of the development set with which weighing parts is more than luck."""


@dataclass(frozen=True)
class Gathering:
    """All sources in one translator.

    Attributes:
        model: Where it is.
        page: Where the page is.
        settings: What was asked for.
        parts: What translates together, with what each counts.
        rows: What was compared; the model alone if there is a test set and nothing to compare.
        test: The score of the test set of the model on disk, which was loaded again; None without a test set.
        seconds: How long it took.
        notes: What deserves attention.
    """

    model: Path
    page: Path
    settings: GatherSettings
    parts: Mapping[str, float]
    rows: tuple[GatherRow, ...]
    test: float | None
    seconds: float
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> GatherRow:
        return next(row for row in self.rows if row.name == name)

    def to_json(self) -> dict[str, Any]:
        """All of it as plain JSON values, for machines."""
        return {
            "model": str(self.model),
            "page": str(self.page),
            "steps": list(self.settings.steps),
            "parts": dict(self.parts),
            "test": self.test,
            "rows": [row.to_json() for row in self.rows],
            "seconds": round(self.seconds, 3),
            "notes": list(self.notes),
        }


def gather(
    settings: GatherSettings,
    output: Path,
    *,
    work: Path | None = None,
    page: Path | None = None,
    progress: Progress = SILENT,
    patience: float | None = None,
    tell: Callable[[str], None] | None = None,
    stage_done: Callable[[StageResult], None] | None = None,
) -> Gathering:
    """Make one translator of all sources: what Razmara 2013 proposes in section 6.3, and did not run.

    Direct texts are stacked, texts with other languages make ways through these, monolingual text and dictionaries make
    translations of unknown words, and all of that translates in one search. What was stopped, killed even, goes on where
    it was when it is started again with the same settings.

    Args:
        settings: What is put together.
        output: The model's directory; a model that is there is replaced in the end.
        work: Where stages keep their outputs; beside the model by default.
        page: The page; beside the model by default.
        progress: Who is told.
        patience: See `tolka.pipeline.run`.
        tell: Is called with each note as soon as it is known.
        stage_done: Is called after each stage.

    Raises:
        InputError: A text must be wrong, or too little.
        FileError: The output holds something else, or a file cannot be read.
        SettingsError: A setting makes no sense.
        StageError: A stage failed.
    """
    check_place(output)
    for lang in settings.sources.langs:
        Tokeniser(lang)
    notes: list[str] = []

    def note(text: str) -> None:
        if text not in notes:
            notes.append(text)
            if tell is not None:
                tell(text)

    with progress.task("checking the texts", unit="pairs"):
        for one in check_texts(settings).notes:
            note(one)
    place = work or work_of(output)
    plan = _plan(settings, place, note)
    before = 0.0
    if UNKNOWN in settings.steps:
        # What stands in the recipe depends on whether anything can be said of unknown words.
        first = run(
            gather_recipe(plan),
            place,
            until=f"{UNKNOWN}-1",
            progress=progress,
            patience=patience,
            stage_done=stage_done,
        )
        before = first.seconds
        for one in first.notes:
            note(one)
        if nothing := _found(first[f"{UNKNOWN}-1"]).get("nothing"):
            note(f"translations of unknown words are left out: {nothing}")
            settings = _without_unknown(settings)
            plan = replace(plan, settings=settings)
    done = run(gather_recipe(plan), place, progress=progress, patience=patience, stage_done=stage_done)
    for one in _notes(done):
        note(one)
    judge = _judge(settings, done)
    with progress.task("measuring", unit="systems"):
        rows = () if judge is None else _rows(plan, done, judge)
    with progress.task("keeping the model", unit="models"):
        keep(done[row_of(plan, settings.whole, 1)].outputs["model"], output)
        translator = Translator.load(output)
        test = None if judge is None else _again(settings, translator, done, judge)
    names = list(parts_of(plan, settings.whole, 1))
    result = Gathering(
        model=output,
        page=page or output.with_name(f"{output.name}.html"),
        settings=settings,
        parts=translator.weights if len(names) > 1 else dict.fromkeys(names, 1.0),
        rows=rows,
        test=test,
        seconds=before + done.seconds,
        notes=tuple(notes),
    )
    with write_atomic(result.page) as out:
        out.write(gathering_page(result))
    return result


def _plan(settings: GatherSettings, place: Path, note: Callable[[str], None]) -> Plan:
    """What is stacked, once the development set is in halves."""
    if "stack" not in settings.steps:
        return Plan(settings)
    learnt, left = _halves(settings, place, note)
    stacks: dict[str, StackSettings] = {}
    for text in settings.sources.direct:
        asked = stack_settings(settings, text, learnt)
        pairs = sum(
            1 for paths in (text.files, learnt) for _ in read_corpus(list(paths), langs=asked.langs, required=True)
        )
        alone = len(settings.sources.direct) == 1
        stacks["stack" if alone else f"stack-{text.name}"] = asked.divided(pairs)
    return Plan(settings, stacks, left)


def _halves(
    settings: GatherSettings, place: Path, note: Callable[[str], None]
) -> tuple[tuple[Path, Path], tuple[Path, Path]]:
    """Every second pair of the development set is learnt from; what weighs models must not be."""
    pairs = list(read_pairs(*settings.sources.dev))
    half = len(pairs) // 2
    if not half:
        raise InputError("the development set has less than two pairs", path=settings.sources.dev[0], hint="give more")
    if half < _LEAST_HALF:
        note(f"half of the development set is {half} pairs, which is little to weigh parts on")
    folder = place / "halves"
    lock = WorkDirectory(place).open()
    try:
        folder.mkdir(exist_ok=True)
        made = []
        for name, first in (("learnt", 0), ("left", 1)):
            source, target = (folder / f"{name}.{lang}" for lang in settings.sources.langs)
            write_pairs((source, target), islice(pairs, first, None, 2))
            made.append((source, target))
    finally:
        lock.release()
    return made[0], made[1]


def _notes(done: RunResult) -> list[str]:
    notes = list(done.notes)
    for one in done.stages:
        if "found" in one.outputs:
            notes += _found(one)["notes"]
    return notes


def _found(stage: StageResult) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(stage.outputs["found"].read_bytes())
    return found


def _without_unknown(settings: GatherSettings) -> GatherSettings:
    """The same without translations of unknown words, and without settings of the stage that finds them."""
    kept = [one for one in settings.overrides if one.partition(".")[0].strip() != UNKNOWN]
    return replace(settings, without=(*settings.without, UNKNOWN), overrides=tuple(kept))


def _judge(settings: GatherSettings, done: RunResult) -> Judge | None:
    if settings.sources.test is None:
        return None
    corpus = CorpusDirectory.open(done[TEST].outputs["corpus"])
    return Judge(list(corpus.lines("test", corpus.langs[1])), tokenised=False, threads=settings.threads)


def _rows(plan: Plan, done: RunResult, judge: Judge) -> tuple[GatherRow, ...]:
    settings = plan.settings
    corpus = CorpusDirectory.open(done[TEST].outputs["corpus"])
    sources = list(corpus.lines("test", corpus.langs[0]))
    tunings = range(1, settings.tunings + 1)
    answers = {row.name: [done[answers_of(row, tuning)] for tuning in tunings] for row in settings.rows}
    texts = {name: [tuple(read_lines(one.outputs["answers"] / "test")) for one in own] for name, own in answers.items()}
    found = {name: judge.statistics(own) for name, own in texts.items()}
    rows = []
    for row in settings.rows:
        against = {
            other.name: judge.compare(found[row.name], found[other.name])
            for other in settings.rows
            if _compared(row, other)
        }
        made = Translator.load(done[row_of(plan, row, 1)].outputs["model"])
        spent = (one.usage.cpu_seconds for one in answers[row.name] if not one.cached)
        times = [one for one in spent if one is not None]
        rows.append(
            GatherRow(
                name=row.name,
                parts=tuple(parts_of(plan, row, 1)),
                test=judge.measure(found[row.name]),
                p={name: p for name, (_, p) in against.items()},
                differences={name: difference for name, (difference, _) in against.items()},
                covered=coverage({row.name: made}, sources, threads=settings.threads)[row.name],
                seconds=statistics.fmean(times) if times else None,
                translations=tuple(texts[row.name]),
            )
        )
    return tuple(rows)


def _compared(row: Row, other: Row) -> bool:
    """Whether a row is tested against another: the one without any step, and all that lack one of its own."""
    return row.steps > 0 and (other.lacks(row) or other.steps == 0)


def _again(settings: GatherSettings, translator: Translator, done: RunResult, judge: Judge) -> float:
    """The score of what is on disk now."""
    corpus = CorpusDirectory.open(done[TEST].outputs["corpus"])
    sources = list(corpus.lines("test", corpus.langs[0]))
    [own] = judge.statistics([translator.translate(sources, threads=settings.threads)])
    return own.score
