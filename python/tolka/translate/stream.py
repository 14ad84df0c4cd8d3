"""Translating a stream: lines in, lines out, in pieces that an impatient reader does not notice."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FIRST = 4
"""Lines of the first piece."""

MOST = 4096
"""Lines of a piece at most."""

SECONDS = 1.0
"""How long a piece should take."""

_GROWTH = 4


def paced(batches: Iterable[list[str]]) -> Iterator[list[str]]:
    """The lines in pieces, each as large as about a second's work, to judge by the time the caller took for the last.

    A piece never waits for lines that have not arrived: it is part of a batch.

    Example:
        >>> list(paced([["eins", "zwei"], ["drei"]]))
        [['eins', 'zwei'], ['drei']]
    """
    size = FIRST
    for batch in batches:
        rest = batch
        while rest:
            piece, rest = rest[:size], rest[size:]
            began = time.perf_counter()
            yield piece
            spent = max(time.perf_counter() - began, 1e-6)
            size = max(1, min(MOST, _GROWTH * size, int(len(piece) * SECONDS / spent)))
