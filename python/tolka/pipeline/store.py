"""The store: outputs of stages, each in a directory named after the stage and the key, complete or absent.

An entry is written under another name, made durable, and then renamed, so that it appears whole or not at all. Its
manifest lists every file with size and hash; an entry that no longer matches its manifest is not served.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tolka.errors import InputError
from tolka.files import sha256
from tolka.files.atomic import sync_directory
from tolka.pipeline.disk import bytes_of, remove, seal, tree
from tolka.pipeline.keys import FORMAT, Parts, canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from pathlib import Path

    from tolka.pipeline.hashes import Hashes

MANIFEST = "manifest.json"
_ENTRY = re.compile(r"[a-z][a-z0-9_-]*-[0-9a-f]{24}\Z")


@dataclass(frozen=True)
class Output:
    """One output: the hash of all its content, and size and hash of each of its files (named "" if it is one file)."""

    hash: str
    bytes: int
    files: Mapping[str, tuple[int, str]]


@dataclass(frozen=True)
class Entry:
    """A complete set of outputs."""

    path: Path
    parts: Parts
    outputs: Mapping[str, Output]

    @property
    def bytes(self) -> int:
        """The size of all outputs."""
        return sum(output.bytes for output in self.outputs.values())


@dataclass(frozen=True)
class Damaged:
    """An entry that must not be served, and why."""

    why: str


class Store:
    """Entries below `root`; unfinished work below `partial`, which must be on the same file system."""

    def __init__(self, root: Path, partial: Path) -> None:
        self.root = root
        self.partial = partial

    def path(self, parts: Parts) -> Path:
        """Where the entry for a key is or would be."""
        return self.root / f"{parts.stage}-{parts.key[:24]}"

    def find(self, parts: Parts, names: Collection[str], hashes: Hashes) -> Entry | Damaged | None:
        """The entry for a key if it is there, checked file by file; `names` are the outputs it must have."""
        path = self.path(parts)
        if not path.is_dir():
            return None
        try:
            manifest = json.loads((path / MANIFEST).read_bytes())
            kept = Parts.from_json(manifest["parts"])
            outputs = {str(name): _output_from_json(output) for name, output in manifest["outputs"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return Damaged("its manifest is missing or unreadable")
        if kept.key != parts.key:
            return Damaged("its manifest belongs to another key")
        if outputs.keys() != set(names):
            return Damaged("it has other outputs")
        for name, output in outputs.items():
            if why := _difference(path / name, output, hashes):
                return Damaged(f"{name}{why}")
        return Entry(path, parts, outputs)

    def build(self, parts: Parts, names: Iterable[str], write: Callable[[Mapping[str, Path]], None]) -> Entry:
        """Make the entry for a key: call `write` with a path per output, then keep what it wrote.

        An older entry under the key is replaced. If `write` raises, nothing is kept.
        """
        final = self.path(parts)
        fresh, old = self.partial / final.name, self.partial / f"{final.name}.old"
        remove(fresh)
        fresh.mkdir()
        try:
            paths = {name: fresh / name for name in names}
            write(paths)
            outputs = {name: _output(path) for name, path in _checked(fresh, paths).items()}
            manifest = {"format": FORMAT, "key": parts.key, "parts": parts.to_json(), "outputs": outputs}
            (fresh / MANIFEST).write_text(json.dumps(manifest, default=vars, indent=1) + "\n", encoding="utf-8")
            seal(fresh)
            remove(old)
            if final.exists():
                final.rename(old)
            fresh.rename(final)
        except BaseException:
            remove(fresh)
            raise
        sync_directory(self.root)
        remove(old)
        return Entry(final, parts, outputs)

    def unused(self, used: Iterable[Path]) -> list[tuple[Path, int]]:
        """The entries that are not among the used ones, with their sizes."""
        keep = set(used)
        if not self.root.is_dir():
            return []
        found = [path for path in sorted(self.root.iterdir()) if path not in keep and _ENTRY.match(path.name)]
        return [(path, bytes_of(path)) for path in found]

    def discard(self, entry: Path) -> None:
        """Remove an entry; it is renamed first, so that it is never seen half removed."""
        old = self.partial / f"{entry.name}.old"
        remove(old)
        entry.rename(old)
        remove(old)


def _checked(fresh: Path, paths: Mapping[str, Path]) -> Mapping[str, Path]:
    """A stage must have written all its outputs and nothing else."""
    written = {path.name for path in fresh.iterdir()}
    if missing := sorted(paths.keys() - written):
        raise InputError(f"it did not write its output {', '.join(missing)}")
    if extra := sorted(written - paths.keys()):
        raise InputError(f"it wrote {', '.join(extra)}, which it does not declare")
    return paths


def _output(path: Path) -> Output:
    files: dict[str, tuple[int, str]] = {}
    for name in tree(path):
        file = path / name
        files[name] = (0, "") if name.endswith("/") else (file.stat().st_size, sha256(file))
    # A lone file has its own hash, a directory that of the list of its names and hashes.
    digest = files[""][1] if "" in files else hashlib.sha256(canonical(files).encode()).hexdigest()
    return Output(digest, sum(size for size, _ in files.values()), files)


def _output_from_json(value: Any) -> Output:
    files = {str(name): (int(size), str(digest)) for name, (size, digest) in value["files"].items()}
    return Output(str(value["hash"]), int(value["bytes"]), files)


def _difference(path: Path, output: Output, hashes: Hashes) -> str:
    """How an output differs from its manifest; empty if it does not."""
    try:
        names = list(tree(path))
    except OSError:
        return " is gone"
    except InputError as error:
        return f" has changed: {error}"
    if odd := sorted(set(names) ^ set(output.files)):
        return f" has changed: {odd[0]} was {'added' if odd[0] in names else 'removed'}"
    for name in names:
        size, digest = output.files[name]
        file = path / name
        if name.endswith("/"):
            continue
        if file.stat().st_size != size:
            return f"{'/' if name else ''}{name} has {file.stat().st_size} bytes instead of {size}"
        if hashes.of(file).hash != digest:
            return f"{'/' if name else ''}{name} has other content"
    return ""
