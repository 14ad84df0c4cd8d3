"""A queue of tasks of any kind: each has a JSON body, wants so many answers, and goes to whoever comes next.

A kind says, as two pydantic models, what its bodies and its answers are; nothing else gets into the database or out of it.

Example:
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pydantic import BaseModel
    >>> from tolka.web.accounts import Accounts
    >>> from tolka.web.store import Store
    >>> class Word(BaseModel):
    ...     word: str
    ...     senses: list[str]
    >>> class Sense(BaseModel):
    ...     sense: int
    >>> store = Store(Path(tempfile.mkdtemp()) / "tasks.db", create=True)
    >>> store.migrate([tables_1], "2026-03-01T12:00:00.000+00:00")
    >>> queue = Queue(store, [Kind("sense", Word, Sense)])
    >>> with store.writing() as connection:
    ...     anna, _ = Accounts(queue.account).invite(connection, "anna", "helper", "2026-03-01T12:00:00.000+00:00")
    >>> number = queue.add("sense", {"word": "bank", "senses": ["of a river", "for money"]})
    >>> task = queue.next(anna)
    >>> task.body.word, queue.answer(anna, task.id, {"sense": 1}), queue.answer(anna, task.id, {"sense": 0})
    ('bank', 'stored', 'already')
    >>> [(one.by, one.answer.sense) for one in queue.answers()]
    [('anna', 1)]
    >>> store.close()
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError
from sqlalchemy import Column, ForeignKey, Index, Integer, MetaData, Table, Text, and_, func, or_, select, text

from tolka.errors import FormatError, InputError, LimitError, SettingsError
from tolka.files.complaints import sentence
from tolka.web.leases import Leases
from tolka.web.migrations import make_append_only, run_statements
from tolka.web.tables import Number, account_table, answer_table, audit_table, stamp, state_table, task_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sqlalchemy import Connection, Row

    from tolka.web.accounts import Account
    from tolka.web.leases import Receipt
    from tolka.web.store import Store

_CHUNK = 5000
_TABLES = """
CREATE TABLE state (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE account (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    joined_at TEXT,
    blocked_at TEXT
);
CREATE TABLE question (
    id {number},
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    wanted INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    added_at TEXT NOT NULL
);
CREATE INDEX question_next ON question (priority, id);
CREATE TABLE task (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id),
    question_id {integer} NOT NULL REFERENCES question (id),
    state TEXT NOT NULL,
    redo_of TEXT REFERENCES task (id),
    issued_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
);
CREATE UNIQUE INDEX task_open ON task (account_id) WHERE state = 'open';
CREATE UNIQUE INDEX task_once ON task (account_id, question_id) WHERE state IN ('open', 'answered');
CREATE INDEX task_question ON task (question_id, state);
CREATE INDEX task_state ON task (state, expires_at);
CREATE TABLE answer (
    id {number},
    task_id TEXT NOT NULL REFERENCES task (id),
    account_id TEXT NOT NULL REFERENCES account (id),
    kind TEXT NOT NULL,
    body TEXT,
    seconds {real},
    at TEXT NOT NULL,
    version TEXT NOT NULL,
    CONSTRAINT answer_once UNIQUE (task_id, account_id, kind)
);
CREATE INDEX answer_account ON answer (account_id, id);
CREATE TABLE audit (id {number}, at TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, detail TEXT NOT NULL)
"""


def tables_1(connection: Connection) -> None:
    """The first step of a room whose tasks are in a queue."""
    run_statements(connection, _TABLES)
    make_append_only(connection, ("answer", "audit"))


@dataclass(frozen=True)
class Kind:
    """A kind of task.

    Attributes:
        name: What it is called.
        body: What its tasks look like.
        answer: What answers to them look like.
        fits: Looks at a task and an answer, and raises `InputError` if they do not belong together.
    """

    name: str
    body: type[BaseModel]
    answer: type[BaseModel]
    fits: Callable[[Any, Any], None] | None = None


@dataclass(frozen=True)
class Task:
    """A task that someone has before them.

    Attributes:
        id: Random; says nothing.
        question: The number it was added under.
        kind: Its kind's name.
        body: What is asked, as the kind's model.
        redo: Whether an answer to it was taken back.
    """

    id: str
    question: int
    kind: str
    body: Any
    redo: bool


@dataclass(frozen=True)
class Answered:
    """An answer that stands.

    Attributes:
        question: The number its task was added under.
        kind: The kind's name.
        body: What was asked.
        answer: What was answered, as the kind's model.
        by: Who did.
        seconds: How long it took.
        at: When it came.
    """

    question: int
    kind: str
    body: Any
    answer: Any
    by: str
    seconds: float
    at: str


class Queue:
    """Tasks waiting for people.

    Of the tasks that want answers still, someone gets the one with the highest priority that they have not had; of
    several such, the one that was added first.

    Args:
        store: A database that has taken the step `tables_1`.
        kinds: The kinds of tasks there may be.
        metadata: Where the tables are described; a room that adds tables of its own gives its own.
        minutes: How long someone may keep a task before it goes to others too.
        body_bytes: How large a task may be, as JSON.
        answer_bytes: How large an answer may be, as JSON.
        clock: For tests.

    Raises:
        FormatError: The database holds tasks of kinds that are not given.
    """

    def __init__(
        self,
        store: Store,
        kinds: Iterable[Kind],
        *,
        metadata: MetaData | None = None,
        minutes: float = 30.0,
        body_bytes: int = 1 << 16,
        answer_bytes: int = 1 << 14,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        self.store = store
        self.kinds = {kind.name: kind for kind in kinds}
        self.body_bytes = body_bytes
        self.answer_bytes = answer_bytes
        self.clock = clock or (lambda: datetime.now(UTC))
        metadata = MetaData() if metadata is None else metadata
        self.state = state_table(metadata)
        self.account = account_table(metadata)
        self.audit = audit_table(metadata)
        self.question = Table(
            "question",
            metadata,
            Column("id", Number, primary_key=True, autoincrement=True),
            Column("kind", Text, nullable=False),
            Column("body", Text, nullable=False),  # JSON
            Column("wanted", Integer, nullable=False),  # answers
            Column("priority", Integer, nullable=False),
            Column("added_at", Text, nullable=False),
            Index("question_next", "priority", "id"),
        )
        live = text("state IN ('open', 'answered')")
        self.task = task_table(
            metadata,
            Column("question_id", ForeignKey("question.id"), nullable=False),
            # A task at most once per person.
            Index("task_once", "account_id", "question_id", unique=True, sqlite_where=live, postgresql_where=live),
            Index("task_question", "question_id", "state"),
        )
        self.given = answer_table(metadata, Column("body", Text))
        self.leases = Leases(store, self.task, self.given, minutes=minutes)
        with store.reading() as connection:
            for name in connection.execute(select(self.question.c.kind).distinct().order_by("kind")).scalars():
                self._stored_kind(name)

    def add(self, kind: str, body: BaseModel | dict[str, Any], *, wanted: int = 1, priority: int = 0) -> int:
        """Add a task; returns its number.

        Args:
            kind: Its kind.
            body: What is asked.
            wanted: Answers wanted, each by someone else.
            priority: Tasks with a higher one come first.

        Raises:
            SettingsError: There is no such kind, or no answer is wanted.
            InputError: The body is not one of this kind.
            LimitError: It is too large.
        """
        return self.add_all(kind, [body], wanted=wanted, priority=priority)[0]

    def add_all(
        self, kind: str, bodies: Iterable[BaseModel | dict[str, Any]], *, wanted: int = 1, priority: int = 0
    ) -> list[int]:
        """Add tasks, all of them or, if one is wrong, none; see `add`."""
        found = self.kinds.get(kind)
        if found is None:
            raise SettingsError(f"there is no kind {kind!r} of tasks", hint=f"use one of {', '.join(self.kinds)}")
        if wanted < 1:
            raise SettingsError(f"a task wants 1 answer or more, not {wanted}")
        common = {"kind": kind, "wanted": wanted, "priority": priority, "added_at": stamp(self.clock())}
        what = f"a task of kind {kind}"
        rows = [common | {"body": _written(found.body, body, self.body_bytes, what)[0]} for body in bodies]
        if not rows:
            return []
        put = self.question.insert().returning(self.question.c.id, sort_by_parameter_order=True)
        with self.store.writing() as connection:
            return list(connection.execute(put, rows).scalars())

    def next(self, account: Account) -> Task | None:
        """The task someone is to do now; None if there is none for them."""
        now = self.clock()
        with self.store.reading() as connection:
            row = self.leases.current(connection, account)
            if row is not None and row.expires_at > stamp(now):
                return self._task(connection, row)
        with self.store.writing() as connection:
            return self._issue(connection, account, now)

    def answer(
        self,
        account: Account,
        task: str,
        given: BaseModel | dict[str, Any],
        *,
        seconds: float | None = None,
        version: str = "",
    ) -> Receipt:
        """Store an answer; when this returns it is on disk.

        Raises:
            UnknownTaskError: There is no such task for them.
            InputError: The answer does not fit the task.
            LimitError: It is too large.
        """

        def values(row: Row[Any]) -> dict[str, object]:
            kind, asked = self._asked(connection, row)
            written, answered = _written(kind.answer, given, self.answer_bytes, f"an answer of kind {kind.name}")
            if kind.fits is not None:
                kind.fits(asked, answered)
            return {"body": written}

        with self.store.writing() as connection:
            return self.leases.answer(connection, account, task, values, self.clock(), seconds=seconds, version=version)

    def undo(self, account: Account, task: str, *, version: str = "") -> Receipt:
        """Take back someone's last answer and ask them anew.

        Raises:
            UnknownTaskError: There is no such task for them.
        """
        with self.store.writing() as connection:
            return self.leases.undo(connection, account, task, self.clock(), version=version)

    def answers(self, kind: str | None = None) -> Iterator[Answered]:
        """Every answer that stands, in the order in which they came; of one kind, if that is named."""
        task, given, question = self.task.c, self.given.c, self.question.c
        wanted = (
            select(
                given.id,
                given.body.label("answer"),
                given.seconds,
                given.at,
                question.id.label("question"),
                question.kind,
                question.body,
                self.account.c.name,
            )
            .join_from(self.given, self.task, task.id == given.task_id)
            .join(self.question, question.id == task.question_id)
            .join(self.account, self.account.c.id == given.account_id)
            .where(task.state == "answered", given.kind == "answer")
            .order_by(given.id)
            .limit(_CHUNK)
        )
        if kind is not None:
            wanted = wanted.where(question.kind == kind)
        seen = 0
        while True:  # so many at a time: whoever reads slowly holds up nobody
            with self.store.reading() as connection:
                rows = connection.execute(wanted.where(given.id > seen)).all()
            for row in rows:
                found = self._stored_kind(row.kind)
                body, answer = _read(found.body, row.body), _read(found.answer, row.answer)
                yield Answered(row.question, row.kind, body, answer, row.name, row.seconds, row.at)
            if len(rows) < _CHUNK:
                return
            seen = rows[-1].id

    def waiting(self) -> int:
        """How many answers are wanted still, those on their way not counted."""
        now = stamp(self.clock())
        with self.store.reading() as connection:
            taken = self._taken(now)
            left = select(func.sum(self.question.c.wanted - taken)).where(self.question.c.wanted > taken)
            return int(connection.execute(left).scalar() or 0)

    def _issue(self, connection: Connection, account: Account, now: datetime) -> Task | None:
        row = self.leases.renewed(connection, account, now)
        if row is None:
            # Two people who come at once must not both get the last answer that is wanted.
            self.store.take_turn(connection)
            number = self._choose(connection, account, now)
            if number is None:
                return None
            row = self.leases.open(connection, account, now, question_id=number)
        return None if row is None else self._task(connection, row)

    def _task(self, connection: Connection, row: Row[Any]) -> Task:
        kind, body = self._asked(connection, row)
        return Task(row.id, row.question_id, kind.name, body, row.redo_of is not None)

    def _choose(self, connection: Connection, account: Account, now: datetime) -> int | None:
        task, question = self.task.c, self.question.c
        had = select(task.id).where(
            task.question_id == question.id, task.account_id == account.id, task.state.in_(("open", "answered"))
        )
        wanted = (
            select(question.id)
            .where(question.wanted > self._taken(stamp(now)), ~had.exists())
            .order_by(question.priority.desc(), question.id)
            .limit(1)
        )
        return connection.execute(wanted).scalar()

    def _taken(self, now: str) -> Any:
        """How many answers a question has or will soon have."""
        task = self.task.c
        done = or_(task.state == "answered", and_(task.state == "open", task.expires_at > now))
        return (
            select(func.count())
            .select_from(self.task)
            .where(task.question_id == self.question.c.id, done)
            .correlate(self.question)
            .scalar_subquery()
        )

    def _asked(self, connection: Connection, row: Row[Any]) -> tuple[Kind, BaseModel]:
        question = self.question.c
        wanted = select(question.kind, question.body).where(question.id == row.question_id)
        name, body = connection.execute(wanted).one()
        kind = self._stored_kind(name)
        return kind, _read(kind.body, body)

    def _stored_kind(self, name: str) -> Kind:
        kind = self.kinds.get(name)
        if kind is None:
            what = f"the database holds tasks of kind {name!r}, and this page knows {', '.join(self.kinds) or 'none'}"
            raise FormatError(what, path=self.store.path, hint="use the tolka that added them")
        return kind


def _written(model: type[BaseModel], value: BaseModel | dict[str, Any], most: int, what: str) -> tuple[str, BaseModel]:
    """A value as JSON, and as it will be read again."""
    try:
        written = model.model_validate(value).model_dump_json()
        # What JSON has no form for (an infinite number, say) is found out now and not when it is wanted.
        again = model.model_validate_json(written)
    except ValidationError as error:
        found = error.errors()[0]
        where = ".".join(str(part) for part in found["loc"])
        raise InputError(f"{what} is wrong: {sentence(where or 'it', found)}") from None
    except PydanticSerializationError as error:
        raise InputError(f"{what} is wrong: {str(error)[:200]}") from None
    size = len(written.encode())
    if size > most:
        raise LimitError(f"{what} may have {most:,} bytes and this one has {size:,}", hint="make it smaller")
    return written, again


def _read(model: type[BaseModel], written: str) -> BaseModel:
    try:
        return model.model_validate_json(written)
    except ValidationError as error:
        raise FormatError(f"the database holds what is no {model.__name__}: {error.errors()[0]['msg']}") from None
