"""A model as files: where its parts are, and writing them as one bundle.

| file | what it is |
|---|---|
| `<name>.tbl` | a table of rules, `grammar` if there is one |
| `<name>.tlm` | a language model, `lm` if there is one |
| `truecaser.<lang>` | the usual case of words |
| `compounds` | the words that compounds are split into |
| `weights.txt` | a weight per feature |
| `aligner.bin`, `source.words`, `target.words` | the aligner, if it is kept |
| `segment-<number>.sfx` | in place of a table, the aligned text of a model that grows |
| `lm.txt.zst` | the text of its language model without that of updates, if that grows too |
| `oov.jsonl.zst` | how the words of its table of unknown words were translated, see `tolka.combine.oov` |
| `update-<number>.jsonl` | the corrections of an update, see `tolka.translate.memory` |
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tolka.errors import FileError, FormatError
from tolka.files import Bundle, save_bundle
from tolka.lm import LanguageModel
from tolka.translate.description import Description, Reorder
from tolka.tune.weights import read_weights, write_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike

KIND = "translator"
ENSEMBLE = "ensemble"
MULTITREE = "multitree-translator"
WEIGHTS = "weights.txt"
LM_TEXT = "lm.txt.zst"
COMPOUNDS = "compounds"
OOV_RECORD = "oov.jsonl.zst"
ANALYSER = "analyser"
# As `tolka.align.aligner.FILES`, which need not be loaded to translate.
ALIGNER_FILES = ("aligner.bin", "source.words", "target.words")


@dataclass(frozen=True)
class ModelFiles:
    """Where the parts of a model are.

    Attributes:
        grammars: Tables of rules, by name.
        lms: Language models by name, compiled or ARPA; a bundle has them compiled.
        truecasers: By language.
        compounds: What splits compounds of the source, if they are split.
        analyser: What gives sentences their trees, if their words are put into another order.
        preorderer: The pre-orderer, a bundle of its own or a part of the model's.
        aligner: The files of the aligner, by name; empty if it is not kept.
        text: The files of the text that a growing model keeps, by name; empty for others.
        updates: The corrections of each update by the names of their files, oldest first.
        oov: The record of how unknown words were translated, if there is a table of them.
    """

    grammars: Mapping[str, Path]
    lms: Mapping[str, Path]
    truecasers: Mapping[str, Path] = field(default_factory=dict)
    compounds: Path | None = None
    analyser: Path | None = None
    preorderer: Bundle | None = None
    aligner: Mapping[str, Path] = field(default_factory=dict)
    text: Mapping[str, Path] = field(default_factory=dict)
    updates: Mapping[str, Path] = field(default_factory=dict)
    oov: Path | None = None

    def segments(self) -> list[Path]:
        """The parts of the aligned text, in their order."""
        from tolka.grammar import segment_names  # noqa: PLC0415 - models with a table need none of it

        return [self.text[name] for name in segment_names(self.text)]

    def named(self) -> dict[str, Path]:
        """All of them by the names they have in a bundle."""
        return {
            **{f"{name}.tbl": path for name, path in self.grammars.items()},
            **{f"{name}.tlm": path for name, path in self.lms.items()},
            **{f"truecaser.{lang}": path for lang, path in self.truecasers.items()},
            **({} if self.compounds is None else {COMPOUNDS: self.compounds}),
            **({} if self.analyser is None else {ANALYSER: self.analyser}),
            **({} if self.preorderer is None else {name: self.preorderer.file(name) for name in self.preorderer.names}),
            **self.aligner,
            **self.text,
            **self.updates,
            **({} if self.oov is None else {OOV_RECORD: self.oov}),
        }


@dataclass(frozen=True)
class OpenModel:
    """A bundle read, but for the large files, which stay where they are."""

    bundle: Bundle
    description: Description
    files: ModelFiles
    weights: dict[str, float]

    def tables_of(self, side: Literal[0, 1]) -> list[Path]:
        """The tables that have words of its source language, or of its target language."""
        tables = list(self.files.grammars.values())
        return tables if self.description.through is None else [tables[-side]]


def open_model(path: str | PathLike[str], *, verify: bool = False) -> OpenModel:
    """Open a model's directory.

    Args:
        path: The directory.
        verify: Compare every byte with the manifest's checksums; otherwise only sizes.

    Raises:
        FileError: There is no model.
        FormatError: It is damaged or of another kind.
    """
    bundle = open_bundle(path, verify=verify)
    if bundle.kind == ENSEMBLE:
        what = "this is an ensemble, which has neither rules nor text of its own"
        raise FormatError(what, path=path, hint="name one of its parts")
    return read_model(bundle)


def open_bundle(path: str | PathLike[str], *, verify: bool = False) -> Bundle:
    """Open the directory of a model or an ensemble; see `open_model`."""
    return Bundle.open(Path(path), kind=(KIND, ENSEMBLE), verify=verify)


def read_model(bundle: Bundle) -> OpenModel:
    """Read a model's bundle.

    Raises:
        FormatError: It is damaged.
    """
    path = bundle.path
    description = Description.of_manifest(bundle.settings, path)
    truecase = description.text.truecase and not description.text.tokenised
    growing = description.growing is not None
    kept = _text_names(bundle) if growing else []
    files = ModelFiles(
        grammars={} if growing else {name: bundle.file(f"{name}.tbl") for name in description.grammars},
        lms={name: bundle.file(f"{name}.tlm") for name in description.lms},
        truecasers={lang: bundle.file(f"truecaser.{lang}") for lang in description.langs} if truecase else {},
        compounds=bundle.file(COMPOUNDS) if description.text.compounds else None,
        analyser=bundle.file(ANALYSER) if description.reorder else None,
        preorderer=None if description.reorder is None else _preorderer(bundle, description.reorder),
        aligner={name: bundle.file(name) for name in ALIGNER_FILES} if description.aligner else {},
        text={name: bundle.file(name) for name in kept},
        updates={name: bundle.file(name) for name in update_names(description)},
        oov=None if description.oov is None else bundle.file(OOV_RECORD),
    )
    weights = read_weights(bundle.file(WEIGHTS))
    if set(weights) != set(bundle.features):
        odd = min(set(weights) ^ set(bundle.features))
        raise FormatError(f"weights and features of the model disagree about {odd!r}", path=path)
    return OpenModel(bundle, description, files, weights)


def update_name(number: int) -> str:
    """What a model calls the file of an update."""
    return f"update-{number:06}.jsonl"


def update_names(description: Description) -> list[str]:
    """The names of the files of a model's updates, oldest first."""
    return [] if description.memory is None else [update_name(one.id) for one in description.memory.updates]


def _text_names(bundle: Bundle) -> list[str]:
    from tolka.grammar import segment_names  # noqa: PLC0415 - models with a table need none of it

    return [name for name in (*segment_names(bundle.names), LM_TEXT) if name in bundle.names]


def _preorderer(bundle: Bundle, described: Reorder) -> Bundle:
    """The pre-orderer among a model's files, which have the same names there as in a bundle of their own."""
    from tolka.reorder import PREORDERER  # noqa: PLC0415 - most models have none

    for name in described.files:
        bundle.file(name)
    files = {name: bundle.manifest.files[name] for name in described.files}
    settings: dict[str, Any] = {
        "kind": PREORDERER,
        "settings": described.settings,
        "files": files,
        "features": [],
        "stages": [],
    }
    return Bundle(bundle.path, replace(bundle.manifest, **settings))


def write_model(
    path: str | PathLike[str],
    description: Description,
    files: ModelFiles,
    weights: Mapping[str, float],
    *,
    stages: Iterable[str] = (),
    place: Callable[[Path, Path], object] = shutil.copyfile,
) -> None:
    """Write a model's directory, replacing the model that is there.

    Files that the model there has already are not copied. Whenever the process is stopped, the directory holds the old
    model or the new one.

    Args:
        path: The directory.
        description: What the model is.
        files: Its parts.
        weights: A weight for each feature.
        stages: The stages that made it.
        place: How a file gets into the model: copied, or linked.

    Raises:
        FileError: The directory holds something else than a model, or cannot be written.
    """
    there = _files_of(Path(path))
    with save_bundle(
        Path(path), kind=KIND, settings=description.written(), features=list(weights), stages=stages
    ) as out:
        for name, source in sorted(files.named().items()):
            if there.get(name) == source.resolve():
                out.keep(name)
                continue
            try:
                if name.endswith(".tlm") and not _is_compiled(source):
                    LanguageModel.load(source).save(out.file(name))
                else:
                    place(source, out.file(name))
            except FileNotFoundError as error:
                raise FileError("a part of the model is gone", path=source) from error
        write_weights(out.file(WEIGHTS), weights)


def _files_of(path: Path) -> dict[str, Path]:
    """The files of the model that is there, by name."""
    if not (path / "model.toml").exists():
        return {}
    bundle = Bundle.open(path, verify=False)
    return {name: bundle.file(name).resolve() for name in bundle.names}


def _is_compiled(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x89TLK"


def link_or_copy(source: Path, target: Path) -> None:
    """Give a file that nobody writes to a second name; copy it where that cannot be."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
