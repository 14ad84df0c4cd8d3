"""What a report says of how the answers came about: what was asked, when, how well judges agree."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tolka.judge.answers import Answer
    from tolka.judge.campaign.settings import CampaignSettings


@dataclass(frozen=True)
class About:
    """What answers alone do not tell.

    Attributes:
        question: What judges were asked.
        instructions: What they were told before; blank lines separate paragraphs.
        shown: What they saw beside the two outputs, in words.
    """

    question: str = ""
    instructions: str = ""
    shown: str = ""

    @classmethod
    def of_settings(cls, settings: CampaignSettings) -> Self:
        """What a campaign's settings say."""
        show = settings.show
        parts = [name for name, on in (("the source", show.source), ("a reference", show.reference)) if on]
        return cls(
            question=settings.question,
            instructions=settings.instructions,
            shown=" and ".join(parts),
        )


@dataclass(frozen=True)
class Agreement:
    """How well judges agree who answered the same question.

    Attributes:
        share: The share of pairs of answers that agree.
        compared: How many such pairs there are.
        corrected: The share on a scale where 0 is chance and 1 is always (Bennett, Alpert and Goldstein 1954).
    """

    share: float
    compared: int

    @property
    def corrected(self) -> float:
        """With two sides that are shuffled, chance is one half."""
        return 2 * self.share - 1


def agreement_of(answers: Iterable[Answer]) -> Agreement | None:
    """How well judges agree; None if no two of them compared the same items on the same segment.

    Example:
        >>> from tolka.judge import Answer
        >>> given = [Answer("a", "b", judge="x", segment="1"), Answer("b", "a", judge="y", segment="1")]
        >>> agreement_of(given)
        Agreement(share=0.0, compared=1)
    """
    same: dict[tuple[str, str, str], list[tuple[str, str]]] = defaultdict(list)
    for one in answers:
        if one.test is None and one.winner is not None and one.judge and one.segment:
            low, high = sorted((one.left, one.right))
            same[one.segment, low, high].append((one.judge, one.winner))
    compared = agreed = 0
    for given in same.values():
        for (judge, this), (other, that) in combinations(given, 2):
            if judge != other:
                compared += 1
                agreed += this == that
    return Agreement(agreed / compared, compared) if compared else None


def dates_of(answers: Sequence[Answer]) -> tuple[str, str] | None:
    """The days of the first and the last answer; None if no times are known."""
    days = [one.at[:10] for one in answers if one.at]
    return (min(days), max(days)) if days else None


def anonymised(answers: Iterable[Answer]) -> Iterator[Answer]:
    """The same answers with judges who are called judge 1, judge 2 and so on, in the order in which they come.

    Example:
        >>> from tolka.judge import Answer
        >>> [one.judge for one in anonymised([Answer("a", "b", judge="Zoe"), Answer("a", "b"), Answer("a", "b", judge="Zoe")])]
        ['judge 1', '', 'judge 1']
    """
    names: dict[str, str] = {}
    for one in answers:
        name = names.setdefault(one.judge, f"judge {len(names) + 1}") if one.judge else ""
        yield replace(one, judge=name)
