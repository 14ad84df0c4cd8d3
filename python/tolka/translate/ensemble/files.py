"""Ensembles on disk: opening one with all its parts, and writing one.

An ensemble is a bundle without files: its manifest says where its parts are, and the hash of the manifest of each, which has
the checksums of its files. So a part is known by what is in it, wherever it is.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tolka.errors import FileError, FormatError, LimitError, SettingsError
from tolka.files import save_bundle
from tolka.files.manifest import NAME, inner_name, manifest_hash, manifest_mark, manifest_text, text_hash
from tolka.translate.bundle import ENSEMBLE, OpenModel, link_or_copy, open_bundle, read_model
from tolka.translate.ensemble.description import EnsembleDescription, EnsemblePart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from os import PathLike

    from tolka.files import Bundle

MOST_DEEP = 8
"""How deep ensembles may be inside of ensembles."""


@dataclass(frozen=True)
class OpenPart:
    """A part of an ensemble, read but for the large files.

    Attributes:
        name: What it is called.
        path: Where it is.
        key: The hash of its manifest.
        model: What it is: a model, or an ensemble again.
    """

    name: str
    path: Path
    key: str
    model: OpenModel | OpenEnsemble

    @property
    def langs(self) -> list[str]:
        """The languages it translates from and to."""
        return self.model.description.langs


@dataclass(frozen=True)
class OpenEnsemble:
    """An ensemble, read but for the large files of its parts.

    Attributes:
        bundle: Its manifest.
        description: What it is.
        parts: Its parts, in their order.
        marks: What differs once something else is saved, for its own directory and those of all parts.
    """

    bundle: Bundle
    description: EnsembleDescription
    parts: tuple[OpenPart, ...]
    marks: Mapping[Path, object]


def leaves(parts: Iterable[OpenPart], before: str = "") -> Iterator[tuple[str, OpenModel]]:
    """The models among parts and parts of parts, by names such as `law` and `news/old`."""
    for part in parts:
        name = f"{before}{part.name}"
        if isinstance(part.model, OpenEnsemble):
            yield from leaves(part.model.parts, f"{name}/")
        else:
            yield name, part.model


def open_ensemble(
    path: str | PathLike[str] | Bundle, *, verify: bool = False, above: tuple[Path, ...] = ()
) -> OpenEnsemble:
    """Open an ensemble's directory, and those of its parts.

    Args:
        path: The directory, or its bundle.
        verify: Compare every byte with the manifests' checksums; otherwise only sizes.
        above: The directories of the ensembles that it is a part of.

    Raises:
        FileError: There is no ensemble, or a part is missing.
        FormatError: It is damaged or of another kind, contains itself, or a part has changed or does not belong here.
        LimitError: Ensembles are too deep inside of ensembles.
    """
    mark_of: dict[Path, object] = {}
    if isinstance(path, str | os.PathLike):
        mark_of[Path(path)] = manifest_mark(Path(path))
        bundle = open_bundle(path, verify=verify)
    else:
        bundle = path
        mark_of[bundle.path] = manifest_mark(bundle.path)
    if bundle.kind != ENSEMBLE:
        raise FormatError(f"the model is a {bundle.kind}, not an ensemble", path=bundle.path, hint="name an ensemble")
    description = EnsembleDescription.of_manifest(bundle.settings, bundle.path)
    own = (*above, bundle.path.resolve())
    parts = []
    for entry in description.parts:
        part = open_part(entry.name, bundle.path / entry.path, verify=verify, above=own, marks=mark_of)
        if part.key != entry.key:
            what = f"the part {entry.name} of the ensemble {bundle.path} has changed since the ensemble was made"
            hint = f"`tolka combine refresh {bundle.path}` takes it as it is now"
            raise FormatError(what, path=part.path, hint=hint)
        check_part(part, description.langs)
        parts.append(part)
    return OpenEnsemble(bundle, description, tuple(parts), mark_of)


def open_part(
    name: str,
    path: str | PathLike[str],
    *,
    verify: bool = False,
    above: tuple[Path, ...] = (),
    marks: dict[Path, object] | None = None,
) -> OpenPart:
    """Open what is to be a part of an ensemble, as it is now; see `open_ensemble`.

    Args:
        name: What it is called.
        path: Its directory.
        verify: Compare every byte with the manifest's checksums; otherwise only sizes.
        above: The directories of the ensembles that it is a part of.
        marks: Where to note when its manifests are of.
    """
    # What is above a symbolic link is not what stands before it.
    place = Path(path).resolve() if ".." in Path(path).parts else Path(path)
    if place.resolve() in above:
        what = f"the ensemble contains itself: its part {name} is {place}"
        raise FormatError(what, path=above[-1], hint="make it again without that part")
    if len(above) > MOST_DEEP:
        raise too_deep(above[0])
    if not place.exists():
        what = f"the part {name} of the ensemble is missing" if above else f"there is no model to be the part {name}"
        move = f"put it back, or say where it is: `tolka combine refresh {above[-1]} --part {name}=…`" if above else ""
        move = move or "name a directory that tolka saved a model in"
        raise FileError(what, path=place, hint=move)
    mark = manifest_mark(place)
    bundle = open_bundle(place, verify=verify)
    key = manifest_hash(place)
    if marks is not None:
        marks[place] = mark
    if bundle.kind != ENSEMBLE:
        return OpenPart(name, place, key, read_model(bundle))
    inner = open_ensemble(bundle, verify=verify, above=above)
    if marks is not None:
        marks.update(inner.marks)
    return OpenPart(name, place, key, inner)


def too_deep(path: str | PathLike[str]) -> LimitError:
    """What to say of an ensemble of ensembles of ensembles."""
    what = f"ensembles are more than {MOST_DEEP} deep inside of ensembles"
    return LimitError(what, path=path, hint="make one ensemble of their parts")


def depth(parts: Iterable[OpenPart]) -> int:
    """How many ensembles are inside of each other if these are the parts of one."""
    inner = [depth(part.model.parts) for part in parts if isinstance(part.model, OpenEnsemble)]
    return 1 + max(inner, default=0)


def check_part(part: OpenPart, langs: Sequence[str]) -> None:
    """Refuse what cannot be a part of an ensemble for these languages.

    Raises:
        SettingsError: It translates others, or is an ensemble that switches between its parts.
    """
    if [_language(one) for one in part.langs] != [_language(one) for one in langs]:
        said = [" to ".join(pair) for pair in (part.langs, langs)]
        what = f"the part {part.name} translates {said[0]}, and the ensemble {said[1]}"
        raise SettingsError(what, path=part.path, hint="leave it out")
    if isinstance(part.model, OpenEnsemble):
        operation = str(part.model.description.mixture["operation"])
        if operation.startswith("switch"):
            what = f"the part {part.name} is an ensemble that switches between its parts ({operation}), which gives no score"
            raise SettingsError(
                what, path=part.path, hint="let it mix by wsum, wmax or prod, or name its parts instead"
            )


def _language(lang: str) -> str:
    # Varieties of a language are left to whoever combines them.
    return lang.replace("_", "-").partition("-")[0].lower()


def write_ensemble(
    path: str | PathLike[str],
    description: EnsembleDescription,
    parts: Sequence[OpenPart],
    *,
    stages: Iterable[str] = (),
) -> EnsembleDescription:
    """Write an ensemble's directory, replacing the ensemble that is there.

    Whenever the process is stopped, the directory holds the old ensemble or the new one. Parts that it holds already are not
    copied again; others are linked to where the disk allows it.

    Args:
        path: The directory.
        description: What the ensemble is; where its parts are is found out here.
        parts: Its parts as they are now.
        stages: The stages that made it.

    Returns:
        The description with the places of the parts.

    Raises:
        SettingsError: The directory is that of a part.
        FileError: The directory holds something else than a model, or cannot be written.
    """
    root = Path(path).resolve()
    for part in parts:
        if root in _places(part):
            what = f"the ensemble cannot take the place of its part {part.name}"
            raise SettingsError(what, path=path, hint="name another directory")
    plans = [_plan(part) for part in parts] if description.inside else []
    if description.inside:
        entries = [EnsemblePart(plan.name, inner_name(plan.name, plan.key), plan.key) for plan in plans]
    else:
        entries = [EnsemblePart(part.name, _path_from(root, part.path), part.key) for part in parts]
    described = replace(description, parts=entries)
    with save_bundle(Path(path), kind=ENSEMBLE, settings=described.written(), stages=stages) as out:
        for plan in plans:
            place = out.inner(plan.name, plan.key)
            if place is not None:
                _copy(plan, place)
    return described


def _places(part: OpenPart) -> Iterator[Path]:
    """The directories of a part and of its parts."""
    yield part.path.resolve()
    if isinstance(part.model, OpenEnsemble):
        for inner in part.model.parts:
            yield from _places(inner)


def _path_from(root: Path, place: Path) -> str:
    """A path that stays right if a folder with both is moved; that from the root if there is no such folder."""
    place = place.resolve()
    shared = Path(os.path.commonpath([root, place]))
    return os.path.relpath(place, root) if len(shared.parts) > 1 else str(place)


@dataclass(frozen=True)
class _Plan:
    """A part as it will be inside of an ensemble: the same, but that ensembles hold their parts, too."""

    name: str
    key: str
    source: Path
    manifest: str
    files: tuple[str, ...]
    inner: tuple[_Plan, ...] = ()


def _plan(part: OpenPart) -> _Plan:
    bundle = part.model.bundle
    if not isinstance(part.model, OpenEnsemble):
        text = manifest_text(part.path)
        if text_hash(text) != part.key:
            raise FileError(f"the part {part.name} was saved to just now", path=part.path, hint="try again")
        stored = tuple(bundle.file(name).name for name in bundle.names)
        return _Plan(part.name, part.key, part.path, text, stored)
    inner = tuple(_plan(one) for one in part.model.parts)
    entries = [EnsemblePart(plan.name, inner_name(plan.name, plan.key), plan.key) for plan in inner]
    settings = replace(part.model.description, parts=entries, inside=True).written()
    text = replace(bundle.manifest, settings=settings).text()
    return _Plan(part.name, text_hash(text), part.path, text, (), inner)


def _copy(plan: _Plan, place: Path) -> None:
    place.mkdir()
    for name in plan.files:
        try:
            link_or_copy(plan.source / name, place / name)
        except FileNotFoundError as error:
            what = f"a file of the part {plan.name} is gone"
            raise FileError(what, path=plan.source / name, hint="try again") from error
    for inner in plan.inner:
        _copy(inner, place / inner_name(inner.name, inner.key))
    (place / NAME).write_bytes(plan.manifest.encode())
