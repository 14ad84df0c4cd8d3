"""A stage: one small function, one settings class, and the names of what goes in and out.

Example:
    >>> from pydantic import Field
    >>> class RepeatSettings(Settings):
    ...     text: InputFile
    ...     times: int = Field(2, ge=1)
    >>> @stage("repeat", version=1, settings=RepeatSettings, outputs=("text",))
    ... def repeat(inputs, outputs, settings, progress):
    ...     '''Write a text several times over.'''
    ...     outputs["text"].write_bytes(inputs["text"].read_bytes() * settings.times)
    >>> repeat.name, repeat.files, repeat.summary
    ('repeat', ('text',), 'Write a text several times over.')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field

from tolka.errors import SettingsError
from tolka.progress import Progress

# Names become parts of paths and of `table.key` references, so they are kept plain.
NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}\Z")


@dataclass(frozen=True)
class _FromOutside:
    """Marks a settings field that is a file from outside the pipeline."""


@dataclass(frozen=True)
class _OfTheRun:
    """Marks a settings field that changes how the work is done and never what is written."""


InputFile = Annotated[Path, _FromOutside()]
"""The type of a settings field that names a file: relative to the recipe, keyed by its content, given as an input."""

Threads = Annotated[int, Field(ge=0, le=4096), _OfTheRun()]
"""The type of a setting for the number of threads; outputs do not depend on it, and so it is not part of the key."""


@dataclass(frozen=True)
class Need:
    """An optional package: its module, what it is for, and the extra that installs it."""

    module: str
    feature: str
    extra: str


class Settings(BaseModel):
    """The base of every stage's settings: unknown keys are errors, values are not converted, nothing can be changed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    def needs(self) -> tuple[Need, ...]:
        """The optional packages that a stage with these settings cannot do without."""
        return ()


S = TypeVar("S", bound=Settings)
Function = Callable[[Mapping[str, Path], Mapping[str, Path], S, Progress], None]


@dataclass(frozen=True)
class Stage:
    """What a stage is; `stage` makes one from a function.

    Attributes:
        name: The table that asks for it in a recipe.
        version: Counts the meanings the code has had; raise it whenever the same input may give other bytes.
        settings: The class of its settings.
        inputs: Outputs of other stages it reads, by name; a name that ends in "?" may be absent.
        outputs: What it writes, by name; each is a file or a directory.
        notes: Whether it can go on where a run that was stopped left it: `outputs["notes"]` is then a file or
            a directory that outlives such a run, and is removed when the stage is done.
        function: Called with the paths of inputs and outputs, the settings, and a `Progress`.
    """

    name: str
    version: int
    settings: type[Settings]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    function: Function[Any]
    notes: bool = False

    def __post_init__(self) -> None:
        named = [self.name, *self.outputs, *(name.removesuffix("?") for name in self.inputs), *self.files]
        for name in named:
            if not NAME.match(name):
                raise SettingsError(f"stage {self.name}: {name!r} is no name", hint="use a-z, 0-9, _ and -")
        for group in (self.outputs, [*(name.removesuffix("?") for name in self.inputs), *self.files]):
            if len(set(group)) != len(group):
                raise SettingsError(f"stage {self.name}: two of {', '.join(group)} have the same name")
        if NOTES in self.outputs:
            raise SettingsError(f"stage {self.name}: an output may not be called {NOTES}")
        if self.version < 1 or not self.outputs:
            raise SettingsError(f"stage {self.name} needs a version of at least 1 and at least one output")
        if reserved := RESERVED & self.settings.model_fields.keys():
            raise SettingsError(f"stage {self.name}: a setting may not be called {', '.join(sorted(reserved))}")

    @property
    def files(self) -> tuple[str, ...]:
        """The settings that name files from outside."""
        return _file_fields(self.settings)

    @property
    def tables(self) -> Mapping[str, tuple[str, ...]]:
        """The settings that are lists of tables, and which of the tables' keys name files from outside."""
        found = {}
        for name, field in self.settings.model_fields.items():
            if (table := _table_of(field.annotation)) is not None:
                found[name] = _file_fields(table)
        return found

    def files_of(self, settings: Settings) -> dict[str, Path]:
        """The files from outside that settings name, by the names the function gets them under: `key` or `key.0.key`."""
        named = {name: getattr(settings, name) for name in self.files}
        for name, keys in self.tables.items():
            for number, table in enumerate(getattr(settings, name) or ()):
                named |= {f"{name}.{number}.{key}": getattr(table, key) for key in keys}
        return {name: path for name, path in named.items() if path is not None}

    @property
    def of_the_run(self) -> tuple[str, ...]:
        """The settings that change how the work is done and never what is written."""
        return tuple(name for name, field in self.settings.model_fields.items() if _marks(_OfTheRun, field.metadata))

    @property
    def summary(self) -> str:
        """The first line of the function's docstring."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]


# Keys of a recipe's table that are not settings: the stage to run, and where its inputs come from.
RESERVED = frozenset({"stage", "inputs"})
# Among the outputs of a stage that can go on after a stop: its notes.
NOTES = "notes"


def _file_fields(settings: type[BaseModel]) -> tuple[str, ...]:
    return tuple(
        name
        for name, field in settings.model_fields.items()
        if _marks(_FromOutside, field.metadata)
        or any(_marks(_FromOutside, get_args(part)) for part in get_args(field.annotation))
    )


def _table_of(annotation: object) -> type[Settings] | None:
    """The settings in a tuple of them, which may be optional."""
    if isinstance(annotation, type) and issubclass(annotation, Settings):
        return annotation
    return next((found for part in get_args(annotation) if (found := _table_of(part)) is not None), None)


def _marks(mark: type, metadata: object) -> bool:
    return isinstance(metadata, (list, tuple)) and any(isinstance(one, mark) for one in metadata)


def stage(
    name: str,
    *,
    version: int,
    settings: type[S],
    outputs: tuple[str, ...],
    inputs: tuple[str, ...] = (),
    notes: bool = False,
) -> Callable[[Function[S]], Stage]:
    """Make a stage of the function below it.

    The function gets a path for every input (files from outside included, absent ones left out) and for every output;
    outputs do not exist yet, and it must write all of them and nothing else. It must not look at anything but its
    arguments: what it reads beside them is not part of the key its outputs are kept under. What it notes must not change
    its outputs, only spare it work.
    """

    def decorate(function: Function[S]) -> Stage:
        return Stage(name, version, settings, inputs, outputs, function, notes)

    return decorate


def registry(*stages: Stage) -> Mapping[str, Stage]:
    """Stages by name, for `Recipe.load`.

    Raises:
        SettingsError: Two stages have the same name.
    """
    by_name: dict[str, Stage] = {}
    for one in stages:
        if one.name in by_name:
            raise SettingsError(f"two stages are called {one.name}")
        by_name[one.name] = one
    return MappingProxyType(by_name)
