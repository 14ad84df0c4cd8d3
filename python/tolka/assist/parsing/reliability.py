"""How far an answer about a rewritten sentence is to be trusted.

A person says of a rewrite whether it means the same. Some true rewrites sound wrong, because rules are rough, and some wrong
ones sound right; people slip besides. So an answer multiplies the belief in a parse by the chance of that answer: r1 where
the parse yields the rewrite and r0 where it does not (Mohammad 2012, section 1.2.2, made Bayesian).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from tolka.errors import SettingsError


class Trust(Protocol):
    """What an answer is worth: log factors for parses that yield the rewrite and for those that do not."""

    def factors(self, same: bool) -> tuple[float, float]:
        """The logarithms by which an answer changes the belief: (parses that yield it, parses that do not)."""
        ...

    def chance(self, yields: bool) -> float:
        """How probable "means the same" is if the right parse yields the rewrite, or if it does not."""
        ...

    def of_someone(self, right: float) -> Trust:
        """What is trusted of somebody whose answers are what they mean to say with this chance."""
        ...


@dataclass(frozen=True)
class Reliability:
    """How often people say "means the same" when the right parse yields a rewrite, and when it does not.

    Args:
        same_if_true: r1; one in ten true rewrites is refused, if nothing better is known.
        same_if_false: r0.

    Example:
        >>> yes, no = Reliability().factors(same=False)
        >>> round(yes - no, 3)
        -2.015
    """

    same_if_true: float = 0.9
    same_if_false: float = 0.25

    def __post_init__(self) -> None:
        for name, value in (("same_if_true", self.same_if_true), ("same_if_false", self.same_if_false)):
            if not 0 < value < 1:
                raise SettingsError(
                    f"{name} is {value}", hint="it is a chance between 0 and 1, neither of them included"
                )

    def factors(self, same: bool) -> tuple[float, float]:
        """The logarithms of r1 and r0, or of 1 - r1 and 1 - r0."""
        if same:
            return math.log(self.same_if_true), math.log(self.same_if_false)
        return math.log1p(-self.same_if_true), math.log1p(-self.same_if_false)

    def chance(self, yields: bool) -> float:
        """r1 or r0."""
        return self.same_if_true if yields else self.same_if_false

    def of_someone(self, right: float) -> Reliability:
        """Of somebody who gives the other answer now and then; whose answers are a coin's tells nothing.

        Example:
            >>> Reliability(0.9, 0.25).of_someone(0.5)
            Reliability(same_if_true=0.5, same_if_false=0.5)
        """
        one, two = (right * chance + (1 - right) * (1 - chance) for chance in (self.same_if_true, self.same_if_false))
        return Reliability(one, two)

    def learnt(self, *, true_same: int, true: int, false_same: int, false: int, weight: float = 20.0) -> Reliability:
        """This reliability as the prior of what was counted: the mean of a beta distribution.

        Args:
            true_same: How often "the same" was said of rewrites that the right parse yields.
            true: How many of those there were.
            false_same: How often it was said of others.
            false: How many of those there were.
            weight: How many answers the prior counts as.

        Example:
            >>> Reliability().learnt(true_same=70, true=100, false_same=5, false=100)
            Reliability(same_if_true=0.7333333333333333, same_if_false=0.08333333333333333)
        """
        if not (0 <= true_same <= true and 0 <= false_same <= false and weight > 0):
            raise SettingsError("more answers say the same than there are", hint="count each answer once")
        return Reliability(
            (self.same_if_true * weight + true_same) / (weight + true),
            (self.same_if_false * weight + false_same) / (weight + false),
        )


@dataclass(frozen=True)
class Penalty:
    """The rescoring of the thesis: a parse that yields a rewrite that is refused loses so many points of log probability.

    Nothing is added for "means the same". What a question tells is reckoned as if answers were always right.

    Example:
        >>> Penalty().factors(same=False), Penalty().factors(same=True)
        ((-10.0, 0.0), (0.0, 0.0))
    """

    points: float = 10.0

    def __post_init__(self) -> None:
        if not 0 < self.points < math.inf:
            raise SettingsError(f"the penalty is {self.points}", hint="it takes points away: give a positive number")

    def factors(self, same: bool) -> tuple[float, float]:
        """-points and 0, or nothing."""
        return (0.0, 0.0) if same else (-self.points, 0.0)

    def chance(self, yields: bool) -> float:
        """1 or 0."""
        return float(yields)

    def of_someone(self, right: float) -> Penalty:  # noqa: ARG002 - all are believed alike
        """The same."""
        return self
