"""Settings that people write as TOML: read with a limit, and refused in one sentence that names the place."""

from __future__ import annotations

import difflib
import re
import tomllib
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from tolka.errors import FileError, FormatError, LimitError, SettingsError
from tolka.files.complaints import sentence

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic_core import ErrorDetails

MOST_BYTES = 1 << 20
"""Settings are written by hand; anything larger is another file given by mistake."""


class Table(BaseModel):
    """A table of settings: nothing unknown, nothing converted, nothing changed later.

    What is said below a setting explains it in a file, too.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)


T = TypeVar("T", bound=BaseModel)


def read_settings(path: Path, what: str = "settings") -> str:
    """The text of a file with settings, or what else they are called.

    Raises:
        FileError: It cannot be read.
        FormatError: It is not text.
        LimitError: It is too large for what people write.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise FileError(f"cannot read the {what}: {error.strerror}", path=path) from error
    if len(data) > MOST_BYTES:
        raise LimitError(f"a {what} file may have {MOST_BYTES} bytes", path=path, hint="is this the right file?")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise FormatError("not valid UTF-8", path=path, byte=error.start + 1, hint="save it as UTF-8") from error


def parse_toml(text: str, path: Path | None = None, what: str = "settings") -> dict[str, Any]:
    """The tables of a TOML text.

    Raises:
        FormatError: It is none.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said, _, where = str(error).partition(" (at ")
        line = re.match(r"line (\d+)", where)
        said = f"not TOML: {said[0].lower()}{said[1:]}"
        raise FormatError(said, path=path, line=int(line[1]) if line else None) from error
    except RecursionError:
        raise FormatError(f"not {what}: brackets nested too deeply", path=path) from None


def check_settings(kind: type[T], values: dict[str, Any], path: Path | None = None) -> T:
    """The settings with these values.

    Raises:
        SettingsError: They say something that makes no sense.

    Example:
        >>> class Colours(Table):
        ...     shown: bool = True
        >>> check_settings(Colours, {"shown": False})
        Colours(shown=False)
        >>> check_settings(Colours, {"shwon": False})
        Traceback (most recent call last):
        tolka.errors.SettingsError: unknown setting shwon; did you mean shown?
    """
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        found = error.errors()
        # A misspelt name is why another one is missing.
        what, hint = _complaint(kind, next((one for one in found if one["type"] == "extra_forbidden"), found[0]))
        raise SettingsError(what, path=path, hint=hint) from None


def _complaint(kind: type[BaseModel], found: ErrorDetails) -> tuple[str, str]:
    place = [str(part) for part in found["loc"]]
    name = ".".join(place)
    if found["type"] != "extra_forbidden":
        return sentence(name, found), ""
    table: Any = kind
    for part in found["loc"][:-1]:
        if isinstance(part, str):
            table = _table_of(table.model_fields[part].annotation)
    known = sorted(table.model_fields)
    near = difflib.get_close_matches(place[-1], known, n=1)
    return f"unknown setting {name}", f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"


def _table_of(annotation: Any) -> Any:
    """The table that an annotation speaks of, be it of several or of none."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for one in get_args(annotation) if (found := _table_of(one)) is not None), None)
