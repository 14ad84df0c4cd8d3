"""`tolka combine ensemble`: one ensemble of several models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tolka.cli.combine.notes import print_notes
from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, ThreadsOption, print_json, progress
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tolka.combine import EnsembleTuning, MadeEnsemble
    from tolka.decode.mixture import Mixture
    from tolka.translate.bundle import OpenModel
    from tolka.translate.ensemble import EnsembleTranslator


def ensemble(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL...", help="Directories of models or ensembles, alone or with names: law=de-en-law."
        ),
    ],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The ensemble's directory.", show_default=False)],
    operation: Annotated[
        Literal["auto", "wsum", "wmax", "prod", "switch:max", "switch:sum"],
        typer.Option("--operation", help="How scores are mixed; auto is what --dev says, and wsum without it."),
    ] = "auto",
    names: Annotated[
        str | None, typer.Option("--names", help="What the models are called, with commas: law,news.")
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option("--weights", metavar="NUMBER...", help="What each model counts: 0.6 0.4. Default: the same."),
    ] = None,
    dev: Annotated[
        tuple[Path, Path] | None, typer.Option("--dev", help="Development set, to find out what models count.")
    ] = None,
    scheme: Annotated[
        Literal["auto", "joint", "pairwise", "expected", "uniform"],
        typer.Option(
            "--scheme",
            help="How --dev finds out what models count: all at once, each beside the first, on expected BLEU, or not.",
        ),
    ] = "auto",
    starts: Annotated[
        int, typer.Option("--starts", min=1, help="Starts of that search, all but the first random.")
    ] = 3,
    scale: Annotated[
        Literal["auto", "l1", "lm", "none"],
        typer.Option(
            "--scale", help="What each model's weights are divided by: their sum, its language models', nothing."
        ),
    ] = "auto",
    preparation: Annotated[
        Literal["auto", "same", "common", "lattice"],
        typer.Option(
            "--preparation",
            help="How text is prepared: as all do (same), as the lead does (common), as each does (lattice).",
        ),
    ] = "auto",
    lead: Annotated[
        str | None, typer.Option("--lead", help="The model whose preparation comes first. Default: the first.")
    ] = None,
    inside: Annotated[
        bool, typer.Option("--inside", help="Put the models into the ensemble's directory, to move it alone.")
    ] = False,
    tables: Annotated[
        Literal["auto", "own", "one"],
        typer.Option(
            "--tables",
            help="Tables of models: each its own, or one for all, inside, which is faster. Default: one for 5 or more.",
        ),
    ] = "auto",
    strategy: Annotated[
        Literal["chart", "phrase"] | None,
        typer.Option("--strategy", help="How it searches. Default: by phrases if all models do, else by chart."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Any setting of the mixture or the search: missing=veto. Can be repeated."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Go on although something looks wrong: alphabets, a swapped --dev.")
    ] = False,
    seed: SeedOption = 1,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Make an ensemble: models that translate together, each with its own rules, language models and weights.

    Example: `tolka combine ensemble law=de-en-law news=de-en-news -o both --dev dev.de dev.en`
    """
    from tolka.combine import make_ensemble

    parts, given = _parts(models, names, weights)
    if len(parts) == 1:
        raise SettingsError("one model is no ensemble", hint="name two or more")
    pairs = [] if dev is None else _read(parts, dev, force=force)
    mixture, search = _mixture(operation, dict(zip(parts, given, strict=True)) if given else {}, settings or [])
    made = make_ensemble(
        parts,
        output,
        mixture=mixture,
        scale=scale,
        preparation=preparation,
        lead=lead,
        inside=inside,
        tables=tables,
        strategy=strategy,
        search=search or None,
        force=force,
        threads=threads,
        progress=progress(quiet),
    )
    print_notes(made.notes)
    tuned = None
    if dev is not None:
        chosen = () if operation != "auto" else None
        how = {"scheme": scheme, "starts": starts, "seed": seed}
        _, tuned = tune_saved(output, pairs, chosen, how, threads=threads, quiet=quiet)
    _report(made, tuned, json=json)


def tune_saved(
    place: Path,
    pairs: Sequence[tuple[str, str]],
    operations: tuple[Any, ...] | None,
    how: Mapping[str, Any],
    *,
    output: Path | None = None,
    threads: int,
    quiet: bool,
) -> tuple[EnsembleTranslator, EnsembleTuning]:
    """Tune the ensemble in a directory, and save it there or elsewhere; `operations` None chooses from all.

    What is stopped goes on from a file of scores beside the directory, which is there only meanwhile.
    """
    from tolka.combine import EnsembleTuneSettings, tune_ensemble
    from tolka.combine.tuning import OPERATIONS

    sources, targets = [source for source, _ in pairs], [target for _, target in pairs]
    saved = output or place
    log = saved.with_name(f"{saved.name}.tuning.jsonl")
    settings = EnsembleTuneSettings(OPERATIONS if operations is None else operations, log=log, **how)
    tuned, result = tune_ensemble(load(place), sources, targets, settings, threads=threads, progress=progress(quiet))
    tuned.save(saved)
    log.unlink(missing_ok=True)
    return tuned, result


def load(place: Path) -> EnsembleTranslator:
    """The ensemble in a directory."""
    from tolka.translate import Translator
    from tolka.translate.ensemble import EnsembleTranslator

    translator = Translator.load(place)
    if not isinstance(translator, EnsembleTranslator):
        raise SettingsError("this is no ensemble", path=place)
    return translator


def _read(parts: Mapping[str, Path], dev: tuple[Path, Path], *, force: bool) -> list[tuple[str, str]]:
    """The pairs of a development set, once nothing is wrong with them."""
    from tolka.corpus import read_pairs
    from tolka.translate.ensemble import open_part
    from tolka.translate.ensemble.files import leaves

    pairs = list(read_pairs(*dev))
    models = [model for _, model in leaves([open_part(name, place) for name, place in parts.items()])]
    check_dev(models, pairs, dev, force=force)
    return pairs


def check_dev(
    models: Iterable[OpenModel], pairs: Sequence[tuple[str, str]], dev: tuple[Path, Path], *, force: bool
) -> None:
    """Refuse a development set that must be wrong for these models, and print what may be meant."""
    from tolka.combine.tuning import check_development

    sources, targets = [source for source, _ in pairs], [target for _, target in pairs]
    found = check_development(models, sources, targets, names=(dev[0].name, dev[1].name), force=force)
    print_notes(found.notes)


def _parts(models: list[str], names: str | None, weights: str | None) -> tuple[dict[str, Path], list[float]]:
    """The parts by name, and their lambdas, whose second and further numbers stand among the models."""
    numbers = [] if weights is None else weights.split(",")
    if weights is not None:
        more = [one for one in models if _is_number(one) and not Path(one).exists()]
        models = [one for one in models if one not in more]
        numbers += more
    try:
        given = [float(one) for one in numbers]
    except ValueError:
        raise SettingsError(f"{weights!r} is not a list of numbers", hint="write --weights 0.6 0.4") from None
    from tolka.combine.ensemble import called_after

    called = [] if names is None else [one.strip() for one in names.split(",")]
    if called and len(called) != len(models):
        raise SettingsError(f"there are {len(called)} names for {len(models)} models", hint="give as many as models")
    parts: dict[str, Path] = {}
    for at, one in enumerate(models):
        before, sign, after = one.partition("=")
        named = bool(sign) and not Path(one).exists()
        if named and not after:
            raise SettingsError(f"{one!r} does not say where the model is", hint="write NAME=DIRECTORY")
        place = Path(after if named else one)
        name = called[at] if called else before if named else called_after(place)
        if name in parts:
            hint = f"name them: {name}-1={parts[name]} {name}-2={place}"
            raise SettingsError(f"two models are called {name}", hint=hint)
        parts[name] = place
    if given and len(given) != len(parts):
        raise SettingsError(f"there are {len(given)} weights for {len(parts)} models", hint="give as many as models")
    return parts, given


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _mixture(operation: str, weights: Mapping[str, float], settings: Sequence[str]) -> tuple[Mixture, dict[str, Any]]:
    """The mixture, and settings of the search: what is no setting of the one is one of the other."""
    import tomllib
    from dataclasses import fields

    from tolka.decode.mixture import Mixture

    given: dict[str, Any] = {}
    for one in settings:
        name, sign, value = one.partition("=")
        if not sign or not name.strip():
            raise SettingsError(f"{one!r} sets nothing", hint="write --set missing=veto")
        try:
            given[name.strip()] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            given[name.strip()] = value.strip()
    known = {one.name for one in fields(Mixture)} - {"operation", "weights"}
    own = {name: value for name, value in given.items() if name in known}
    rest = {name: value for name, value in given.items() if name not in known}
    for name in ("operation", "weights"):
        if name in rest:
            raise SettingsError(f"--set {name} is another option", hint=f"use --{name}")
    kind = "wsum" if operation == "auto" else operation
    return Mixture(operation=kind, weights=dict(weights), **own), rest  # type: ignore[arg-type]


def _report(made: MadeEnsemble, tuned: EnsembleTuning | None, *, json: bool) -> None:
    from tolka.combine import part_states

    described, _ = part_states(made.path)
    operation, weights = str(described.mixture["operation"]), dict(described.mixture["weights"])
    if json:
        print_json(
            {
                "model": str(made.path),
                "parts": described.names,
                "operation": operation,
                "weights": {name: float(weights.get(name, 1.0)) for name in described.names},
                "preparation": made.preparation.kind,
                "why": made.preparation.why,
                "score": None if tuned is None else tuned.score,
                "deviation": None if tuned is None else tuned.deviation,
                "tried": [] if tuned is None else tried(tuned),
            }
        )
        return
    if tuned is not None:
        print_tried(tuned)
        print(", ".join(f"{name} {weights.get(name, 1.0):.3g}" for name in described.names))
    print(f"preparation: {made.preparation.kind}{f' ({made.preparation.why})' if made.preparation.why else ''}")
    print(f"saved an ensemble of {', '.join(described.names)} by {operation} to {made.path}")


def tried(tuned: EnsembleTuning) -> list[dict[str, Any]]:
    """What was tried, for machines."""
    return [
        {"operation": one.mixture.operation, "weights": dict(one.mixture.weights), "score": one.score}
        for one in tuned.tried
    ]


def print_tried(tuned: EnsembleTuning) -> None:
    """Print the best mixture of each operation with its score."""
    best: dict[str, float] = {}
    for one in tuned.tried:
        best[one.mixture.operation] = max(one.score, best.get(one.mixture.operation, 0.0))
    for operation, score in best.items():
        chosen = "  chosen" if operation == tuned.mixture.operation and len(best) > 1 else ""
        print(f"{operation:<12} {tuned.metric.upper()} {score:6.2f}{chosen}")
