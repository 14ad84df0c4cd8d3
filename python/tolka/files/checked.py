"""Frozen dataclasses whose values are checked against their annotations: for what every model is opened with.

Strict, as recipes are, but without a library that takes longer to load than a sentence takes to translate.
"""

from __future__ import annotations

import re
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, Union, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_WORDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text in quotes",
    list: "a list",
    dict: "a table",
    NoneType: "nothing",
}


class CheckError(ValueError):
    """A value that its annotation does not allow.

    Attributes:
        where: The keys and positions that lead to it.
        what: What is wrong with it.
    """

    def __init__(self, what: str, *where: str | int) -> None:
        super().__init__(f"{'.'.join(map(str, where))}: {what}" if where else what)
        self.what, self.where = what, where

    def inside(self, place: str | int) -> CheckError:
        """The same mistake in something larger."""
        return CheckError(self.what, place, *self.where)


@dataclass(frozen=True)
class Checked:
    """The base of such dataclasses: no value that its annotation does not allow, no unknown key, nothing converted.

    Example:
        >>> @dataclass(frozen=True)
        ... class Entry(Checked):
        ...     size: Annotated[int, at_least(0)]
        ...     names: list[str]
        >>> Entry.read({"size": 1, "names": ["a"]})
        Entry(size=1, names=['a'])
        >>> Entry.read({"size": 1, "names": ["a", 2]})
        Traceback (most recent call last):
            ...
        tolka.files.checked.CheckError: names.1: must be text in quotes, not 2
    """

    def __post_init__(self) -> None:
        hints = _hints(type(self))  # type: ignore[arg-type]  # classes can be hashed
        for field in fields(self):
            object.__setattr__(self, field.name, _within(field.name, hints[field.name], getattr(self, field.name)))

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Self:
        """What a table of a file describes.

        Raises:
            CheckError: A value that is not allowed, a key that is unknown, or one that is missing.
        """
        known = {field.name: field for field in fields(cls)}
        if unknown := next((name for name in values if name not in known), None):
            raise CheckError("is not known", unknown)
        for name, field in known.items():
            if field.default is MISSING and field.default_factory is MISSING and name not in values:
                raise CheckError("is missing", name)
        return cls(**values)


def at_least(least: float) -> Callable[[Any], None]:
    """A rule for annotations: a number of at least this."""

    def rule(value: Any) -> None:
        if value < least:
            raise CheckError(f"must be at least {least}, not {value}")

    return rule


def at_most(most: float) -> Callable[[Any], None]:
    """A rule for annotations: a number of at most this."""

    def rule(value: Any) -> None:
        if value > most:
            raise CheckError(f"must be at most {most}, not {value}")

    return rule


def length(least: int, most: int) -> Callable[[Any], None]:
    """A rule for annotations: as many items."""

    def rule(value: Any) -> None:
        if not least <= len(value) <= most:
            raise CheckError(f"must have {least} to {most} items, not {len(value)}")

    return rule


def pattern(wanted: str) -> Callable[[Any], None]:
    """A rule for annotations: text that a regular expression describes."""
    compiled = re.compile(wanted)

    def rule(value: Any) -> None:
        if not compiled.fullmatch(value):
            raise CheckError(f"{value!r} is not allowed here")

    return rule


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _within(place: str | int, hint: Any, value: Any) -> Any:
    try:
        return _value(hint, value)
    except CheckError as error:
        raise error.inside(place) from None
    except ValueError as error:
        raise CheckError(str(error), place) from error


def _value(hint: Any, value: Any) -> Any:
    """The value, if it is what the annotation says; tables become dataclasses."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Annotated:
        value = _value(inside[0], value)
        for rule in inside[1:]:
            rule(value)
    elif origin in {Union, UnionType}:
        value = _one_of(inside, value)
    elif origin is Literal:
        if not any(value == one and type(value) is type(one) for one in inside):
            raise CheckError(f"must be one of {', '.join(map(repr, inside))}, not {value!r}")
    elif origin is list:
        value = [_within(at, inside[0], one) for at, one in enumerate(_plain(list, value))]
    elif origin is dict:
        items = _plain(dict, value).items()
        value = {_within(str(key), inside[0], key): _within(key, inside[1], one) for key, one in items}
    elif is_dataclass(hint) and isinstance(hint, type) and issubclass(hint, Checked):
        value = value if isinstance(value, hint) else hint.read(_plain(dict, value))
    elif hint is not Any:
        _plain(hint, value)
    return value


def _one_of(hints: tuple[Any, ...], value: Any) -> Any:
    mistakes = []
    for hint in hints:
        try:
            return _value(hint, value)
        except CheckError as error:
            mistakes.append(error)
    # Whoever got deepest was meant.
    deepest = max(mistakes, key=lambda one: len(one.where))
    if deepest.where:
        raise deepest
    wanted = " or ".join(dict.fromkeys(_WORDS.get(get_origin(hint) or hint, str(hint)) for hint in hints))
    raise CheckError(f"must be {wanted}, not {value!r}")


def _plain(kind: Any, value: Any) -> Any:
    # True is no number, and whole numbers are numbers.
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    raise CheckError(f"must be {_WORDS.get(kind, kind)}, not {value!r}")
