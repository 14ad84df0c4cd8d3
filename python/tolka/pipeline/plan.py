"""What a run would do, and why: the inputs of each stage resolved to a key, and compared with the last run."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from tolka.errors import FileError, MissingExtraError
from tolka.files.complaints import show
from tolka.pipeline.hashes import Hashes, Mark
from tolka.pipeline.keys import Parts, Source
from tolka.pipeline.store import Damaged, Entry
from tolka.pipeline.work import WorkDirectory

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from tolka.pipeline.graph import Graph, Node
    from tolka.pipeline.recipe import Recipe

_MOST_REASONS = 3


@dataclass(frozen=True)
class Resolved:
    """A node whose inputs are all there: where they are, the marks of those from outside, and what the key is made of."""

    parts: Parts
    paths: Mapping[str, Path]
    marks: Mapping[str, Mark]


@dataclass(frozen=True)
class Planned:
    """What a run would do with a stage.

    Attributes:
        name: The recipe's table.
        stage: The stage it runs.
        status: "cached", "run", or "depends": known once the stages it reads have run.
        why: The reason, in words.
        outputs: What it writes.
        key: The key of its outputs, if it can be known yet.
        path: Where its outputs are, if they are cached.
    """

    name: str
    stage: str
    status: Literal["cached", "run", "depends"]
    why: str
    outputs: tuple[str, ...]
    key: str | None
    path: Path | None


def chosen(graph: Graph, until: str | None, force: Collection[str]) -> Graph:
    """The part of the graph that is asked for."""
    part = graph if until is None else graph.until(until)
    for name in force:
        part.check(name)
    return part


def check_needs(graph: Graph) -> None:
    """Refuse, before any work is done, files from outside and optional packages that are not there."""
    for node in graph.order:
        for need in node.settings.needs():
            if not _installed(need.module):
                raise MissingExtraError(need.feature, need.extra)
        for name, path in node.files.items():
            try:
                Mark.of(path)
                path.open("rb").close()
            except (FileError, OSError) as error:
                why = error.what if isinstance(error, FileError) else f"cannot read: {error.strerror}"
                raise FileError(why, path=path, hint=f"{node.name}.{name} names it in the recipe") from error


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # nor its parent
        return False


def resolve(node: Node, entries: Mapping[str, Entry], hashes: Hashes) -> Resolved:
    """Find and hash a node's inputs; `entries` holds those of all nodes it reads."""
    seen = {name: hashes.of(path) for name, path in node.files.items()}
    paths = {name: entries[link.node].path / link.output for name, link in node.links.items()}
    sources = {name: Source(one.hash, node.files[name].name) for name, one in seen.items()}
    for name, link in node.links.items():
        sources[name] = Source(entries[link.node].outputs[link.output].hash)
    marks = {name: one.mark for name, one in seen.items()}
    return Resolved(Parts.of(node.stage, node.settings, sources), {**node.files, **paths}, marks)


def plan(
    recipe: Recipe,
    work: Path,
    *,
    until: str | None = None,
    force: Collection[str] = (),
    trust: bool = True,
) -> tuple[Planned, ...]:
    """What `run` with the same arguments would do; nothing is written."""
    graph = chosen(recipe.graph, until, force)
    check_needs(graph)
    directory = WorkDirectory(work)
    hashes, last = Hashes(directory.hashes, trust=trust), directory.read_last()
    entries: dict[str, Entry] = {}
    planned = []
    for node in graph.order:
        if waits := sorted(graph.parents(node.name) - entries.keys()):
            why = (
                "forced"
                if node.name in force
                else f"if {', '.join(waits)} {'give' if waits[1:] else 'gives'} new output"
            )
            status: Literal["cached", "run", "depends"] = "run" if node.name in force else "depends"
            planned.append(Planned(node.name, node.stage.name, status, why, node.stage.outputs, None, None))
            continue
        parts = resolve(node, entries, hashes).parts
        found = directory.store.find(parts, node.stage.outputs, hashes)
        hit = isinstance(found, Entry) and node.name not in force
        why = "" if hit else reason(parts, last.get(node.name), found)
        if isinstance(found, Entry) and hit:
            entries[node.name] = found
        planned.append(
            Planned(
                node.name,
                node.stage.name,
                "cached" if hit else "run",
                why,
                node.stage.outputs,
                parts.key,
                directory.store.path(parts) if hit else None,
            )
        )
    return tuple(planned)


def reason(now: Parts, last: Parts | None, found: Entry | Damaged | None) -> str:
    """Why a stage runs: what differs from the last run of the same table."""
    if isinstance(found, Entry):
        return "forced"
    if isinstance(found, Damaged):
        return f"cached copy damaged: {found.why}"
    if last is None:
        return "first run"
    reasons = [*_changes(now, last)]
    if not reasons:
        return "cached copy is gone"
    more = len(reasons) - _MOST_REASONS
    return "; ".join([*reasons[:_MOST_REASONS], *([f"{more} more"] if more > 0 else [])])


def _changes(now: Parts, last: Parts) -> list[str]:
    if now.stage != last.stage:
        return [f"stage {last.stage} -> {now.stage}"]
    changes = []
    if now.format != last.format:
        changes.append(f"store format {last.format} -> {now.format}")
    if now.version != last.version:
        changes.append(f"stage version {last.version} -> {now.version}")
    for name in sorted({*now.settings, *last.settings}):
        before, after = (show(parts.settings[name]) if name in parts.settings else "none" for parts in (last, now))
        if before != after:
            changes.append(f"{name} {before} -> {after}")
    for name in sorted({*now.inputs, *last.inputs}):
        new, old = now.inputs.get(name), last.inputs.get(name)
        if new is None or old is None:
            changes.append(f"input {name} {'added' if old is None else 'removed'}")
        elif new.hash != old.hash:
            changes.append(f"input {name} changed")
        elif new.name != old.name:
            changes.append(f"input {name} is now called {new.name}")
    return changes
