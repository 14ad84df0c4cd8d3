"""Mistakes in the texts that are put together, looked for before any work is done."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from tolka.combine.checks import alike, check_there, first_pairs
from tolka.combine.gathering.recipe import corpora_of, leg_training, source_texts
from tolka.corpus import CorpusFiles, read_corpus, read_lines
from tolka.corpus.several import pairs_only
from tolka.errors import InputError, SettingsError
from tolka.train.checks import Findings, check_training

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tolka.combine.gathering.settings import GatherSettings


def check_texts(settings: GatherSettings) -> Findings:
    """Look for mistakes in all texts; see `tolka.train.check_training`.

    Raises:
        FileError: A file is missing.
        SettingsError: The names of files contradict the languages.
        InputError: A text is empty, sides are swapped or shifted, or a set is part of other text.
    """
    sources = settings.sources
    unknown = () if sources.unknown is None else (*sources.unknown.mono, *sources.unknown.lexicon)
    sets = (sources.dev, *(() if sources.test is None else (sources.test,)))
    lm = () if sources.lm is None else (sources.lm,)
    check_there(chain(chain.from_iterable(sets), lm, sources.target, unknown))
    if "unknown" in settings.steps and not source_texts(settings):
        what = f"there is no text of {sources.langs[0]} in a file of its own, to find unknown words in"
        raise SettingsError(what, hint='name one below [unknown]: mono = ["…"]')
    found = Findings(settings.force)
    if sources.test is not None and all(map(alike, sources.dev, sources.test)):
        found.refuse(InputError("the development and the test set are the same", path=sources.test[0]))
    for corpus, langs in _texts(settings):
        check_there(corpus.paths)
        if not any(source.strip() and target.strip() for source, target in first_pairs(corpus, langs)):
            raise InputError(f"the text {corpus.name!r} has no sentence pairs", path=corpus.source)
        direct = langs == sources.langs
        checked = check_training(
            [corpus.paths],
            langs,
            dev=sources.dev if direct else None,
            test=sources.test if direct else None,
            mono=sources.target if direct else (),
            force=settings.force,
        )
        found.notes += [note for note in checked.notes if note not in found.notes]
    _check_seen(settings, found)
    return found


def _texts(settings: GatherSettings) -> Iterator[tuple[CorpusFiles, tuple[str, str]]]:
    """All texts of two languages, with these."""
    for corpus in corpora_of(settings):
        yield corpus, settings.sources.langs
    for way in settings.sources.through if "through" in settings.steps else ():
        for at, files in enumerate(way.legs):
            yield CorpusFiles(f"{way.name}-{at + 1}", *files), leg_training(settings, way, at).langs


def _check_seen(settings: GatherSettings, found: Findings) -> None:
    """Look for sentences of the test set in the outer legs, which know one of its sides."""
    if settings.sources.test is None or "through" not in settings.steps:
        return
    for way in settings.sources.through:
        ends = ((0, 0, way.legs[0]), (1, 1, way.legs[-1]))
        for side, column, files in ends:
            wanted = {line for line in read_lines(settings.sources.test[side]) if line.count(" ") > _SHORT}
            seen = wanted & _column(files, column, settings, way.name)
            if seen:
                lang = settings.sources.langs[side]
                what = f"{len(seen):,} of {len(wanted):,} {lang} sentences of the test set are in a text of {way.name}"
                found.notes.append(f"{what}: scores are better than those of new text will be")


_SHORT = 3
"""Sentences of so many words and one come again by chance."""


def _column(files: tuple[Path, ...], column: int, settings: GatherSettings, name: str) -> set[str]:
    rows = read_corpus(list(files), langs=settings.sources.langs, required=True)
    return {pair[column] for pair in pairs_only(rows, CorpusFiles(name, *files).source)}
