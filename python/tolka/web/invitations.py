"""Invitations: `<account>.<secret>`. The database keeps the secret's argon2 hash alone.

Example:
    >>> invitation, hashed = new_invitation("k3yWqTnA0b1c")
    >>> account, secret = read_invitation(invitation)
    >>> account, is_secret_of(hashed, secret), is_secret_of(hashed, "guess")
    ('k3yWqTnA0b1c', True, False)
"""

from __future__ import annotations

import re
import secrets

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

# The secret has 192 random bits, so the hash need not be slow; it must only not be reversible.
_HASHER = PasswordHasher(time_cost=1, memory_cost=8 * 1024, parallelism=1)
_INVITATION = re.compile(r"([A-Za-z0-9_-]{8,32})\.([A-Za-z0-9_-]{16,64})")


def new_identity() -> str:
    """A random name for an account that says nothing."""
    return secrets.token_urlsafe(9)


def new_invitation(account: str) -> tuple[str, str]:
    """An invitation for an account, and the hash of its secret."""
    secret = secrets.token_urlsafe(24)
    return f"{account}.{secret}", _HASHER.hash(secret)


def read_invitation(invitation: str) -> tuple[str, str] | None:
    """The account and the secret of an invitation; None if it cannot be one."""
    parts = _INVITATION.fullmatch(invitation)
    return None if parts is None else (parts[1], parts[2])


def is_secret_of(hashed: str, secret: str) -> bool:
    """Whether a secret has this hash."""
    try:
        return bool(hashed) and _HASHER.verify(hashed, secret)
    except (Argon2Error, InvalidHashError):
        return False
