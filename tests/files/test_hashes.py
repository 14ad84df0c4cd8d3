"""Content hashes: equal for equal contents, different for anything else."""

import hashlib
import os

import pytest

from tolka.errors import FileError
from tolka.files import content_hash, sha256


def make(directory, files):
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return directory


def test_a_file_has_its_sha256(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x" * 3_000_000)
    assert content_hash(path) == sha256(path) == hashlib.sha256(b"x" * 3_000_000).hexdigest()


def test_a_directory_has_the_hash_of_its_listing(tmp_path):
    make(tmp_path, {"b/c": "two", "a": "one", "b.c": "three"})
    digest = {text: hashlib.sha256(text.encode()).hexdigest() for text in ("one", "two", "three")}
    listing = (
        f"tolka directory 1\0file\0a\0{digest['one']}\0directory\0b\0"
        f"file\0b.c\0{digest['three']}\0file\0b/c\0{digest['two']}\0"
    )
    assert content_hash(tmp_path) == hashlib.sha256(listing.encode()).hexdigest()


def test_only_names_and_contents_count(tmp_path):
    contents = {"a": "one", "b/c": "two"}
    first = make(tmp_path / "first", contents)
    second = make(tmp_path / "second", dict(reversed(contents.items())))
    (second / "a").chmod(0o600)
    os.utime(second / "a", (0, 0))
    assert content_hash(first) == content_hash(second)
    different = [
        {"a": "one"},
        {"a": "one", "b/c": "2"},
        {"a": "one", "b/d": "two"},
        {"a": "one", "b": "two"},
        {"a": "one", "b/c": "two", "d": ""},
    ]
    hashes = {content_hash(make(tmp_path / str(number), files)) for number, files in enumerate(different)}
    (second / "empty").mkdir()
    assert len(hashes | {content_hash(first), content_hash(second)}) == len(different) + 2


def test_links_and_special_files(tmp_path):
    directory = make(tmp_path / "directory", {"a": "one"})
    (tmp_path / "target").write_text("two")
    (directory / "b").symlink_to(tmp_path / "target")
    assert content_hash(directory) == content_hash(make(tmp_path / "same", {"a": "one", "b": "two"}))
    (directory / "loop").symlink_to(directory)
    with pytest.raises(FileError, match="link to a directory"):
        content_hash(directory)
    (directory / "loop").unlink()
    os.mkfifo(directory / "pipe")
    with pytest.raises(FileError, match="not a regular file"):
        content_hash(directory)
    with pytest.raises(FileError, match="No such file"):
        content_hash(tmp_path / "nothing")
