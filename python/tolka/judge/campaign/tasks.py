"""Which question a judge is handed, and what may be answered, inside the caller's transaction.

How questions are leased and answers kept is the same for all rooms: see `tolka.web.leases`.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, func, or_, select

from tolka.errors import InputError
from tolka.judge.answers import Choice
from tolka.judge.campaign import schema
from tolka.web.leases import Leases
from tolka.web.tables import stamp

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, Row

    from tolka.judge.campaign.questions import Questions
    from tolka.judge.campaign.settings import CampaignSettings
    from tolka.web.accounts import Account
    from tolka.web.leases import Receipt
    from tolka.web.store import Store

BAD = json.dumps("bad")
"""The mark of a tie of two bad ones."""


@dataclass(frozen=True)
class Task:
    """One question handed to one judge."""

    id: str
    segment: int | None
    low: int | None
    high: int | None
    test: int | None
    swapped: bool
    redo: bool
    issued_at: str
    expires_at: str


@dataclass(frozen=True)
class Given:
    """What a judge answered: a side, or the ticked options of a blank; and how long it took, if that was measured.

    A tie may be one of two bad ones.
    """

    choice: Choice | None = None
    ticked: tuple[int, ...] | None = None
    seconds: float | None = None
    version: str = ""
    bad: bool = False


class _Asked:
    """What was asked before, looked up when it is needed."""

    def __init__(self, connection: Connection, account: str) -> None:
        self.connection = connection
        self.account = account

    def by_this_judge(self, low: int, high: int) -> set[int]:
        return self._segments(low, high, schema.task.c.account_id == self.account)

    def by_anyone(self, low: int, high: int) -> set[int]:
        return self._segments(low, high)

    def _segments(self, low: int, high: int, *more: ColumnElement[bool]) -> set[int]:
        task = schema.task.c
        chosen = and_(task.low_id == low, task.high_id == high, task.state.in_(("open", "answered")), *more)
        return set(self.connection.execute(select(task.segment_id).where(chosen)).scalars())


class Desk:
    """Hands out questions and takes answers.

    Args:
        store: Where they are kept.
        settings: The campaign's.
        questions: Where new ones come from.

    Attributes:
        tests: How many test questions there are.
        without: Judges whose answers do not count.
    """

    def __init__(self, store: Store, settings: CampaignSettings, questions: Questions) -> None:
        self.settings = settings
        self.questions = questions
        self.tests = 0
        self.without: frozenset[str] = frozenset()
        self.leases = Leases(store, schema.task, schema.answer, minutes=settings.ask.lease_minutes)

    def current(self, connection: Connection, account: Account) -> Task | None:
        """The judge's open question, if there is one."""
        row = self.leases.current(connection, account)
        return None if row is None else _task(row)

    def taken_back(self, connection: Connection, task: Task) -> Given | None:
        """What was answered to a question that is asked anew."""
        again, answer = schema.task.c, schema.answer.c
        row = connection.execute(
            select(answer.choice, answer.ticked)
            .join(schema.task, again.redo_of == answer.task_id)
            .where(again.id == task.id, answer.kind == "answer")
        ).one_or_none()
        if row is None:
            return None
        if row.choice is not None:
            return Given(Choice(row.choice), bad=row.ticked == BAD)
        return Given(ticked=tuple(json.loads(row.ticked)))

    def issue(self, connection: Connection, account: Account, now: datetime) -> Task | None:
        """The judge's open question with its lease renewed, or a new one; None if there is nothing to ask."""
        row = self.leases.renewed(connection, account, now)
        if row is None and self._is_wanted(connection, account, now):
            # The same judge at the same answer gets the same question after a crash; the account's id is random.
            turn = connection.execute(select(func.count()).where(schema.answer.c.account_id == account.id)).scalar_one()
            rng = random.Random(f"{self.settings.seed}:{account.id}:{turn}")  # noqa: S311
            values = self._test(connection, account, rng) or self._comparison(connection, account, rng)
            if values is not None:
                row = self.leases.open(connection, account, now, swapped=rng.random() < 0.5, **values)  # noqa: PLR2004
        return None if row is None else _task(row)

    def answer(self, connection: Connection, account: Account, identity: str, given: Given, now: datetime) -> Receipt:
        """Store an answer to the judge's question.

        Returns:
            stored; already, if it has an answer, which stands; closed, if it is no longer asked.

        Raises:
            UnknownTaskError: There is no such question for this judge.
            InputError: The answer does not fit the question.
        """

        def columns(row: Row[Any]) -> dict[str, object]:
            self._check(connection, row, given)
            return {
                "choice": None if given.choice is None else given.choice.value,
                "ticked": BAD if given.bad else None if given.ticked is None else json.dumps(sorted(given.ticked)),
            }

        return self.leases.answer(
            connection, account, identity, columns, now, seconds=given.seconds, version=given.version
        )

    def _is_wanted(self, connection: Connection, account: Account, now: datetime) -> bool:
        task, ask = schema.task.c, self.settings.ask
        if connection.execute(select(schema.state.c.value).where(schema.state.c.name == "running")).scalar() != "yes":
            return False
        if ask.per_judge and self.leases.standing(connection, account) >= ask.per_judge:
            return False
        if not ask.target:
            return True
        done = or_(task.state == "answered", and_(task.state == "open", task.expires_at > stamp(now)))
        wanted = select(func.count()).where(task.segment_id.is_not(None), done)
        if self.without:
            counted = select(schema.account.c.id).where(schema.account.c.name.not_in(self.without))
            wanted = wanted.where(task.account_id.in_(counted))
        return connection.execute(wanted).scalar_one() < ask.target

    def _test(
        self, connection: Connection, account: Account, rng: random.Random
    ) -> dict[str, int | float | None] | None:
        if not self.tests or rng.random() >= self.settings.tests.rate:
            return None
        task = schema.task.c
        had = set(
            connection.execute(
                select(task.test_id).where(task.account_id == account.id, task.test_id.is_not(None))
            ).scalars()
        )
        left = [test for test in range(self.tests) if test not in had]
        return {"test_id": rng.choice(left)} if left else None

    def _comparison(
        self, connection: Connection, account: Account, rng: random.Random
    ) -> dict[str, int | float | None] | None:
        question = self.questions.draw(_Asked(connection, account.id), rng)
        if question is None:
            return None
        return {
            "segment_id": question.segment,
            "low_id": question.low,
            "high_id": question.high,
            "information": question.information,
        }

    def _check(self, connection: Connection, row: Row[Any], given: Given) -> None:
        options = 0
        if row.test_id is not None:
            kind, body = connection.execute(
                select(schema.test.c.kind, schema.test.c.body).where(schema.test.c.id == row.test_id)
            ).one()
            options = len(json.loads(body)["options"]) if kind == "blank" else 0
        if options:
            if given.choice is not None or given.ticked is None or not set(given.ticked) <= set(range(options)):
                raise InputError("the answer to a blank is a list of the options that fit")
            return
        show = self.settings.show
        allowed = {Choice.LEFT, Choice.RIGHT} | ({Choice.UNDECIDED} if show.undecided else set())
        allowed |= {Choice.TIE} if show.ties != "none" else set()
        is_mark_wrong = given.bad and (given.choice is not Choice.TIE or show.ties != "equal-bad")
        if given.ticked is not None or given.choice not in allowed or is_mark_wrong:
            raise InputError(f"the answer to a comparison is one of {', '.join(sorted(allowed))}")


def _task(row: Row[Any]) -> Task:
    return Task(
        id=row.id,
        segment=row.segment_id,
        low=row.low_id,
        high=row.high_id,
        test=row.test_id,
        swapped=row.swapped,
        redo=row.redo_of is not None,
        issued_at=row.issued_at,
        expires_at=row.expires_at,
    )
