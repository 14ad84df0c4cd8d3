"""A model of unknown words alone, to be a part beside others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tolka.combine.oov.model import TABLE
from tolka.translate import Translator
from tolka.translate.bundle import open_model

if TYPE_CHECKING:
    from pathlib import Path


def only_unknown(model: Path, path: Path) -> None:
    """Save an extended model without its own table: it translates the words that were unknown, and no others.

    Beside models that were made otherwise it says of these words what the extended model says, and leaves all else to them.

    Args:
        model: A model of `tolka.combine.oov.extend_vocabulary`.
        path: The directory of the new one.
    """
    opened = open_model(model)
    own = f"{TABLE}."
    others = tuple(f"{name}." for name in opened.description.grammars if name != TABLE)
    # Features of the only table of a model have no name before them.
    weights = {name.removeprefix(own): weight for name, weight in opened.weights.items() if not name.startswith(others)}
    description = replace(opened.description, grammars=[TABLE], oov=None)
    files = replace(opened.files, grammars={TABLE: opened.files.grammars[TABLE]}, oov=None)
    Translator(description, files, weights, stages=opened.bundle.stages).save(path)
