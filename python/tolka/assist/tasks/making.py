"""The tasks that a command line can name, with the models that each needs for its material."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tolka.assist.tasks.task import task_named, task_names
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tolka.assist.tasks.task import Task


def maker(name: str, **models: Any) -> Task:
    """A task that can make material.

    Args:
        name: The task's name.
        models: What was given for it; what is None was not.

    Raises:
        SettingsError: There is no such task, or something it needs is missing, or something is given that it does not take.
    """
    if name not in task_names():
        task_named(name)  # which says what there is
    task = task_named(name)
    wanted: tuple[str, ...] = getattr(task, "needs", ())
    taken: tuple[str, ...] = getattr(task, "takes", wanted)
    given = {key: value for key, value in models.items() if value not in (None, ())}
    for key in wanted:
        if key not in given:
            raise SettingsError(f"the task {name} needs --{key}", hint="see: tolka assist init --help")
    for key in given:
        if key not in taken:
            raise SettingsError(f"the task {name} does not take --{key}", hint="leave it out")
    load = getattr(task, "load", None)
    found: Task = load(**given) if load is not None else task
    return found


def sentences_of(path: Path | str) -> Iterator[str]:
    """The lines of a file, tokens separated by single spaces.

    Raises:
        InputError: A line is empty.
    """
    from tolka.corpus import read_lines  # noqa: PLC0415 (commands that read no text need none of it)
    from tolka.errors import InputError  # noqa: PLC0415

    lines = read_lines(path)
    for number, line in enumerate(lines, 1):
        text = " ".join(line.split())
        if not text:
            raise InputError("the line is empty", path=lines.name, line=number, hint="take empty lines out")
        yield text
