"""What the page says in people's language: the judging page's catalogues, and what only this page says beside this file."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tolka.errors import SettingsError
from tolka.judge.web import labels as judging
from tolka.web.wording import Wording

if TYPE_CHECKING:
    from tolka.assist.tasks import TaskFolder

FOLDER = Path(__file__).parent / "catalogues"


@cache
def sentences() -> tuple[str, ...]:
    """Every sentence that only this page says, in English."""
    return tuple(tomllib.loads((FOLDER / "en.toml").read_text("utf-8"))["words"])


def languages() -> list[str]:
    """The languages there are catalogues of.

    Example:
        >>> "de" in languages()
        True
    """
    return sorted({path.stem for path in FOLDER.glob("*.toml")} & set(judging.languages()))


def wording_of(tasks: TaskFolder) -> Wording:
    """The wording that the settings ask for.

    Raises:
        SettingsError: There is no such catalogue.
        FormatError: It is none.
    """
    wanted = tasks.settings.labels
    if wanted in {"", "en"}:
        return Wording()
    if wanted in languages():
        shared = Wording.load(judging.FOLDER / f"{wanted}.toml", known=judging.sentences())
        own = Wording.load(FOLDER / f"{wanted}.toml", known=sentences())
        return Wording(own.language, own.direction, {**shared.words, **own.words})
    if Path(wanted).name != wanted or not wanted.endswith(".toml"):
        hint = f"use one of {', '.join(languages())}, or the name of a .toml file in the directory"
        raise SettingsError(f"there is no catalogue of labels {wanted!r}", hint=hint)
    return Wording.load(tasks.directory / wanted, known=(*judging.sentences(), *sentences()))
