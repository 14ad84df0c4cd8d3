"""The tables of a campaign, the same in SQLite and PostgreSQL.

`answer` and `imported` are append-only and the truth; everything else about scores can be worked out from them again.
Times are ISO 8601 in UTC with milliseconds, so that they sort as text.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData()

# SQLite numbers rows by itself only in a column declared INTEGER.
_Number = BigInteger().with_variant(Integer, "sqlite")

version = Table(
    "schema_version",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("at", Text, nullable=False),
)
state = Table("state", metadata, Column("name", Text, primary_key=True), Column("value", Text, nullable=False))
item = Table(
    "item",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False, unique=True),
)
segment = Table(
    "segment",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False, unique=True),
    Column("source", Text, nullable=False),
    Column("reference", Text, nullable=False),
)
output = Table(
    "output",
    metadata,
    Column("segment_id", ForeignKey("segment.id"), primary_key=True),
    Column("item_id", ForeignKey("item.id"), primary_key=True),
    Column("text", Text, nullable=False),
)
test = Table(
    "test",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),  # blank, choice
    Column("body", Text, nullable=False),  # JSON
)
account = Table(
    "account",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),  # judge, program, admin
    Column("secret_hash", Text, nullable=False),  # argon2 of the invitation's secret; empty for a program
    Column("created_at", Text, nullable=False),
    Column("joined_at", Text),
    Column("blocked_at", Text),
)
task = Table(
    "task",
    metadata,
    Column("id", Text, primary_key=True),  # random: neither order nor content can be read from it
    Column("account_id", ForeignKey("account.id"), nullable=False),
    Column("segment_id", ForeignKey("segment.id")),
    Column("low_id", ForeignKey("item.id")),
    Column("high_id", ForeignKey("item.id")),
    Column("test_id", ForeignKey("test.id")),
    Column("swapped", Boolean, nullable=False),  # whether the high item (or a test's worse text) stands on the left
    Column("information", Float),  # expected, when it was chosen
    Column("state", Text, nullable=False),  # open, answered, undone, withdrawn
    Column("redo_of", ForeignKey("task.id")),
    Column("issued_at", Text, nullable=False),
    Column("expires_at", Text, nullable=False),
    # One question at a time, in however many tabs.
    Index(
        "task_open",
        "account_id",
        unique=True,
        sqlite_where=text("state = 'open'"),
        postgresql_where=text("state = 'open'"),
    ),
    # A segment and pair at most once per judge.
    Index(
        "task_once",
        "account_id",
        "low_id",
        "high_id",
        "segment_id",
        unique=True,
        sqlite_where=text("state IN ('open', 'answered') AND segment_id IS NOT NULL"),
        postgresql_where=text("state IN ('open', 'answered') AND segment_id IS NOT NULL"),
    ),
    Index("task_pair", "low_id", "high_id", "state"),
    Index("task_state", "state", "expires_at"),
)
answer = Table(
    "answer",
    metadata,
    Column("id", _Number, primary_key=True, autoincrement=True),
    Column("task_id", ForeignKey("task.id"), nullable=False),
    Column("account_id", ForeignKey("account.id"), nullable=False),
    Column("kind", Text, nullable=False),  # answer, undo
    Column("choice", Text),  # left, right, undecided
    Column("ticked", Text),  # JSON list of positions, for a blank
    Column("seconds", Float),
    Column("at", Text, nullable=False),
    Column("version", Text, nullable=False),  # of the page or protocol that took it
    UniqueConstraint("task_id", "account_id", "kind", name="answer_once"),
    Index("answer_account", "account_id", "id"),
)
imported = Table(
    "imported",
    metadata,
    Column("id", _Number, primary_key=True, autoincrement=True),
    Column("file", Text, nullable=False),  # the content's SHA-256: a file counts once, however often it is imported
    Column("position", Integer, nullable=False),
    Column("left_item", Text, nullable=False),
    Column("right_item", Text, nullable=False),
    Column("choice", Text, nullable=False),
    Column("judge", Text, nullable=False),
    Column("segment", Text, nullable=False),
    Column("sided", Boolean, nullable=False),
    Column("seconds", Float),
    Column("at", Text, nullable=False),
    Column("test", Text),
    Column("weight", Float, nullable=False),
    UniqueConstraint("file", "position", name="imported_once"),
)
audit = Table(
    "audit",
    metadata,
    Column("id", _Number, primary_key=True, autoincrement=True),
    Column("at", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("detail", Text, nullable=False),
)
