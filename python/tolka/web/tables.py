"""The tables that pages of all rooms share, the same in SQLite and PostgreSQL.

A room describes its database in a `MetaData` of its own and adds columns for what its tasks are about. Times are
ISO 8601 in UTC with milliseconds, so that they sort as text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    text,
)

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from sqlalchemy import MetaData

# SQLite numbers rows by itself only in a column declared INTEGER.
Number = BigInteger().with_variant(Integer, "sqlite")


def stamp(moment: datetime) -> str:
    """A time as the tables keep it.

    Example:
        >>> from datetime import UTC, datetime
        >>> stamp(datetime(2026, 3, 1, 12, tzinfo=UTC))
        '2026-03-01T12:00:00.000+00:00'
    """
    return moment.isoformat(timespec="milliseconds")


def version_table(metadata: MetaData) -> Table:
    """Which forms the database has had."""
    return Table(
        "schema_version",
        metadata,
        Column("version", Integer, primary_key=True, autoincrement=False),
        Column("at", Text, nullable=False),
    )


def state_table(metadata: MetaData) -> Table:
    """What is to be remembered about the whole, by name."""
    return Table("state", metadata, Column("name", Text, primary_key=True), Column("value", Text, nullable=False))


def account_table(metadata: MetaData) -> Table:
    """Who may come in; see `tolka.web.accounts`."""
    return Table(
        "account",
        metadata,
        Column("id", Text, primary_key=True),
        Column("name", Text, nullable=False, unique=True),
        Column("role", Text, nullable=False),
        Column("secret_hash", Text, nullable=False),  # argon2 of the invitation's secret; empty if there is none
        Column("created_at", Text, nullable=False),
        Column("joined_at", Text),
        Column("blocked_at", Text),
    )


def task_table(metadata: MetaData, *about: Column[Any] | Index) -> Table:
    """What was handed to whom; see `tolka.web.leases`.

    Args:
        metadata: The room's.
        about: Columns that say what is asked, and indexes over them.
    """
    return Table(
        "task",
        metadata,
        Column("id", Text, primary_key=True),  # random: neither order nor content can be read from it
        Column("account_id", ForeignKey("account.id"), nullable=False),
        Column("state", Text, nullable=False),  # open, answered, undone, withdrawn
        Column("redo_of", ForeignKey("task.id")),
        Column("issued_at", Text, nullable=False),
        Column("expires_at", Text, nullable=False),
        *about,
        # One task at a time, in however many tabs.
        Index(
            "task_open",
            "account_id",
            unique=True,
            sqlite_where=text("state = 'open'"),
            postgresql_where=text("state = 'open'"),
        ),
        Index("task_state", "state", "expires_at"),
    )


def answer_table(metadata: MetaData, *given: Column[Any]) -> Table:
    """What was answered and taken back; append-only.

    Args:
        metadata: The room's.
        given: Columns that hold an answer; empty in a row that takes one back.
    """
    return Table(
        "answer",
        metadata,
        Column("id", Number, primary_key=True, autoincrement=True),
        Column("task_id", ForeignKey("task.id"), nullable=False),
        Column("account_id", ForeignKey("account.id"), nullable=False),
        Column("kind", Text, nullable=False),  # answer, undo
        *given,
        Column("seconds", Float),
        Column("at", Text, nullable=False),
        Column("version", Text, nullable=False),  # of the page or protocol that took it
        UniqueConstraint("task_id", "account_id", "kind", name="answer_once"),
        Index("answer_account", "account_id", "id"),
    )


def audit_table(metadata: MetaData) -> Table:
    """Who did what to the whole; append-only."""
    return Table(
        "audit",
        metadata,
        Column("id", Number, primary_key=True, autoincrement=True),
        Column("at", Text, nullable=False),
        Column("actor", Text, nullable=False),
        Column("action", Text, nullable=False),
        Column("detail", Text, nullable=False),
    )
