"""`tolka combine triangulate`: a model through other languages."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tolka.cli.combine.notes import print_notes
from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, ThreadsOption, print_json, progress
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from tolka.combine import Triangulation


def triangulate(
    legs: Annotated[
        list[Path],
        typer.Argument(
            metavar="LEG...",
            help="Models one after the other: source to pivot, pivot to target, then those of the next way.",
        ),
    ],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The new model's directory.", show_default=False)],
    direct: Annotated[
        Path | None, typer.Option("--direct", help="A model of source to target, to translate together with.")
    ] = None,
    dev: Annotated[
        tuple[Path, Path] | None,
        typer.Option("--dev", help="Development set: tunes the weights of each way, and what each counts."),
    ] = None,
    how: Annotated[
        Literal["dynamic", "dynamic-sum", "sum", "max"],
        typer.Option(
            "--how",
            help="Compose rules while translating, by the best pivot or all of them; or a table once, of sums or maxima.",
        ),
    ] = "dynamic",
    operation: Annotated[
        Literal["auto", "wsum", "wmax", "prod", "switch:max", "switch:sum"],
        typer.Option("--operation", help="How ways are mixed; auto tries all with equal weights on --dev first."),
    ] = "wsum",
    scheme: Annotated[
        Literal["auto", "joint", "pairwise", "expected", "uniform"],
        typer.Option("--scheme", help="How --dev finds out what ways count; see tolka combine ensemble."),
    ] = "auto",
    retune: Annotated[
        bool, typer.Option("--retune/--keep-weights", help="With --dev, tune the features of each way, too.")
    ] = True,
    scale: Annotated[
        Literal["lm", "none"],
        typer.Option(
            "--scale", help="What weights of legs are divided by before they are added: their LM's, or nothing."
        ),
    ] = "lm",
    leg_weights: Annotated[
        str | None,
        typer.Option(
            "--leg-weights",
            metavar="NUMBERS",
            help="What each leg of a way counts besides: 0.8,1.2. Default: the same.",
        ),
    ] = None,
    lexical: Annotated[
        Literal["marginal", "links"],
        typer.Option(
            "--lexical", help="Lexical weights of a table (--how sum, max): summed up, or made again of links."
        ),
    ] = "marginal",
    recased: Annotated[
        bool | None,
        typer.Option(
            "--recased/--as-written",
            help="Whether words of a pivot that one leg has only in another case are the same. Default: if legs differ.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="Pivots of a phrase, translations of a pivot, and rules; 0 for all.")
    ] = 100,
    pivots: Annotated[
        int | None, typer.Option("--pivots", min=0, help="Pivots of a phrase, the best. Default: --limit.")
    ] = None,
    targets: Annotated[
        int | None, typer.Option("--targets", min=0, help="Translations of a pivot, the best. Default: --limit.")
    ] = None,
    rules: Annotated[
        int | None, typer.Option("--rules", min=0, help="Translations of a phrase, the best. Default: --limit.")
    ] = None,
    linked: Annotated[
        bool, typer.Option("--linked", help="Only rules of which a word is linked with one through the pivot.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Go on although something looks wrong: a swapped --dev.")
    ] = False,
    seed: SeedOption = 1,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Make a translator of two that meet in a third language (triangulation), beside a direct one if there is one.

    Examples: `tolka combine triangulate de-en en-fr de-cs cs-fr --direct de-fr -o better --dev dev.de dev.fr`,
    `tolka combine triangulate de-en en-fr -o table --how sum --lexical links --pivots 20 --rules 50`,
    `tolka combine triangulate de-en en-fr -o dynamic --leg-weights 0.8,1.2`
    """
    from tolka.combine import EnsembleTuneSettings, TriangulateSettings, paths_of
    from tolka.combine import triangulate as make
    from tolka.combine.tuning import OPERATIONS
    from tolka.corpus import read_pairs
    from tolka.decode.mixture import Mixture
    from tolka.grammar import ComposeLimits
    from tolka.train import TuneSettings

    if dev is None and scheme not in {"auto", "uniform"}:
        raise SettingsError("nothing to tune on", hint="name a development set, --dev, or leave out --scheme")
    ways = paths_of(legs)
    pairs = None if dev is None else list(read_pairs(*dev))
    mixture = Mixture(operation="wsum" if operation == "auto" else operation)
    chosen = OPERATIONS if operation == "auto" else ()
    settings = TriangulateSettings(
        how=how,
        limits=ComposeLimits(
            limit if rules is None else rules,
            limit if pivots is None else pivots,
            limit if targets is None else targets,
            linked,
        ),
        lexical=lexical,
        scale=scale,
        leg_weights=_numbers(leg_weights),
        recased=recased,
        retune=retune,
        tune=TuneSettings(fresh=False, seed=seed),
        mix=EnsembleTuneSettings(chosen, scheme=scheme, seed=seed),
    )
    made = make(
        ways,
        output,
        direct=direct,
        dev=pairs,
        mixture=mixture,
        settings=settings,
        names=None if dev is None else (dev[0].name, dev[1].name),
        force=force,
        threads=threads,
        progress=progress(quiet),
    )
    print_notes(made.notes)
    if json:
        print_json(described(made))
    else:
        _report(made)


def _numbers(text: str | None) -> tuple[float, ...]:
    try:
        return () if text is None else tuple(float(one) for one in text.split(","))
    except ValueError:
        hint = "write --leg-weights 0.8,1.2, one for each leg of a way"
        raise SettingsError(f"{text!r} is not a list of numbers", hint=hint) from None


def described(made: Triangulation) -> dict[str, Any]:
    """What was made, for machines."""
    return {
        "model": str(made.path),
        "ways": {
            name: {
                "shared_words": list(one.shared_words),
                "pivot_words": list(one.pivot_words),
                "rules": one.rules,
                "score": made.scores.get(name),
            }
            for name, one in made.ways.items()
        },
        "coverage": {
            name: {
                "types": one.types,
                "tokens": one.tokens,
                "unknown_types": one.unknown_types,
                "unknown_tokens": one.unknown_tokens,
            }
            for name, one in made.coverage.items()
        },
        "operation": None if made.mixed is None else made.mixed.mixture.operation,
        "weights": {} if made.mixed is None else {name: float(w) for name, w in made.mixed.mixture.weights.items()},
        "score": None if made.mixed is None else made.mixed.score,
    }


def _report(made: Triangulation) -> None:
    for name, one in made.ways.items():
        meet = ", ".join(
            f"{shared:,} of {words:,} words of a pivot lead on"
            for shared, words in zip(one.shared_words, one.pivot_words, strict=True)
        )
        rules = "" if one.rules is None else f", {one.rules:,} rules"
        score = f", BLEU {made.scores[name]:.2f}" if name in made.scores else ""
        print(f"{name}: {meet}{rules}{score}")
    for name, known in made.coverage.items():
        print(f"{name}: {known.unknown_types:,} of {known.types:,} words unknown, {known.unknown_tokens:,} times")
    if made.mixed is not None:
        weights = made.mixed.mixture.weights
        print(f"{made.mixed.mixture.operation}, {made.mixed.metric.upper()} {made.mixed.score:.2f}", end=": ")
        print(", ".join(f"{name} {float(weight):.3g}" for name, weight in weights.items()))
    print(f"saved to {made.path}")
