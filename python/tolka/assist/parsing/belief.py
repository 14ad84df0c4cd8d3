"""What is believed of a sentence's parses, and what an answer would tell.

A rewrite is judged alone, but questions come in groups: the outputs that move the same constituents partition the parses
by which of them each yields. The information of a group is how much its answers are expected to lower the entropy of the
belief; if answers are never wrong, that is the entropy of the partition (Mohammad 2012, section 1.2.2).
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from tolka.assist.parsing.reliability import Trust

# Answers to so many outputs are looked at together; what more would tell is not reckoned with.
TOGETHER = 8


def entropy(masses: ArrayLike) -> float:
    """-Σ p ln p, in nats.

    Example:
        >>> round(entropy([0.6, 0.4]), 6)
        0.673012
    """
    found = np.asarray(masses, dtype=np.float64)
    found = found[found > 0]
    return float(-(found * np.log(found)).sum())


class Belief:
    """How probable each of a sentence's parses is, or each class of parses that yield the same, and which rewrites it yields.

    Args:
        log_weights: Of each parse, up to a constant.
        yields: A row a parse, a column a rewrite: whether the one yields the other.

    Example:
        >>> belief = Belief(np.log([0.4, 0.3, 0.2, 0.1]), [[1, 1, 1], [1, 0, 0], [0, 0, 1], [0, 0, 0]])
        >>> [round(belief.entropy([rewrite]), 6) for rewrite in range(3)]
        [0.610864, 0.673012, 0.673012]
    """

    def __init__(self, log_weights: ArrayLike, yields: ArrayLike) -> None:
        weights = np.asarray(log_weights, dtype=np.float64)
        if not len(weights) or np.isnan(weights).any() or (weights == np.inf).any() or (weights == -np.inf).all():
            raise InputError("there is no parse that could be believed", hint="give each parse a finite log weight")
        self._weights: NDArray[np.float64] = weights - weights.max()
        self._yields = np.asarray(yields, dtype=bool).reshape(len(weights), -1)

    @property
    def posterior(self) -> NDArray[np.float64]:
        """How probable each parse is."""
        weights: NDArray[np.float64] = np.exp(self._weights)
        weights /= weights.sum()
        return weights

    @property
    def log_weights(self) -> NDArray[np.float64]:
        """The logarithm of how probable each parse is, up to a constant."""
        return self._weights

    @property
    def yields(self) -> NDArray[np.bool_]:
        """Which parse yields which rewrite."""
        return self._yields

    @property
    def masses(self) -> NDArray[np.float64]:
        """How probable it is of each rewrite that the right parse yields it."""
        masses: NDArray[np.float64] = self.posterior @ self._yields
        return masses

    def cells(self, rewrites: Sequence[int]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """The partition by which of some rewrites a parse yields: the patterns, and the mass of each."""
        patterns, cell = np.unique(self._yields[:, list(rewrites)], axis=0, return_inverse=True)
        masses: NDArray[np.float64] = np.zeros(len(patterns))
        np.add.at(masses, cell.reshape(-1), self.posterior)
        return patterns, masses

    def entropy(self, rewrites: Sequence[int]) -> float:
        """Entropy of the partition: the information of answers that are always right."""
        return entropy(self.cells(rewrites)[1])

    def information(self, rewrites: Sequence[int], trusts: Sequence[Trust]) -> float:
        """How much answers on some rewrites are expected to tell, in nats: H(answers) - H(answers | parse).

        For one rewrite it is h(p r1 + (1-p) r0) - p h(r1) - (1-p) h(r0).

        Example:
            >>> from tolka.assist.parsing import Reliability
            >>> belief = Belief(np.log([0.6, 0.4]), [[1], [0]])
            >>> round(belief.information([0], [Reliability(0.9, 0.25)]), 6)
            0.233434
        """
        asked, trusts = list(rewrites)[:TOGETHER], trusts[:TOGETHER]
        patterns, masses = self.cells(asked)
        chances = np.array(
            [[trust.chance(bool(mark)) for mark, trust in zip(row, trusts, strict=True)] for row in patterns]
        )
        together = 0.0
        for answers in product((False, True), repeat=len(asked)):
            said = np.where(np.array(answers), chances, 1 - chances).prod(axis=1)
            p = float(masses @ said)
            together -= p * math.log(p) if p > 0 else 0.0
        alone = sum(float(mass) * (entropy(row) + entropy(1 - row)) for mass, row in zip(masses, chances, strict=True))
        return max(together - alone, 0.0)

    def answered(self, rewrite: int, same: bool, trust: Trust) -> Belief:
        """The belief after a person said of a rewrite whether it means the same.

        Example:
            >>> from tolka.assist.parsing import Penalty
            >>> belief = Belief(np.log([0.4, 0.3, 0.2, 0.1]), [[1], [0], [0], [0]])
            >>> belief.answered(0, False, Penalty(10)).posterior.round(6).tolist()
            [3e-05, 0.499985, 0.333323, 0.166662]
        """
        yes, no = trust.factors(same)
        return Belief(self._weights + np.where(self._yields[:, rewrite], yes, no), self._yields)
