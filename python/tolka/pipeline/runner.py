"""Runs a recipe: each stage once, after what it reads, from the store where possible."""

from __future__ import annotations

import os
import platform
import queue
import threading
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tolka
from tolka.errors import InputError, SettingsError, TolkaError
from tolka.pipeline.disk import forget
from tolka.pipeline.hashes import Hashes, Mark
from tolka.pipeline.keys import FORMAT
from tolka.pipeline.log import RunLog
from tolka.pipeline.measure import Meter, Usage
from tolka.pipeline.plan import check_needs, chosen, reason, resolve
from tolka.pipeline.stage import NOTES
from tolka.pipeline.store import Damaged, Entry
from tolka.pipeline.watch import Cancelled, Watched
from tolka.pipeline.work import WorkDirectory, os_errors, os_sentence
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from tolka.pipeline.graph import Graph, Node
    from tolka.pipeline.recipe import Recipe
    from tolka.progress import Progress


class StageError(TolkaError):
    """A stage failed; the sentence names it and says why."""


@dataclass(frozen=True)
class StageResult:
    """How one stage went.

    Attributes:
        name: The recipe's table.
        stage: The stage it ran.
        key: The key its outputs are kept under.
        cached: Whether they were there already.
        why: Why it ran, if it did.
        outputs: Where they are, by name.
        bytes: How large they are together.
        usage: Time and memory.
    """

    name: str
    stage: str
    key: str
    cached: bool
    why: str
    outputs: Mapping[str, Path]
    bytes: int
    usage: Usage


@dataclass(frozen=True)
class RunResult:
    """How a run went.

    Attributes:
        number: The run's number in its work directory.
        log: Its log.
        seconds: How long it took.
        stages: Its stages, in the order of the graph.
        pruned: What was removed from the store, with sizes.
        notes: What deserves attention.
    """

    number: int
    log: Path
    seconds: float
    stages: tuple[StageResult, ...]
    pruned: tuple[tuple[Path, int], ...]
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> StageResult:
        return next(stage for stage in self.stages if stage.name == name)


def run(
    recipe: Recipe,
    work: Path,
    *,
    jobs: int = 1,
    until: str | None = None,
    force: Collection[str] = (),
    trust: bool = True,
    prune: bool = False,
    progress: Progress = SILENT,
    patience: float | None = None,
    stage_done: Callable[[StageResult], None] | None = None,
) -> RunResult:
    """Bring every stage of a recipe up to date.

    Args:
        recipe: What to run.
        work: Where outputs, logs and memory are kept; made if need be.
        jobs: How many stages may run at the same time; outputs do not depend on it.
        until: Run only this stage and what it needs.
        force: Stages to run again although nothing changed.
        trust: Whether unchanged size, times and inode vouch for unchanged content (see `tolka.pipeline.hashes`).
        prune: Afterwards, remove outputs that this recipe does not use.
        progress: Who hears of progress.
        patience: After an interrupt, seconds to wait for running stages; None waits until they stop. A caller who
            gives a number must end the process soon after, as stages may still be running.
        stage_done: Is called after each stage, in the calling thread.

    Raises:
        StageError: A stage failed. What other stages finished is kept.
        FileError: The work directory cannot be used, or a file from outside cannot be read.
    """
    if jobs < 1:
        raise SettingsError(f"jobs must be at least 1, not {jobs}")
    if prune and until is not None:
        raise SettingsError(
            "prune removes what later stages use if the run stops early", hint="leave out one of the two"
        )
    graph = chosen(recipe.graph, until, force)
    check_needs(graph)
    directory = WorkDirectory(work)
    lock = directory.open()
    one = None
    try:
        with os_errors(f"cannot write to the work directory {work}"):
            one = _Run(graph, directory, jobs=jobs, force=force, trust=trust, progress=progress, stage_done=stage_done)
            return one.whole(recipe, until, prune=prune, patience=patience)
    finally:
        if one is None or not one.threads:
            lock.release()


class _Run:
    """One run; all decisions are taken in the calling thread, stages work in threads of their own.

    The calling thread only waits, so an interrupt is heard at once even while a stage is inside the engine.
    """

    def __init__(
        self,
        graph: Graph,
        directory: WorkDirectory,
        *,
        jobs: int,
        force: Collection[str],
        trust: bool,
        progress: Progress,
        stage_done: Callable[[StageResult], None] | None,
    ) -> None:
        self.graph = graph
        self.stage_done = stage_done
        self.directory = directory
        self.jobs = jobs
        self.force = force
        self.progress = progress
        self.started = time.perf_counter()
        self.hashes = Hashes(directory.hashes, trust=trust)
        self.last = directory.read_last()
        self.log = RunLog(directory.runs)
        self.meter = Meter()
        self.cancelled = threading.Event()
        self.ended: queue.SimpleQueue[tuple[Node, tuple[StageResult, Entry] | BaseException]] = queue.SimpleQueue()
        self.threads: dict[str, threading.Thread] = {}
        self.entries: dict[str, Entry] = {}
        self.results: dict[str, StageResult] = {}
        self.notes: list[str] = []
        # Two tables may ask for the very same thing: the second waits and is served from the store.
        self.building: dict[str, threading.Lock] = {}
        self.guard = threading.Lock()

    def whole(self, recipe: Recipe, until: str | None, *, prune: bool, patience: float | None) -> RunResult:
        status = "done"
        pruned: tuple[tuple[Path, int], ...] = ()
        try:
            self._begin(recipe, until)
            self._stages()
            entries = {name: entry.path for name, entry in self.entries.items()}
            if until is None:
                self.directory.link(entries)
                self.directory.forget_notes()
            if prune:
                pruned = self._prune(entries.values())
        except BaseException as error:
            status = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
            self._stop(patience)
            raise
        finally:
            seconds = time.perf_counter() - self.started
            ran = sum(not result.cached for result in self.results.values())
            with suppress(OSError):  # the log's last line must not hide why the run ended
                self.log.event(
                    "run_end", status=status, seconds=round(seconds, 3), ran=ran, cached=len(self.results) - ran
                )
            self.log.close()
        stages = tuple(self.results[node.name] for node in self.graph.order)
        return RunResult(self.log.number, self.log.path, seconds, stages, pruned, tuple(self.notes))

    def _begin(self, recipe: Recipe, until: str | None) -> None:
        self.log.event(
            "run_start",
            run=self.log.number,
            tolka=tolka.__version__,
            format=FORMAT,
            python=platform.python_version(),
            system=platform.platform(),
            process=os.getpid(),
            recipe={
                "path": None if recipe.path is None else str(recipe.path),
                "text": recipe.text,
                "overrides": list(recipe.overrides),
            },
            stages=[
                {"name": node.name, "stage": node.stage.name, "version": node.stage.version}
                for node in self.graph.order
            ],
            jobs=self.jobs,
            until=until,
            force=sorted(self.force),
        )

    def _stages(self) -> None:
        waiting = list(self.graph.order)
        failed: dict[str, TolkaError] = {}
        with self.progress.task("stages", total=len(waiting), unit="stages") as advance:
            while self.threads or (waiting and not failed):
                for node in [] if failed else list(waiting):
                    if len(self.threads) < self.jobs and self.graph.parents(node.name) <= self.entries.keys():
                        waiting.remove(node)
                        self._launch(node)
                node, end = self.ended.get()
                self.threads.pop(node.name).join()
                if isinstance(end, tuple):
                    self.results[node.name], self.entries[node.name] = end
                    self.last[node.name] = self.entries[node.name].parts
                    self.directory.write_last(self.last)
                    self.hashes.save()
                    advance(1)
                    if self.stage_done is not None:
                        self.stage_done(self.results[node.name])
                else:
                    failed[node.name] = self._failure(node, end)
        if failed:
            raise next(failed[node.name] for node in self.graph.order if node.name in failed)

    def _launch(self, node: Node) -> None:
        # Daemons, so that an interrupted program can end while a stage is inside the engine.
        thread = threading.Thread(target=self._work, args=(node,), name=node.name, daemon=True)
        self.threads[node.name] = thread
        thread.start()

    def _work(self, node: Node) -> None:
        try:
            self.ended.put((node, self._up_to_date(node)))
        except BaseException as error:  # noqa: BLE001 (nothing may be lost with the thread)
            self.ended.put((node, error))

    def _up_to_date(self, node: Node) -> tuple[StageResult, Entry]:
        """Serve a node from the store or run it; the heart of the pipeline, in a thread of its own."""
        with self.meter.measure() as usage:
            resolved = resolve(node, self.entries, self.hashes)
            parts = resolved.parts
            with self.guard:
                one_at_a_time = self.building.setdefault(parts.key, threading.Lock())
            with one_at_a_time:
                found = self.directory.store.find(parts, node.stage.outputs, self.hashes)
                cached = isinstance(found, Entry) and node.name not in self.force
                why = "" if cached else reason(parts, self.last.get(node.name), found)
                if isinstance(found, Damaged):
                    self._note(node, f"{why}; it is made again")
                self.log.event(
                    "stage_start", stage=node.name, key=parts.key, cached=cached, why=why, parts=parts.to_json()
                )
                if isinstance(found, Entry) and cached:
                    entry = found
                else:
                    noted = self.directory.notes / self.directory.store.path(parts).name
                    notes = {NOTES: noted} if node.stage.notes else {}
                    entry = self.directory.store.build(
                        parts,
                        node.stage.outputs,
                        lambda outputs: self._call(node, resolved.paths, resolved.marks, {**outputs, **notes}),
                    )
                    forget(noted)
                    if isinstance(found, Entry) and found.outputs != entry.outputs:
                        self._note(node, "run again with the same input it wrote other bytes: it is not deterministic")
        outputs = {name: entry.path / name for name in node.stage.outputs}
        result = StageResult(node.name, node.stage.name, parts.key, cached, why, outputs, entry.bytes, usage)
        self.log.event("stage_end", **to_json(result), hashes={name: one.hash for name, one in entry.outputs.items()})
        return result, entry

    def _call(
        self, node: Node, inputs: Mapping[str, Path], marks: Mapping[str, Mark], outputs: Mapping[str, Path]
    ) -> None:
        node.stage.function(inputs, outputs, node.settings, Watched(self.progress, node.name, self.cancelled))
        if self.cancelled.is_set():
            raise Cancelled
        # The key speaks of the bytes that were hashed: what was made from other bytes must not be kept under it.
        for name, mark in marks.items():
            if Mark.of(inputs[name]) != mark:
                raise InputError("the file changed while it was read", path=inputs[name], hint="run again")

    def _failure(self, node: Node, error: BaseException) -> TolkaError:
        hint = ""
        match error:
            case TolkaError():
                what = str(error)
            case OSError():
                what = os_sentence(error)
            case MemoryError():
                what = "not enough memory"
            case _:
                what = f"{type(error).__name__}: {error}"
                hint = f"this is a fault in the stage, its traceback is in {self.log.path}"
        trace = "".join(traceback.format_exception(error)) if hint else None
        self.log.event("stage_error", stage=node.name, error=what, traceback=trace)
        failure = StageError(f"stage [{node.name}] failed: {what}", hint=hint)
        failure.__cause__ = error
        return failure

    def _note(self, node: Node, text: str) -> None:
        self.notes.append(f"[{node.name}] {text}")
        self.log.event("note", stage=node.name, text=text)

    def _stop(self, patience: float | None) -> None:
        self.cancelled.set()
        deadline = None if patience is None else time.monotonic() + patience
        for name, thread in list(self.threads.items()):
            thread.join(None if deadline is None else max(0.0, deadline - time.monotonic()))
            if not thread.is_alive():
                del self.threads[name]

    def _prune(self, used: Collection[Path]) -> tuple[tuple[Path, int], ...]:
        unused = self.directory.store.unused(used)
        for path, size in unused:
            self.directory.store.discard(path)
            self.log.event("pruned", entry=path.name, bytes=size)
        return tuple(unused)


def to_json(result: StageResult) -> dict[str, Any]:
    """A stage's result as plain JSON values, for the log and for machines."""
    usage = result.usage
    return {
        "stage": result.name,
        "kind": result.stage,
        "key": result.key,
        "cached": result.cached,
        "why": result.why,
        "seconds": round(usage.seconds, 3),
        "cpu_seconds": None if usage.cpu_seconds is None else round(usage.cpu_seconds, 3),
        "peak_rss_bytes": usage.peak_rss_bytes,
        "bytes": result.bytes,
        "outputs": {name: str(path) for name, path in result.outputs.items()},
    }
