"""Stages that people write themselves, from a Python file they name."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from tolka.errors import FileError, SettingsError
from tolka.pipeline.stage import Stage, registry
from tolka.pipeline.stages import BUILTIN

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def with_stages_of(path: Path) -> Mapping[str, Stage]:
    """The built-in stages and every `Stage` that the Python file at `path` defines; the file is executed.

    Raises:
        FileError: There is no such file.
        SettingsError: It is not Python, fails, or defines no stage or one with a taken name.
    """
    if not path.is_file():
        raise FileError("no such file", path=path, hint="--stages takes a Python file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise SettingsError("not a Python file", path=path, hint="its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise SettingsError(f"cannot load stages: {type(error).__name__}: {error}", path=path) from error
    found = [value for value in vars(module).values() if isinstance(value, Stage)]
    if not found:
        raise SettingsError("defines no stages", path=path, hint="make them with tolka.pipeline.stage")
    return registry(*BUILTIN.values(), *found)
