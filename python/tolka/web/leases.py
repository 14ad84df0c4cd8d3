"""Who has which task before them, and answers that count once, inside the caller's transaction.

A person has one open task at a time, whatever the number of tabs. It is leased: when the lease has ended it no longer
counts as being on its way, and whoever comes back finds it again. An answer is stored once; sending it again changes
nothing. Taking an answer back is a new record, and the task is handed out anew.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import case, func, select

from tolka.errors import InputError
from tolka.web.tables import stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy import Connection, Row, Table

    from tolka.web.accounts import Account
    from tolka.web.store import Store

_CLOCKS_DIFFER = 2.0  # seconds by which a browser's measurement may exceed ours
MOST_SECONDS = 86_400.0
# What all tasks have; the other columns say what is asked.
_COMMON = {"id", "account_id", "state", "redo_of", "issued_at", "expires_at"}

Receipt = Literal["stored", "already", "closed"]
"""What became of an answer: stored now; there is one already, which stands; or the task is no longer asked."""


class UnknownTaskError(InputError):
    """There is no such task, or it is someone else's."""


class Leases:
    """Hands out tasks one at a time and takes answers.

    Args:
        store: Where they are kept.
        task: The table of tasks, made by `tolka.web.tables.task_table`.
        answer: The table of answers, made by `tolka.web.tables.answer_table`.
        minutes: How long a lease is.
    """

    def __init__(self, store: Store, task: Table, answer: Table, *, minutes: float) -> None:
        self.store = store
        self.task = task
        self.answers = answer
        self.minutes = minutes
        self._about = [column.name for column in task.c if column.name not in _COMMON]

    def current(self, connection: Connection, account: Account) -> Row[Any] | None:
        """Someone's open task, if there is one."""
        task = self.task.c
        wanted = select(self.task).where(task.account_id == account.id, task.state == "open")
        return connection.execute(wanted).one_or_none()

    def renewed(self, connection: Connection, account: Account, now: datetime) -> Row[Any] | None:
        """Someone's open task, with a new lease if the old one has ended."""
        row = self.current(connection, account)
        if row is None or row.expires_at > stamp(now):
            return row
        lease = {"issued_at": stamp(now), "expires_at": self._end(now)}
        connection.execute(self.task.update().where(self.task.c.id == row.id).values(**lease))
        return self.current(connection, account)

    def open(self, connection: Connection, account: Account, now: datetime, **about: object) -> Row[Any] | None:
        """Hand out a task; should another process have handed one to the same person meanwhile, that one stands."""
        put = self.store.insert(self.task).values(
            id=secrets.token_urlsafe(16),
            account_id=account.id,
            state="open",
            issued_at=stamp(now),
            expires_at=self._end(now),
            **about,
        )
        connection.execute(put.on_conflict_do_nothing())
        return self.current(connection, account)

    def answer(
        self,
        connection: Connection,
        account: Account,
        identity: str,
        given: Callable[[Row[Any]], Mapping[str, object]],
        now: datetime,
        *,
        seconds: float | None = None,
        version: str = "",
    ) -> Receipt:
        """Store an answer.

        Args:
            connection: The transaction.
            account: Whose answer it is.
            identity: The task.
            given: Makes the columns that hold the answer; it sees the task and raises `InputError` if they do not fit.
            now: The time.
            seconds: How long it took, if that was measured.
            version: Of the page or protocol that took it.

        Raises:
            UnknownTaskError: There is no such task for them.
        """
        row = self._own(connection, account, identity)
        if row.state != "open":
            return "already" if row.state == "answered" else "closed"
        values = given(row)
        spent = (now - datetime.fromisoformat(row.issued_at)).total_seconds()
        stored = self._put(
            connection,
            account,
            identity,
            kind="answer",
            seconds=_seconds(seconds, spent),
            at=stamp(now),
            version=version,
            **values,
        )
        task = self.task
        connection.execute(task.update().where(task.c.id == identity, task.c.state == "open").values(state="answered"))
        return "stored" if stored else "already"

    def last(self, connection: Connection, account: Account) -> str | None:
        """The task whose answer may be taken back: the person's last one, if that is not an undo itself."""
        answer = self.answers.c
        row = connection.execute(
            select(answer.task_id, answer.kind)
            .where(answer.account_id == account.id)
            .order_by(answer.id.desc())
            .limit(1)
        ).one_or_none()
        return row.task_id if row is not None and row.kind == "answer" else None

    def undo(
        self, connection: Connection, account: Account, identity: str, now: datetime, *, version: str = ""
    ) -> Receipt:
        """Take back someone's last answer and hand out that task anew.

        Raises:
            UnknownTaskError: There is no such task for them.
        """
        task = self.task
        row = self._own(connection, account, identity)
        if row.state == "undone":
            return "already"
        if self.last(connection, account) != identity:
            return "closed"
        if not self._put(connection, account, identity, kind="undo", at=stamp(now), version=version):
            return "already"
        connection.execute(task.update().where(task.c.id == identity).values(state="undone"))
        others = task.update().where(task.c.account_id == account.id, task.c.state == "open")
        connection.execute(others.values(state="withdrawn"))
        self.open(connection, account, now, redo_of=identity, **{name: getattr(row, name) for name in self._about})
        return "stored"

    def standing(self, connection: Connection, account: Account) -> int:
        """How many answers of someone stand: those given less those taken back."""
        answer = self.answers.c
        sign = case((answer.kind == "answer", 1), else_=-1)
        total = connection.execute(select(func.sum(sign)).where(answer.account_id == account.id)).scalar()
        return int(total or 0)

    def _own(self, connection: Connection, account: Account, identity: str) -> Row[Any]:
        task = self.task.c
        # The row is held until the end, so that two submits of one task come one after the other.
        wanted = select(self.task).where(task.id == identity, task.account_id == account.id).with_for_update()
        row = connection.execute(wanted).one_or_none()
        if row is None:
            raise UnknownTaskError("there is no such question for you")
        return row

    def _put(self, connection: Connection, account: Account, identity: str, **values: object) -> bool:
        put = self.store.insert(self.answers).values(task_id=identity, account_id=account.id, **values)
        stored = connection.execute(put.on_conflict_do_nothing().returning(self.answers.c.id)).first()
        return stored is not None

    def _end(self, now: datetime) -> str:
        return stamp(now + timedelta(minutes=self.minutes))


def _seconds(measured: float | None, spent: float) -> float | None:
    """The browser's own measurement where it can be true, else the time since the task was handed out; None if unknown."""
    # A clock that was set back since says nothing.
    most = spent + _CLOCKS_DIFFER if spent >= 0 else MOST_SECONDS
    if measured is not None and 0 <= measured <= most:
        return round(measured, 3)
    return round(min(spent, MOST_SECONDS), 3) if spent >= 0 else None
