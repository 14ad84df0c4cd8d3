"""A small random number generator whose stream is ours, so that a seed means the same text for ever.

Python's own `random` promises the stream of `random()` only. SplitMix64 (Steele, Lea and Flood, 2014, figure 14) is
ten lines, passes the usual batteries, and starts anywhere: example k of seed s needs no draw for the examples before it.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
_UNIT = 2.0**-53


def mix(value: int) -> int:
    """Scramble 64 bits so that neighbouring inputs give unrelated outputs."""
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


class Prng:
    """The random choices of one example.

    Example:
        >>> Prng(1, 7).unit() == Prng(1, 7).unit()
        True
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int, counter: int) -> None:
        self._state = mix((mix(seed & _MASK) + counter * _STEP) & _MASK)

    def unit(self) -> float:
        """A number from [0, 1) with 53 random bits."""
        self._state = state = (self._state + _STEP) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((state ^ (state >> 31)) >> 11) * _UNIT

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.unit() < probability

    def below(self, limit: int) -> int:
        """A whole number from 0 to limit - 1."""
        return int(self.unit() * limit)


class Urn(Generic[T]):
    """Things drawn with fixed odds."""

    __slots__ = ("_bounds", "_total", "things")

    def __init__(self, things: Sequence[T], weights: Sequence[float]) -> None:
        self.things = tuple(things)
        self._bounds = list(accumulate(weights))
        self._total = self._bounds[-1]

    def draw(self, prng: Prng) -> T:
        """One thing; the urn stays full."""
        return self.things[bisect_right(self._bounds, prng.unit() * self._total)]
