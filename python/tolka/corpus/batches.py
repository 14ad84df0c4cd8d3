"""Streams cut into lists, so that each call into the engine is worth its while."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tolka.corpus.rows import Pair

Item = TypeVar("Item")

_SIZE = 8192


def in_batches(items: Iterable[Item], size: int = _SIZE) -> Iterator[list[Item]]:
    """The items in lists of some thousand, or of a size."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def sides(batch: list[Pair]) -> tuple[list[str], list[str]]:
    """The sources and the targets of some pairs."""
    return [source for source, _ in batch], [target for _, target in batch]


def one_line(text: str) -> str:
    """The text, if it can be a line of a file.

    Files that belong together are written together: this is asked before any of them is, so that a text that would fail
    in one of them leaves none behind.
    """
    if "\n" in text or "\0" in text or text.endswith("\r"):
        raise InputError("a text with a line end or a NUL cannot be a line of a file", hint="replace that character")
    return text
