"""Which submissions count: each once, only whole ones, and only by those who pass their test items.

The thesis's gate (Mohammad 2012, sections 2.3 and 3.4): every task has a test item, and who fails it is not heard. An
honest person slips now and then, so that shutting someone out for good takes several failures.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tolka.errors import InputError, SettingsError
from tolka.judge.answers import Answer, Choice
from tolka.judge.platform.kinds import CompareAnswer, read_answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tolka.judge.platform.platform import Order, Platform, Submission

FAILED = "the test question was not answered correctly"
ANEW = "this question has an answer of yours already"


@dataclass(frozen=True)
class Gate:
    """When submissions are refused, and people shut out.

    Attributes:
        reject_failed: Whether a submission with a failed test item is refused (and not paid), or only not counted.
        least_correct: People who got a smaller share of test items right are shut out, and none of theirs counts …
        least_tests: … once they had so many.
        least_seconds: Submissions that took less time do not count.
    """

    reject_failed: bool = True
    least_correct: float = 0.5
    least_tests: int = 4
    least_seconds: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.least_correct <= 1 or self.least_tests < 1 or not self.least_seconds >= 0:
            raise SettingsError(
                "a gate has a share of right tests from 0 to 1, of 1 test or more, and seconds from 0 on"
            )

    def shuts_out(self, passed: int, had: int) -> bool:
        """Whether somebody who got so many test items right, of so many, is shut out."""
        return had >= self.least_tests and passed < self.least_correct * had


@dataclass(frozen=True)
class Counted:
    """A submission that counts."""

    submission: Submission
    order: Order
    answer: Any


@dataclass(frozen=True)
class Review:
    """What became of submissions.

    Attributes:
        counted: Those that count, in the order in which they came.
        approved: Ids of those to be paid: those that count, and honest ones that do not.
        rejected: Ids of those refused, with reasons.
        unused: Ids of those approved that do not count, with reasons.
        blocked: People to be shut out, with reasons.
        tests: By person, test items passed and had.
        lacking: By order, answers that are missing still.
    """

    counted: tuple[Counted, ...]
    approved: tuple[str, ...]
    rejected: dict[str, str]
    unused: dict[str, str]
    blocked: dict[str, str]
    tests: dict[str, tuple[int, int]]
    lacking: dict[str, int]


def review(submissions: Iterable[Submission], orders: Sequence[Order], gate: Gate | None = None) -> Review:
    """Look through everything that was handed in; the same submissions give the same review, however often.

    A submission that comes twice counts once. Of two by one person to one question the first counts; the other is paid
    for, since it was work, and not counted. Answers that came after enough were there count too.
    """
    gate = gate or Gate()
    rejected: dict[str, str] = {}
    read = _read(submissions, {order.id: order for order in orders}, rejected)
    had: dict[str, list[bool]] = defaultdict(list)
    for one in read.values():
        if one.order.body.test is not None:
            had[one.submission.worker].append(one.order.body.test.passed(one.answer.ticked))
    blocked = {
        worker: f"{sum(passed)} of {len(passed)} test questions were right"
        for worker, passed in had.items()
        if gate.shuts_out(sum(passed), len(passed))
    }
    counted: dict[tuple[str, str], Counted] = {}
    unused: dict[str, str] = {}
    for name, one in read.items():
        key = (one.submission.worker, one.order.id)
        test = one.order.body.test
        if test is not None and not test.passed(one.answer.ticked):
            (rejected if gate.reject_failed else unused)[name] = FAILED
        elif key in counted:
            unused[name] = ANEW
        elif one.submission.worker in blocked:
            unused[name] = blocked[one.submission.worker]
        elif one.submission.seconds is not None and one.submission.seconds < gate.least_seconds:
            unused[name] = f"it took less than {gate.least_seconds:g} s"
        else:
            counted[key] = one
    enough = Counter(order for _, order in counted)
    return Review(
        tuple(counted.values()),
        tuple(name for name in read if name not in rejected),
        rejected,
        unused,
        blocked,
        {worker: (sum(passed), len(passed)) for worker, passed in had.items()},
        {order.id: order.wanted - enough[order.id] for order in orders if enough[order.id] < order.wanted},
    )


def _read(
    submissions: Iterable[Submission], orders: Mapping[str, Order], rejected: dict[str, str]
) -> dict[str, Counted]:
    """Submissions that are answers to what was asked, by id, each once; the others are rejected."""
    read: dict[str, Counted] = {}
    for one in submissions:
        if one.id in read or one.id in rejected:
            continue
        order = orders.get(one.order)
        if order is None:
            rejected[one.id] = "this question was never asked"
            continue
        try:
            read[one.id] = Counted(one, order, read_answer(order.kind, order.body, one.answer))
        except InputError as error:
            rejected[one.id] = f"this is no answer: {error}"[:500]
    return read


def settle(platform: Platform, orders: Sequence[Order], gate: Gate | None = None) -> Review:
    """Collect, review, pay or refuse, shut out, and ask anew for what is missing and not on its way.

    Called again when nothing has come in, it changes nothing.
    """
    found = review(platform.collect(), orders, gate)
    platform.approve(found.approved)
    platform.reject(found.rejected)
    for worker, reason in found.blocked.items():
        platform.block(worker, reason)
    on_the_way = platform.outstanding()
    missing = {name: number - on_the_way.get(name, 0) for name, number in found.lacking.items()}
    again = [replace(order, wanted=missing[order.id]) for order in orders if missing.get(order.id, 0) > 0]
    if again:
        platform.publish(again)
    return found


def settle_all(platform: Platform, orders: Sequence[Order], gate: Gate | None = None) -> Review:
    """Settle again and again, until nothing is missing or nothing more comes in: for people who answer at once."""
    seen = -1
    while True:
        found = settle(platform, orders, gate)
        number = len(found.approved) + len(found.rejected)
        if not found.lacking or number == seen:
            return found
        seen = number


def to_answers(counted: Iterable[Counted]) -> list[Answer]:
    """The comparisons among what counts, as ranking takes them."""
    found = []
    for one in counted:
        if isinstance(one.answer, CompareAnswer):
            about: Mapping[str, Any] = one.order.about
            found.append(
                Answer(
                    about["left"],
                    about["right"],
                    Choice(one.answer.choice),
                    judge=one.submission.worker,
                    segment=about.get("segment", ""),
                    sided=True,
                    seconds=one.submission.seconds,
                    at=one.submission.at,
                )
            )
    return found
