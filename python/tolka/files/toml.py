"""Writing TOML: only what `tomllib` reads back as the same values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from tolka.errors import SettingsError

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WHOLE_NUMBERS = range(-(1 << 63), 1 << 63)
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MOST_DEEP = 32


def to_toml(values: Mapping[str, Any]) -> str:
    """Text of a TOML document with these values in their order, mappings last.

    Strings, booleans, 64-bit whole numbers, finite floats, lists and mappings can be written; anything else, None
    included, is an error rather than something that reads back differently.

    Raises:
        SettingsError: A value cannot be written.

    Example:
        >>> print(to_toml({"kind": "lm", "orders": [2, 3], "smoothing": {"discount": 0.75}}), end="")
        kind = "lm"
        orders = [2, 3]
        <BLANKLINE>
        [smoothing]
        discount = 0.75
    """
    return "\n".join(_table(values, ())).lstrip("\n") + "\n" if values else ""


def _table(values: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    _check_depth(path)
    tables = {key: value for key, value in values.items() if isinstance(value, Mapping)}
    plain = {key: value for key, value in values.items() if not isinstance(value, Mapping)}
    lines = [f"{_key(key, path)} = {_value(value, (*path, key))}" for key, value in plain.items()]
    for key, value in tables.items():
        inner = (*path, key)
        header = ".".join(_key(part, path) for part in inner)
        # A table of nothing but tables is named by them.
        is_named = bool(value) and all(isinstance(item, Mapping) for item in value.values())
        lines += [*([] if is_named else ["", f"[{header}]"]), *_table(value, inner)]
    return lines


def _value(value: Any, path: tuple[str, ...]) -> str:
    _check_depth(path)
    match value:
        case bool():
            return "true" if value else "false"
        case int() if value in _WHOLE_NUMBERS:
            return str(int(value))
        case float() if math.isfinite(value):
            return repr(float(value))
        case str():
            return _string(value, path)
        case list() | tuple():
            return f"[{', '.join(_value(item, (*path, '')) for item in value)}]"
        case Mapping():
            pairs = (f"{_key(key, path)} = {_value(item, (*path, key))}" for key, item in value.items())
            return f"{{{', '.join(pairs)}}}"
        case _:
            raise SettingsError(f"{_name(path)}: {value!r} cannot be written as TOML")


def _key(key: object, path: tuple[str, ...]) -> str:
    if not isinstance(key, str):
        raise SettingsError(f"{_name(path)}: the key {key!r} is not a string")
    return key if _BARE.fullmatch(key) else _string(key, path)


def _string(text: str, path: tuple[str, ...]) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise SettingsError(f"{_name(path)}: {text!r} is not valid Unicode") from error
    return '"' + "".join(_ESCAPES.get(char) or (char if char.isprintable() else _escape(char)) for char in text) + '"'


def _escape(char: str) -> str:
    return f"\\u{ord(char):04X}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08X}"  # noqa: PLR2004


def _check_depth(path: tuple[str, ...]) -> None:
    if len(path) > _MOST_DEEP:
        raise SettingsError(f"{_name(path[:3])}: values nested more than {_MOST_DEEP} deep cannot be written as TOML")


def _name(path: tuple[str, ...]) -> str:
    return ".".join(filter(None, path)) or "settings"
