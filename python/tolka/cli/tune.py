"""`tolka tune`: new weights for a model."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, ThreadsOption, print_json, progress
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping


def tune(
    model: Annotated[
        Path,
        typer.Argument(help="The model: a directory that `tolka train` or `tolka combine` wrote.", show_default=False),
    ],
    *,
    dev: Annotated[
        tuple[Path, Path], typer.Option("--dev", help="Development set: source and reference.", show_default=False)
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Save to another directory. Default: replace the weights.")
    ] = None,
    tuner: Annotated[
        str | None,
        typer.Option(
            "--tuner", help="mira (the default), pro, mert, forest-mira or forest-mert; drl for undirected search."
        ),
    ] = None,
    metric: Annotated[str | None, typer.Option("--metric", help="bleu (the default), chrf, chrf++ or ter.")] = None,
    iterations: Annotated[int | None, typer.Option("--iterations", min=0, help="Rounds of tuning at most.")] = None,
    restarts: Annotated[int | None, typer.Option("--restarts", min=1, help="Starts, from different weights.")] = None,
    nbest: Annotated[int | None, typer.Option("--nbest", min=1, help="Translations listed for each sentence.")] = None,
    density: Annotated[
        int | None, typer.Option("--density", min=1, help="Edges kept per source word, for the tuners of forests.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Start from the model's weights rather than from the beginning.")
    ] = False,
    lm: Annotated[
        Path | None,
        typer.Option("--lm", help="Tune with another language model, ARPA or compiled, and keep it in the model."),
    ] = None,
    operation: Annotated[
        str | None,
        typer.Option(
            "--operation", help="Of an ensemble: how it mixes, or auto. Default: as it does. See tolka combine."
        ),
    ] = None,
    scheme: Annotated[
        Literal["auto", "joint", "pairwise", "expected", "uniform"] | None,
        typer.Option("--scheme", help="Of an ensemble: how it is found what parts count. See tolka combine ensemble."),
    ] = None,
    starts: Annotated[
        int | None, typer.Option("--starts", min=1, help="Of an ensemble: starts of that search. Default: 3.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Tune although the text looks wrong: swapped or shifted.")
    ] = False,
    seed: SeedOption = 1,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Tune a model's weights again, and replace them; a tuning that is stopped leaves the model as it was.

    The weights of an ensemble are what its parts count; those of features stay as the parts have them.

    Example: `tolka tune de-en --dev dev.de dev.en --tuner mert`
    """
    from tolka.cli.checking import check_given
    from tolka.corpus import read_pairs
    from tolka.decode.decoder import is_in_context
    from tolka.train import TuneSettings, defaults, tune_translator
    from tolka.translate import Translator
    from tolka.translate.bundle import ENSEMBLE, open_bundle

    given: dict[str, Any] = {
        "tuner": tuner,
        "metric": metric,
        "iterations": iterations,
        "restarts": restarts,
        "nbest": nbest,
        "density": density,
    }
    if open_bundle(model).kind == ENSEMBLE:
        asked = [name for name, value in {**given, "lm": lm, "resume": resume or None}.items() if value is not None]
        if asked:
            what = f"--{asked[0]} is about features, whose weights an ensemble leaves to its parts"
            raise SettingsError(what, hint="leave it out, or tune a part")
        how = {"seed": seed, "scheme": scheme, "starts": starts}
        how = {name: value for name, value in how.items() if value is not None}
        _tune_ensemble(
            model, dev, output or model, operation, how, threads=threads, force=force, json=json, quiet=quiet
        )
        return
    for name, value in {"operation": operation, "scheme": scheme, "starts": starts}.items():
        if value is not None:
            raise SettingsError(f"--{name} is how an ensemble mixes, and this is none", path=model, hint="leave it out")
    translator = Translator.load(model, lm=lm)
    given["tuner"] = tuner or defaults.tuner(translator.decoder.kind)
    settings = TuneSettings(
        seed=seed,
        fresh=not resume,
        **{name: value for name, value in given.items() if value is not None},
    )
    pairs = list(read_pairs(*dev))
    sources, targets = [source for source, _ in pairs], [target for _, target in pairs]
    check_given(model, sources, targets, names=(dev[0].name, dev[1].name), force=force)
    tuned, result = tune_translator(
        translator,
        sources,
        targets,
        settings,
        threads=threads,
        progress=progress(quiet),
    )
    place = output if output is not None else model
    tuned.save(place)
    history = [step.score for step in result.history]
    if json:
        print_json(
            {
                "model": str(place),
                "metric": result.metric,
                "score": result.score,
                "scores": list(result.scores),
                "history": history,
                "weights": dict(tuned.weights),
            }
        )
        return
    print(f"{result.metric.upper()} {result.score:.2f} of {len(pairs):,} sentences; while tuning:", end=" ")
    print(" ".join(f"{score:.2f}" for score in history))
    in_context = {name for name in tuned.weights if is_in_context(name)}
    for name, weight in tuned.weights.items():
        if name not in in_context:
            print(f"{name:<24} {weight:10.4f}")
    if in_context:
        print(f"and {len(in_context):,} weights of features in context")
    print(f"saved to {place}")


def _tune_ensemble(
    model: Path,
    dev: tuple[Path, Path],
    place: Path,
    operation: str | None,
    how: Mapping[str, Any],
    *,
    threads: int,
    force: bool,
    json: bool,
    quiet: bool,
) -> None:
    from tolka.cli.combine.ensemble import check_dev, load, print_tried, tried, tune_saved
    from tolka.corpus import read_pairs

    pairs = list(read_pairs(*dev))
    check_dev(load(model).models.values(), pairs, dev, force=force)
    operations = None if operation == "auto" else () if operation is None else (operation,)
    tuned, result = tune_saved(model, pairs, operations, how, output=place, threads=threads, quiet=quiet)
    if json:
        print_json(
            {
                "model": str(place),
                "metric": result.metric,
                "score": result.score,
                "operation": result.mixture.operation,
                "weights": tuned.weights,
                "tried": tried(result),
            }
        )
        return
    print_tried(result)
    for name, weight in tuned.weights.items():
        print(f"{name:<24} {weight:10.4f}")
    print(f"saved to {place}")
