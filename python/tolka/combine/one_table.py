"""One table for all parts of an ensemble, in which each is a voice: rules that they share are found, read and compared once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from tolka.errors import SettingsError, TolkaError
from tolka.grammar import join_tables
from tolka.progress import SILENT
from tolka.translate.bundle import link_or_copy, write_model
from tolka.translate.ensemble import OpenEnsemble, open_part

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tolka.progress import Progress
    from tolka.translate.ensemble import OpenPart

Tables = Literal["auto", "own", "one"]
"""Whether parts keep tables of their own or get one together; `auto` is one for many parts whose tables can be joined."""

FEW = 4
"""Up to so many parts, tables of their own are as good."""


def why_not(parts: Sequence[OpenPart]) -> str | None:
    """Why the tables of parts cannot be one; None if nothing is known against it."""
    for part in parts:
        if isinstance(part.model, OpenEnsemble):
            return f"the part {part.name} is an ensemble itself"
        described = part.model.description
        if described.growing is not None:
            return f"the part {part.name} finds its rules in a text that grows"
        if len(part.model.files.grammars) != 1:
            return f"the part {part.name} has several tables"
        if described.voices:
            return f"the table of the part {part.name} speaks for several models already"
        if any(described.sparse.values()):
            return f"the part {part.name} has sparse features"
    return "all parts have the same table already" if len({_checksum(part) for part in parts}) == 1 else None


def _checksum(part: OpenPart) -> str:
    """That of the table of a model with one."""
    [table] = [name for name in part.model.bundle.names if name.endswith(".tbl")]
    return part.model.bundle.manifest.files[table].sha256


def share_table(
    parts: Sequence[OpenPart], folder: Path, *, threads: int = 0, progress: Progress = SILENT
) -> tuple[OpenPart, ...]:
    """The same parts as voices of one table, with what each says of its rules as it was.

    Args:
        parts: Models with a table each.
        folder: Where the table and the models are written; both are whoever asks's.
        threads: How many; 0 for one per core.
        progress: Who is told.

    Raises:
        SettingsError: Their tables cannot be one.
    """
    reason = why_not(parts)
    if reason is not None:
        raise SettingsError(f"{reason}, so that tables cannot be one", hint="leave each its own: --tables own")
    models = [(part, part.model) for part in parts if not isinstance(part.model, OpenEnsemble)]
    tables = {part.name: next(iter(model.files.grammars.values())) for part, model in models}
    table = folder / "shared.tbl"
    try:
        join_tables(tables, table, "voices", threads=threads, progress=progress)
    except TolkaError as error:
        raise SettingsError(f"tables cannot be one: {error}", hint="leave each its own: --tables own") from error
    shared = []
    for part, model in models:
        [name] = model.files.grammars
        described = replace(model.description, voices={name: part.name})
        files = replace(model.files, grammars={name: table})
        stages = model.bundle.stages
        write_model(folder / part.name, described, files, model.weights, stages=stages, place=link_or_copy)
        shared.append(open_part(part.name, folder / part.name))
    return tuple(shared)
