"""Mistakes in the texts of stacking, which would cost nothing but a bad model or wrong conclusions."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from tolka.combine.checks import alike, check_there, first_pairs
from tolka.corpus import CorpusFiles, read_corpus
from tolka.errors import InputError
from tolka.train.checks import Findings, check_training

if TYPE_CHECKING:
    from tolka.combine.stacking.settings import StackSettings


def check_texts(settings: StackSettings) -> tuple[Findings, int]:
    """Look for mistakes in texts, and count the pairs of those that models are made of; see `tolka.train.check_training`.

    Raises:
        FileError: A file is missing.
        SettingsError: The names of files contradict the languages.
        InputError: A text is empty, two are the same, sides are swapped or shifted, or a set is part of other text.
    """
    dev = CorpusFiles("dev", *settings.dev)
    corpora = [dev] if settings.train is None else [settings.train, dev]
    files = [path for one in corpora for path in one.paths]
    check_there(chain(files, settings.test or (), () if settings.lm is None else (settings.lm,)))
    for one in corpora:
        if not any(source.strip() and target.strip() for source, target in first_pairs(one, settings.langs)):
            raise InputError(f"the text {one.name!r} has no sentence pairs", path=one.source)
    found = Findings(settings.force)
    given = [*((settings.dev,) if settings.train is not None else ()), *((settings.test,) if settings.test else ())]
    if len(given) > 1 and all(map(alike, *given)):
        found.refuse(InputError("the development and the test set are the same", path=given[1][0]))
    told: dict[str, None] = {}
    # The development set is trained on, too: a test set must be in neither.
    for at, one in enumerate(corpora):
        checked = check_training(
            [one.paths],
            settings.langs,
            dev=settings.dev if at == 0 and settings.train is not None else None,
            test=settings.test,
            force=settings.force,
        )
        told |= dict.fromkeys(checked.notes)
    found.notes += told
    pairs = sum(sum(1 for _ in read_corpus(one.paths, langs=settings.langs, required=True)) for one in corpora)
    return found, pairs
