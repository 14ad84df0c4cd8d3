"""The tables of a directory of tasks, the same in SQLite and PostgreSQL.

`answer` is append-only and the truth. `standing` can be worked out from it again, and is, wherever it is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, MetaData, Table, Text, text

from tolka.web.migrations import make_append_only, run_statements
from tolka.web.tables import account_table, answer_table, audit_table, state_table, task_table, version_table

if TYPE_CHECKING:
    from sqlalchemy import Connection

metadata = MetaData()
version = version_table(metadata)
state = state_table(metadata)
account = account_table(metadata)  # its only role is helper
sentence = Table(
    "sentence",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("text", Text, nullable=False),
    Column("material", Text),  # JSON; NULL if nothing could be made of the sentence
    Column("trouble", Text, nullable=False),  # why not
)
standing = Table(
    "standing",
    metadata,
    Column("sentence_id", ForeignKey("sentence.id"), primary_key=True),
    Column("question", Text),  # asked next; NULL if none is worth it
    Column("information", Float),
    Column("had", Integer, nullable=False),  # answers to it so far
    Column("asked", Integer, nullable=False),  # questions answered before it
    Index("standing_next", "information", "sentence_id"),
)
test = Table(
    "test",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),  # blank, rewrite, substitute
    Column("body", Text, nullable=False),  # JSON
)
task = task_table(
    metadata,
    Column("sentence_id", ForeignKey("sentence.id")),
    Column("test_id", ForeignKey("test.id")),
    Column("question", Text),  # the question's digest
    Column("body", Text, nullable=False),  # JSON: what was shown
    # A question at most once per person.
    Index(
        "task_once",
        "account_id",
        "sentence_id",
        "question",
        unique=True,
        sqlite_where=text("state IN ('open', 'answered') AND sentence_id IS NOT NULL"),
        postgresql_where=text("state IN ('open', 'answered') AND sentence_id IS NOT NULL"),
    ),
    Index("task_sentence", "sentence_id", "state"),
)
answer = answer_table(
    metadata,
    Column("body", Text),  # JSON
    Column("trust", Float),  # how often the person was right in test questions, when they answered
    Column("passed", Integer),  # of a test question, whether it was answered right: 1 or 0
)
audit = audit_table(metadata)

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
CREATE TABLE sentence (id INTEGER NOT NULL PRIMARY KEY, text TEXT NOT NULL, material TEXT, trouble TEXT NOT NULL);
CREATE TABLE standing (
    sentence_id INTEGER NOT NULL PRIMARY KEY REFERENCES sentence (id),
    question TEXT,
    information {real},
    had INTEGER NOT NULL,
    asked INTEGER NOT NULL
);
CREATE INDEX standing_next ON standing (information, sentence_id);
CREATE TABLE test (id INTEGER NOT NULL PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE task (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id),
    sentence_id INTEGER REFERENCES sentence (id),
    test_id INTEGER REFERENCES test (id),
    question TEXT,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    redo_of TEXT REFERENCES task (id),
    issued_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
);
CREATE UNIQUE INDEX task_open ON task (account_id) WHERE state = 'open';
CREATE UNIQUE INDEX task_once ON task (account_id, sentence_id, question)
    WHERE state IN ('open', 'answered') AND sentence_id IS NOT NULL;
CREATE INDEX task_sentence ON task (sentence_id, state);
CREATE INDEX task_state ON task (state, expires_at);
CREATE TABLE answer (
    id {number},
    task_id TEXT NOT NULL REFERENCES task (id),
    account_id TEXT NOT NULL REFERENCES account (id),
    kind TEXT NOT NULL,
    body TEXT,
    trust {real},
    passed INTEGER,
    seconds {real},
    at TEXT NOT NULL,
    version TEXT NOT NULL,
    CONSTRAINT answer_once UNIQUE (task_id, account_id, kind)
);
CREATE INDEX answer_account ON answer (account_id, id);
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
    make_append_only(connection, ("answer", "audit"))


STEPS = (_tables,)
"""How the database comes to its present form; a step is never changed once a release has made databases with it."""
