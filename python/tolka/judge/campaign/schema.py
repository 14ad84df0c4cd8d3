"""The tables of a campaign, the same in SQLite and PostgreSQL.

`answer` and `imported` are append-only and the truth; everything else about scores can be worked out from them again.
Times are ISO 8601 in UTC with milliseconds, so that they sort as text.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, MetaData, Table, Text, UniqueConstraint, text

from tolka.web.tables import (
    Number,
    account_table,
    answer_table,
    audit_table,
    state_table,
    task_table,
    version_table,
)

metadata = MetaData()
version = version_table(metadata)
state = state_table(metadata)
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
account = account_table(metadata)  # its roles are judge, program, admin
task = task_table(
    metadata,
    Column("segment_id", ForeignKey("segment.id")),
    Column("low_id", ForeignKey("item.id")),
    Column("high_id", ForeignKey("item.id")),
    Column("test_id", ForeignKey("test.id")),
    Column("swapped", Boolean, nullable=False),  # whether the high item (or a test's worse text) stands on the left
    Column("information", Float),  # expected, when it was chosen
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
)
answer = answer_table(
    metadata,
    Column("choice", Text),  # left, right, tie, undecided
    Column("ticked", Text),  # JSON: a list of positions for a blank, "bad" for a tie of two bad ones
)
imported = Table(
    "imported",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("file", Text, nullable=False),  # the content's SHA-256, and how it was read
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
audit = audit_table(metadata)
