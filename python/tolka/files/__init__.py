"""Files tolka writes: atomic writes, checked containers, model bundles, content hashes.

Nothing here unpickles, and nothing is ever half there: a file, container or bundle is the old one or the new one,
whenever its writer is stopped. `docs/files.md` describes the formats.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tolka.files.atomic import write_atomic
from tolka.files.hashes import content_hash, sha256
from tolka.files.toml import to_toml

if TYPE_CHECKING:
    from tolka.files.bundle import Bundle
    from tolka.files.container import Container, SectionInfo, write_container
    from tolka.files.saving import BundleWriter, save_bundle

# What only some commands need waits until it is needed.
_LATER = {
    "Bundle": "bundle",
    "BundleWriter": "saving",
    "Container": "container",
    "SectionInfo": "container",
    "save_bundle": "saving",
    "write_container": "container",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)


__all__ = [
    "Bundle",
    "BundleWriter",
    "Container",
    "SectionInfo",
    "content_hash",
    "save_bundle",
    "sha256",
    "to_toml",
    "write_atomic",
    "write_container",
]
