"""The secret that signs a site's sessions: a file that its owner alone can read."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from tolka.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path


def read_key(path: Path) -> bytes:
    """The secret in a file, which is made if it is not there.

    Raises:
        FileError: It cannot be read or made.
    """
    try:
        return bytes.fromhex(path.read_text(encoding="ascii"))
    except FileNotFoundError:
        write_key(path)
        return read_key(path)
    except (OSError, ValueError) as error:
        hint = "restore it, or delete it and start again: all sessions end"
        raise FileError("the key cannot be read", path=path, hint=hint) from error


def write_key(path: Path) -> None:
    """Make a secret, unless it is there.

    Raises:
        FileError: It cannot be made.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:  # another process was quicker
        return
    except OSError as error:
        raise FileError(f"cannot write the key: {error.strerror}", path=path) from error
    with os.fdopen(descriptor, "w") as out:
        out.write(secrets.token_hex(32))
        out.flush()
        os.fsync(out.fileno())
