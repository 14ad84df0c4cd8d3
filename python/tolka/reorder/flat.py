"""Orders and links of many sentences as flat arrays, the form in which they go to the engine."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from tolka.reorder.preorderer import Order


def offsets(rows: Sequence[Sequence[object]]) -> NDArray[np.uint64]:
    """Where each row begins among the items of all, and at the end how many items there are."""
    found = np.zeros(len(rows) + 1, dtype=np.uint64)
    np.cumsum(np.fromiter((len(row) for row in rows), dtype=np.uint64, count=len(rows)), out=found[1:])
    return found


def numbers(values: Iterable[int]) -> NDArray[np.uint32]:
    """Whole numbers from 0 as an array; `InputError` for others."""
    try:
        return np.fromiter(values, dtype=np.uint32)
    except OverflowError as error:
        raise InputError("a position is negative or too large", hint="positions count from 0") from error


def flat_orders(orders: Sequence[Sequence[int]]) -> NDArray[np.uint32]:
    """All positions of all orders."""
    return numbers(chain.from_iterable(orders))


def flat_links(
    links: Sequence[Sequence[tuple[int, int]]],
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]:
    """Offsets, source positions and target positions of links."""
    return (
        offsets(links),
        numbers(link[0] for row in links for link in row),
        numbers(link[1] for row in links for link in row),
    )


def cut(values: NDArray[np.uint32], ends: NDArray[np.uint64]) -> list[Order]:
    """The orders of sentences, cut out of a flat array."""
    listed: list[int] = values.tolist()
    bounds: list[int] = ends.tolist()
    return [tuple(listed[begin:end]) for begin, end in pairwise(bounds)]
