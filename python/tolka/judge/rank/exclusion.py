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

import difflib
import math
from collections import defaultdict
from dataclasses import dataclass, fields
from itertools import combinations
from typing import TYPE_CHECKING

from tolka.errors import InputError, SettingsError
from tolka.judge.answers import Choice

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tolka.judge.answers import Answer


@dataclass(frozen=True)
class Rules:
    """When answers are left out; a rule that is None leaves nothing out.

    Attributes:
        without: Judges who are left out by name.
        least_correct: Judges must answer at least this share of test questions right (of `least_tests` or more).
        least_tests: Test questions a judge must have had before `least_correct` applies.
        least_seconds: Answers that took less time are left out, one by one.
        least_agreement: Judges asked the same thing again must agree with themselves at least this often.
        least_repeats: Repeated questions a judge must have had before `least_agreement` applies.
        most_one_sided: Judges must not choose the same side more often than this share (of `least_sided` or more).
        least_sided: Answers with a known side a judge must have given before `most_one_sided` applies.
    """

    without: tuple[str, ...] = ()
    least_correct: float | None = None
    least_tests: int = 1
    least_seconds: float | None = None
    least_agreement: float | None = None
    least_repeats: int = 5
    most_one_sided: float | None = None
    least_sided: int = 20

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None or field.name == "without":
                continue
            share = field.name in {"least_correct", "least_agreement", "most_one_sided"}
            if not (math.isfinite(value) and value >= 0 and (value <= 1 or not share)):
                raise SettingsError(f"{field.name} must be {'a share from 0 to 1' if share else 'from 0'}, not {value}")

    @property
    def active(self) -> dict[str, float | str]:
        """The rules that may leave something out, with the thresholds that are not the usual ones."""
        found: dict[str, float | str] = {"without": "+".join(sorted(set(self.without)))} if self.without else {}
        for name, threshold in _THRESHOLDS.items():
            if getattr(self, name) is not None:
                found[name] = getattr(self, name)
                if threshold and getattr(self, threshold) != getattr(Rules, threshold):
                    found[threshold] = getattr(self, threshold)
        return found


_THRESHOLDS = {
    "least_correct": "least_tests",
    "least_seconds": "",
    "least_agreement": "least_repeats",
    "most_one_sided": "least_sided",
}


@dataclass(frozen=True)
class Exclusion:
    """What one rule left out of one judge's answers, or why it could not.

    Attributes:
        rule: The rule.
        judge: The judge; empty if not known, or if it is about several.
        answers: How many answers were left out; test questions are not counted.
        reason: Why, in words.
        kept: Whether the answers count after all, because too little is known of the judge for the rule to hold.
    """

    rule: str
    judge: str
    answers: float
    reason: str
    kept: bool = False


def exclude(answers: Iterable[Answer], rules: Rules) -> tuple[Iterable[Answer], tuple[Exclusion, ...]]:
    """Part answers into those that count and an account of those that do not; without rules, they come back as they are.

    Rules about judges look at all their answers, before too quick ones are left out. Whoever breaks a rule on too few
    questions for it to hold is kept, and the account says so.

    Raises:
        InputError: A judge is to be left out by name and there is no such judge.
    """
    if not rules.active:
        return answers, ()
    given = list(answers)
    by_judge: dict[str, list[Answer]] = defaultdict(list)
    for answer in given:
        by_judge[answer.judge].append(answer)
    _check_names(rules, by_judge)
    excluded = []
    gone = set()
    unknown: dict[str, list[str]] = defaultdict(list)
    for judge in sorted(by_judge):
        number = sum(answer.weight for answer in by_judge[judge] if answer.test is None)
        found = _judged(judge, by_judge[judge], rules)
        broken = next((one for one in found if one.broken and one.asked >= one.needed), None)
        if broken is not None:
            gone.add(judge)
            excluded.append(Exclusion(broken.rule, judge, number, broken.reason))
            continue
        for one in found:
            if one.broken:
                reason = f"{one.reason}, too few for a rule that asks for {one.needed}"
                excluded.append(Exclusion(one.rule, judge, 0.0, reason, kept=True))
            elif not one.asked:
                unknown[one.rule].append(judge or "those not named")
        if rules.least_seconds is not None:
            compared = [a for a in by_judge[judge] if a.test is None]
            quick = [a for a in compared if _too_quick(a, rules.least_seconds)]
            if quick:
                reason = f"{len(quick)} of {len(compared)} answers took less than {rules.least_seconds:g} s"
                excluded.append(Exclusion("least_seconds", judge, sum(a.weight for a in quick), reason))
    kept = [
        answer
        for answer in given
        if answer.judge not in gone
        and not (rules.least_seconds is not None and _too_quick(answer, rules.least_seconds))
    ]
    excluded += [
        Exclusion(rule, "", 0.0, f"{_NOTHING[rule]} {_some(names)}", kept=True) for rule, names in unknown.items()
    ]
    return kept, tuple(excluded)


_NOTHING = {
    "least_correct": "no test question was answered by",
    "least_agreement": "no question was put twice to",
    "most_one_sided": "no side is known of the answers of",
}
_MOST_NAMED = 3


def _some(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:_MOST_NAMED])} and {more} more"


def _check_names(rules: Rules, known: Mapping[str, object]) -> None:
    for name in rules.without:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else "names are as the answers have them"
            raise InputError(f"there is no judge {name!r} to leave out", hint=hint)


def _too_quick(answer: Answer, least: float) -> bool:
    return answer.seconds is not None and answer.seconds < least


@dataclass(frozen=True)
class _Verdict:
    """Whether a judge breaks a rule, on how many questions, and how many the rule needs."""

    rule: str
    broken: bool
    reason: str
    asked: int = 1
    needed: int = 1


def _judged(judge: str, answers: list[Answer], rules: Rules) -> list[_Verdict]:
    """What the rules that were asked for say of a judge; nobody knows who those without a name are."""
    if judge in rules.without:
        return [_Verdict("without", broken=True, reason="left out by name")]
    found = []
    if rules.least_correct is not None:
        tests = [answer.choice is answer.test for answer in answers if answer.test is not None] if judge else []
        right, asked = sum(tests), len(tests)
        reason = f"{right} of {asked} test questions were right"
        found.append(
            _Verdict("least_correct", right < rules.least_correct * asked, reason, asked, max(rules.least_tests, 1))
        )
    if rules.least_agreement is not None:
        agreed, asked = self_agreement(answers) if judge else (0, 0)
        reason = f"{agreed} of {asked} repeated questions were answered alike"
        found.append(
            _Verdict("least_agreement", agreed < rules.least_agreement * asked, reason, asked, rules.least_repeats)
        )
    if rules.most_one_sided is not None:
        sides = [one.choice for one in answers if one.sided and one.test is None] if judge else []
        most, asked = max(sides.count(Choice.LEFT), sides.count(Choice.RIGHT)), len(sides)
        reason = f"{most} of {asked} choices were of one side"
        found.append(_Verdict("most_one_sided", most > rules.most_one_sided * asked, reason, asked, rules.least_sided))
    return found


def self_agreement(answers: Iterable[Answer]) -> tuple[int, int]:
    """How often one judge's answers to the same question agree, and how many such pairs of answers there are."""
    asked: dict[tuple[str, frozenset[str]], list[str | None]] = defaultdict(list)
    for answer in answers:
        if answer.segment and answer.test is None and answer.choice is not Choice.UNDECIDED:
            asked[answer.segment, frozenset((answer.left, answer.right))].append(answer.winner)
    pairs = [(one, two) for winners in asked.values() for one, two in combinations(winners, 2)]
    return sum(one == two for one, two in pairs), len(pairs)
