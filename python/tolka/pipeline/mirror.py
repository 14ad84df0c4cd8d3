"""A stage's settings made from the settings a room already has, so that each is written down once.

Example:
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class CutSettings:
    ...     longest: int = 80
    ...     language: str = ""
    >>> Cut = mirror(CutSettings, without=("language",))
    >>> sorted(Cut.model_fields), rebuild(CutSettings, Cut(longest=5), language="de")
    (['longest'], CutSettings(longest=5, language='de'))
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from pydantic import create_model, model_validator

from tolka.errors import SettingsError
from tolka.pipeline.stage import Settings

if TYPE_CHECKING:
    from collections.abc import Collection

D = TypeVar("D")


def mirror(room: type[Any], *, without: Collection[str] = ()) -> type[Settings]:
    """Stage settings with the fields, types, defaults and checks of a room's frozen dataclass.

    Args:
        room: The dataclass. What its constructor refuses, the stage's settings refuse.
        without: Fields that the stage fills in itself; they need defaults.
    """
    hints = get_type_hints(room)
    kept: dict[str, Any] = {}
    for field in fields(room):
        if field.name in without:
            continue
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        kept[field.name] = (hints[field.name], ... if default is MISSING else default)

    def check(self: Settings) -> Settings:
        try:
            rebuild(room, self)
        except SettingsError as error:
            raise ValueError(str(error)) from error
        return self

    checks: dict[str, Any] = {"check": model_validator(mode="after")(check)}
    return create_model(room.__name__, __base__=Settings, __validators__=checks, **kept)


def rebuild(room: type[D], settings: Settings, **filled_in: Any) -> D:
    """The room's own settings from those of the stage, with what the stage fills in."""
    names = {field.name for field in fields(room)}  # type: ignore[arg-type]
    return room(**{**{name: value for name, value in settings if name in names}, **filled_in})
