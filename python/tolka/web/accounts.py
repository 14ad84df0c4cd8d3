"""Who may come in: accounts with a role, by invitation.

Inviting a name again makes a new secret, and the old link and its sessions end.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from tolka.errors import InputError, SettingsError
from tolka.web.invitations import is_secret_of, new_identity, new_invitation, read_invitation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnElement, Connection, Table

_NAME = re.compile(r"[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]{0,79}")


@dataclass(frozen=True)
class Account:
    """Someone, or something, that answers or administers.

    Attributes:
        id: A random name that says nothing.
        name: What the owner of the page calls them.
        role: What they may do; the room knows which roles there are.
        stamp: Changes with the secret; a session holds it.
        blocked: Whether they may not come in.
        joined: Whether they have come in and agreed.
    """

    id: str
    name: str
    role: str
    stamp: str
    blocked: bool
    joined: bool


class Accounts:
    """The accounts in a table, read and changed inside the caller's transaction.

    Args:
        table: The table.
        uninvited: Roles that come in by themselves and get no invitation.
    """

    def __init__(self, table: Table, *, uninvited: Iterable[str] = ()) -> None:
        self.table = table
        self.uninvited = frozenset(uninvited)

    def invite(self, connection: Connection, name: str, role: str, now: str) -> tuple[Account, str]:
        """Make or renew an account; returns it and its invitation, which is empty for a role that needs none.

        Raises:
            SettingsError: The name cannot be used.
        """
        if not _NAME.fullmatch(name):
            raise SettingsError(f"{name!r} cannot be a name", hint="use 1 to 80 printable characters")
        table = self.table
        found = connection.execute(select(table).where(table.c.name == name)).one_or_none()
        if found is not None and found.role != role:
            raise SettingsError(f"{name!r} is the name of a {found.role} already", hint="use another name")
        identity = new_identity() if found is None else found.id
        invitation, hashed = ("", "") if role in self.uninvited else new_invitation(identity)
        if found is None:
            put = table.insert().values(id=identity, name=name, role=role, secret_hash=hashed, created_at=now)
            connection.execute(put)
        else:
            renewed = table.update().where(table.c.id == identity).values(secret_hash=hashed, blocked_at=None)
            connection.execute(renewed)
        account = self.find(connection, identity)
        if account is None:  # pragma: no cover (it was just written)
            raise SettingsError(f"{name!r} could not be invited")
        return account, invitation

    def find(self, connection: Connection, identity: str) -> Account | None:
        """The account with an id, if there is one."""
        return self._one(connection, self.table.c.id == identity)

    def named(self, connection: Connection, name: str) -> Account | None:
        """The account with a name, if there is one."""
        return self._one(connection, self.table.c.name == name)

    def admit(self, connection: Connection, invitation: str) -> Account | None:
        """The account an invitation lets in; None if it is made up, replaced or revoked."""
        parts = read_invitation(invitation)
        if parts is None:
            return None
        identity, secret = parts
        hashed = connection.execute(
            select(self.table.c.secret_hash).where(self.table.c.id == identity, self.table.c.blocked_at.is_(None))
        ).scalar()
        if hashed is None or not is_secret_of(hashed, secret):
            return None
        return self.find(connection, identity)

    def join(self, connection: Connection, account: Account, now: str) -> None:
        """Note that someone came in, the first time they do."""
        table = self.table
        fresh = table.c.joined_at.is_(None)
        connection.execute(table.update().where(table.c.id == account.id, fresh).values(joined_at=now))

    def block(self, connection: Connection, name: str, at: str | None) -> None:
        """Shut someone out from a time on, or let them in again with None; what they answered stays.

        Raises:
            InputError: Nobody has that name.
        """
        change = self.table.update().where(self.table.c.name == name).values(blocked_at=at)
        if not connection.execute(change).rowcount:
            raise InputError(f"nobody is called {name!r}")

    def _one(self, connection: Connection, which: ColumnElement[bool]) -> Account | None:
        row = connection.execute(select(self.table).where(which)).one_or_none()
        if row is None:
            return None
        return Account(
            id=row.id,
            name=row.name,
            role=row.role,
            stamp=hashlib.sha256(row.secret_hash.encode()).hexdigest()[:16],
            blocked=row.blocked_at is not None,
            joined=row.joined_at is not None,
        )
