"""What everything that invites people has in common: a database, accounts, a key and an audit log."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from sqlalchemy import func, select

from tolka.web.accounts import Accounts
from tolka.web.keys import read_key
from tolka.web.tables import stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from sqlalchemy import Connection, Table

    from tolka.web.accounts import Account
    from tolka.web.store import Store

KEY = "secret.key"


class Host:
    """A room's own part is built on this: it knows who may come in, and notes who did what.

    Args:
        directory: Where the key lies.
        store: The database.
        accounts: Its table of accounts.
        audit: Its audit log.
        uninvited: Roles that come in by themselves.
        clock: For tests.
    """

    def __init__(
        self,
        directory: Path,
        store: Store,
        *,
        accounts: Table,
        audit: Table,
        uninvited: Iterable[str] = (),
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        self.directory = directory
        self.store = store
        self.accounts = Accounts(accounts, uninvited=uninvited)
        self.clock = clock or (lambda: datetime.now(UTC))
        self._audit = audit

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        self.store.close()

    def now(self) -> str:
        """The time, as the tables keep it."""
        return stamp(self.clock())

    def key(self) -> bytes:
        """The secret that signs sessions; it lies in the directory, readable by its owner alone."""
        return read_key(self.directory / KEY)

    def admit(self, invitation: str) -> Account | None:
        """The account an invitation lets in."""
        with self.store.reading() as connection:
            return self.accounts.admit(connection, invitation)

    def account(self, identity: str) -> Account | None:
        """The account with an id, if there is one."""
        with self.store.reading() as connection:
            return self.accounts.find(connection, identity)

    def named(self, name: str) -> Account | None:
        """The account with a name, if there is one."""
        with self.store.reading() as connection:
            return self.accounts.named(connection, name)

    def note(self, actor: str, action: str, detail: str = "") -> None:
        """Write a line of the audit log."""
        with self.store.writing() as connection:
            self._note(connection, actor, action, detail)

    def noted(self, action: str, *, since: str = "") -> bool:
        """Whether the audit log has such a line, after the last line of another action if one is named."""
        audit = self._audit.c
        with self.store.reading() as connection:
            last = connection.execute(select(func.max(audit.id)).where(audit.action == since)).scalar() or 0
            found = select(audit.id).where(audit.action == action, audit.id > last).limit(1)
            return connection.execute(found).scalar() is not None

    def _invite(self, name: str, role: str, *, actor: str) -> str:
        """Make or renew an account and return its invitation (empty for a role that needs none)."""
        with self.store.writing() as connection:
            _account, invitation = self.accounts.invite(connection, name, role, self.now())
            self._note(connection, actor, "invited", f"{name} as {role}")
        return invitation

    def _join(self, account: Account, *, agreed: bool) -> None:
        """Note that someone came in, and whether they agreed to something."""
        with self.store.writing() as connection:
            self.accounts.join(connection, account, self.now())
            self._note(connection, account.name, "joined", "with consent" if agreed else "")

    def _block(self, name: str, *, blocked: bool, actor: str) -> None:
        with self.store.writing() as connection:
            self.accounts.block(connection, name, self.now() if blocked else None)
            self._note(connection, actor, "blocked" if blocked else "unblocked", name)

    def _note(self, connection: Connection, actor: str, action: str, detail: str) -> None:
        connection.execute(self._audit.insert().values(at=self.now(), actor=actor, action=action, detail=detail[:500]))
