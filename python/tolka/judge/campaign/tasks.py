"""Handing out questions and taking answers, inside the caller's transaction.

A judge has one open question at a time, whatever the number of tabs. It is leased: when the lease has ended it no
longer counts towards the answers on their way, and a judge who comes back finds it again. An answer is stored once;
sending it again changes nothing. Taking an answer back is a new record, and the question is asked anew.
"""

from __future__ import annotations

import json
import random
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from sqlalchemy import and_, case, func, or_, select

from tolka.errors import InputError
from tolka.judge.answers import Choice
from tolka.judge.campaign import schema

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Row

    from tolka.judge.campaign.accounts import Account
    from tolka.judge.campaign.questions import Questions
    from tolka.judge.campaign.settings import CampaignSettings
    from tolka.judge.campaign.store import Store

_CLOCKS_DIFFER = 2.0  # seconds by which a browser's measurement may exceed ours
MOST_SECONDS = 86_400.0


def stamp(moment: datetime) -> str:
    """A time as the tables keep it."""
    return moment.isoformat(timespec="milliseconds")


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
    """What a judge answered: a side, or the ticked options of a blank; and how long it took, if that was measured."""

    choice: Choice | None = None
    ticked: tuple[int, ...] | None = None
    seconds: float | None = None
    version: str = ""


Receipt = Literal["stored", "already", "closed"]


class UnknownTaskError(InputError):
    """There is no such question, or it is another judge's."""


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
        tests: How many test questions there are.
    """

    def __init__(self, store: Store, settings: CampaignSettings, questions: Questions, tests: int) -> None:
        self.store = store
        self.settings = settings
        self.questions = questions
        self.tests = tests

    def current(self, connection: Connection, account: Account) -> Task | None:
        """The judge's open question, if there is one."""
        task = schema.task.c
        row = connection.execute(
            select(schema.task).where(task.account_id == account.id, task.state == "open")
        ).one_or_none()
        return None if row is None else _task(row)

    def issue(self, connection: Connection, account: Account, now: datetime) -> Task | None:
        """The judge's open question with its lease renewed, or a new one; None if there is nothing to ask."""
        table = schema.task
        task = self.current(connection, account)
        if task is not None:
            if task.expires_at <= stamp(now):
                renewed = {"issued_at": stamp(now), "expires_at": self._end(now)}
                connection.execute(table.update().where(table.c.id == task.id).values(**renewed))
                task = self.current(connection, account)
            return task
        if not self._is_wanted(connection, account, now):
            return None
        # The same judge at the same answer gets the same question after a crash; the account's id is random.
        turn = connection.execute(select(func.count()).where(schema.answer.c.account_id == account.id)).scalar_one()
        rng = random.Random(f"{self.settings.seed}:{account.id}:{turn}")  # noqa: S311
        values = self._test(connection, account, rng) or self._comparison(connection, account, rng)
        if values is None:
            return None
        self._open(connection, account, now, swapped=rng.random() < 0.5, **values)  # noqa: PLR2004
        return self.current(connection, account)

    def answer(self, connection: Connection, account: Account, identity: str, given: Given, now: datetime) -> Receipt:
        """Store an answer to the judge's question.

        Returns:
            stored; already, if it has an answer, which stands; closed, if it is no longer asked.

        Raises:
            UnknownTaskError: There is no such question for this judge.
            InputError: The answer does not fit the question.
        """
        table = schema.task
        row = self._own(connection, account, identity)
        if row.state != "open":
            return "already" if row.state == "answered" else "closed"
        self._check(connection, row, given)
        spent = (now - datetime.fromisoformat(row.issued_at)).total_seconds()
        stored = connection.execute(
            self.store.insert(schema.answer)
            .values(
                task_id=identity,
                account_id=account.id,
                kind="answer",
                choice=None if given.choice is None else given.choice.value,
                ticked=None if given.ticked is None else json.dumps(sorted(given.ticked)),
                seconds=_seconds(given.seconds, spent),
                at=stamp(now),
                version=given.version,
            )
            .on_conflict_do_nothing()
            .returning(schema.answer.c.id)
        ).first()
        closed = table.update().where(table.c.id == identity, table.c.state == "open").values(state="answered")
        connection.execute(closed)
        return "already" if stored is None else "stored"

    def last(self, connection: Connection, account: Account) -> str | None:
        """The question whose answer may be taken back: the judge's last one, if that is not an undo itself."""
        answer = schema.answer.c
        row = connection.execute(
            select(answer.task_id, answer.kind)
            .where(answer.account_id == account.id)
            .order_by(answer.id.desc())
            .limit(1)
        ).one_or_none()
        return row.task_id if row is not None and row.kind == "answer" else None

    def undo(self, connection: Connection, account: Account, identity: str, now: datetime, version: str) -> Receipt:
        """Take back the judge's last answer and ask that question anew.

        Raises:
            UnknownTaskError: There is no such question for this judge.
        """
        table = schema.task
        row = self._own(connection, account, identity)
        if row.state == "undone":
            return "already"
        if self.last(connection, account) != identity:
            return "closed"
        stored = connection.execute(
            self.store.insert(schema.answer)
            .values(task_id=identity, account_id=account.id, kind="undo", at=stamp(now), version=version)
            .on_conflict_do_nothing()
            .returning(schema.answer.c.id)
        ).first()
        if stored is None:
            return "already"
        connection.execute(table.update().where(table.c.id == identity).values(state="undone"))
        withdrawn = table.update().where(table.c.account_id == account.id, table.c.state == "open")
        connection.execute(withdrawn.values(state="withdrawn"))
        columns = ("segment_id", "low_id", "high_id", "test_id", "information", "swapped")
        self._open(connection, account, now, redo_of=identity, **{name: getattr(row, name) for name in columns})
        return "stored"

    def _own(self, connection: Connection, account: Account, identity: str) -> Row[tuple[object, ...]]:
        task = schema.task.c
        # The row is held until the end, so that two submits of one question come one after the other.
        wanted = select(schema.task).where(task.id == identity, task.account_id == account.id).with_for_update()
        row = connection.execute(wanted).one_or_none()
        if row is None:
            raise UnknownTaskError("there is no such question for you")
        return row

    def _is_wanted(self, connection: Connection, account: Account, now: datetime) -> bool:
        task, ask = schema.task.c, self.settings.ask
        if connection.execute(select(schema.state.c.value).where(schema.state.c.name == "running")).scalar() != "yes":
            return False
        if ask.per_judge and standing(connection, account) >= ask.per_judge:
            return False
        if not ask.target:
            return True
        done = or_(task.state == "answered", and_(task.state == "open", task.expires_at > stamp(now)))
        number = connection.execute(select(func.count()).where(task.segment_id.is_not(None), done)).scalar_one()
        return number < ask.target

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

    def _open(self, connection: Connection, account: Account, now: datetime, **values: object) -> None:
        # Should another process have opened one for this judge in the meantime, that one is asked.
        connection.execute(
            self.store.insert(schema.task)
            .values(
                id=secrets.token_urlsafe(16),
                account_id=account.id,
                state="open",
                issued_at=stamp(now),
                expires_at=self._end(now),
                **values,
            )
            .on_conflict_do_nothing()
        )

    def _end(self, now: datetime) -> str:
        return stamp(now + timedelta(minutes=self.settings.ask.lease_minutes))

    def _check(self, connection: Connection, row: Row[tuple[object, ...]], given: Given) -> None:
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
        allowed = {Choice.LEFT, Choice.RIGHT} | ({Choice.UNDECIDED} if self.settings.show.undecided else set())
        if given.ticked is not None or given.choice not in allowed:
            raise InputError(f"the answer to a comparison is one of {', '.join(sorted(allowed))}")


def standing(connection: Connection, account: Account) -> int:
    """How many answers of a judge stand: those given less those taken back."""
    answer = schema.answer.c
    sign = case((answer.kind == "answer", 1), else_=-1)
    total = connection.execute(select(func.sum(sign)).where(answer.account_id == account.id)).scalar()
    return int(total or 0)


def _seconds(measured: float | None, spent: float) -> float:
    """The browser's own measurement where it can be true, else the time since the question was handed out."""
    if measured is not None and 0 <= measured <= spent + _CLOCKS_DIFFER:
        return round(measured, 3)
    return round(min(max(spent, 0.0), MOST_SECONDS), 3)


def _task(row: Row[tuple[object, ...]]) -> Task:
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
