"""Files tolka writes: atomic writes, checked containers, model bundles, content hashes.

Nothing here unpickles, and nothing is ever half there: a file, container or bundle is the old one or the new one,
whenever its writer is stopped. `docs/files.md` describes the formats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.files.atomic import write_atomic
from tolka.files.hashes import content_hash, sha256
from tolka.files.toml import to_toml
from tolka.later import later

if TYPE_CHECKING:
    from tolka.files.bundle import Bundle
    from tolka.files.container import Container, SectionInfo, write_container
    from tolka.files.saving import BundleWriter, save_bundle

# What only some commands need waits until it is needed.
__getattr__, __dir__ = later(
    __name__,
    {
        "Bundle": "bundle",
        "BundleWriter": "saving",
        "Container": "container",
        "SectionInfo": "container",
        "save_bundle": "saving",
        "write_container": "container",
    },
)


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
