"""Making ensembles of models that are trained and tuned."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from tolka.combine.alphabets import check_alphabets
from tolka.combine.one_table import FEW, Tables, share_table, why_not
from tolka.decode.mixture import Mixture
from tolka.errors import LimitError, SettingsError, TolkaError
from tolka.files import Bundle
from tolka.progress import SILENT
from tolka.train import Findings
from tolka.translate.bundle import ENSEMBLE
from tolka.translate.description import strategy_of
from tolka.translate.ensemble import (
    MOST_PARTS,
    EnsembleDescription,
    EnsemblePart,
    EnsembleTranslator,
    OpenEnsemble,
    open_part,
    reconcile,
    write_ensemble,
)
from tolka.translate.ensemble.description import named_by, read_mixture, store_mixture
from tolka.translate.ensemble.files import MOST_DEEP, check_part, depth, leaves, too_deep
from tolka.translate.ensemble.translator import lead_of, views_of

if TYPE_CHECKING:
    from tolka.progress import Progress
    from tolka.translate.bundle import OpenModel
    from tolka.translate.description import Strategy
    from tolka.translate.ensemble import OpenPart, Preparation, Scale
    from tolka.translate.ensemble.preparing import Asked

Place = str | PathLike[str]

State = Literal["as it was", "changed", "missing", "damaged"]
"""What has become of a part since its ensemble was made."""

_NAME = re.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True)
class MadeEnsemble:
    """An ensemble that was written.

    Attributes:
        path: Its directory.
        description: What it is.
        preparation: How sentences are prepared, and why.
        notes: What deserves attention.
        changed: Parts that were not as they had been before.
    """

    path: Path
    description: EnsembleDescription
    preparation: Preparation
    notes: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


def make_ensemble(
    parts: Mapping[str, Place] | Sequence[Place],
    path: Place,
    *,
    mixture: Mixture | None = None,
    scale: Scale | Literal["auto"] = "auto",
    preparation: Asked = "auto",
    lead: str | None = None,
    inside: bool = False,
    tables: Tables = "auto",
    strategy: Strategy | None = None,
    search: Mapping[str, Any] | None = None,
    made: Mapping[str, Any] | None = None,
    force: bool = False,
    threads: int = 0,
    progress: Progress = SILENT,
) -> MadeEnsemble:
    """Make an ensemble of models, each with its own tables, language models and weights.

    Nothing is written if the ensemble could not be opened afterwards.

    Args:
        parts: Directories of models or ensembles, by name; without names they are called after themselves.
        path: The ensemble's directory.
        mixture: How scores are mixed; `wsum` of equals if not given.
        scale: What the weights of each part are divided by, so that scores can be compared: `l1`, `lm` or `none`; `auto` is
            `lm` if the language models of all parts count something.
        preparation: How sentences are prepared: `same`, `common`, `lattice`, or what goes (`auto`).
        lead: The part whose preparation comes first; the first if not given.
        inside: Whether the ensemble holds its parts, so that it can be moved alone.
        tables: Whether parts keep tables of their own (`own`), or the ensemble holds them with one table for all, which
            translates faster (`one`); `auto` is one for more than four parts whose tables can be joined.
        strategy: How it searches; by phrases if all parts do, else by chart.
        search: Settings of the decoder; those that all parts have alike if not given.
        made: How it was made, for people to read.
        force: Whether parts that write different alphabets are taken all the same.
        threads: How many join tables; 0 for one per core.
        progress: Who is told of that.

    Raises:
        SettingsError: Parts that do not go together, names that are not, a setting that makes no sense.
        InputError: Parts that write different alphabets, or weights that are no numbers.
        LimitError: More than 64 parts.
        FileError: A part is missing, or the directory holds something else than a model.
    """
    if tables not in get_args(Tables):
        raise SettingsError(f"tables cannot be {tables!r}", hint=f"say {', '.join(get_args(Tables))}")
    named = _named(parts)
    opened = tuple(open_part(name, place) for name, place in named.items())
    plan = _Plan(
        parts=opened,
        mixture=Mixture() if mixture is None else mixture,
        preparation=preparation,
        lead=lead,
        strategy=strategy,
        search=search,
        findings=Findings(force),
        described={
            "scale": _scale(opened) if scale == "auto" else scale,
            "inside": inside,
            "made": dict(made or {}),
        },
    )
    if tables == "own" or (tables == "auto" and (len(opened) <= FEW or why_not(opened) is not None)):
        return _write(plan, path)
    # What does not go together is refused before tables are joined.
    _describe(plan, path)
    where = Path(path).absolute().parent
    where.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=where, prefix=f".{Path(path).name}.") as folder:
        try:
            shared = share_table(opened, Path(folder), threads=threads, progress=progress)
        except SettingsError:
            if tables == "one":
                raise
            return _write(plan, path)
        if tables == "auto" and not inside:
            told = f"the ensemble holds its {len(opened)} parts with one table for all, which is faster"
            plan.findings.notes.append(f"{told}; --tables own leaves them where they are")
        return _write(replace(plan, parts=shared, described={**plan.described, "inside": True}), path)


def _scale(parts: Sequence[OpenPart]) -> Scale:
    """By language models, which most parts have: what they say is the same for all, and mixing is fast then."""
    models = [part.model for part in parts if not isinstance(part.model, OpenEnsemble)]
    counts = (sum(model.weights[name] for name in model.description.lms) for model in models)
    return "lm" if all(whole > 0 for whole in counts) else "l1"


def refresh_ensemble(path: Place, *, parts: Mapping[str, Place] | None = None, force: bool = False) -> MadeEnsemble:
    """Take the parts of an ensemble as they are now, and those that were moved from where they are.

    Args:
        path: The ensemble's directory.
        parts: New places of parts, by name.
        force: Whether parts that write different alphabets are taken all the same.

    Raises:
        FileError: A part is missing.
        FormatError: The ensemble or a part is damaged.
        SettingsError: The parts do not go together any more, or there is no part of that name.
    """
    bundle = Bundle.open(Path(path), kind=ENSEMBLE, verify=False)
    described = EnsembleDescription.of_manifest(bundle.settings, bundle.path)
    moved = dict(parts or {})
    if unknown := next((name for name in moved if name not in described.names), None):
        raise SettingsError(f"there is no part {unknown!r}", path=path, hint=f"parts are {', '.join(described.names)}")
    above = (bundle.path.resolve(),)
    opened = tuple(
        open_part(one.name, moved.get(one.name, bundle.path / one.path), above=above) for one in described.parts
    )
    changed = tuple(now.name for now, then in zip(opened, described.parts, strict=True) if now.key != then.key)
    plan = _Plan(
        parts=opened,
        mixture=read_mixture(described.mixture),
        preparation="common" if described.preparation == "common" else "auto",
        lead=described.lead,
        strategy=described.strategy,
        search=described.search,
        findings=Findings(force),
        described={"scale": described.scale, "inside": described.inside, "made": described.made},
    )
    return replace(_write(plan, path, stages=bundle.stages), changed=changed)


@dataclass(frozen=True)
class _Plan:
    """An ensemble that is to be written: its parts, and what was asked for."""

    parts: tuple[OpenPart, ...]
    mixture: Mixture
    preparation: Asked
    lead: str | None
    strategy: Strategy | None
    search: Mapping[str, Any] | None
    findings: Findings
    described: Mapping[str, Any]


def _write(plan: _Plan, path: Place, *, stages: Sequence[str] = ()) -> MadeEnsemble:
    description, prepared = _describe(plan, path)
    written = write_ensemble(path, description, plan.parts, stages=stages)
    return MadeEnsemble(Path(path), written, prepared, tuple(dict.fromkeys(plan.findings.notes)))


def _describe(plan: _Plan, path: Place) -> tuple[EnsembleDescription, Preparation]:
    """What the ensemble is, once it is known that it can be opened."""
    parts, mixture, lead, search, findings = plan.parts, plan.mixture, plan.lead, plan.search, plan.findings
    names = [part.name for part in parts]
    if lead is not None and lead not in names:
        raise SettingsError(f"there is no part {lead!r} to lead", hint=f"parts are {', '.join(names)}")
    if unknown := next((name for name in named_by(mixture) if name not in names), None):
        raise SettingsError(f"there is no part {unknown!r} to be weighted", hint=f"parts are {', '.join(names)}")
    models = dict(leaves(parts))
    if len(models) > MOST_PARTS:
        what = f"the parts have {len(models)} models together, more than {MOST_PARTS}"
        raise LimitError(what, hint="leave some of them out")
    if depth(parts) > MOST_DEEP:
        raise too_deep(path)
    for part in parts:
        check_part(part, parts[0].langs)
    check_alphabets(models, findings)
    _note_doubles(parts, findings)
    way = _strategy(models, plan.strategy)
    first = lead_of(lead or names[0], parts)
    prepared = reconcile(dict(views_of(parts)), asked=plan.preparation, lead=first, strategy=way)
    try:
        description = EnsembleDescription(
            langs=list(parts[0].langs),
            parts=[EnsemblePart(part.name, str(part.path), part.key) for part in parts],
            mixture=store_mixture(mixture),
            strategy=way,
            search=dict(_agreed(models, way) if search is None else search),
            preparation=prepared.kind,
            lead=lead or names[0],
            **plan.described,
        )
    except ValueError as error:
        raise SettingsError(f"not an ensemble: {error}") from error
    # What cannot be opened is found out before anything is written.
    EnsembleTranslator(description, parts)
    return description, prepared


def _named(parts: Mapping[str, Place] | Sequence[Place]) -> dict[str, Path]:
    if isinstance(parts, str) or not isinstance(parts, Mapping | Sequence):
        raise SettingsError("one model instead of several", hint="give a list of directories, or names and directories")
    if isinstance(parts, Mapping):
        listed = [(name, Path(place)) for name, place in parts.items()]
    else:
        listed = [(called_after(Path(place)), Path(place)) for place in parts]
    if not listed:
        raise SettingsError("an ensemble of no parts", hint="name at least one model")
    if len(listed) > MOST_PARTS:
        raise LimitError(f"{len(listed)} parts are more than {MOST_PARTS}", hint="leave some of them out")
    seen: set[str] = set()
    for name, _ in listed:
        if not _NAME.fullmatch(name):
            raise SettingsError(f"{name!r} cannot be the name of a part", hint="use letters, digits, - and _")
        if name in seen:
            raise SettingsError(f"two parts are called {name}", hint=f"name them, such as {name}-1=… and {name}-2=…")
        seen.add(name)
    return dict(listed)


def called_after(place: Path) -> str:
    """The name of a part that is given none: that of its directory.

    Example:
        >>> called_after(Path("models/de-en v2/"))
        'de-en_v2'
    """
    name = re.sub("[^A-Za-z0-9_-]", "_", place.resolve().name).lstrip("_-")
    return name[:64] or "part"


def _strategy(models: Mapping[str, OpenModel], asked: Strategy | None) -> Strategy:
    ways = {model.description.strategy for model in models.values()}
    if asked is None:
        return "phrase" if ways == {"phrase"} else "chart"
    for name, model in models.items():
        try:
            strategy_of(model.description.kind, asked)
        except ValueError as error:
            raise SettingsError(f"the part {name}: {error}") from error
    return asked


def _agreed(models: Mapping[str, OpenModel], strategy: Strategy) -> dict[str, Any]:
    """The settings of the decoder that all models have that are searched so."""
    own = [model.description.search for model in models.values() if model.description.strategy == strategy]
    first = own[0] if own else {}
    return {name: value for name, value in first.items() if all(one.get(name) == value for one in own)}


def _note_doubles(parts: Sequence[OpenPart], findings: Findings) -> None:
    seen: dict[str, str] = {}
    for part in parts:
        if part.key in seen:
            findings.notes.append(f"the parts {seen[part.key]} and {part.name} are the same model")
        seen.setdefault(part.key, part.name)


@dataclass(frozen=True)
class PartState:
    """A part of an ensemble as it is now.

    Attributes:
        name: What it is called.
        path: Where it should be.
        state: What has become of it.
        weight: Its lambda.
        kind: `hiero`, `phrase` or `ensemble`; None if it cannot be opened.
        grows: Whether it takes in new sentence pairs.
        why: What is wrong with one that is damaged.
        voice: The voice that speaks for it in a table that speaks for several; None if its table is its own.
    """

    name: str
    path: Path
    state: State
    weight: float
    kind: str | None = None
    grows: bool = False
    why: str = ""
    voice: str | None = None


def part_states(path: Place) -> tuple[EnsembleDescription, list[PartState]]:
    """What an ensemble is, and what has become of its parts, even if it cannot be opened any more.

    Args:
        path: The ensemble's directory.

    Raises:
        FileError: There is no ensemble.
        FormatError: It is damaged.
    """
    bundle = Bundle.open(Path(path), kind=ENSEMBLE, verify=False)
    described = EnsembleDescription.of_manifest(bundle.settings, bundle.path)
    weights = read_mixture(described.mixture).weights
    return described, [_state(bundle.path, one, float(weights.get(one.name, 1.0))) for one in described.parts]


def _state(root: Path, entry: EnsemblePart, weight: float) -> PartState:
    place = (root / entry.path).resolve()
    if not place.exists():
        return PartState(entry.name, place, "missing", weight)
    try:
        part = open_part(entry.name, place, above=(root.resolve(),))
    except TolkaError as error:
        return PartState(entry.name, place, "damaged", weight, why=str(error))
    state: State = "as it was" if part.key == entry.key else "changed"
    if isinstance(part.model, OpenEnsemble):
        return PartState(entry.name, place, state, weight, "ensemble")
    description = part.model.description
    voice = ", ".join((description.voices or {}).values()) or None
    return PartState(entry.name, place, state, weight, description.kind, description.growing is not None, voice=voice)
