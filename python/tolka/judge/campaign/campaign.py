"""A campaign: questions out, answers in, everything on disk."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from sqlalchemy import func, inspect, select, union_all

from tolka.errors import FileError, InputError
from tolka.judge.accounting import Accounting
from tolka.judge.answers import Answer, Choice
from tolka.judge.campaign import schema
from tolka.judge.campaign.known import Known
from tolka.judge.campaign.material import normal
from tolka.judge.campaign.migrations import STEPS
from tolka.judge.campaign.questions import Questions
from tolka.judge.campaign.settings import CampaignSettings, Role
from tolka.judge.campaign.tasks import Desk, Given, Task
from tolka.web.host import Host
from tolka.web.store import Store
from tolka.web.tables import stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from sqlalchemy import Column, Connection, Row, Select

    from tolka.judge.rank.exclusion import Rules
    from tolka.web.accounts import Account
    from tolka.web.leases import Receipt

DATABASE = "campaign.db"
_CHUNK = 5000
MATERIAL = "material"  # how often something joined, in the table of states
_LEFT_OUT = "left_out"  # the names of judges, as JSON

State = Literal["running", "paused", "stopped"]
_RUNNING: dict[State, str] = {"running": "yes", "paused": "paused", "stopped": "stopped"}


@dataclass(frozen=True)
class Shown:
    """A question as a judge sees it; nothing in it tells which items are compared.

    Attributes:
        task: A random name of the question.
        kind: compare (two texts) or blank (a text and options).
        source: The source, or None if it is not shown.
        reference: The reference, or None if it is not shown.
        left: The text on the left.
        right: The text on the right.
        text: The sentence with the blank.
        options: What may stand in the blank.
    """

    task: str
    kind: Literal["compare", "blank"]
    source: str | None = None
    reference: str | None = None
    left: str = ""
    right: str = ""
    text: str = ""
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class View:
    """A judge's page.

    Attributes:
        shown: The question to answer now; None if there is none.
        answered: How many answers of the judge stand.
        undoable: The question whose answer the judge may take back.
        before: What the judge had answered to this question and took back.
    """

    shown: Shown | None
    answered: int
    undoable: str | None
    before: Given | None = None


class Imported(NamedTuple):
    """What became of imported answers: how many are new, and how many were there already."""

    new: int
    known: int


class Campaign(Host):
    """An open campaign; safe to use from many threads, and beside other processes.

    Make one with `create_campaign`, open it with `open_campaign`.
    """

    def __init__(
        self, directory: Path, settings: CampaignSettings, *, clock: Callable[[], datetime] | None = None
    ) -> None:
        super().__init__(
            directory,
            store_of(directory, settings),
            accounts=schema.account,
            audit=schema.audit,
            uninvited=["program"],  # they are started by the owner
            clock=clock,
        )
        self.settings = settings
        ask = settings.ask
        self.questions = Questions(np.empty((0, 0), np.int32), explore=ask.explore, overlap=ask.overlap)
        self.desk = Desk(self.store, settings, self.questions)
        self.listeners: list[Callable[[], None]] = []
        self._loading = threading.Lock()
        try:
            self._check_there()
            self.store.migrate(STEPS, self.now())
            with self.store.reading() as connection:
                self.id = self._named(connection)
                self._load(connection)
        except BaseException:
            self.store.close()
            raise

    def _check_there(self) -> None:
        """See to it that there is something to bring forward: a damaged file is not to be written to."""
        with self.store.reading() as connection:
            if not inspect(connection).has_table(schema.version.name):
                raise self._no_campaign()

    def _no_campaign(self) -> FileError:
        if self.store.path is not None:
            return FileError("the database is damaged", path=self.store.path, hint=self.store.rescue)
        hint = "make one with: tolka judge init"
        return FileError("the database holds no campaign", path=self.directory, hint=hint)

    def _named(self, connection: Connection) -> str:
        found = _state(connection, "campaign")
        if found is None:
            raise self._no_campaign()
        return found

    def _load(self, connection: Connection) -> None:
        item, segment = schema.item.c, schema.segment.c
        self._material = _state(connection, MATERIAL)
        self.segments = tuple(connection.execute(select(segment.name).order_by(segment.id)).scalars())
        self.items = tuple(connection.execute(select(item.name).order_by(item.id)).scalars())
        shown = self.settings.show.reference
        self.questions.texts = _text_numbers(connection, len(self.segments), len(self.items), shown)
        self.tests = connection.execute(select(func.count()).select_from(schema.test)).scalar_one()
        self.desk.tests = self.tests

    def keep_up(self) -> None:
        """Take in the systems, segments and tests that joined since, here or in another process."""
        with self.store.reading() as connection:
            self._keep_up(connection)

    def _keep_up(self, connection: Connection) -> None:
        if _state(connection, MATERIAL) != self._material:
            with self._loading:
                self._load(connection)

    def adopt(self, settings: CampaignSettings) -> None:
        """Go on with other settings; those of the database and of the page's limits are read at the start alone."""
        self.settings = self.desk.settings = settings
        self.desk.leases.minutes = settings.ask.lease_minutes
        self.questions.explore, self.questions.overlap = settings.ask.explore, settings.ask.overlap
        with self.store.reading() as connection:
            size = len(self.segments), len(self.items)
            self.questions.texts = _text_numbers(connection, *size, settings.show.reference)

    # Who may answer

    def invite(self, name: str, role: Role = "judge", *, actor: str = "owner") -> str:
        """Make or renew an account and return its invitation (empty for a program, which needs none)."""
        return self._invite(name, role, actor=actor)

    def join(self, account: Account) -> None:
        """Note that someone came in, and that they agreed if there was something to agree to."""
        self._join(account, agreed=bool(self.settings.consent) and account.role == "judge")

    def block(self, name: str, *, blocked: bool = True, leave_out: bool = False, actor: str = "owner") -> None:
        """Shut someone out, or let them in again; what they answered stays, and counts unless it is to be left out too.

        Raises:
            InputError: Nobody has that name.
        """
        self._block(name, blocked=blocked, actor=actor)
        if leave_out:
            self.leave_out(name, actor=actor)

    # Whose answers count

    def leave_out(self, name: str, *, out: bool = True, actor: str = "owner") -> None:
        """Leave a judge out of the ranking and of what is planned by it, or count them again; answers are never removed.

        Raises:
            InputError: Nobody has that name, and no imported answer is by such a judge.
        """
        with self.store.writing() as connection:
            self.store.take_turn(connection)
            if self.accounts.named(connection, name) is None and name not in _imported_judges(connection):
                raise InputError(f"nobody is called {name!r}", hint="see: tolka judge status")
            names = _left_out(connection)
            names = names | {name} if out else names - {name}
            put = self.store.insert(schema.state).values(name=_LEFT_OUT, value=json.dumps(sorted(names)))
            put = put.on_conflict_do_update(index_elements=["name"], set_={"value": put.excluded.value})
            connection.execute(put)
            self._note(connection, actor, "left out" if out else "counted again", name)
        self.desk.without = frozenset(self.left_out())

    def left_out(self) -> dict[str, str]:
        """Which judges do not count, each with the reason: by name, or by the test questions they failed."""
        with self.store.reading() as connection:
            named = _left_out(connection)
        reasons = dict.fromkeys(sorted(named), "left out by name")
        if self.settings.judges.least_correct:
            from tolka.judge.rank.exclusion import exclude  # noqa: PLC0415 (numbers take long to import)

            _, excluded = exclude(self._test_answers(), self._test_rule())
            reasons |= {one.judge: one.reason for one in excluded if not one.kept and one.judge not in named}
        return reasons

    def rules(self) -> Rules:
        """The rules by which the campaign's own ranking leaves judges out."""
        with self.store.reading() as connection:
            named = _left_out(connection)
            answered = set(connection.execute(_answered()).scalars()) | _imported_judges(connection)
        return replace(self._test_rule(), without=tuple(sorted(named & answered)))

    def _test_rule(self) -> Rules:
        from tolka.judge.rank.exclusion import Rules  # noqa: PLC0415 (as above)

        judges = self.settings.judges
        return Rules(least_correct=judges.least_correct or None, least_tests=judges.least_tests)

    def _test_answers(self) -> Iterator[Answer]:
        for row in self._rows(_given().where(schema.task.c.test_id.is_not(None)), schema.answer.c.id):
            yield self._answer(row)
        tests = select(schema.imported).where(schema.imported.c.test.is_not(None))
        for row in self._rows(tests, schema.imported.c.id):
            yield _imported(row)

    # Questions and answers

    def next(self, account: Account) -> Task | None:
        """The question a judge is to answer now; None if there is none (left, or while the campaign rests)."""
        now = self.clock()
        with self.store.reading() as connection:
            task = self.desk.current(connection, account)
            if task is not None and task.expires_at > stamp(now):
                return task
        with self.store.writing() as connection:
            self._keep_up(connection)
            return self.desk.issue(connection, account, now)

    def answer(self, account: Account, task: str, given: Given) -> Receipt:
        """Store an answer, and choose the judge's next question in the same breath.

        When this returns, the answer is on disk. See `Desk.answer` for what it returns and raises.
        """
        now = self.clock()
        with self.store.writing() as connection:
            receipt = self.desk.answer(connection, account, task, given, now)
            self._keep_up(connection)
            self.desk.issue(connection, account, now)
        if receipt == "stored":
            for listener in self.listeners:
                listener()
        return receipt

    def undo(self, account: Account, task: str, *, version: str = "") -> Receipt:
        """Take back a judge's last answer and ask that question anew."""
        with self.store.writing() as connection:
            return self.desk.leases.undo(connection, account, task, self.clock(), version=version)

    def undoable(self, account: Account) -> str | None:
        """The question whose answer the judge may take back."""
        with self.store.reading() as connection:
            return self.desk.leases.last(connection, account)

    def answered(self, account: Account) -> int:
        """How many answers of a judge stand."""
        with self.store.reading() as connection:
            return self.desk.leases.standing(connection, account)

    def show(self, task: Task) -> Shown:
        """What a judge sees of a question."""
        with self.store.reading() as connection:
            return self._show(connection, task)

    def view(self, account: Account) -> View:
        """All that a judge's page needs, read at once."""
        task = self.next(account)
        with self.store.reading() as connection:
            return View(
                shown=None if task is None else self._show(connection, task),
                answered=self.desk.leases.standing(connection, account),
                undoable=self.desk.leases.last(connection, account),
                before=None if task is None or not task.redo else self.desk.taken_back(connection, task),
            )

    def _show(self, connection: Connection, task: Task) -> Shown:
        if task.test is not None:
            return self._show_test(connection, task)
        segment = connection.execute(select(schema.segment).where(schema.segment.c.id == task.segment)).one()
        output = schema.output.c
        rows = connection.execute(
            select(output.item_id, output.text).where(
                output.segment_id == task.segment, output.item_id.in_((task.low, task.high))
            )
        )
        texts = {item: text for item, text in rows}  # noqa: C416 (rows are not pairs to the type checker)
        pair = (texts[task.high], texts[task.low]) if task.swapped else (texts[task.low], texts[task.high])
        return self._comparison(task, segment.source, segment.reference, pair)

    def _show_test(self, connection: Connection, task: Task) -> Shown:
        kind, text = connection.execute(
            select(schema.test.c.kind, schema.test.c.body).where(schema.test.c.id == task.test)
        ).one()
        body = json.loads(text)
        if kind == "blank":
            return Shown(task.id, "blank", text=body["text"], options=tuple(body["options"]))
        pair = (body["worse"], body["better"]) if task.swapped else (body["better"], body["worse"])
        return self._comparison(task, body["source"], body["reference"], pair)

    def _comparison(self, task: Task, source: str, reference: str, pair: tuple[str, str]) -> Shown:
        show = self.settings.show
        return Shown(
            task.id,
            "compare",
            source=source if show.source and source else None,
            reference=reference if show.reference and reference else None,
            left=pair[0],
            right=pair[1],
        )

    # The whole

    @property
    def state(self) -> State:
        """Whether questions are handed out."""
        with self.store.reading() as connection:
            value = connection.execute(
                select(schema.state.c.value).where(schema.state.c.name == "running")
            ).scalar_one()
        return "running" if value == "yes" else value

    def turn(self, state: State, *, actor: str = "owner") -> None:
        """Run, pause or stop. Answers to questions handed out before are still taken."""
        table = schema.state
        with self.store.writing() as connection:
            connection.execute(table.update().where(table.c.name == "running").values(value=_RUNNING[state]))
            self._note(connection, actor, state, "")

    def answers(self) -> Iterator[Answer]:
        """Every answer that stands, in the order in which they came: those of judges, then the imported ones.

        Test questions have `test` set. Of a blank, left stands for ticking all that fit, so that every test is passed
        by choosing the side that `test` names.
        """
        for row in self._rows(_given(), schema.answer.c.id):
            yield self._answer(row)
        for row in self._rows(select(schema.imported), schema.imported.c.id):
            yield _imported(row)

    def _rows(self, wanted: Select[Any], number: Column[int]) -> Iterator[Row[Any]]:
        """Rows in the order of their numbers, so many at a time: whoever reads slowly holds up nobody.

        What comes in meanwhile is left out, so that an answer given anew is not met in both its forms.
        """
        with self.store.reading() as connection:
            last = connection.execute(select(func.max(number))).scalar() or 0
            self._keep_up(connection)
        seen = 0
        while seen < last:
            part = wanted.where(number > seen, number <= last).order_by(number).limit(_CHUNK)
            with self.store.reading() as connection:
                rows = connection.execute(part).all()
            yield from rows
            seen = rows[-1].id if len(rows) == _CHUNK else last

    def _answer(self, row: Row[tuple[object, ...]]) -> Answer:
        common: dict[str, Any] = {"judge": row.judge, "seconds": row.seconds, "at": row.at}
        if row.kind == "blank":
            passed = json.loads(row.ticked) == json.loads(row.body)["right"]
            choice = Choice.LEFT if passed else Choice.RIGHT
            return Answer("", "", choice, segment=f"test-{row.test_id}", test=Choice.LEFT, **common)
        choice = Choice(row.choice)
        if row.kind == "choice":
            right = Choice.RIGHT if row.swapped else Choice.LEFT
            return Answer("", "", choice, segment=f"test-{row.test_id}", sided=True, test=right, **common)
        low, high = self.items[row.low_id], self.items[row.high_id]
        left, right_item = (high, low) if row.swapped else (low, high)
        return Answer(left, right_item, choice, segment=self.segments[row.segment_id], sided=True, **common)

    def tallies(self) -> list[Answer]:
        """The comparisons that count, equal ones as one answer with a weight: what a fit of scores needs, quickly."""
        task, answer, imported = schema.task.c, schema.answer.c, schema.imported.c
        without = list(self.left_out())
        self.desk.without = frozenset(without)
        given = (
            select(task.low_id, task.high_id, task.swapped, answer.choice, func.count().label("number"))
            .join_from(schema.answer, schema.task)
            .join(schema.account, schema.account.c.id == answer.account_id)
            .where(task.state == "answered", answer.kind == "answer", task.segment_id.is_not(None))
            .where(schema.account.c.name.not_in(without))
            .group_by(task.low_id, task.high_id, task.swapped, answer.choice)
        )
        brought = (
            select(imported.left_item, imported.right_item, imported.choice, func.sum(imported.weight).label("number"))
            .where(imported.test.is_(None), imported.judge.not_in(without))
            .group_by(imported.left_item, imported.right_item, imported.choice)
        )
        found: list[Answer] = []
        with self.store.reading() as connection:
            self._keep_up(connection)
            for row in connection.execute(given):
                low, high = self.items[row.low_id], self.items[row.high_id]
                left, right = (high, low) if row.swapped else (low, high)
                found.append(Answer(left, right, Choice(row.choice), sided=True, weight=row.number))
            found += [
                Answer(row.left_item, row.right_item, Choice(row.choice), weight=row.number)
                for row in connection.execute(brought)
            ]
        return sorted(found, key=lambda one: (one.left, one.right, one.choice, one.sided))

    def spent(self) -> Accounting:
        """What the judges' own answers cost in time and money; imported ones were paid elsewhere."""
        task, answer, cost = schema.task.c, schema.answer.c, self.settings.cost
        standing = (
            select(task.test_id, answer.seconds)
            .join_from(schema.answer, schema.task)
            .where(task.state == "answered", answer.kind == "answer")
        )
        with self.store.reading() as connection:
            rows = connection.execute(standing).all()
        tests = sum(row.test_id is not None for row in rows)
        seconds = [row.seconds for row in rows if row.seconds is not None]
        return Accounting.of(len(rows) - tests, tests, seconds, price=cost.per_answer, currency=cost.currency)

    def recent(self, number: int) -> list[Answer]:
        """The last choices that count, in the order in which they came; imported ones came before all others."""
        without = list(self.left_out())
        decided = ("left", "right", "tie")
        own = _given().where(schema.task.c.test_id.is_(None), schema.answer.c.choice.in_(decided))
        own = own.where(schema.account.c.name.not_in(without)).order_by(schema.answer.c.id.desc()).limit(number)
        imported = schema.imported.c
        brought = select(schema.imported).where(imported.test.is_(None), imported.choice.in_(decided))
        brought = brought.where(imported.judge.not_in(without)).order_by(imported.id.desc())
        with self.store.reading() as connection:
            self._keep_up(connection)
            found = [self._answer(row) for row in connection.execute(own)]
            missing = number - len(found)
            found += [_imported(row) for row in connection.execute(brought.limit(missing))] if missing else []
        return found[::-1]

    def number(self) -> int:
        """How many answers stand, imported ones included."""
        task, imported = schema.task.c, schema.imported
        with self.store.reading() as connection:
            both = union_all(
                select(func.count().label("number")).select_from(schema.task).where(task.state == "answered"),
                select(func.count()).select_from(imported),
            )
            return sum(connection.execute(both).scalars())

    def import_answers(
        self, answers: Iterable[Answer], file: str, *, actor: str = "owner", equal: bool = False
    ) -> Imported:
        """Add answers that were given elsewhere; those that are there already, the campaign's own included, stay one.

        Args:
            answers: The answers; their items must be the campaign's.
            file: The SHA-256 of the file they come from.
            actor: For the audit log.
            equal: Add those that are there already too, unless they came from this very file: answers that name no
                judge and no time may be equal without being the same.

        Raises:
            InputError: An answer is about an item that the campaign does not have.
        """
        given = list(answers)
        known = set(self.items)
        for number, one in enumerate(given, 1):
            missing = sorted({one.left, one.right} - known) if one.test is None else []
            if missing:
                what = f"answer {number} is about {missing[0]!r}, which is no item of this campaign"
                raise InputError(what, hint=f"its items are {', '.join(self.items[:8])}")
        table, stored = schema.imported, 0
        with self.store.writing() as connection:
            self.store.take_turn(connection)
            for position in range(len(given)) if equal else Known(self.answers()).new(given):
                one = given[position]
                values = {**imported_columns(one), "file": file, "position": position}
                put = self.store.insert(table).values(**values).on_conflict_do_nothing()
                stored += connection.execute(put.returning(table.c.id)).first() is not None
            self._note(connection, actor, "imported", f"{stored} answers of {file[:16]}")
        return Imported(stored, len(given) - stored)


def _state(connection: Connection, name: str) -> str | None:
    return connection.execute(select(schema.state.c.value).where(schema.state.c.name == name)).scalar()


def _left_out(connection: Connection) -> frozenset[str]:
    """The judges left out by name."""
    return frozenset(json.loads(_state(connection, _LEFT_OUT) or "[]"))


def _answered() -> Select[Any]:
    """The names of those who have answered."""
    account = schema.account.c
    return select(account.name).where(account.id.in_(select(schema.answer.c.account_id)))


def _imported_judges(connection: Connection) -> set[str]:
    return set(connection.execute(select(schema.imported.c.judge).distinct()).scalars()) - {""}


def _given() -> Select[Any]:
    """Answers that stand, with their questions."""
    task, answer, test = schema.task.c, schema.answer.c, schema.test.c
    return (
        select(
            answer.id,
            task.segment_id,
            task.low_id,
            task.high_id,
            task.test_id,
            task.swapped,
            answer.choice,
            answer.ticked,
            answer.seconds,
            answer.at,
            schema.account.c.name.label("judge"),
            test.kind,
            test.body,
        )
        .join_from(schema.answer, schema.task)
        .join(schema.account, schema.account.c.id == answer.account_id)
        .outerjoin(schema.test, test.id == task.test_id)
        .where(task.state == "answered", answer.kind == "answer")
    )


def imported_columns(answer: Answer) -> dict[str, Any]:
    """An answer as the table of imported ones keeps it, but for where it comes from."""
    same = ("judge", "segment", "sided", "seconds", "at", "weight")
    return {
        "left_item": answer.left,
        "right_item": answer.right,
        "choice": answer.choice.value,
        "test": None if answer.test is None else answer.test.value,
    } | {name: getattr(answer, name) for name in same}


def _imported(row: Row[tuple[object, ...]]) -> Answer:
    return Answer(
        row.left_item,
        row.right_item,
        Choice(row.choice),
        judge=row.judge,
        segment=row.segment,
        sided=row.sided,
        seconds=row.seconds,
        at=row.at,
        test=None if row.test is None else Choice(row.test),
        weight=row.weight,
    )


def _text_numbers(
    connection: Connection,
    segments: int,
    items: int,
    reference: bool,
) -> np.ndarray[Any, np.dtype[np.int32]]:
    """A number for each text; where the reference is shown, none for what equals it: it is recognised, not judged."""
    numbers = np.full((segments, items), -1, dtype=np.int32)
    known: dict[str, int] = {}
    listed = connection.execute(select(schema.segment.c.id, schema.segment.c.reference))
    references = {segment: normal(text) for segment, text in listed if text and reference}
    for segment, item, text in connection.execute(select(schema.output)):
        said = normal(text)
        if references.get(segment) != said:
            numbers[segment, item] = known.setdefault(said, len(known))
    return numbers


def open_campaign(directory: Path | str, *, clock: Callable[[], datetime] | None = None) -> Campaign:
    """Open the campaign in a directory.

    Raises:
        FileError: There is none, or its database cannot be opened.
        SettingsError: Its settings say something unknown or senseless.
    """
    directory = Path(directory)
    return Campaign(directory, CampaignSettings.load(directory), clock=clock)


def store_of(directory: Path, settings: CampaignSettings, *, create: bool = False) -> Store:
    """The database of the campaign in a directory: a file there, or PostgreSQL if the settings name an address."""
    rescue = f"save what is left with: tolka judge salvage {directory} -o answers.jsonl"
    return Store(directory / DATABASE, settings.database, create=create, owner="campaign", rescue=rescue)
