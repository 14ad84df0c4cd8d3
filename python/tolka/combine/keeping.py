"""The directory of what was made: refused before any work if it is somebody else's, and written whole in the end."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from tolka.errors import FileError
from tolka.files import Bundle
from tolka.pipeline.training import check_output
from tolka.translate import Translator
from tolka.translate.bundle import ENSEMBLE

if TYPE_CHECKING:
    from pathlib import Path


def check_place(output: Path) -> None:
    """Refuse a directory that holds something else than a model or an ensemble.

    Raises:
        FileError: It does.
    """
    try:
        check_output(output)
    except FileError:
        if (output / "model.toml").exists() and Bundle.open(output, verify=False).kind == ENSEMBLE:
            return
        raise


def keep(made: Path, output: Path) -> None:
    """Bring a model from the store to its place."""
    kinds = [Bundle.open(one, verify=False).kind for one in (made, output) if (one / "model.toml").exists()]
    if len(set(kinds)) > 1:
        # A translator and an ensemble do not replace each other file by file.
        shutil.rmtree(output)
    Translator.load(made).save(output)
