"""Saving bundles: the manifest is replaced last, and that is the moment the old model becomes the new one.

Files are first written in a directory of their own (`.tolka-*.tmp`) inside the bundle. They are then forced to disk and
moved to names made of their contents, which the old model's files, if they differ, do not have. One rename replaces the
manifest; only after it are files removed that the new manifest does not list. So at every moment the manifest on disk
lists files that are whole, and what a killed save leaves is removed by the next one.

A bundle may hold others: each is a directory whose name is made of its manifest, so that it, too, is moved into place whole
beside the one it replaces.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolka._engine import __version__
from tolka.errors import FileError, SettingsError, TolkaError
from tolka.files.atomic import disk_error, is_from_disk, sync_directory, temporary_name, write_atomic
from tolka.files.bundle import Bundle
from tolka.files.hashes import sha256
from tolka.files.manifest import (
    NAME,
    STORED_NAME,
    FileEntry,
    Manifest,
    check_file_name,
    inner_name,
    make_manifest,
    manifest_hash,
    read_manifest,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class BundleWriter:
    """Collects the files of a bundle that is being saved; made by `save_bundle`."""

    def __init__(self, directory: Path, staging: Path) -> None:
        self._directory = directory
        self._staging = staging
        self._new: list[str] = []
        self._kept: dict[str, FileEntry] = {}
        self._inner: dict[str, Path | None] = {}

    def file(self, name: str) -> Path:
        """Where to write the file that the model calls `name`.

        Raises:
            SettingsError: The name is taken or cannot be one.
        """
        self._check_free(name)
        self._new.append(name)
        return self._staging / name

    def keep(self, name: str) -> None:
        """Take the file `name` over from the model that is being replaced, without copying it.

        Raises:
            FormatError: That model is damaged or has no such file.
        """
        self._check_free(name)
        old = Bundle.open(self._directory, verify=False)
        old.file(name)
        self._kept[name] = old.manifest.files[name]

    def inner(self, name: str, key: str) -> Path | None:
        """Where to write a model that this one holds; None if it holds it already.

        Args:
            name: What it is called.
            key: The hash of its manifest; see `tolka.files.manifest.manifest_hash` and `inner_name`.

        Raises:
            SettingsError: The name cannot be one, or is taken.
        """
        self._check_free(name)
        stored = inner_name(name, key)
        if stored in self._inner:
            raise SettingsError(f"the model already holds one called {name}")
        self._inner[stored] = None if _holds(self._directory / stored, key) else self._staging / f"{name}.inner"
        return self._inner[stored]

    def _check_free(self, name: str) -> None:
        try:
            check_file_name(name)
        except ValueError as error:
            raise SettingsError(str(error)) from error
        if name in self._new or name in self._kept:
            raise SettingsError(f"the model already has a file {name}")

    def _place_files(self) -> dict[str, FileEntry]:
        entries = dict(self._kept)
        for name in self._new:
            path = self._staging / name
            if path.is_symlink() or not path.is_file():
                raise FileError(f"the file {name} of the model was not written", path=path)
            _sync(path)
            entry = FileEntry(size=path.stat().st_size, sha256=sha256(path))
            path.replace(self._directory / entry.stored_name(name))
            entries[name] = entry
        return dict(sorted(entries.items()))

    def _place_inner(self) -> set[str]:
        """Move the models that this one holds to their names, which are given back."""
        for stored, staged in self._inner.items():
            if staged is None:
                continue
            if not _holds(staged, stored.rpartition("-")[2]):
                raise FileError(f"the model {stored} inside of the model was not written", path=staged)
            _sync_all(staged)
            place = self._directory / stored
            if place.exists():
                # Damaged, or it would have been kept; whoever refers to it has lost it already.
                place.rename(self._staging / f"{stored}.damaged")
            staged.rename(place)
        return set(self._inner)


@contextmanager
def save_bundle(
    path: Path | str,
    *,
    kind: str,
    settings: Mapping[str, Any] | None = None,
    features: Iterable[str] = (),
    stages: Iterable[str] = (),
) -> Iterator[BundleWriter]:
    """Save a model in a directory, replacing the one that is there when the block ends well.

    Whenever the process is stopped, the directory holds the old model or the new one. Programs that have the old
    model's files open keep them.

    Args:
        path: The directory; made if it is missing. One that holds other things than a model is refused.
        kind: What the model is.
        settings: What it was made with: strings, numbers, booleans, lists and mappings of these.
        features: The names of its features, in the order of its weights and feature rows.
        stages: The stages that made it.

    Raises:
        SettingsError: A name or setting cannot be stored.
        FileError: The directory cannot be written, is being saved to by another process, or holds other things.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     with save_bundle(directory, kind="demo", features=["LM"]) as out:
        ...         _ = out.file("weights.txt").write_text("LM 0.5")
        ...     sorted(path.name for path in Path(directory).iterdir())
        ['model.toml', 'weights-f0a381b1693f2395.txt']
    """
    directory = Path(path)
    is_new = not directory.exists()
    if not is_new and not directory.is_dir():
        raise FileError("is a file, not a directory", path=directory, hint="name a new or empty directory")
    manifest = make_manifest(
        kind=kind,
        created_by=f"tolka {__version__}",
        stages=stages,
        features=features,
        settings=dict(settings or {}),
    )
    try:
        directory.mkdir(parents=True, exist_ok=True)
        directory = directory.resolve(strict=True)
        with _locked(directory):
            _check_ours(directory)
            staging = directory / temporary_name()
            shutil.rmtree(staging, ignore_errors=True)
            staging.mkdir()
            try:
                writer = BundleWriter(directory, staging)
                yield writer
                _commit(directory, manifest, writer)
            finally:
                shutil.rmtree(staging, ignore_errors=True)
    except BaseException as error:
        if is_new:
            with suppress(OSError):  # not empty: files of the new model are there, and the next save removes them
                directory.rmdir()
        if isinstance(error, OSError) and is_from_disk(error, directory):
            raise disk_error(error, directory) from error
        raise


def _commit(directory: Path, manifest: Manifest, writer: BundleWriter) -> None:
    inner = writer._place_inner()  # noqa: SLF001 - two halves of one thing
    complete = replace(manifest, files=writer._place_files())  # noqa: SLF001
    sync_directory(directory)
    with write_atomic(directory / NAME) as out:
        out.write(complete.text())
    stored = {entry.stored_name(name) for name, entry in complete.files.items()} | inner
    for leftover in directory.iterdir():
        if _is_leftover(leftover.name) and leftover.name not in stored:
            # The new model is in place; what cannot be removed now is removed by the next save.
            with suppress(OSError):
                shutil.rmtree(leftover) if leftover.is_dir() and not leftover.is_symlink() else leftover.unlink()


def _is_leftover(name: str) -> bool:
    """Whether only a save can have made this name; what a person puts beside a model is left alone."""
    return bool(STORED_NAME.fullmatch(name)) or (name.startswith(".tolka-") and name.endswith(".tmp"))


def _check_ours(directory: Path) -> None:
    if (directory / NAME).exists():
        try:
            read_manifest(directory)
        except TolkaError as error:
            hint = "name another directory, or remove this one"
            raise FileError(
                f"the model that is there cannot be replaced: {error}", path=directory, hint=hint
            ) from error
        return
    for entry in directory.iterdir():
        if not _is_leftover(entry.name):
            what = f"the directory is not empty and not a model: it has {entry.name} but no {NAME}"
            raise FileError(what, path=directory, hint="name a new or empty directory")


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Keep other processes from saving here; the system lets go when the process ends, however it does."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in {errno.EAGAIN, errno.EACCES}:
                raise FileError("another process is saving a model here", path=directory, hint="wait for it") from error
            # Some network file systems cannot lock a directory; there it is up to the user.
        yield
    finally:
        os.close(descriptor)


def _holds(place: Path, key: str) -> bool:
    """Whether a whole model with a manifest whose hash begins so is there, and what it holds itself."""
    try:
        if not manifest_hash(place).startswith(key):
            return False
        Bundle.open(place, verify=False)
    except TolkaError:
        return False
    inner = (one for one in place.iterdir() if one.is_dir() and STORED_NAME.fullmatch(one.name))
    return all(_holds(one, one.name.rpartition("-")[2]) for one in inner)


def _sync_all(directory: Path) -> None:
    for folder, _, names in os.walk(directory):
        for name in names:
            _sync(Path(folder, name))
        sync_directory(Path(folder))


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
