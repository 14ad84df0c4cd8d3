"""What a damaged database still tells: every answer that is on disk, whatever else is lost.

The damaged file is only read. Rows are told by what is in them (see `sqlite_pages`), and answers are put together with
their questions, items and judges where those are found too.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolka.errors import FileError, SettingsError, TolkaError
from tolka.judge.answers import Answer, Choice
from tolka.judge.campaign.campaign import DATABASE
from tolka.judge.campaign.settings import CampaignSettings
from tolka.judge.campaign.sqlite_pages import Pages

if TYPE_CHECKING:
    from tolka.judge.campaign.sqlite_pages import Row, Value

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d")
_CHOICES = {None, *(choice.value for choice in Choice)}
_STATES = {"open", "answered", "undone", "withdrawn"}
_ROLES = {"judge", "program", "admin"}
_MOST_ADDED = 3  # columns that later steps of the schema may have added to a short table


@dataclass(frozen=True)
class Salvaged:
    """What was found.

    Attributes:
        answers: The answers that stand, as `Campaign.answers` gives them.
        unresolved: Answers whose question is lost: what is left of each, by column.
        undone: How many answers were taken back.
        lost: How many entries of the log are known to have been there and were not found.
        unnamed: Items, segments and judges whose names are lost; they have made-up ones.
    """

    answers: list[Answer]
    unresolved: list[dict[str, Any]]
    undone: int
    lost: int
    unnamed: list[str]


def is_damaged(database: Path) -> bool:
    """Whether SQLite finds fault with a file."""
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
    except sqlite3.Error:
        return True


def salvage(campaign: Path | str) -> Salvaged:
    """The answers in a campaign's database, damaged or not; nothing in the campaign is changed.

    See `find` for what it takes and raises.
    """
    return find(campaign).told()


def find(campaign: Path | str) -> Found:
    """Everything that can be found in a campaign's database, damaged or not; nothing in the campaign is changed.

    Args:
        campaign: The campaign's directory, or the database's file alone.

    Raises:
        FileError: There is no such file.
        SettingsError: The campaign's database is PostgreSQL, which has its own means.
    """
    path = Path(campaign)
    if path.is_dir():
        _check_sqlite(path)
        path /= DATABASE
    try:
        pages = Pages(path)
        found = Found()
        for row in pages.rows():
            found.add(row)
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror}", path=path) from error
    return found


def _check_sqlite(directory: Path) -> None:
    try:
        address = CampaignSettings.load(directory).database
    except TolkaError:  # what was answered does not depend on them
        return
    if address:
        what = "this campaign's answers are in PostgreSQL"
        raise SettingsError(what, path=directory, hint="use its own tools, as pg_dump or a backup")


@dataclass
class Found:
    """The rows of each table, the newest form of each that can be told."""

    answers: dict[tuple[str, str, str], tuple[int, tuple[Value, ...]]] = field(default_factory=dict)
    tasks: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    undone: set[str] = field(default_factory=set)
    accounts: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    items: dict[int, str] = field(default_factory=dict)
    segments: dict[int, tuple[Value, ...]] = field(default_factory=dict)
    outputs: dict[tuple[int, int], str] = field(default_factory=dict)
    state: dict[str, str] = field(default_factory=dict)
    audit: dict[int, tuple[Value, ...]] = field(default_factory=dict)
    tests: dict[int, tuple[str, str]] = field(default_factory=dict)
    imported: dict[int, tuple[Value, ...]] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)

    def add(self, row: Row) -> None:  # noqa: C901, PLR0912 (a case a table)
        """Tell by a row's columns which table it is of; later steps of the schema may have added some at their end."""
        v = row.values
        match v:
            case (
                None,
                str() as task,
                str() as account,
                "answer" | "undo" as kind,
                choice,
                ticked,
                seconds,
                at,
                str(),
                *_,
            ):
                if choice in _CHOICES and _is_text(ticked) and _is_time(seconds) and _is_moment(at):
                    self.answers.setdefault((task, account, kind), (row.number, v))
                    if kind == "undo":
                        self.undone.add(task)
            case (str() as task, str(), segment, low, high, test, 0 | 1, _, state, redo, issued, ends, *_):
                ids = all(one is None or isinstance(one, int) for one in (segment, low, high, test))
                if ids and state in _STATES and _is_text(redo) and _is_moment(issued) and _is_moment(ends):
                    self.tasks[task] = v
                    if state == "undone":
                        self.undone.add(task)
            case (None, str(), int(), str(), str(), choice, str(), str(), 0 | 1, seconds, str(), test, weight, *_):
                known = choice in _CHOICES and choice is not None and test in _CHOICES
                if known and _is_time(seconds) and _is_time(weight):
                    self.imported[row.number] = v
            case (str() as account, str(), role, str(), made, _, _, *_) if role in _ROLES and _is_moment(made):
                self.accounts[account] = v
            case (None, at, str(), str(), str()) if _is_moment(at):
                self.audit[row.number] = v
            case (None, str(), str(), str(), *rest) if row.number >= 0 and len(rest) <= _MOST_ADDED:
                self.segments.setdefault(row.number, v)
            case (int() as segment, int() as item, str() as text) if segment >= 0 and item >= 0:
                self.outputs.setdefault((segment, item), text)
            case (None, "blank" | "choice" as kind, str() as body):
                self.tests[row.number] = kind, body
            case (None, str() as name) if not _is_moment(name) and row.number >= 0:
                self.items.setdefault(row.number, name)
            case ("running" | "left_out" | "material" as name, str() as value):
                self.state[name] = value
            case ("answer" | "imported" as table, int() as number):
                self.counted[table] = max(number, self.counted.get(table, 0))

    def told(self) -> Salvaged:
        """The answers that can be put together."""
        known = Names(self)
        answers: list[Answer] = []
        unresolved = []
        for row in self.standing():
            found = self.answer(row, known)
            if found is None:
                unresolved.append(_raw(row, known))
            else:
                answers.append(found)
        answers += [_imported(row) for _number, row in sorted(self.imported.items())]
        numbers = {number for number, _row in self.answers.values()}
        lost = max([self.counted.get("answer", 0), *numbers]) - len(numbers)
        lost += max([self.counted.get("imported", 0), *self.imported]) - len(self.imported)
        undone = sum(1 for _task, _account, kind in self.answers if kind == "undo")
        return Salvaged(answers, unresolved, undone, max(lost, 0), sorted(known.made_up))

    def standing(self) -> list[tuple[Value, ...]]:
        """The rows of answers that were not taken back, in the order in which they came."""
        given = sorted(self.answers.items(), key=lambda one: one[1][0])
        return [row for (task, _account, kind), (_, row) in given if kind == "answer" and task not in self.undone]

    def answer(self, row: tuple[Value, ...], known: Names) -> Answer | None:
        """An answer and what it was about; None if that is lost."""
        _, task, account, _, choice, ticked, seconds, at, *_ = row
        asked = self.tasks.get(str(task))
        if asked is None:
            return None
        segment, low, high, test, swapped = asked[2:7]
        common: dict[str, Any] = {
            "judge": known.judge(str(account)),
            "seconds": None if seconds is None else float(seconds),  # whole numbers are kept as such
            "at": str(at),
        }
        if isinstance(test, int):
            return self._test(test, bool(swapped), choice, ticked, common)
        if not (isinstance(segment, int) and isinstance(low, int) and isinstance(high, int)) or choice is None:
            return None
        sides = (high, low) if swapped else (low, high)
        left, right = (known.item(number) for number in sides)
        return Answer(left, right, Choice(str(choice)), segment=known.segment(segment), sided=True, **common)

    def _test(
        self,
        test: int,
        swapped: bool,
        choice: Value,
        ticked: Value,
        common: dict[str, Any],
    ) -> Answer | None:
        name = f"test-{test}"
        if choice is not None:
            right = Choice.RIGHT if swapped else Choice.LEFT
            return Answer("", "", Choice(str(choice)), segment=name, sided=True, test=right, **common)
        try:
            passed = json.loads(str(ticked)) == json.loads(self.tests[test][1])["right"]
        except (KeyError, TypeError, ValueError):
            return None
        return Answer("", "", Choice.LEFT if passed else Choice.RIGHT, segment=name, test=Choice.LEFT, **common)


class Names:
    """Names by number, made up where they are lost."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.made_up: set[str] = set()

    def item(self, number: int) -> str:
        """An item's name."""
        return self.found.items.get(number) or self._made_up(f"item-{number}")

    def segment(self, number: int) -> str:
        """A segment's name."""
        found = self.found.segments.get(number)
        return self._made_up(f"segment-{number}") if found is None else str(found[1])

    def judge(self, identity: str) -> str:
        """A judge's name."""
        found = self.found.accounts.get(identity)
        return self._made_up(f"judge-{identity}") if found is None else str(found[1])

    def _made_up(self, name: str) -> str:
        self.made_up.add(name)
        return name


def _raw(row: tuple[Value, ...], known: Names) -> dict[str, Any]:
    _, task, account, _, choice, ticked, seconds, at, *_ = row
    found = {"task": task, "judge": known.judge(str(account)), "choice": choice, "ticked": ticked}
    return {name: value for name, value in {**found, "seconds": seconds, "at": at}.items() if value is not None}


def _imported(row: tuple[Value, ...]) -> Answer:
    _, _, _, left, right, choice, judge, segment, sided, seconds, at, test, weight, *_ = row
    return Answer(
        str(left),
        str(right),
        Choice(str(choice)),
        judge=str(judge),
        segment=str(segment),
        sided=bool(sided),
        seconds=None if seconds is None else float(seconds),
        at=str(at),
        test=None if test is None else Choice(str(test)),
        weight=1.0 if weight is None else float(weight),
    )


def _is_text(value: Value) -> bool:
    return value is None or isinstance(value, str)


def _is_time(value: Value) -> bool:
    return value is None or (isinstance(value, (int, float)) and math.isfinite(value) and value >= 0)


def _is_moment(value: Value) -> bool:
    return isinstance(value, str) and _MOMENT.fullmatch(value) is not None
