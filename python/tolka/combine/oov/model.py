"""A model with a table of unknown words beside its own."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolka.combine.keeping import check_place
from tolka.combine.oov.record import write_record
from tolka.combine.oov.table import FEATURES, write_table
from tolka.errors import FormatError, SettingsError
from tolka.files import Bundle
from tolka.translate import Translator
from tolka.translate.bundle import ENSEMBLE, OOV_RECORD, open_model
from tolka.translate.description import Induction

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tolka.combine.oov.record import Entry
    from tolka.translate.bundle import OpenModel

Place = str | PathLike[str]

TABLE = "oov"
"""What the table of unknown words is called."""

_ACTION = "action."
_LEAST = 0.1
"""What ln p(e|o) counts at least, per unit of language model."""


def open_extensible(path: Place) -> OpenModel:
    """Open a model that can be extended by unknown words.

    Raises:
        SettingsError: It grows, leads through another language, is an ensemble, or was extended before.
    """
    try:
        opened = open_model(path)
    except FormatError:
        if (Path(path) / "model.toml").exists() and Bundle.open(Path(path), verify=False).kind == ENSEMBLE:
            what = "an ensemble has no table of its own to find translations in"
            raise SettingsError(what, path=path, hint="extend its parts, and combine those") from None
        raise
    described = opened.description
    if described.growing is not None:
        what = "the model finds its rules in a text that grows, so that what it does not know changes"
        raise SettingsError(what, path=path, hint="train it with a table, without --grow")
    if described.through is not None:
        what = "the model leads through another language, and has no table of its own to find translations in"
        raise SettingsError(what, path=path, hint="extend the model that it begins with")
    if described.oov is not None or TABLE in described.grammars:
        what = "the model has a table of unknown words already"
        raise SettingsError(what, path=path, hint="start from the model that it was made of")
    return opened


def renamed_weights(opened: OpenModel, features: Collection[str]) -> dict[str, float]:
    """The weights of a model under the names that they have once it has another table.

    Args:
        opened: The model; features of a single table have no name before them.
        features: Those of its table.
    """
    if len(opened.description.grammars) > 1:
        return dict(opened.weights)
    [table] = opened.description.grammars

    def name(old: str) -> str:
        begin = _ACTION if old.startswith(_ACTION) else ""
        rest = old.removeprefix(begin)
        return f"{begin}{table}.{rest}" if rest in features else old

    return {name(old): weight for old, weight in opened.weights.items()}


def oov_weights(opened: OpenModel) -> dict[str, float]:
    """What the features of the table of unknown words count before tuning.

    An entry has one probability where another rule has four, so it counts as much as those do together. Confidence counts as
    much: together they are the mass that reached a translation, without ⊥ put aside.
    """
    bases = ("phrase_fe", "lex_fe", "phrase_ef", "lex_ef")
    known = [weight for name, weight in opened.weights.items() if name.rpartition(".")[2] in bases]
    fluent = sum(opened.weights.get(name, 0.0) for name in opened.description.lms)
    whole = max(sum(known) / max(1, len(opened.description.grammars)), _LEAST * max(fluent, 0.0))
    return {f"{TABLE}.{name}": whole if name in {"phrase_ef", "confidence"} else 0.0 for name in FEATURES}


def extended(
    opened: OpenModel, entries: Sequence[Entry], folder: Path, *, settings: Mapping[str, Any] | None = None
) -> Translator:
    """The model with a table of unknown words and its record, which are written to a folder.

    Args:
        opened: The model.
        entries: What was found.
        folder: Where its table and its record go.
        settings: How they were found, for people to read.
    """
    before = Translator(opened.description, opened.files, opened.weights)
    # Truecasers leave unknown words at the beginning of a sentence as they are, and sentences get capitals afterwards.
    table = write_table(
        folder / f"{TABLE}.tbl", entries, translates=before.decoder.translates if opened.files.truecasers else None
    )
    write_record(folder / OOV_RECORD, entries)
    induction = Induction(TABLE, len(entries), len(table), dict(settings or {}))
    description = replace(opened.description, grammars=[*opened.description.grammars, TABLE], oov=induction)
    files = replace(
        opened.files,
        grammars={**opened.files.grammars, TABLE: folder / f"{TABLE}.tbl"},
        oov=folder / OOV_RECORD,
    )
    weights = {**renamed_weights(opened, before.decoder.rule_features), **oov_weights(opened)}
    return Translator(description, files, weights, stages=[*opened.bundle.stages, TABLE])


def extend_model(
    model: Place, path: Place, entries: Sequence[Entry], *, settings: Mapping[str, Any] | None = None
) -> Translator:
    """Extend a model by translations of unknown words, and save it elsewhere.

    Without the words, translations are the same to the letter: the weights of its own features stay.

    Args:
        model: Its directory.
        path: The new model's directory.
        entries: What was found.
        settings: How, for people to read.

    Returns:
        The new model.

    Raises:
        SettingsError: The model cannot be extended, or would be replaced.
        FileError: The directory holds something else than a model, or cannot be written.
    """
    opened = open_extensible(model)
    place = Path(path).absolute()
    check_new_place(opened, place)
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=f".{place.name}.") as folder:
        extended(opened, entries, Path(folder), settings=settings).save(path)
    return Translator.load(path)


def check_new_place(opened: OpenModel, place: Path) -> None:
    """Refuse a directory that holds something else than a model, or the model itself.

    Raises:
        FileError: It holds something else.
        SettingsError: It is the model's own.
    """
    if place.exists() and place.samefile(opened.bundle.path):
        what = "the new model would take the place of the one that it is made of"
        raise SettingsError(what, path=place, hint="name another directory")
    check_place(place)
