"""The tree to give where belief is spread over several: the one whose brackets are expected to agree best with the right tree's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tolka.syntax.brackets import brackets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tolka.syntax import Constituent


class Consensus:
    """Chooses among trees by expected agreement (minimum Bayes risk; Goodman 1996), rather than the most probable one.

    Args:
        trees: Parses of one sentence.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> texts = ["(S (A (X a) (X b)) (X c))", "(S (X a) (A (X b) (X c)))", "(S (X a) (A (B (X b) (X c))))"]
        >>> Consensus([parse_penn(text) for text in texts]).choose(np.array([0.4, 0.3, 0.3]))
        1
    """

    def __init__(self, trees: Sequence[Constituent]) -> None:
        counts = [brackets(tree) for tree in trees]
        # A bracket that a tree has twice is two brackets: the second is only matched by another second.
        numbered = [[(bracket, copy) for bracket, times in one.items() for copy in range(times)] for one in counts]
        place = {bracket: at for at, bracket in enumerate(dict.fromkeys(one for row in numbered for one in row))}
        self._has = np.zeros((len(trees), len(place)), dtype=bool)
        for row, found in enumerate(numbered):
            self._has[row, [place[bracket] for bracket in found]] = True
        self._size = self._has.sum(axis=1)

    def choose(self, posterior: NDArray[np.float64]) -> int:
        """The tree of the highest expected F1, as the ratio of expected counts; of equals the first."""
        expected = self._has @ (posterior @ self._has)
        return int(np.argmax(2 * expected / (self._size + posterior @ self._size)))
