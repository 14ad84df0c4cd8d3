"""Leaf distributions of single words, learnt with the rest: *and* makes plurals, whatever its tag says.

A leaf's distribution is a mixture of its word's, its tag's and the table's. The weights are fixed by how often word and tag
were seen, n / (n + shrinkage), so that rare words keep to their tags; the distributions are learnt by exact EM over both the
value and the level it came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tolka.assist.number.flat import Floats

DOUBT = 0.02
"""How much of a word's distribution is even at the start: what begins at nothing never grows."""


class Words:
    """The distributions of a lexicon, at three levels.

    Args:
        keys: What the table knows each entry by.
        table: The table's distribution of each entry.
        counts: How often each entry was seen.
        shrinkage: How many times a word or tag must be seen to count as much as all the levels above.
    """

    def __init__(self, keys: Sequence[str], table: Floats, counts: NDArray[np.int64], shrinkage: float) -> None:
        numbers: dict[str, int] = {}
        self.of_tag = np.asarray([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
        self.tags = list(numbers)
        self.table = table
        doubtful = (1 - DOUBT) * table + DOUBT / table.shape[1]
        self.word: Floats = doubtful
        self.tag: Floats = np.zeros((len(numbers), table.shape[1]))
        self.tag[self.of_tag] = doubtful
        seen = np.bincount(self.of_tag, counts)
        self.word_share = (counts / (counts + shrinkage))[:, None]
        self.tag_share = (seen / (seen + shrinkage))[:, None]

    def masses(self) -> Floats:
        """The distribution of each entry."""
        return self.word_share * self.word + (1 - self.word_share) * self._of_tags()

    def _of_tags(self) -> Floats:
        share = self.tag_share[self.of_tag]
        return share * self.tag[self.of_tag] + (1 - share) * self.table

    def of_unseen(self) -> Floats:
        """The distribution of a new word with each tag."""
        first = np.unique(self.of_tag, return_index=True)[1]
        return self._of_tags()[first]

    def update(self, counts: Floats) -> None:
        """One step of EM, from the expected counts of values."""
        per = counts / np.maximum(self.masses(), np.finfo(float).tiny)
        by_word = per * self.word_share * self.word
        by_tag = per * ((1 - self.word_share) * self.tag_share[self.of_tag] * self.tag[self.of_tag])
        tags = np.zeros_like(self.tag)
        np.add.at(tags, self.of_tag, by_tag)
        self.word, self.tag = _normalised(by_word, self.word), _normalised(tags, self.tag)


def _normalised(counts: Floats, otherwise: Floats) -> Floats:
    totals = counts.sum(axis=1, keepdims=True)
    return np.where(totals > 0, counts / np.where(totals > 0, totals, 1), otherwise)
