"""Atomic writes: whole or not at all, with sensible permissions, links and errors."""

import errno
import os
import resource
import stat
from contextlib import contextmanager

import pytest

from tolka.errors import FileError
from tolka.files import write_atomic


def names(directory):
    return sorted(path.name for path in directory.iterdir())


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def files_of_at_most(size):
    """Let the system refuse to make files longer, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_text_is_utf8_with_plain_line_ends(tmp_path):
    with write_atomic(tmp_path / "file") as out:
        out.write("smör\nbröd\u2028\r\n")
    assert (tmp_path / "file").read_bytes() == "smör\nbröd\u2028\r\n".encode()
    with write_atomic(str(tmp_path / "file"), binary=True) as out:
        out.write(b"\xff\x00")
    assert (tmp_path / "file").read_bytes() == b"\xff\x00"


def test_old_file_stays_until_the_block_ends(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with write_atomic(path) as out:
        out.write("new")
        out.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("raised", [ValueError, KeyboardInterrupt, OSError(errno.ENOENT, "other", "other-file")])
def test_what_the_block_raises_passes_and_leaves_nothing(tmp_path, raised):
    expected = raised if isinstance(raised, type) else type(raised)

    def fail():
        with write_atomic(tmp_path / "file") as out:
            out.write("half")
            raise raised

    with pytest.raises(expected):
        fail()
    assert names(tmp_path) == []


def test_full_disk_is_a_file_error_and_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with (
        files_of_at_most(1000),
        pytest.raises(FileError, match="larger than may be written here") as caught,
        write_atomic(path) as out,
    ):
        out.write("half" * 100_000)
    assert caught.value.path == path
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_disk_failing_at_the_end_leaves_the_old_file(tmp_path, monkeypatch, step):
    path = tmp_path / "file"
    path.write_text("old")

    def fail(*_arguments, **_options):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(FileError, match="Input/output error"), write_atomic(path) as out:
        out.write("new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file"]


def test_permissions_are_those_of_the_umask_or_of_the_old_file(tmp_path):
    path = tmp_path / "file"
    old = os.umask(0o027)
    try:
        with write_atomic(path):
            pass
    finally:
        os.umask(old)
    assert mode(path) == 0o640
    for kept in (0o600, 0o666, 0o755):
        path.chmod(kept)
        with write_atomic(path):
            pass
        assert mode(path) == kept
    path.chmod(0o444)
    with pytest.raises(FileError, match="read-only"), write_atomic(path):
        pass


def test_links_stay(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "link"
    link.symlink_to("elsewhere/target")
    for text in ("made through a dangling link", "replaced through it"):
        with write_atomic(link) as out:
            out.write(text)
        assert link.is_symlink()
        assert (tmp_path / "elsewhere" / "target").read_text() == text
    (tmp_path / "one").symlink_to("other")
    (tmp_path / "other").symlink_to("one")
    with pytest.raises(FileError, match="circle"), write_atomic(tmp_path / "one"):
        pass


def test_impossible_targets_are_said(tmp_path):
    for target, words in [
        (tmp_path / "no" / "file", "no does not exist; create it first"),
        (tmp_path, "is a directory"),
        ("/dev/null", "not a regular file"),
        ("", "names no file"),
        ("..", "names no file"),
    ]:
        with pytest.raises(FileError, match=words), write_atomic(target):
            pass
    assert names(tmp_path) == []
