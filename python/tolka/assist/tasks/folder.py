"""A directory of tasks, opened: questions out, answers in, everything on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import func, inspect, select

from tolka.assist.dialogue import fitting_answer
from tolka.assist.tasks import schema
from tolka.assist.tasks.asking import Asking, as_asked, question_of
from tolka.assist.tasks.known import Known, of_stored, trust_of
from tolka.assist.tasks.settings import TaskSettings
from tolka.assist.tasks.shown import Given, Shown, View, shuffled, unshuffled
from tolka.assist.tasks.task import task_named
from tolka.errors import FileError, InputError
from tolka.judge.campaign.material import BlankTest
from tolka.web.host import Host
from tolka.web.leases import Leases
from tolka.web.store import Store
from tolka.web.tables import stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from sqlalchemy import Connection, Row

    from tolka.assist.tasks.known import KnownTest
    from tolka.assist.tasks.replay import Play
    from tolka.assist.tasks.task import Task
    from tolka.web.accounts import Account
    from tolka.web.leases import Receipt

DATABASE = "tasks.db"
ROLE = "helper"


class TaskFolder(Host):
    """An open directory of tasks; safe to use from many threads, and beside other processes.

    Make one with `create_tasks`, open it with `open_tasks`.

    Args:
        directory: Where it is.
        settings: Its settings.
        task: Makes dialogues; the one that the settings name if it is not given.
        clock: For tests.
    """

    def __init__(
        self,
        directory: Path,
        settings: TaskSettings,
        *,
        task: Task | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        store = store_of(directory, settings)
        super().__init__(directory, store, accounts=schema.account, audit=schema.audit, clock=clock)
        self.settings = settings
        self.task = task or task_named(settings.task)
        self.asking = Asking(store, settings, self.task)
        self.leases = Leases(store, schema.task, schema.answer, minutes=settings.ask.lease_minutes)
        try:
            self._check_there()
            store.migrate(schema.STEPS, self.now())
            with store.reading() as connection:
                found = select(schema.state.c.value).where(schema.state.c.name == "tasks")
                self.id: str = connection.execute(found).scalar_one()
                self.sentences = connection.execute(select(func.count()).select_from(schema.sentence)).scalar_one()
        except BaseException:
            store.close()
            raise

    def _check_there(self) -> None:
        with self.store.reading() as connection:
            if not inspect(connection).has_table(schema.version.name):
                hint = "make them with: tolka assist init"
                raise FileError("the database holds no tasks", path=self.directory, hint=hint)

    # Who may answer

    def invite(self, name: str, role: str = ROLE, *, actor: str = "owner") -> str:
        """Make or renew an account and return its invitation."""
        return self._invite(name, role, actor=actor)

    def join(self, account: Account) -> None:
        """Note that somebody came in, and that they agreed if there was something to agree to."""
        self._join(account, agreed=bool(self.settings.consent))

    def block(self, name: str, *, blocked: bool = True, actor: str = "owner") -> None:
        """Shut somebody out, or let them in again; what they answered stays."""
        self._block(name, blocked=blocked, actor=actor)

    # Questions and answers

    def next(self, account: Account) -> Row[Any] | None:
        """The task somebody is to do now; None if there is none for them."""
        now = self.clock()
        with self.store.reading() as connection:
            row = self.leases.current(connection, account)
            if row is not None and row.expires_at > stamp(now) and self._is_asked(connection, row):
                return row
        with self.store.writing() as connection:
            return self._issue(connection, account, now)

    def answer(self, account: Account, task: str, given: Given) -> Receipt:
        """Store an answer; when this returns it is on disk.

        Raises:
            UnknownTaskError: There is no such task for them.
            GoneError: The question is no longer asked: other answers have changed what is.
            InputError: The answer does not fit.
        """
        now = self.clock()
        with self.store.writing() as connection:
            self.store.take_turn(connection)
            before = self.asking.shut_out(connection)

            def columns(row: Row[Any]) -> dict[str, object]:
                return self._columns(connection, account, row, given)

            receipt = self.leases.answer(
                connection, account, task, columns, now, seconds=given.seconds, version=given.version
            )
            if receipt == "stored":
                self._follow(connection, account, task, before)
        return receipt

    def undo(self, account: Account, task: str, *, version: str = "") -> Receipt:
        """Take somebody's last answer back and ask them anew."""
        with self.store.writing() as connection:
            self.store.take_turn(connection)
            before = self.asking.shut_out(connection)
            receipt = self.leases.undo(connection, account, task, self.clock(), version=version)
            if receipt == "stored":
                self._follow(connection, account, task, before)
        return receipt

    def view(self, account: Account) -> View:
        """All that somebody's page needs, read at once."""
        row = self.next(account)
        with self.store.reading() as connection:
            return View(
                shown=None if row is None else self._shown(connection, row),
                answered=self.leases.standing(connection, account),
                undoable=self.leases.last(connection, account),
                before=None if row is None or row.redo_of is None else self._taken_back(connection, row),
            )

    def _is_asked(self, connection: Connection, row: Row[Any]) -> bool:
        """Whether the question of an open task is still one to be answered."""
        if row.test_id is not None:
            return True
        standing = schema.standing.c
        found = select(standing.question).where(standing.sentence_id == row.sentence_id)
        return bool(connection.execute(found).scalar() == row.question)

    def _issue(self, connection: Connection, account: Account, now: datetime) -> Row[Any] | None:
        self.store.take_turn(connection)
        row = self.leases.renewed(connection, account, now)
        if row is not None:
            if row.sentence_id is not None:
                self.asking.settle_all(connection)
            if self._is_asked(connection, row):
                return row
            task = schema.task
            connection.execute(task.update().where(task.c.id == row.id).values(state="withdrawn"))
        if self._is_done(connection, account):
            return None
        values = self.asking.choose(connection, account, now)
        return None if values is None else self.leases.open(connection, account, now, **values)

    def _is_done(self, connection: Connection, account: Account) -> bool:
        wanted = self.settings.ask.per_judge
        if wanted and self.leases.standing(connection, account) >= wanted:
            return True
        return account.id in self.asking.shut_out(connection)

    def _columns(self, connection: Connection, account: Account, row: Row[Any], given: Given) -> dict[str, object]:
        kept = json.loads(row.body)
        if kept["kind"] == "blank":
            if given.ticked is None or not set(given.ticked) <= set(range(len(kept["order"]))):
                raise InputError("the answer to a blank is a list of the options that fit")
            ticked = sorted(kept["order"][at] for at in given.ticked)
            blank = self._test(connection, row)
            passed = isinstance(blank, BlankTest) and ticked == sorted(blank.right)
            return {"body": json.dumps({"ticked": ticked}), "passed": int(passed)}
        if given.ticked is not None:
            raise InputError("this question has no blank")
        test = None if row.test_id is None else self._test(connection, row)
        question = test.question if isinstance(test, Known) else question_of(row.question, kept)
        said = unshuffled(fitting_answer(question, question.id, given.said), kept["order"])
        if isinstance(test, Known):
            return {"body": json.dumps(said), "passed": int(test.passed(said))}
        _, asked = self.asking.play(connection, row.sentence_id)
        fitting_answer(asked, row.question, said)  # it is the one that is asked now
        seen = self.asking.tests_of(connection).get(account.id, (0, 0))
        return {"body": json.dumps(said), "trust": trust_of(*seen)}

    def _follow(self, connection: Connection, account: Account, task: str, before: frozenset[str]) -> None:
        """Bring what follows from answers up to date, after somebody's answer was stored or taken back."""
        if self.asking.shut_out(connection) != before:
            self.asking.unsettle(connection, account.id)
        found = select(schema.task.c.sentence_id).where(schema.task.c.id == task)
        sentence = connection.execute(found).scalar()
        if sentence is not None:
            self.asking.settle(connection, sentence)

    # What is shown

    def _test(self, connection: Connection, row: Row[Any]) -> KnownTest:
        test = schema.test.c
        found = connection.execute(select(test.kind, test.body).where(test.id == row.test_id)).one()
        return of_stored(found.kind, found.body)

    def _shown(self, connection: Connection, row: Row[Any]) -> Shown:
        kept = json.loads(row.body)
        if row.test_id is None:
            question = question_of(row.question, kept)
        else:
            test = self._test(connection, row)
            if isinstance(test, BlankTest):
                options = tuple(test.options[at] for at in kept["order"])
                return Shown(row.id, "blank", test.text, None, options)
            question = test.question
        choices = tuple(question.choices[at] for at in kept["order"])
        kind: Literal["rewrite", "substitute"] = "rewrite" if question.kind == "rewrite" else "substitute"
        return Shown(row.id, kind, question.text, question.focus, choices)

    def _taken_back(self, connection: Connection, row: Row[Any]) -> Given | None:
        answer = schema.answer.c
        found = select(answer.body).where(answer.task_id == row.redo_of, answer.kind == "answer")
        body = connection.execute(found).scalar()
        if body is None:
            return None
        order, said = json.loads(row.body)["order"], json.loads(body)
        if isinstance(said, dict):
            return Given(ticked=tuple(sorted(order.index(at) for at in said["ticked"])))
        return Given(said=shuffled(as_asked(said), order))

    # The whole

    def play(self, sentence: int) -> Play | None:
        """A sentence's dialogue as it stands; None if nothing could be made of the sentence."""
        with self.store.reading() as connection:
            if self._row(connection, sentence).material is None:
                return None
            return self.asking.play(connection, sentence)[0]

    def texts(self) -> Iterator[tuple[int, str, str]]:
        """The sentences: number, text, and what the trouble with it was, if there was any."""
        for sentence in range(self.sentences):
            with self.store.reading() as connection:
                row = self._row(connection, sentence)
            yield sentence, row.text, row.trouble

    def _row(self, connection: Connection, sentence: int) -> Row[Any]:
        return connection.execute(select(schema.sentence).where(schema.sentence.c.id == sentence)).one()


def store_of(directory: Path, settings: TaskSettings, *, create: bool = False) -> Store:
    """The database of a directory of tasks: a file there, or PostgreSQL if the settings name an address."""
    return Store(directory / DATABASE, settings.database, create=create, owner="tasks'")


def open_tasks(
    directory: Path | str, *, task: Task | None = None, clock: Callable[[], datetime] | None = None
) -> TaskFolder:
    """Open a directory of tasks.

    Args:
        directory: Where it is.
        task: Makes dialogues; the one that the settings name if it is not given.
        clock: For tests.

    Raises:
        FileError: There is none, or its database cannot be opened.
        SettingsError: Its settings say something unknown or senseless.
    """
    directory = Path(directory)
    return TaskFolder(directory, TaskSettings.load(directory), task=task, clock=clock)
