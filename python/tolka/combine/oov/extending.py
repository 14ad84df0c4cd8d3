"""From a model and text of its source language to a model that knows more words."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolka.combine.oov.finding import find_translations
from tolka.combine.oov.gathering import gather
from tolka.combine.oov.lexicons import read_lexicon, towards
from tolka.combine.oov.model import check_new_place, extended, open_extensible
from tolka.combine.oov.nothing import NothingFoundError
from tolka.combine.oov.settings import OovSettings
from tolka.combine.oov.usage import Usage, prepare_text, share_known
from tolka.combine.oov.words import given_words
from tolka.combine.tuning import check_development
from tolka.corpus import read_lines
from tolka.decode import words_of
from tolka.errors import InputError, SettingsError
from tolka.limits import DEFAULT
from tolka.progress import SILENT
from tolka.train import Findings, TuneSettings, tune_translator
from tolka.train.checks import check_text
from tolka.translate import Translator

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tolka.combine.oov.finding import Found
    from tolka.combine.oov.gathering import Material
    from tolka.combine.oov.lexicons import Lexicon
    from tolka.combine.oov.usage import Prepared
    from tolka.limits import Limits
    from tolka.progress import Progress
    from tolka.translate.bundle import OpenModel

Place = str | PathLike[str]

_FOREIGN, _STRANGE = 0.4, 0.7
"""Of a text's words so many are known at least; less than the second is told."""


@dataclass(frozen=True)
class ExtendedVocabulary:
    """A model that was extended by unknown words.

    Attributes:
        path: Its directory.
        known: The share of the text's words that the model knew.
        unknown: Words that needed translations.
        tokens: How often they come where they were taken from.
        translated: Those that have some now.
        by_lexicon: Those of them that a lexicon translates.
        rules: Rules of the new table.
        nodes: Nodes of the graph.
        edges: Its edges.
        left_out: Words that were not looked at, by the reason.
        score: What tuning found; None without a development set.
        metric: Of the score.
        notes: What deserves attention.
    """

    path: Path
    known: float
    unknown: int
    tokens: int
    translated: int
    by_lexicon: int
    rules: int
    nodes: int
    edges: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    score: float | None = None
    metric: str = "bleu"
    notes: tuple[str, ...] = ()


def extend_vocabulary(
    model: Place,
    path: Place,
    mono: Place | Sequence[Place],
    *,
    words: Place | Sequence[str] | None = None,
    text: Place | Sequence[str] | None = None,
    lexicons: Sequence[Place | Lexicon] = (),
    dev: Sequence[tuple[str, str]] | None = None,
    settings: OovSettings | None = None,
    tune: TuneSettings | None = None,
    names: tuple[str, str] | None = None,
    force: bool = False,
    limits: Limits = DEFAULT,
    threads: int = 0,
    progress: Progress = SILENT,
) -> ExtendedVocabulary:
    """Extend a model by translations of words that it does not know, found in text of its source language.

    Words that are used alike translate alike: unknown words get the translations of known ones that have the same words around
    them, by label propagation in a graph of words (Razmara 2013, chapter 5).

    Args:
        model: The directory of a model with a table, which stays as it is.
        path: The directory of the new model.
        mono: Text of the source language as people write it: a file or several. The source side of the training text belongs to it.
        words: Words that need translations: a file with a word a line, or a list.
        text: Text whose unknown words need translations: a file, or lines. Without either, all unknown words of `mono` do that
            come often enough.
        lexicons: Dictionaries: files (see `read_lexicon`), in either direction. They translate unknown words, and words that
            others learn from.
        dev: Pairs that the new weights are tuned on, beginning with the old ones.
        settings: How translations are found.
        tune: How weights are tuned; they begin with the model's whatever it says.
        names: What the two sides of the development set are called.
        force: Go on although a text looks wrong.
        limits: Caps on files.
        threads: How many; 0 for one per core. The model does not depend on it.
        progress: Who is told.

    Raises:
        SettingsError: A model that cannot be extended, a directory that is the model's own, both words and a text.
        InputError: Text in another language or without words.
        NothingFoundError: Nothing is unknown, or no translation was found.
        FormatError: A damaged model, or a dictionary most of whose lines are no entries.
        FileError: A file is missing, or the directory holds something else than a model.
    """
    settings = settings or OovSettings()
    if words is not None and text is not None:
        raise SettingsError("both words and a text whose words are unknown", hint="give one of them")
    opened = open_extensible(model)
    place = Path(path).absolute()
    check_new_place(opened, place)
    place.parent.mkdir(parents=True, exist_ok=True)
    translator = Translator(opened.description, opened.files, opened.weights)
    findings = Findings(force)
    listed = [Path(one) for one in ([mono] if isinstance(mono, str | PathLike) else mono)]
    if not listed:
        raise SettingsError("there is no text", hint="give text of the source language")
    for one in listed:
        check_text(one, findings)
    if dev is not None:
        sources, targets = [source for source, _ in dev], [target for _, target in dev]
        called = names or ("the source of the development set", "its translations")
        findings.notes += check_development([opened], sources, targets, names=called, force=force).notes
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=f".{place.name}.") as folder:
        prepared = prepare_text(
            translator, listed, Path(folder) / "text", limits=limits, threads=threads, progress=progress
        )
        share = _check_language(opened, translator, prepared, listed, findings)
        wanted, usage = _wanted(words, text, translator, prepared, findings, limits, threads)
        directed = _lexicons(lexicons, opened, prepared, findings, limits)
        material = gather(
            opened, translator, prepared, settings, wanted=wanted, usage=usage, lexicons=directed, progress=progress
        )
        _check_unknown(material, wanted is None, settings)
        found = find_translations(material, settings, threads=threads, progress=progress)
        made = extended(opened, found.entries, Path(folder), settings=_told(settings, listed, directed))
        result = None
        if dev is not None:
            how = replace(tune or TuneSettings(), fresh=False)
            _check_covered(made, sources, found, findings, threads)
            made, result = tune_translator(made, sources, targets, how, threads=threads, progress=progress)
        made.save(path)
        rules = 0 if made.description.oov is None else made.description.oov.entries
    _note(material, found, findings)
    return ExtendedVocabulary(
        path=Path(path),
        known=share,
        unknown=len(material.unknown.words),
        tokens=material.unknown.tokens,
        translated=len(found.entries),
        by_lexicon=sum(entry.origin == "lexicon" for entry in found.entries),
        rules=rules,
        nodes=found.nodes,
        edges=found.edges,
        left_out=material.unknown.left_out,
        score=None if result is None else float(result.score),
        metric="bleu" if tune is None else tune.metric,
        notes=tuple(dict.fromkeys(findings.notes)),
    )


def _check_language(
    opened: OpenModel, translator: Translator, prepared: Prepared, paths: Sequence[Path], findings: Findings
) -> float:
    """Refuse text that a model knows few words of; gives the share."""
    words = prepared.usage.words()
    known = {word for word, is_known in zip(words, translator.decoder.translates(words), strict=True) if is_known}
    share = share_known(prepared.usage, known)
    what = f"the model knows {share:.0%} of the text's words"
    if share < _FOREIGN:
        lang = opened.description.langs[0]
        findings.refuse(InputError(what, path=paths[0], hint=f"give text of the source language, {lang}"))
    elif share < _STRANGE:
        findings.notes.append(f"{what}; the more it knows, the more others learn from these")
    return share


def _wanted(
    words: Place | Sequence[str] | None,
    text: Place | Sequence[str] | None,
    translator: Translator,
    prepared: Prepared,
    findings: Findings,
    limits: Limits,
    threads: int,
) -> tuple[list[str] | None, Usage | None]:
    """Words that need translations, each as often as it comes, and where they come from if that is a text."""
    if words is not None:
        own, several = given_words(_lines(words, limits), translator, set(prepared.usage.words()))
        if several:
            findings.notes.append(f"{several:,} lines of the list are not one word for the model, and were passed over")
        return own, None
    if text is None:
        return None, None
    usage, found = Usage(), list[str]()
    lines = translator.source.prepare(_lines(text, limits), threads=threads)
    usage.add(lines)
    for line in lines:
        found += words_of(line)
    if not found:
        raise InputError("the text whose words are unknown is empty", hint="give text of the source language")
    return found, usage


def _lines(given: Place | Iterable[str], limits: Limits) -> list[str]:
    if isinstance(given, str | PathLike):
        return list(read_lines(given, limits=limits))
    return list(given)


def _lexicons(
    lexicons: Sequence[Place | Lexicon], opened: OpenModel, prepared: Prepared, findings: Findings, limits: Limits
) -> list[Lexicon]:
    """Dictionaries in the direction of the model."""
    if not lexicons:
        return []
    known = set(prepared.usage.words())
    langs = opened.description.langs
    found = []
    for one in lexicons:
        if isinstance(one, str | PathLike):
            read = towards(read_lexicon(one, limits=limits), known)
            # Marks of infinitives are those of the side that turned out to be which.
            read = towards(read_lexicon(one, langs=langs[::-1] if read.turned else langs, limits=limits), known)
        else:
            read = towards(one, known)
        if read.malformed:
            what = f"this is no entry of a dictionary; lines passed over for that: {len(read.malformed):,}"
            findings.notes.append(f"{read.name}:{read.malformed[0]}: {what}")
        for what, count in read.left_out.items():
            findings.notes.append(f"{read.name}: {count:,} {what} were passed over")
        if read.turned:
            findings.notes.append(f"{read.name} is read from right to left: its translations are of {langs[0]}")
        found.append(read)
    return found


def _check_unknown(material: Material, of_text: bool, settings: OovSettings) -> None:
    if material.unknown.words:
        return
    others = ", ".join(f"{count:,} {what}" for what, count in material.unknown.left_out.items()) or "none"
    where = f"come {settings.least} times or more" if of_text else "were given"
    what = f"no unknown word: of the words that {where} all are left out ({others})"
    raise NothingFoundError(what, hint="give more text" if of_text else "give other words")


def _check_covered(made: Translator, sources: Sequence[str], found: Found, findings: Findings, threads: int) -> None:
    """Say how often the new words come in the development set: without them there is nothing to tune."""
    new = {entry.word for entry in found.entries}
    prepared = made.source.prepare(list(sources), threads=threads)
    tokens = sum(word in new for line in prepared for word in words_of(line))
    if not tokens:
        findings.notes.append(
            "the development set has none of the new words, so that it says nothing of what they count"
        )


def _told(settings: OovSettings, mono: Sequence[Path], lexicons: Sequence[Lexicon]) -> dict[str, Any]:
    return {**settings.told(), "mono": [one.name for one in mono], "lexicons": [one.name for one in lexicons]}


def _note(material: Material, found: Found, findings: Findings) -> None:
    absent = sum(word not in material.text for word in material.unknown.words)
    if absent:
        findings.notes.append(f"{absent:,} unknown words are not in the text, and have no neighbours but by spelling")
    if found.unlabelled:
        findings.notes.append(f"{found.unlabelled:,} unknown words have no translation, and are copied as before")
