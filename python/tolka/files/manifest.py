"""`model.toml`, the manifest of a bundle: what the model is, and exactly which bytes belong to it."""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolka.errors import FileError, FormatError, LimitError, SettingsError
from tolka.files.checked import Checked, CheckError, at_least, at_most, pattern
from tolka.files.toml import to_toml

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "model.toml"
FORMAT = 1
_MOST_BYTES = 16 << 20
_AGAIN = "copy or make the model again"

_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_HASH_DIGITS = 16
STORED_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]*-[0-9a-f]{{{_HASH_DIGITS}}}(\.[A-Za-z0-9_-]+)?")


def check_file_name(name: str) -> None:
    """Refuse a name that is not one plain component that is safe on any disk."""
    if not _FILE_NAME.fullmatch(name) or name.endswith("."):
        what = f"{name!r} cannot be the name of a file in a model"
        raise ValueError(f"{what}: use letters, digits and ._- and start with a letter or digit")


@dataclass(frozen=True)
class FileEntry(Checked):
    """One file of a bundle: how long it is and what is in it."""

    size: Annotated[int, at_least(0)]
    sha256: Annotated[str, pattern("[0-9a-f]{64}")]

    def stored_name(self, name: str) -> str:
        """The name on disk of the file called `name`: made of name and contents, so that no save reuses another's."""
        path = Path(name)
        return f"{path.stem}-{self.sha256[:_HASH_DIGITS]}{path.suffix}"


@dataclass(frozen=True)
class Manifest(Checked):
    """Everything `model.toml` says."""

    format: Annotated[int, at_least(FORMAT), at_most(FORMAT)]
    kind: Annotated[str, pattern("[a-z0-9][a-z0-9._-]{0,63}")]
    created_by: str
    stages: list[str] = field(default_factory=list)
    features: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    files: dict[Annotated[str, check_file_name], FileEntry] = field(default_factory=dict)

    def text(self) -> str:
        """The manifest as TOML; `SettingsError` if a setting cannot be written."""
        return to_toml(asdict(self))


def make_manifest(
    *, kind: str, created_by: str, stages: Iterable[str], features: Iterable[str], settings: dict[str, Any]
) -> Manifest:
    """A manifest without files yet; `SettingsError` if a value is impossible, before anything is written."""
    try:
        manifest = Manifest(FORMAT, kind, created_by, list(stages), list(features), settings)
    except CheckError as error:
        raise SettingsError(f"the model cannot be saved: {error}") from error
    doubles = {feature for feature in manifest.features if manifest.features.count(feature) > 1}
    if doubles:
        raise SettingsError(f"the model cannot be saved: feature {min(doubles)} is named twice")
    manifest.text()
    return manifest


def read_manifest(directory: Path) -> Manifest:
    """Read and check the manifest in a directory.

    Raises:
        FileError: There is none, or it cannot be read.
        FormatError: It is malformed or made by a newer tolka.
    """
    path = directory / NAME
    text = _read(directory, path)
    try:
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise FormatError(f"not valid TOML: {error}", path=path, hint=_AGAIN) from error
    version = values.get("format")
    if isinstance(version, int) and version > FORMAT:
        what = f"the model has bundle format {version}; this tolka reads up to {FORMAT}"
        raise FormatError(what, path=path, hint="it was made by a newer tolka: upgrade")
    try:
        return Manifest.read(values)
    except CheckError as error:
        raise FormatError(f"not a valid manifest: {error}", path=path, hint=_AGAIN) from error


def manifest_mark(directory: Path) -> tuple[int, int] | None:
    """What differs between one save's manifest and the next one's, even if they say the same."""
    try:
        status = (directory / NAME).lstat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def manifest_hash(directory: Path) -> str:
    """The SHA-256 of a manifest, which has those of all files: models with the same one are the same.

    Raises:
        FileError: There is none, or it cannot be read.
        FormatError: It is no text.
    """
    return text_hash(manifest_text(directory))


def manifest_text(directory: Path) -> str:
    """A manifest as it is on disk; raises as `manifest_hash`."""
    return _read(directory, directory / NAME)


def text_hash(text: str) -> str:
    """What `manifest_hash` says of a manifest with this text."""
    return hashlib.sha256(text.encode()).hexdigest()


def inner_name(name: str, key: str) -> str:
    """The name on disk of a model inside of another, by the hash of its manifest."""
    return f"{name}-{key[:_HASH_DIGITS]}"


def _read(directory: Path, path: Path) -> str:
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise FormatError("is not a regular file", path=path, hint=_AGAIN)
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError) as error:
        if not directory.exists():
            raise FileError("there is no such model", path=directory) from error
        what = f"is not a model: it has no {NAME}" if directory.is_dir() else "is a file, not a model directory"
        raise FileError(what, path=directory, hint="name a directory that tolka saved a model in") from error
    except OSError as error:
        raise FileError(error.strerror or str(error), path=path) from error
    if len(data) > _MOST_BYTES:
        raise LimitError(f"has more than {_MOST_BYTES} bytes", path=path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError("not valid UTF-8", path=path, byte=error.start + 1, hint=_AGAIN) from error
