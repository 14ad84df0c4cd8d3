"""Opening bundles: a model as a directory with a manifest that accounts for every file."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tolka.errors import FileError, FormatError, TolkaError
from tolka.files.hashes import sha256
from tolka.files.manifest import Manifest, manifest_mark, read_manifest

if TYPE_CHECKING:
    from collections.abc import Mapping

_AGAIN = "copy or make the model again"


@dataclass(frozen=True)
class Bundle:
    """An open model bundle.

    Attributes:
        path: Its directory.
        manifest: What its `model.toml` says.

    Example:
        >>> import tempfile
        >>> from tolka.files import save_bundle
        >>> directory = tempfile.TemporaryDirectory()
        >>> with save_bundle(Path(directory.name, "model"), kind="demo", settings={"order": 3}) as out:
        ...     _ = out.file("words.txt").write_text("das Haus")
        >>> bundle = Bundle.open(Path(directory.name, "model"), kind="demo")
        >>> bundle.settings["order"], bundle.file("words.txt").read_text()
        (3, 'das Haus')
        >>> directory.cleanup()
    """

    path: Path
    manifest: Manifest

    @classmethod
    def open(cls, path: Path | str, *, kind: str | tuple[str, ...] | None = None, verify: bool = True) -> Bundle:
        """Open the model in a directory and check that all of it is there.

        Args:
            path: The directory.
            kind: What the model must be, or one of several; anything if None.
            verify: Compare every file with its SHA-256, which reads all of them; otherwise only with its size.

        Raises:
            FileError: There is no model, or a file cannot be read.
            FormatError: The model is damaged, of another kind, or made by a newer tolka.
        """
        # If somebody saves to the bundle while it is being checked, files of the manifest we read may be gone: then the
        # new manifest is there, and is checked instead.
        path = Path(path)
        while True:
            mark = manifest_mark(path)
            bundle = cls(path, read_manifest(path))
            kinds = (kind,) if isinstance(kind, str) else kind
            if kinds is not None and bundle.kind not in kinds:
                what = f"the model is of kind {bundle.kind}, not {' or '.join(kinds)}"
                raise FormatError(what, path=path, hint="name a model of the right kind")
            try:
                bundle.check(contents=verify)
            except TolkaError:
                if manifest_mark(path) == mark:
                    raise
            else:
                return bundle

    @property
    def kind(self) -> str:
        """What the model is."""
        return self.manifest.kind

    @property
    def created_by(self) -> str:
        """The program and version that saved it."""
        return self.manifest.created_by

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that made it."""
        return tuple(self.manifest.stages)

    @property
    def features(self) -> tuple[str, ...]:
        """The names of its features, in the order of its weights and feature rows."""
        return tuple(self.manifest.features)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings it was made with."""
        return MappingProxyType(self.manifest.settings)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its files."""
        return tuple(self.manifest.files)

    def file(self, name: str) -> Path:
        """Where the file of this name is; `FormatError` if the model has none."""
        entry = self.manifest.files.get(name)
        if entry is None:
            known = ", ".join(self.names) or "none"
            raise FormatError(
                f"the model of kind {self.kind} has no file {name}", path=self.path, hint=f"it has {known}"
            )
        return self.path / entry.stored_name(name)

    def check(self, *, contents: bool = True) -> None:
        """Raise `FormatError` unless every file is there with its size and, if `contents`, its SHA-256."""
        for name, entry in self.manifest.files.items():
            path = self.file(name)
            try:
                status = path.lstat()
            except FileNotFoundError as error:
                raise FormatError(f"the file {name} of the model is missing", path=path, hint=_AGAIN) from error
            except OSError as error:
                raise FileError(error.strerror or str(error), path=path) from error
            if not stat.S_ISREG(status.st_mode):
                raise FormatError(f"the file {name} of the model is not a regular file", path=path, hint=_AGAIN)
            if status.st_size != entry.size:
                what = f"the file {name} of the model has {status.st_size} bytes instead of {entry.size}"
                raise FormatError(what, path=path, hint=_AGAIN)
            if contents and sha256(path) != entry.sha256:
                what = f"the file {name} of the model has changed since it was saved"
                raise FormatError(what, path=path, hint=_AGAIN)
