"""Files that appear whole or not at all; the engine's `files::atomic` keeps the same rules for what it writes."""

from __future__ import annotations

import errno
import itertools
import os
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, Literal, TextIO, cast, overload

from tolka.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

_MOST_LINKS = 40
_counter = itertools.count()
_FULL = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}
_DISK = {*_FULL, errno.EIO}


@overload
def write_atomic(path: Path | str, *, binary: Literal[False] = False) -> AbstractContextManager[TextIO]: ...
@overload
def write_atomic(path: Path | str, *, binary: Literal[True]) -> AbstractContextManager[BinaryIO]: ...
def write_atomic(
    path: Path | str, *, binary: bool = False
) -> AbstractContextManager[TextIO] | AbstractContextManager[BinaryIO]:
    r"""Open a file for writing that takes its name only when the block ends well.

    It is written under a temporary name in the same directory, forced to disk and renamed into place; if the block
    raises, nothing is left. Text is UTF-8 with `\n` line ends. A new file gets the permissions of the umask, a replaced
    one keeps its own. A symbolic link stays and the file it points to is replaced. What is not a regular file, or is
    marked read-only, is refused.

    Args:
        path: The file to write; its directory must exist.
        binary: Write bytes instead of text.

    Raises:
        FileError: The file cannot be written there.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     path = Path(directory, "weights")
        ...     with write_atomic(path) as out:
        ...         _ = out.write("LM 0.5\n")
        ...     path.read_text()
        'LM 0.5\n'
    """
    opened = _write(Path(path), binary=binary)
    return (
        cast("AbstractContextManager[TextIO]", opened)
        if not binary
        else cast("AbstractContextManager[BinaryIO]", opened)
    )


@contextmanager
def _write(path: Path, *, binary: bool) -> Iterator[IO[str] | IO[bytes]]:
    target = _follow_links(path)
    mode = _replaceable_mode(target)
    temporary, descriptor = _create_temporary(target.parent, path, mode)
    try:
        with (
            os.fdopen(descriptor, "wb") if binary else os.fdopen(descriptor, "w", encoding="utf-8", newline="\n")
        ) as out:
            if mode is not None:
                os.fchmod(out.fileno(), mode)
            yield out
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(target)
        sync_directory(target.parent)
    except OSError as error:
        if is_from_disk(error, temporary):
            raise disk_error(error, path) from error
        raise
    finally:
        # After the rename there is nothing under this name.
        with suppress(OSError):
            temporary.unlink()


def sync_directory(directory: Path) -> None:
    """Force a directory's names to disk, where the file system knows how to."""
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:  # writable but not readable: the names are in place all the same
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some network file systems
            raise
    finally:
        os.close(descriptor)


def is_from_disk(error: OSError, place: Path) -> bool:
    """Whether the disk refused, or it is about something at `place`: then it is about our file, not the caller's doing."""
    named = isinstance(error.filename, str) and Path(error.filename).is_relative_to(place)
    return named or error.errno in _DISK


def disk_error(error: OSError, place: Path) -> FileError:
    """What to say of a disk that refused: which one it is, whichever file the system names."""
    if error.errno in _FULL:
        disk = _disk_of(place)
        return FileError(
            f"the disk {disk} is full" if error.errno != errno.EFBIG else "the file is larger than may be written here",
            path=place,
            hint="free some room there, or name a place on another disk",
        )
    named = isinstance(error.filename, str) and Path(error.filename).is_relative_to(place)
    return FileError(_reason(error), path=error.filename if named else place)


def _disk_of(place: Path) -> Path:
    """Where the disk of a file is mounted; the file itself need not exist."""
    here = place.absolute()
    while not here.exists():
        here = here.parent
    here = here.resolve()
    while not here.is_mount() and here != here.parent:
        here = here.parent
    return here


def temporary_name() -> str:
    """A name that no other writer uses at the same time; `.tolka-*.tmp` is what a killed writer leaves."""
    return f".tolka-{os.getpid()}-py{next(_counter)}.tmp"


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


def _create_temporary(directory: Path, path: Path, mode: int | None) -> tuple[Path, int]:
    while True:
        temporary = directory / temporary_name()
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            return temporary, os.open(temporary, flags, 0o666 if mode is None else mode)
        except FileExistsError:  # left by a writer that was killed
            continue
        except FileNotFoundError as error:
            what = f"the directory {directory} does not exist"
            raise FileError(what, path=path, hint="create it first") from error
        except OSError as error:
            raise FileError(_reason(error), path=path) from error


def _follow_links(path: Path) -> Path:
    target = path
    for _ in range(_MOST_LINKS):
        if not target.is_symlink():
            if target.name in {"", ".."}:
                raise FileError("the path names no file", path=path)
            return target
        target = target.parent / target.readlink()
    raise FileError("the symbolic links lead in a circle", path=path)


def _replaceable_mode(target: Path) -> int | None:
    """The permissions of the file that is to be replaced, if there is one and it may be."""
    try:
        mode = target.lstat().st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(_reason(error), path=target) from error
    if stat.S_ISDIR(mode):
        raise FileError("is a directory", path=target, hint="name a file")
    if not stat.S_ISREG(mode):
        raise FileError("is not a regular file and cannot be replaced", path=target, hint="name an ordinary file")
    if not mode & 0o222:
        raise FileError("is read-only", path=target, hint="make it writable if it may be replaced")
    return mode & 0o777
