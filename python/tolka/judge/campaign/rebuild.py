"""A campaign made anew from what a damaged database still tells, so that judges go on with the links they have."""

from __future__ import annotations

import secrets
import shutil
from contextlib import suppress
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import inspect

from tolka.errors import FileError, TolkaError
from tolka.judge.campaign import schema
from tolka.judge.campaign.campaign import imported_columns, open_campaign, store_of
from tolka.judge.campaign.creation import write_settings
from tolka.judge.campaign.migrations import STEPS
from tolka.judge.campaign.salvage import Names
from tolka.judge.campaign.settings import CampaignSettings, read_text
from tolka.judge.campaign.toml_text import explained
from tolka.web.host import KEY
from tolka.web.keys import write_key
from tolka.web.tables import stamp

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

    from tolka.judge.campaign.campaign import Campaign
    from tolka.judge.campaign.salvage import Found

_CHUNK = 5000


def rebuild(found: Found, old: Path | str, new: Path | str) -> Campaign:
    """Make a campaign of what was found.

    Names that are lost are made up, judges whose accounts are lost are shut out, and answers whose question is lost are
    not in it. It is paused, so that somebody looks at it first.

    Args:
        found: What `tolka.judge.campaign.salvage.find` found.
        old: The damaged campaign's directory, for its settings and its key; they are made anew where they are lost.
        new: The directory to make.

    Raises:
        FileError: There is a campaign already, or the directory cannot be written.
    """
    old, new = Path(old), Path(new)
    if new.exists() and any(new.iterdir()):
        raise FileError("the directory is not empty", path=new, hint="name another directory")
    new.mkdir(parents=True, exist_ok=True)
    text = explained(CampaignSettings())
    with suppress(TolkaError):
        own = read_text(old)
        CampaignSettings.from_text(own)
        text = own
    store = store_of(new, CampaignSettings.from_text(text), create=True)
    try:
        if store.path is not None:
            store.path.touch(0o600)
        now = stamp(datetime.now(UTC))
        store.migrate(STEPS, now)
        with store.writing() as connection:
            _Rebuilt(found, connection, now).fill()
    finally:
        store.close()
    if (old / KEY).is_file():
        shutil.copy(old / KEY, new / KEY)  # with its permissions: sessions and links stay as they are
    else:
        write_key(new / KEY)
    write_settings(new, text)
    return open_campaign(new)


class _Rebuilt:
    """Puts rows into a new database, in an order in which each finds what it refers to."""

    def __init__(self, found: Found, connection: Connection, now: str) -> None:
        self.found, self.connection, self.now = found, connection, now
        self.names = Names(found)
        self.columns: dict[str, list[str]] = {}

    def fill(self) -> None:
        """Put in all that fits together."""
        found = self.found
        tests = 0
        while tests in found.tests:
            tests += 1
        tasks = {
            name: row
            for name, row in found.tasks.items()
            if (not isinstance(row[5], int) or row[5] < tests) and (row[5] is not None or row[2] is not None)
        }
        self._put_material(tasks, tests)
        self._put_accounts()
        self._put_tasks(tasks)
        answers = {number: row for (task, *_), (number, row) in found.answers.items() if task in tasks}
        self._put(schema.answer, [{**self._named(schema.answer, answers[n]), "id": n} for n in sorted(answers)])
        imported = [{**self._named(schema.imported, row), "id": n} for n, row in sorted(found.imported.items())]
        self._put(schema.imported, [{**row, "sided": bool(row["sided"])} for row in imported])
        self._put(schema.imported, self._apart(tasks))
        self._put(schema.audit, [{**self._named(schema.audit, row), "id": n} for n, row in sorted(found.audit.items())])
        told = {"at": self.now, "actor": "owner", "action": "salvaged", "detail": f"{len(answers)} entries of the log"}
        self._put(schema.audit, [told])

    def _apart(self, tasks: dict[str, tuple[Any, ...]]) -> list[dict[str, Any]]:
        """Answers that are known though their task cannot be put in (its test question is lost), as imported ones."""
        known = [self.found.answer(row, self.names) for row in self.found.standing() if row[1] not in tasks]
        return [
            {**imported_columns(one), "file": "salvaged", "position": position}
            for position, one in enumerate(one for one in known if one is not None)
        ]

    def _put_material(self, tasks: dict[str, tuple[Any, ...]], tests: int) -> None:
        found = self.found
        state = {**found.state, "running": "paused", "campaign": secrets.token_hex(8)}
        self._put(schema.state, [{"name": name, "value": value} for name, value in state.items()])
        asked = {number for row in tasks.values() for number in row[3:5] if number is not None}
        items = 1 + max([-1, *found.items, *asked, *(item for _, item in found.outputs)])
        segments = 1 + max(
            [
                -1,
                *found.segments,
                *(row[2] for row in tasks.values() if row[2] is not None),
                *(s for s, _ in found.outputs),
            ]
        )
        names = [self.names.item(number) for number in range(items)]
        # Imported answers name their items themselves, and may know names that are lost.
        named = [str(row[at]) for row in found.imported.values() if row[11] is None for at in (3, 4)]
        names += sorted(set(named) - set(names))
        self._put(schema.item, [{"id": number, "name": name} for number, name in enumerate(names)])
        rows = []
        for number in range(segments):
            row = found.segments.get(number, (None, self.names.segment(number), "", ""))
            rows.append({**self._named(schema.segment, row), "id": number})
        self._put(schema.segment, rows)
        outputs = [{"segment_id": s, "item_id": i, "text": text} for (s, i), text in sorted(found.outputs.items())]
        self._put(schema.output, outputs)
        kept = [{"id": n, "kind": found.tests[n][0], "body": found.tests[n][1]} for n in range(tests)]
        self._put(schema.test, kept)

    def _put_accounts(self) -> None:
        found = self.found
        rows = [self._named(schema.account, row) for row in found.accounts.values()]
        needed = {str(row[1]) for row in found.tasks.values()} | {account for _, account, _ in found.answers}
        lost = sorted(needed - set(found.accounts))
        rows += [
            {
                "id": identity,
                "name": self.names.judge(identity),
                "role": "judge",
                "secret_hash": "",
                "created_at": self.now,
                "joined_at": None,
                "blocked_at": self.now,
            }
            for identity in lost
        ]
        self._put(schema.account, rows)

    def _put_tasks(self, tasks: dict[str, tuple[Any, ...]]) -> None:
        answered = {task for task, _account, kind in self.found.answers if kind == "answer"}
        rows = []
        for name, row in tasks.items():
            # What a page says of a task may be old; the log of answers is the truth. Open questions are asked anew.
            state = "undone" if name in self.found.undone else "answered" if name in answered else "withdrawn"
            own = self._named(schema.task, row)
            rows.append({**own, "state": state, "swapped": bool(own["swapped"]), "redo_of": None})
        self._put(schema.task, rows)
        table = schema.task
        for name, row in tasks.items():
            if row[9] in tasks:
                self.connection.execute(table.update().where(table.c.id == name).values(redo_of=row[9]))

    def _named(self, table: Table, row: tuple[Any, ...]) -> dict[str, Any]:
        """A row by the names of its columns, in the order in which they lie on disk; an old row may have fewer."""
        if table.name not in self.columns:
            self.columns[table.name] = [one["name"] for one in inspect(self.connection).get_columns(table.name)]
        return dict(zip(self.columns[table.name], row, strict=False))

    def _put(self, table: Table, rows: list[dict[str, Any]]) -> None:
        for _columns, alike in groupby(rows, key=sorted):
            part = list(alike)
            for start in range(0, len(part), _CHUNK):
                self.connection.execute(table.insert(), part[start : start + _CHUNK])
