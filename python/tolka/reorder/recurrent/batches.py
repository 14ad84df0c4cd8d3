"""Batches of sentences of similar length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Batch:
    """Sentences of one step of training.

    Attributes:
        sentences: Their numbers.
        padded: The length all are padded to.
        room: How many sentences a batch of this length has; the last one of an epoch may have fewer.
    """

    sentences: NDArray[np.uint32]
    padded: int
    room: int


PADDED = np.array([4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024])
"""Lengths of padded sentences; few, because every one costs seconds of compiling."""


def batches(lengths: NDArray[np.int64], most_words: int, seed: int, epoch: int) -> list[Batch]:
    """All sentences (of up to 1,024 words) once, in a random order that seed and epoch decide.

    Example:
        >>> found = batches(np.array([3, 9, 4, 2]), most_words=8, seed=0, epoch=0)
        >>> sorted((batch.padded, len(batch.sentences), batch.room) for batch in found)
        [(4, 1, 2), (4, 2, 2), (12, 1, 1)]
    """
    random = np.random.default_rng((seed, epoch))
    padded = PADDED[np.searchsorted(PADDED, lengths)]
    found = []
    for size in np.unique(padded):
        members = np.flatnonzero(padded == size).astype(np.uint32)
        random.shuffle(members)
        room = max(1, most_words // int(size))
        found += [Batch(members[at : at + room], int(size), room) for at in range(0, len(members), room)]
    return [found[at] for at in random.permutation(len(found))]
