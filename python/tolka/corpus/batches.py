"""Streams cut into lists, so that each call into the engine is worth its while."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tolka.corpus.rows import Pair

Item = TypeVar("Item")

_SIZE = 8192


def in_batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """The items in lists of some thousand."""
    iterator = iter(items)
    while batch := list(islice(iterator, _SIZE)):
        yield batch


def sides(batch: list[Pair]) -> tuple[list[str], list[str]]:
    """The sources and the targets of some pairs."""
    return [source for source, _ in batch], [target for _, target in batch]
