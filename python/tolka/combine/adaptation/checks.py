"""Mistakes in the texts of a comparison, which would cost nothing but wrong conclusions."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from tolka.combine.checks import alike, check_there, first_pairs
from tolka.corpus.runs import Runs
from tolka.errors import InputError
from tolka.train.checks import LOOKED_AT, Findings, check_sides, check_training, sides_of_text

if TYPE_CHECKING:
    from tolka.combine.adaptation.settings import AdaptSettings
    from tolka.corpus import CorpusFiles


def check_texts(settings: AdaptSettings) -> Findings:
    """Look for mistakes in the texts of a comparison; see `tolka.train.check_training`.

    Raises:
        FileError: A file is missing.
        SettingsError: The names of files contradict the languages.
        InputError: A text is empty, two are the same, sides are swapped or shifted, or a set is part of the training text.
    """
    corpora = settings.corpora
    check_there((*(path for one in corpora for path in one.paths), *settings.dev, *settings.test))
    samples = {one.name: first_pairs(one, settings.langs) for one in corpora}
    for one in corpora:
        if not any(source.strip() and target.strip() for source, target in samples[one.name]):
            raise InputError(f"the text {one.name!r} has no sentence pairs", path=one.source)
    found = check_training(
        [one.paths for one in corpora],
        settings.langs,
        dev=settings.dev,
        test=settings.test,
        force=settings.force,
    )
    for one, other in combinations(corpora, 2):
        if _same(one, other):
            what = f"the texts {one.name!r} and {other.name!r} are the same"
            found.refuse(InputError(what, path=other.source, hint="give texts of different domains"))
    if all(map(alike, settings.dev, settings.test)):
        found.refuse(InputError("the development and the test set are the same", path=settings.test[0]))
    sides = sides_of_text(Runs.of(samples[settings.inside.name]).kept)
    for one in settings.outside:
        if sides is not None and one.target is not None:
            check_sides(sides, samples[one.name][:LOOKED_AT], (one.source, one.target), found)
    return found


def _same(one: CorpusFiles, other: CorpusFiles) -> bool:
    return len(one.paths) == len(other.paths) and all(map(alike, one.paths, other.paths))
