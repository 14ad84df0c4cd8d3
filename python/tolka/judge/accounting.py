"""What answers cost: how much time of people, and how much money.

Example:
    >>> from tolka.judge import Answer
    >>> spent = account([Answer("a", "b", seconds=20), Answer("a", "b", seconds=40)], price=0.1)
    >>> spent.mean_seconds, spent.hours, spent.cost
    (30.0, 0.01667, 0.2)
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.judge.answers import Answer


@dataclass(frozen=True)
class Accounting:
    """What answers cost.

    Attributes:
        comparisons: Comparisons that stand.
        tests: Test questions that stand, which are paid like comparisons.
        timed: How many of both have a time.
        median_seconds: The median time of a question, test questions included; None if none was measured.
        mean_seconds: The mean time, likewise.
        hours: The time of all that were measured.
        price: The price of a question; None if there is none.
        cost: The price of all.
        currency: Of both.
    """

    comparisons: int
    tests: int
    timed: int
    median_seconds: float | None
    mean_seconds: float | None
    hours: float
    price: float | None
    cost: float | None
    currency: str

    @classmethod
    def of(
        cls, comparisons: int, tests: int, seconds: Sequence[float], *, price: float = 0.0, currency: str = ""
    ) -> Accounting:
        """Add up so many comparisons and test questions, the times of some of them, and the price of each."""
        return cls(
            comparisons=comparisons,
            tests=tests,
            timed=len(seconds),
            median_seconds=round(median(seconds), 3) if seconds else None,
            mean_seconds=round(fmean(seconds), 3) if seconds else None,
            hours=round(sum(seconds) / 3600, 5),
            price=price or None,
            cost=round(price * (comparisons + tests), 6) if price else None,
            currency=currency if price else "",
        )

    def sentences(self) -> list[str]:
        """The same in words, for people."""
        told = []
        if self.median_seconds is not None and self.mean_seconds is not None:
            told.append(
                f"time: median {self.median_seconds:.1f} s and mean {self.mean_seconds:.1f} s a question, "
                f"{self.hours:.2f} h in all"
            )
        if self.price is not None and self.cost is not None:
            told.append(f"cost: {self.price:g} {self.currency} a question, {self.cost:.2f} {self.currency} so far")
        return told


def account(answers: Iterable[Answer], *, price: float = 0.0, currency: str = "") -> Accounting:
    """Add up what answers cost.

    Args:
        answers: The answers.
        price: Of a question, test questions included; 0 if nothing is paid.
        currency: Of the price.
    """
    comparisons = tests = 0
    seconds = []
    for answer in answers:
        comparisons += answer.test is None
        tests += answer.test is not None
        if answer.seconds is not None:
            seconds.append(answer.seconds)
    return Accounting.of(comparisons, tests, seconds, price=price, currency=currency)
