"""How a campaign's database came to its present form, step by step.

A step is never changed once a release has made databases with it; a new form is a new step. `schema.py` describes
the result of all steps, and a test compares the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.web.migrations import make_append_only, run_statements

if TYPE_CHECKING:
    from sqlalchemy import Connection

_TABLES = """
CREATE TABLE state (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE item (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE segment (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE, source TEXT NOT NULL, reference TEXT NOT NULL);
CREATE TABLE output (
    segment_id INTEGER NOT NULL REFERENCES segment (id),
    item_id INTEGER NOT NULL REFERENCES item (id),
    text TEXT NOT NULL,
    PRIMARY KEY (segment_id, item_id)
);
CREATE TABLE test (id INTEGER NOT NULL PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE account (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    joined_at TEXT,
    blocked_at TEXT
);
CREATE TABLE task (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id),
    segment_id INTEGER REFERENCES segment (id),
    low_id INTEGER REFERENCES item (id),
    high_id INTEGER REFERENCES item (id),
    test_id INTEGER REFERENCES test (id),
    swapped BOOLEAN NOT NULL,
    information {real},
    state TEXT NOT NULL,
    redo_of TEXT REFERENCES task (id),
    issued_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
);
CREATE UNIQUE INDEX task_open ON task (account_id) WHERE state = 'open';
CREATE UNIQUE INDEX task_once ON task (account_id, low_id, high_id, segment_id)
    WHERE state IN ('open', 'answered') AND segment_id IS NOT NULL;
CREATE INDEX task_pair ON task (low_id, high_id, state);
CREATE INDEX task_state ON task (state, expires_at);
CREATE TABLE answer (
    id {number},
    task_id TEXT NOT NULL REFERENCES task (id),
    account_id TEXT NOT NULL REFERENCES account (id),
    kind TEXT NOT NULL,
    choice TEXT,
    ticked TEXT,
    seconds {real},
    at TEXT NOT NULL,
    version TEXT NOT NULL,
    CONSTRAINT answer_once UNIQUE (task_id, account_id, kind)
);
CREATE INDEX answer_account ON answer (account_id, id);
CREATE TABLE imported (
    id {number},
    file TEXT NOT NULL,
    position INTEGER NOT NULL,
    left_item TEXT NOT NULL,
    right_item TEXT NOT NULL,
    choice TEXT NOT NULL,
    judge TEXT NOT NULL,
    segment TEXT NOT NULL,
    sided BOOLEAN NOT NULL,
    seconds {real},
    at TEXT NOT NULL,
    test TEXT,
    weight {real} NOT NULL,
    CONSTRAINT imported_once UNIQUE (file, position)
);
CREATE TABLE audit (
    id {number},
    at TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL
)
"""


def _tables(connection: Connection) -> None:
    run_statements(connection, _TABLES)


def _append_only(connection: Connection) -> None:
    make_append_only(connection, ("answer", "imported", "audit"))


STEPS = (_tables, _append_only)
