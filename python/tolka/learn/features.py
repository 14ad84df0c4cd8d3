"""Rows of numbers, words and sets of words, as the engine's learners take them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from tolka.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Value: TypeAlias = "float | str | Iterable[str] | None"
"""A number, a word, or several words; None for none."""

Rows: TypeAlias = "ArrayLike | Sequence[Mapping[str, Any]]"
"""A table of numbers (NaN for none), or a dictionary of values for each row."""

Fields: TypeAlias = list[tuple[int, int, bool]]

_MOST_WIDTH = 10_000


@dataclass(frozen=True)
class Features:
    """What rows have, by name.

    Attributes:
        names: Of the features.
        symbols: For each feature the numbers of its words, from 1 on; None for one that is a number.
        table: Whether rows come as a table, so that names are those of its columns.
    """

    names: tuple[str, ...]
    symbols: tuple[dict[str, int] | None, ...]
    table: bool

    @classmethod
    def of(cls, rows: Rows) -> Features:
        """The features of these rows.

        Raises:
            InputError: Rows of neither kind, or a feature that is a number here and a word there.
        """
        if not is_dictionaries(rows):
            columns = _table(rows).shape[1]
            return cls(tuple(f"x{at}" for at in range(columns)), (None,) * columns, table=True)
        return cls((), (), table=False).extended(rows, new=True)

    def extended(self, rows: Rows, *, new: bool = False) -> Features:
        """The same with the words of other rows, and with their names if they may be `new`.

        Raises:
            InputError: Rows of another kind.
        """
        if self.table:
            return self
        found: dict[str, dict[str, int] | None] = {
            name: None if words is None else dict(words) for name, words in zip(self.names, self.symbols, strict=True)
        }
        for at, row in enumerate(self._dictionaries(rows, named=not new)):
            for name, value in row.items():
                if new and not isinstance(name, str):
                    raise InputError(f"row {at} has a feature named {name!r}", hint="names are text")
                words = _words(value, name, at)
                if words is None and _is_none(value):
                    continue
                known = found.setdefault(name, None if words is None else {})
                if (known is None) != (words is None):
                    raise InputError(
                        f"{name!r} is {'a word' if known is None else 'a number'} in row {at}, but not in others",
                        hint="use two names",
                    )
                if known is not None:
                    for word in words or ():
                        known.setdefault(word, len(known) + 1)
        return Features(tuple(found), tuple(found.values()), table=False)

    def encode(self, rows: Rows) -> tuple[Fields, NDArray[np.uint32]]:
        """Rows as slots, and where each feature has its own. Words that are not known are left out.

        Raises:
            InputError: Rows that have other features.
        """
        if self.table:
            table = _table(rows)
            if table.shape[1] != len(self.names):
                raise InputError(
                    f"rows have {table.shape[1]} columns, but {len(self.names)} were trained with",
                    hint="give the same columns in the same order",
                )
            return [(at, 1, True) for at in range(len(self.names))], _bits(table)
        given = self._dictionaries(rows)
        columns: list[list[Any]] = []
        for name, words in zip(self.names, self.symbols, strict=True):
            values = [row.get(name) for row in given]
            if words is None:
                columns.append([_number(value, name, at) for at, value in enumerate(values)])
            else:
                columns.append([_known(value, words, name, at) for at, value in enumerate(values)])
        fields: Fields = []
        slots: list[NDArray[np.uint32]] = []
        first = 0
        for words, column in zip(self.symbols, columns, strict=True):
            width = 1 if words is None else max(1, *map(len, column))
            if width > _MOST_WIDTH:
                raise InputError(f"a set has {width} words", hint=f"give at most {_MOST_WIDTH}")
            fields.append((first, width, words is None))
            if words is None:
                slots.append(_bits(np.array(column, np.float64).reshape(-1, 1)))
            else:
                part = np.zeros((len(given), width), np.uint32)
                for at, ids in enumerate(column):
                    part[at, : len(ids)] = ids
                slots.append(part)
            first += width
        return fields, np.hstack(slots) if slots else np.zeros((len(given), 0), np.uint32)

    def word(self, field: int, number: int) -> str:
        """The word of a feature that has a number."""
        return self._spelled[field][number - 1]

    @cached_property
    def _spelled(self) -> list[tuple[str, ...]]:
        """The words of each feature by number."""
        return [tuple(words or ()) for words in self.symbols]

    def _dictionaries(self, rows: Rows, *, named: bool = True) -> list[Mapping[str, Any]]:
        if not is_dictionaries(rows):
            raise InputError("the rows are a table, but dictionaries were trained with", hint="give dictionaries")
        given = list(cast("Sequence[Mapping[str, Any]]", rows))
        for at, row in enumerate(given):
            if not isinstance(row, Mapping):
                raise InputError(f"row {at} is no dictionary, but others are", hint="give dictionaries only")
            other = row.keys() - set(self.names) if named else ()
            if other:
                raise InputError(
                    f"row {at} has {min(map(str, other))!r}, which was not trained with", hint="check its name"
                )
        return given


def is_dictionaries(rows: object) -> bool:
    """Whether rows come as dictionaries."""
    return (
        (isinstance(rows, Sequence) or (isinstance(rows, np.ndarray) and rows.ndim == 1))
        and len(rows) > 0
        and isinstance(rows[0], Mapping)
    )


def _table(rows: object) -> NDArray[np.float64]:
    try:
        table = np.asarray(rows, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("the rows are no table of numbers", hint="give an array, or dictionaries") from error
    if table.ndim != 2:  # noqa: PLR2004
        raise InputError(f"a table has two dimensions, not {table.ndim}", hint="give rows of equal length")
    return table


def _bits(table: NDArray[np.float64]) -> NDArray[np.uint32]:
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(table, np.float32).view(np.uint32)


def _is_none(value: object) -> bool:
    return value is None


def _words(value: object, name: object, at: int) -> list[str] | None:
    """The words of a value; None if it is a number or none."""
    if value is None or isinstance(value, Real | np.number | np.bool_):
        return None
    if isinstance(value, str):
        return [value]
    if isinstance(value, Iterable):
        # The order of a set is none, so that words are numbered in their own.
        words = sorted(value, key=repr) if isinstance(value, set | frozenset) else list(value)
        if all(isinstance(word, str) for word in words):
            return words
    raise InputError(f"{name!r} in row {at} is {value!r}", hint="give a number, a word or a list of words")


def _known(value: object, words: dict[str, int], name: str, at: int) -> list[int]:
    """The numbers of the words of a value that are known, each once."""
    found = _words(value, name, at)
    if found is None and value is not None:
        raise InputError(f"{name!r} is a number in row {at}, but words were trained with", hint="give a word")
    return list(dict.fromkeys(words[word] for word in found or () if word in words))


def _number(value: object, name: str, at: int) -> float:
    if value is None:
        return float("nan")
    if _words(value, name, at) is not None:
        raise InputError(f"{name!r} is a word in row {at}, but numbers were trained with", hint="give a number")
    return float(cast("float", value))
