"""Who may answer: invitations whose secret only the invited person has.

An invitation is `<account>.<secret>`; the database keeps the secret's argon2 hash alone. Inviting a name again makes
a new secret, and the old link and its sessions end.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from sqlalchemy import select

from tolka.errors import SettingsError
from tolka.judge.campaign import schema

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row

    from tolka.judge.campaign.settings import Role

# The secret has 192 random bits, so the hash need not be slow; it must only not be reversible.
_HASHER = PasswordHasher(time_cost=1, memory_cost=8 * 1024, parallelism=1)
_NAME = re.compile(r"[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]{0,79}")
_INVITATION = re.compile(r"([A-Za-z0-9_-]{8,32})\.([A-Za-z0-9_-]{16,64})")


@dataclass(frozen=True)
class Account:
    """Someone, or something, that answers or administers.

    Attributes:
        id: A random name that says nothing.
        name: What the campaign's owner calls them.
        role: judge, program or admin.
        stamp: Changes with the secret; a session holds it.
        blocked: Whether they may not come in.
        joined: Whether they have come in and agreed.
    """

    id: str
    name: str
    role: Role
    stamp: str
    blocked: bool
    joined: bool


def of_row(row: Row[tuple[object, ...]]) -> Account:
    """The account in a row of its table."""
    return Account(
        id=row.id,
        name=row.name,
        role=row.role,
        stamp=hashlib.sha256(row.secret_hash.encode()).hexdigest()[:16],
        blocked=row.blocked_at is not None,
        joined=row.joined_at is not None,
    )


def invite(connection: Connection, name: str, role: Role, now: str) -> tuple[Account, str]:
    """Make or renew an account; returns it and its invitation, which is empty for a program.

    Raises:
        SettingsError: The name cannot be used.
    """
    if not _NAME.fullmatch(name):
        raise SettingsError(f"{name!r} cannot be a judge's name", hint="use 1 to 80 printable characters")
    secret = secrets.token_urlsafe(24)
    hashed = "" if role == "program" else _HASHER.hash(secret)
    table = schema.account
    found = connection.execute(select(table).where(table.c.name == name)).one_or_none()
    if found is not None and found.role != role:
        raise SettingsError(f"{name!r} is the name of a {found.role} already", hint="use another name")
    if found is None:
        identity = secrets.token_urlsafe(9)
        connection.execute(table.insert().values(id=identity, name=name, role=role, secret_hash=hashed, created_at=now))
    else:
        identity = found.id
        connection.execute(table.update().where(table.c.id == identity).values(secret_hash=hashed, blocked_at=None))
    row = connection.execute(select(table).where(table.c.id == identity)).one()
    return of_row(row), "" if role == "program" else f"{identity}.{secret}"


def find(connection: Connection, identity: str) -> Account | None:
    """The account with an id, if there is one."""
    row = connection.execute(select(schema.account).where(schema.account.c.id == identity)).one_or_none()
    return None if row is None else of_row(row)


def check(connection: Connection, invitation: str) -> Account | None:
    """The account an invitation lets in; None if it is made up, replaced or revoked."""
    parts = _INVITATION.fullmatch(invitation)
    if parts is None:
        return None
    row = connection.execute(select(schema.account).where(schema.account.c.id == parts[1])).one_or_none()
    if row is None or row.blocked_at is not None or not row.secret_hash:
        return None
    try:
        _HASHER.verify(row.secret_hash, parts[2])
    except (Argon2Error, InvalidHashError):
        return None
    return of_row(row)
