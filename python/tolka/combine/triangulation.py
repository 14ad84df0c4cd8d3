"""Models through other languages beside a direct one (Razmara 2013, chapter 3)."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolka.combine.covering import Coverage, coverage
from tolka.combine.ensemble import make_ensemble
from tolka.combine.through import How, Legs, MadeThrough, make_through
from tolka.combine.tuning import EnsembleTuneSettings, check_development, tune_ensemble
from tolka.errors import InputError, SettingsError
from tolka.evaluate import bleu
from tolka.progress import SILENT
from tolka.train import TuneSettings, tune_translator
from tolka.translate import Translator
from tolka.translate.bundle import open_model
from tolka.translate.ensemble import EnsembleTranslator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.combine.ensemble import MadeEnsemble
    from tolka.combine.tuning import EnsembleTuning
    from tolka.decode.mixture import Mixture
    from tolka.grammar import ComposeLimits
    from tolka.grammar.composition import Lexical
    from tolka.progress import Progress

Place = str | PathLike[str]
DIRECT = "direct"


@dataclass(frozen=True)
class TriangulateSettings:
    """How models through other languages are made and combined.

    Attributes:
        how: Whether rules are composed while decoding or before; see `tolka.combine.make_through`.
        limits: How much is composed.
        lexical: Where lexical weights of a table come from.
        scale: Whether weights of legs are made comparable.
        leg_weights: What each leg of a way counts besides; all the same if there are none. Ways are as long as these.
        recased: Whether words of a pivot that the next leg has only in another case are the same; None to look.
        retune: With a development set, whether weights of each way are tuned on it, those of its legs being the start.
        tune: How.
        mix: With several ways, how it is found what each counts.
    """

    how: How = "dynamic"
    limits: ComposeLimits | None = None
    lexical: Lexical = "marginal"
    scale: Legs = "lm"
    leg_weights: tuple[float, ...] = ()
    recased: bool | None = None
    retune: bool = True
    tune: TuneSettings = field(default_factory=lambda: TuneSettings(fresh=False))
    mix: EnsembleTuneSettings = field(default_factory=EnsembleTuneSettings)


@dataclass(frozen=True)
class Triangulation:
    """What was made.

    Attributes:
        path: The model: an ensemble if there are several ways, otherwise the only one.
        ways: The models through other languages, by names such as `via-en`.
        coverage: What of the development set each way knows, what the first leg of each does (`via-en, first leg`), the
            direct model, and all of them; empty without a development set.
        scores: What tuning found for each way.
        mixed: How the ensemble was tuned.
        notes: What deserves attention.
    """

    path: Path
    ways: Mapping[str, MadeThrough]
    coverage: Mapping[str, Coverage] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)
    mixed: EnsembleTuning | None = None
    notes: tuple[str, ...] = ()


def paths_of(legs: Sequence[Place]) -> dict[str, list[Place]]:
    """Models in a row as ways from the first one's source language: each begins with it, and goes on as languages do.

    Raises:
        SettingsError: A model that leads nowhere, or ways that end in different languages.
    """
    if not legs:
        raise SettingsError("no legs", hint="name models: source to pivot, then pivot to target")
    langs = [open_model(leg).description.langs for leg in legs]
    source, _ = langs[0]
    if len(legs) == 2 and langs[1][1] == source and langs[1][0] != langs[0][1]:  # noqa: PLR2004 (two legs)
        what = f"the first model translates from {source}, into which the second one translates"
        raise SettingsError(what, hint="give them the other way round")
    ways: list[list[int]] = []
    for at, (begin, _) in enumerate(langs):
        if begin == source:
            ways.append([at])
        elif langs[ways[-1][-1]][1] == begin:
            ways[-1].append(at)
        else:
            what = f"the model {Path(legs[at]).name} translates from {begin}, to which the one before it does not lead"
            raise SettingsError(what, hint="name each model right after the one that leads to it")
    return _named(legs, langs, ways)


def _named(legs: Sequence[Place], langs: Sequence[list[str]], ways: Sequence[list[int]]) -> dict[str, list[Place]]:
    """Ways by what they lead through."""
    for way in ways:
        if len(way) == 1:
            what = f"the model {Path(legs[way[0]]).name} leads to {langs[way[0]][1]}, and no model goes on from there"
            raise SettingsError(what, hint="name the model that does right after it; a direct one is --direct")
    ends = {langs[way[-1]][1] for way in ways}
    if len(ends) > 1:
        raise SettingsError(f"ways end in {' and '.join(sorted(ends))}", hint="let all lead to one language")
    named: dict[str, list[Place]] = {}
    for way in ways:
        name = f"via-{'-'.join(langs[at][1] for at in way[:-1])}"
        if name in named:
            raise SettingsError(f"two ways lead {name.replace('-', ' ')}", hint="combine them one after the other")
        named[name] = [legs[at] for at in way]
    return named


def triangulate(
    legs: Sequence[Place] | Mapping[str, Sequence[Place]],
    path: Place,
    *,
    direct: Place | None = None,
    dev: Sequence[tuple[str, str]] | None = None,
    mixture: Mixture | None = None,
    settings: TriangulateSettings | None = None,
    names: tuple[str, str] | None = None,
    force: bool = False,
    threads: int = 0,
    progress: Progress = SILENT,
) -> Triangulation:
    """Make a model of source to target of models that lead through other languages, and of a direct one if there is one.

    All ways and the direct model translate in one ensemble, each derivation mixing what they say (Razmara 2013, section
    3.4.2).

    Args:
        legs: Models in a row, source to pivot, pivot to target, source to another pivot and so on; or ways by name.
        path: The directory of what is made.
        direct: A model of source to target.
        dev: Pairs to tune on: weights of each way, and what each counts.
        mixture: How ways are mixed, if the settings' tuning does not choose it.
        settings: How it is done.
        names: What the two sides of the development set are called.
        force: Go on with a development set that looks wrong.
        threads: How many; 0 for one per core.
        progress: Who is told.

    Raises:
        SettingsError: Legs that do not lead to each other or prepare text differently.
        InputError: Legs without words in common, or pairs that cannot be tuned on.
    """
    settings = TriangulateSettings() if settings is None else settings
    from collections.abc import Mapping as Named  # noqa: PLC0415 - told apart at run time

    ways = {name: list(way) for name, way in legs.items()} if isinstance(legs, Named) else paths_of(legs)
    if direct is not None:
        _check_direct(direct, next(iter(ways.values())))
    where = Path(path).absolute().parent
    where.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=where, prefix=f".{Path(path).name}.") as folder:
        alone = len(ways) == 1 and direct is None
        made: dict[str, MadeThrough] = {}
        scores: dict[str, float] = {}
        notes: list[str] = []
        for name, way in ways.items():
            place = Path(path) if alone else Path(folder) / name
            made[name] = make_through(
                way,
                place,
                how=settings.how,
                limits=settings.limits,
                lexical=settings.lexical,
                scale=settings.scale,
                leg_weights=settings.leg_weights or None,
                recased=settings.recased,
                threads=threads,
                progress=progress,
            )
            if dev and len(made) == 1:
                notes += _check_dev(place, dev, names, force=force)
            if dev and settings.retune:
                scores[name] = _retune(place, dev, settings.tune, threads, progress)
        known = _coverage(ways, direct, made, [source for source, _ in dev], threads) if dev else {}
        notes += [note for one in made.values() for note in one.notes]
        mixed = None
        if not alone:
            parts = ({DIRECT: direct} if direct is not None else {}) | {name: one.path for name, one in made.items()}
            ensemble, mixed = combine_ways(
                parts, path, dev=dev, mixture=mixture, settings=settings.mix, threads=threads, progress=progress
            )
            notes += ensemble.notes
    return Triangulation(Path(path), made, known, scores, mixed, tuple(dict.fromkeys(notes)))


def combine_ways(
    parts: Mapping[str, Place],
    path: Place,
    *,
    dev: Sequence[tuple[str, str]] | None = None,
    mixture: Mixture | None = None,
    settings: EnsembleTuneSettings | None = None,
    threads: int = 0,
    progress: Progress = SILENT,
) -> tuple[MadeEnsemble, EnsembleTuning | None]:
    """Let a direct model and ways through other languages translate together; what `triangulate` does in the end.

    With a development set the part that translates it best comes first: its text settings lead, its lambda is 1, and others
    are searched around it. A direct model of little text may be the worst of them, and would have to count a hundredth.

    Args:
        parts: Models, by name.
        path: The ensemble's directory, which holds its parts.
        dev: Pairs to find out on what each counts.
        mixture: How scores are mixed, if the settings do not choose it.
        settings: How it is found what parts count.
        threads: How many; 0 for one per core.
        progress: Who is told.
    """
    ordered = dict(parts)
    if dev:
        alone = {name: _score(Translator.load(part), dev, threads) for name, part in parts.items()}
        ordered = {name: parts[name] for name in sorted(parts, key=lambda name: -alone[name])}
    made = make_ensemble(ordered, path, mixture=mixture, inside=True, tables="own")
    if not dev:
        return made, None
    whole = Translator.load(path)
    if not isinstance(whole, EnsembleTranslator):
        raise InputError("what was made is no ensemble", path=path)
    sources, targets = _sides(dev)
    tuned, mixed = tune_ensemble(whole, sources, targets, settings, threads=threads, progress=progress)
    tuned.save(path)
    return made, mixed


def _sides(dev: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    return [source for source, _ in dev], [target for _, target in dev]


def _score(translator: Translator, dev: Sequence[tuple[str, str]], threads: int) -> float:
    """BLEU of a development set as people write it: models differ in what words are."""
    sources, targets = _sides(dev)
    return float(bleu(translator.translate(sources, threads=threads), targets))


def _check_direct(direct: Place, way: Sequence[Place]) -> None:
    wanted = [open_model(way[0]).description.langs[0], open_model(way[-1]).description.langs[1]]
    langs = Translator.load(direct).description.langs
    if langs != wanted:
        what = f"the direct model translates {langs[0]} to {langs[1]}, and the ways lead {wanted[0]} to {wanted[1]}"
        raise SettingsError(what, path=direct, hint="name another one, or leave it out")


def _check_dev(
    place: Place, dev: Sequence[tuple[str, str]], names: tuple[str, str] | None, *, force: bool
) -> list[str]:
    sources, targets = _sides(dev)
    called = ("the source of the development set", "its translations") if names is None else names
    return check_development([open_model(place)], sources, targets, names=called, force=force).notes


def _retune(place: Path, dev: Sequence[tuple[str, str]], how: TuneSettings, threads: int, progress: Progress) -> float:
    sources, targets = _sides(dev)
    tuned, result = tune_translator(Translator.load(place), sources, targets, how, threads=threads, progress=progress)
    tuned.save(place)
    return float(result.score)


def _coverage(
    ways: Mapping[str, Sequence[Place]],
    direct: Place | None,
    made: Mapping[str, MadeThrough],
    sources: Sequence[str],
    threads: int,
) -> dict[str, Coverage]:
    whole = {} if direct is None else {DIRECT: Translator.load(direct)}
    whole |= {name: Translator.load(one.path) for name, one in made.items()}
    found = coverage(whole, sources, threads=threads)
    first: dict[str, Any] = {f"{name}, first leg": Translator.load(way[0]) for name, way in ways.items()}
    legs = {name: coverage({name: one}, sources, threads=threads)[name] for name, one in first.items()}
    return {**found, **legs}
