"""Leaving answers out by rule, and saying so.

Nothing is left out unless a rule asks for it, and a ranking lists what was, by which rule and why.

Example:
    >>> from tolka.judge import Answer
    >>> answers = [Answer("a", "b", judge="x", seconds=0.4), Answer("a", "b", judge="x", seconds=9)]
    >>> kept, excluded = exclude(answers, Rules(least_seconds=2))
    >>> len(list(kept)), excluded[0].reason
    (1, '1 of 2 answers took less than 2 s')
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, fields
from itertools import combinations
from typing import TYPE_CHECKING

from tolka.errors import SettingsError
from tolka.judge.answers import Choice

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.judge.answers import Answer


@dataclass(frozen=True)
class Rules:
    """When answers are left out; a rule that is None leaves nothing out.

    Attributes:
        least_correct: Judges must answer at least this share of test questions right (of `least_tests` or more).
        least_tests: Test questions a judge must have had before `least_correct` applies.
        least_seconds: Answers that took less time are left out, one by one.
        least_agreement: Judges asked the same thing again must agree with themselves at least this often.
        least_repeats: Repeated questions a judge must have had before `least_agreement` applies.
        most_one_sided: Judges must not choose the same side more often than this share (of `least_sided` or more).
        least_sided: Answers with a known side a judge must have given before `most_one_sided` applies.
    """

    least_correct: float | None = None
    least_tests: int = 3
    least_seconds: float | None = None
    least_agreement: float | None = None
    least_repeats: int = 5
    most_one_sided: float | None = None
    least_sided: int = 20

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            share = field.name in {"least_correct", "least_agreement", "most_one_sided"}
            if value is not None and not (math.isfinite(value) and value >= 0 and (value <= 1 or not share)):
                raise SettingsError(f"{field.name} must be {'a share from 0 to 1' if share else 'from 0'}, not {value}")

    @property
    def active(self) -> dict[str, float]:
        """The rules that may leave something out."""
        names = ("least_correct", "least_seconds", "least_agreement", "most_one_sided")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


@dataclass(frozen=True)
class Exclusion:
    """What one rule left out of one judge's answers.

    Attributes:
        rule: The rule.
        judge: The judge; empty if not known.
        answers: How many answers were left out.
        reason: Why, in words.
    """

    rule: str
    judge: str
    answers: float
    reason: str


def exclude(answers: Iterable[Answer], rules: Rules) -> tuple[Iterable[Answer], tuple[Exclusion, ...]]:
    """Part answers into those that count and an account of those that do not; without rules, they come back as they are.

    Rules about judges look at all their answers, before too quick ones are left out.
    """
    if not rules.active:
        return answers, ()
    given = list(answers)
    by_judge: dict[str, list[Answer]] = defaultdict(list)
    for answer in given:
        by_judge[answer.judge].append(answer)
    excluded = []
    gone = set()
    for judge in sorted(by_judge):
        found = _judge_fails(by_judge[judge], rules) if judge else None
        if found is not None:
            gone.add(judge)
            excluded.append(Exclusion(found[0], judge, sum(a.weight for a in by_judge[judge]), found[1]))
        elif rules.least_seconds is not None:
            quick = [a for a in by_judge[judge] if _too_quick(a, rules.least_seconds)]
            if quick:
                number, total = len(quick), len(by_judge[judge])
                reason = f"{number} of {total} answers took less than {rules.least_seconds:g} s"
                excluded.append(Exclusion("least_seconds", judge, sum(a.weight for a in quick), reason))
    kept = [
        answer
        for answer in given
        if answer.judge not in gone
        and not (rules.least_seconds is not None and _too_quick(answer, rules.least_seconds))
    ]
    return kept, tuple(excluded)


def _too_quick(answer: Answer, least: float) -> bool:
    return answer.seconds is not None and answer.seconds < least


def _judge_fails(answers: list[Answer], rules: Rules) -> tuple[str, str] | None:
    """The rule a judge breaks, and how; None for one who breaks none."""
    if rules.least_correct is not None:
        tests = [answer.choice is answer.test for answer in answers if answer.test is not None]
        if len(tests) >= rules.least_tests and sum(tests) < rules.least_correct * len(tests):
            return "least_correct", f"{sum(tests)} of {len(tests)} test questions were right"
    if rules.least_agreement is not None:
        agreed, asked = self_agreement(answers)
        if asked >= rules.least_repeats and agreed < rules.least_agreement * asked:
            return "least_agreement", f"{agreed} of {asked} repeated questions were answered alike"
    if rules.most_one_sided is not None:
        sides = [answer.choice for answer in answers if answer.sided and answer.test is None]
        most = max(sides.count(Choice.LEFT), sides.count(Choice.RIGHT)) if sides else 0
        if len(sides) >= rules.least_sided and most > rules.most_one_sided * len(sides):
            return "most_one_sided", f"{most} of {len(sides)} choices were of one side"
    return None


def self_agreement(answers: Iterable[Answer]) -> tuple[int, int]:
    """How often one judge's answers to the same question agree, and how many such pairs of answers there are."""
    asked: dict[tuple[str, frozenset[str]], list[str | None]] = defaultdict(list)
    for answer in answers:
        if answer.segment and answer.test is None and answer.choice is not Choice.UNDECIDED:
            asked[answer.segment, frozenset((answer.left, answer.right))].append(answer.winner)
    pairs = [(one, two) for winners in asked.values() for one, two in combinations(winners, 2)]
    return sum(one == two for one, two in pairs), len(pairs)
