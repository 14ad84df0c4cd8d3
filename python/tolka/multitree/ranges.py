"""What settings may be: whatever is refused is refused before anything is trained."""

from __future__ import annotations

import math
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

MANY = 1_000_000_000
"""More than anybody has of anything here."""
LARGEST = 0.375
"""The first penalty of the path; at 0.5 nothing could be learnt."""
_LONGEST = 16

WHOLE: Mapping[str, tuple[int, int]] = {
    "epochs": (0, 1_000),
    "partitions": (1, 1_000),
    "explore": (0, 1_000),
    "most_crossings": (0, 400),
    "beam": (1, MANY),
    "options": (1, MANY),
    "most": (1, MANY),
    "most_coarse": (1, MANY),
    "most_per_pair": (1, MANY),
    "fewest": (0, MANY),
    "prune_pairs": (0, MANY),
    "max_depth": (0, 256),
    "seed": (0, (1 << 63) - 1),
}
"""The least and the most of what is counted."""

NUMBERS: Mapping[str, tuple[float, float]] = {
    "crossing": (0, 1e6),
    "predictor_crossing": (0, 1e6),
    "fuse_scale": (0, 1e6),
    "missing": (0, 1e6),
    "threshold": (1, 1e9),
    "coarse": (1e-9, LARGEST),
    "penalty": (1e-9, LARGEST),
    "least": (1e-9, LARGEST),
    "tolerance": (0, 0.999),
    "time_limit": (1e-6, 1e8),
}
"""The least and the most of what is measured."""
WEIGHT = (-1000.0, 1000.0)
"""The least and the most that a statistic weighs."""


@cache
def _types(of: Hashable) -> Mapping[str, Any]:
    return get_type_hints(of)


def check_ranges(settings: Any) -> None:
    """Refuse values of other types, and those that are too small or too large.

    Raises:
        SettingsError: Which setting, and what it may be.
    """
    for name, hint in _types(settings.__class__).items():
        value, choices = getattr(settings, name), get_args(hint) if get_origin(hint) is Literal else ()
        if value is None and NoneType in get_args(hint):
            continue
        none = ", or none" if NoneType in get_args(hint) else ""
        if choices and value not in choices:
            raise SettingsError(f"unknown {name} {value!r}", hint=f"use {' or '.join(choices)}")
        if hint is bool and not isinstance(value, bool):
            raise SettingsError(f"{name} cannot be {value!r}", hint="use true or false")
        if name in WHOLE and not is_whole(value, *WHOLE[name]):
            least, most = WHOLE[name]
            raise SettingsError(f"{name} cannot be {value!r}", hint=f"use a whole number from {least} to {most}{none}")
        if name in NUMBERS and not is_number(value, *NUMBERS[name]):
            low, high = NUMBERS[name]
            raise SettingsError(f"{name} cannot be {value!r}", hint=f"use a number from {low:g} to {high:g}{none}")
    longest = settings.longest
    if not (isinstance(longest, tuple) and len(longest) == 2 and all(is_whole(one, 1, _LONGEST) for one in longest)):  # noqa: PLR2004 - source and target
        raise SettingsError(
            f"longest cannot be {longest!r}", hint=f"use two whole numbers, of source and target, from 1 to {_LONGEST}"
        )


def is_whole(value: object, least: int, most: int) -> bool:
    """Whether it is a whole number in a range.

    Example:
        >>> is_whole(3, 1, 9), is_whole(True, 1, 9), is_whole(3.0, 1, 9)
        (True, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def is_number(value: object, least: float, most: float) -> bool:
    """Whether it is a number in a range.

    Example:
        >>> is_number(3, 1, 9), is_number(float("nan"), 1, 9), is_number("3", 1, 9)
        (True, False, False)
    """
    is_one = isinstance(value, int | float) and not isinstance(value, bool)
    # What is too large for a float is out of all ranges, too.
    return is_one and not (isinstance(value, float) and math.isnan(value)) and least <= value <= most  # type: ignore[operator]
