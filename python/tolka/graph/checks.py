"""What arguments must be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError, SettingsError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_MOST = 2**32 - 1


def check_whole(name: str, value: int, least: int = 0) -> int:
    """Refuse what is no whole number of at least so much."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not least <= value <= _MOST:
        raise SettingsError(f"{name} must be a whole number of {least} or more, not {value!r}")
    return int(value)


def numbered(name: str, values: ArrayLike) -> NDArray[np.uint32]:
    """Numbers of nodes or labels, if they are some."""
    found = np.asarray(values)
    if not found.size:
        return np.empty(0, dtype=np.uint32)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise InputError(f"{name} must be whole numbers in one row", hint="name nodes by Profiles.id")
    if found.min() < 0 or found.max() > _MOST:
        raise InputError(f"{name} must be from 0 to {_MOST}")
    return np.ascontiguousarray(found, dtype=np.uint32)


def reals(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Numbers in one row."""
    found = np.asarray(values)
    if found.size and found.dtype.kind not in "iuf":
        raise InputError(f"{name} must be numbers")
    if found.ndim != 1:
        raise InputError(f"{name} must be in one row")
    return np.ascontiguousarray(found, dtype=np.float64)
