"""A database: a SQLite file, or PostgreSQL by address.

What a transaction has committed survives the death of the process and of the machine: SQLite writes its log ahead
and syncs it at every commit (`synchronous=FULL`), PostgreSQL does so by itself.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import create_engine, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError

from tolka.errors import FileError, SettingsError
from tolka.web.migrations import migrate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sqlalchemy import Connection, Engine, Table
    from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
    from sqlalchemy.dialects.sqlite import Insert as SqliteInsert

    from tolka.web.migrations import Step

_WAIT_SECONDS = 30
_LOCK = 0x7475726E  # of PostgreSQL
# How SQLite says that a file is not what it was.
_DAMAGE = (
    "malformed",
    "not a database",
    "disk I/O error",
    "Could not decode",
    "no such table",
    "unsupported file format",
)


class Store:
    """Transactions on a database; safe to use from many threads, and beside other processes.

    Args:
        path: The SQLite file.
        address: Of PostgreSQL, which is used instead of the file; empty for SQLite.
        create: Whether the file may be made.
        owner: What the database belongs to, for messages.
        rescue: What to do about a damaged file, for messages.
    """

    def __init__(
        self,
        path: Path,
        address: str = "",
        *,
        create: bool = False,
        owner: str = "page",
        rescue: str = "restore it from a copy",
    ) -> None:
        self.rescue = rescue
        self.path = None if address else path
        if self.path is not None and not create and not self.path.is_file():
            raise FileError(f"the {owner}'s database is gone", path=self.path, hint="restore it from a copy")
        if self.path is not None and not create and not self.path.stat().st_size:
            # SQLite would take an empty file for a new database, and throw its log away.
            raise FileError("the database is damaged (the file is empty)", path=self.path, hint=rescue)
        self.engine = _sqlite(self.path) if self.path is not None else _postgres(address)
        # SQLite has one writer at a time and lets others poll; waiting in line here is fairer and quicker.
        self._turn = threading.Lock() if self.path is not None else None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database and changes nothing."""
        with self._complaining(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is on disk when the block has ended well, and never was if it has not."""
        with self._complaining(), self._in_turn():
            connected = self.engine.connect().execution_options(tolka_writes=True)
            with connected as connection, connection.begin():
                yield connection

    def migrate(self, steps: Sequence[Step], now: str) -> None:
        """Bring the database to the form that all steps lead to."""
        with self.writing() as connection:
            migrate(connection, steps, now)

    def take_turn(self, connection: Connection) -> None:
        """Wait until no other writer is between here and the end of its transaction."""
        if self.path is None:  # SQLite has one writer at a time anyway
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})

    def insert(self, table: Table) -> SqliteInsert | PostgresInsert:
        """An insert that can say `on_conflict_do_nothing`."""
        return sqlite.insert(table) if self.path is not None else postgresql.insert(table)

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        if self._turn is None:
            yield
            return
        with self._turn:
            yield

    @contextmanager
    def _complaining(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            first = str(error.orig).strip().split("\n")[0]
            if self.path is not None and any(sign in first for sign in _DAMAGE):
                what = "not a database" if "not a database" in first else f"the database is damaged ({first})"
                raise FileError(what, path=self.path, hint=self.rescue) from error
            if isinstance(error, OperationalError):
                raise FileError(f"the database does not answer: {first}", path=self.path) from error
            raise


def _sqlite(path: Path) -> Engine:
    engine = create_engine(
        f"sqlite:///{path.absolute()}",
        connect_args={"timeout": _WAIT_SECONDS, "check_same_thread": False},
        pool_size=8,
        max_overflow=64,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions begin where we say so, below
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            f"busy_timeout={_WAIT_SECONDS * 1000}",
        ):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A writer takes its place at once: one that reads first and writes later could be refused in between.
        writes = connection.get_execution_options().get("tolka_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _postgres(address: str) -> Engine:
    hint = "write it as postgresql://user:password@host/database"
    try:
        url = make_url(address)
    except ArgumentError:
        raise SettingsError("the database's address cannot be understood", hint=hint) from None
    if url.get_backend_name() != "postgresql":
        raise SettingsError(f"{url.get_backend_name()} databases cannot be used", hint=hint)
    try:
        return create_engine(url.set(drivername="postgresql+psycopg"), pool_size=8, max_overflow=64, pool_pre_ping=True)
    except NoSuchModuleError:  # pragma: no cover (psycopg comes with the extra)
        raise SettingsError("PostgreSQL needs psycopg", hint="install it with: pip install 'tolka[judge]'") from None
