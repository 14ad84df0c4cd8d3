"""`tolka judge experiment`: the thesis's findings, run again."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, ThreadsOption, print_json, progress
from tolka.cli.judge.sources import FormatOption, PairOption  # noqa: TC001 - Typer reads the annotations
from tolka.cli.tables import console as new_console
from tolka.cli.tables import print_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tolka.judge.experiment import Agreement, Sweep
    from tolka.judge.rank import Ranking

app = typer.Typer(name="experiment", help="Run the experiments of Mohammad 2012 again.", no_args_is_help=True)


@app.callback()
def experiment() -> None:
    """Run the experiments of Mohammad 2012 again."""


@app.command()
def table33(json: JsonFlag = False) -> None:
    """Read Table 3.3 again: correlations, what "sigma" can mean, and what the headline rests on.

    Example: `tolka judge experiment table33`
    """
    from tolka.judge.experiment import TABLE, analyse

    found = analyse()
    if json:
        print_json({"table": [asdict(row) for row in TABLE], **asdict(found)})
        return
    _table(
        "Table 3.3 as printed",
        ["system", "CLAIRE", "sigma", "BLEU", "human rank"],
        [(row.system, f"{row.claire:.5f}", f"{row.sigma:.3f}", f"{row.bleu:.3f}", str(row.human)) for row in TABLE],
    )
    rows = [("all seven", found.claire, found.bleu)]
    rows += [(f"without {name}", *both) for name, both in found.without.items()]
    _table(
        "Agreement with the human ranking (two-sided p)",
        ["systems", "CLAIRE: Spearman", "Kendall", "BLEU: Spearman", "Kendall"],
        [(name, *_coefficients(claire), *_coefficients(bleu)) for name, claire, bleu in rows],
    )
    _table(
        'What "sigma" can mean',
        ["if it is a", "slope", "answers needed", "best from worst, in standard errors"],
        [(one.sigma, str(one.slope), f"{one.answers:,}", f"{one.best_worst_errors:.2f}") for one in found.readings],
    )
    for slope, win in found.win.items():
        print(f"slope {slope}: the best is preferred to the worst with chance {win:.3f} ({found.elo[slope]:.0f} Elo)")
    print("Under $20 at $0.10 an answer allows fewer than 200 answers: sigma is most likely a variance,")
    print("and then the best and the worst system cannot be told apart.")


@app.command(name="bleu-critique", no_args_is_help=True)
def bleu_critique(
    text: Annotated[Path | None, typer.Option("--text", help="A tokenised text to degrade.")] = None,
    training: Annotated[
        Path | None, typer.Option("--training", help="Tokenised text of the same language, for the language model.")
    ] = None,
    traps: Annotated[
        Path | None, typer.Option("--traps", help="More trap sentences, five columns between tabs.")
    ] = None,
    lines: Annotated[int, typer.Option("--lines", min=1, help="Lines of the text to use.")] = 500,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Draw the curve on a page of this name.")
    ] = None,
    seed: SeedOption = 1,
    json: JsonFlag = False,
) -> None:
    """Show what BLEU does not see: fluent sentences that say something else, and a text without its information.

    Example: `tolka judge experiment bleu-critique --training train.tok.en --text dev.tok.en -o critique.html`
    """
    from itertools import islice

    from tolka.corpus import read_lines
    from tolka.errors import SettingsError
    from tolka.judge.experiment import TRAPS, read_traps, surprisal_curve, try_traps

    if (text is None) != (training is None):
        raise SettingsError("the curve needs a text and text to train on", hint="give both --text and --training")
    verdicts = try_traps([*TRAPS, *([] if traps is None else read_traps(traps))])
    curve = []
    if text is not None and training is not None:
        curve = surprisal_curve(list(read_lines(training)), list(islice(read_lines(text), lines)), seed=seed)
    if output is not None:
        from tolka.files import write_atomic
        from tolka.judge.report import render_critique

        with write_atomic(output) as file:
            file.write(render_critique(verdicts, curve))
    if json:
        # JSON has no infinity: null is no threshold at all.
        points = [{**asdict(point), "threshold": _finite(point.threshold)} for point in curve]
        print_json({"traps": [asdict(verdict) for verdict in verdicts], "curve": points})
        return
    metrics = list(dict.fromkeys(verdict.metric for verdict in verdicts))
    rows = []
    for at in range(len(verdicts) // len(metrics)):
        each = verdicts[at :: len(verdicts) // len(metrics)]
        told = [
            f"{one.trap_score:.1f} / {one.adequate_score:.1f} {'passed' if one.passed else 'fooled'}" for one in each
        ]
        rows.append((each[0].trap.trap, *told))
    _table("Traps: score of the trap / of a rewording that is right", ["trap", *metrics], rows)
    for metric in metrics:
        passed = [verdict.passed for verdict in verdicts if verdict.metric == metric]
        print(f"{metric} passes {sum(passed)} of {len(passed)}")
    if curve:
        _table(
            "Words more surprising than the threshold replaced by the likeliest word",
            ["threshold", "nats per word left", "words kept", "BLEU", "control: words kept", "BLEU"],
            [
                (
                    f"{point.threshold:g}",
                    f"{point.information:.2f}",
                    f"{point.kept:.0%}",
                    f"{point.bleu:.1f}",
                    f"{point.control_kept:.0%}",
                    f"{point.control:.1f}",
                )
                for point in curve
            ],
        )


@app.command(no_args_is_help=True)
def correlation(
    answers: Annotated[Path, typer.Argument(metavar="ANSWERS", help="A file of answers.")],
    format: FormatOption = "jsonl",  # noqa: A002
    pair: PairOption = None,
    outputs: Annotated[
        Path | None,
        typer.Option("--outputs", help="Segment, source, reference, then one column per system, between tabs."),
    ] = None,
    official: Annotated[
        Path | None, typer.Option("--official", help="WMT's file of official clusters; else half of the answers rank.")
    ] = None,
    runs: Annotated[int, typer.Option("--runs", min=1, help="Random draws.")] = 20,
    seed: SeedOption = 1,
    json: JsonFlag = False,
) -> None:
    """Compare CLAIRE, BLEU and chrF with a ranking by people that they have not seen.

    Example: `tolka judge experiment correlation rankings.csv --format wmt --pair Czech-English --outputs outputs.tsv`
    """
    from tolka.judge.exchange import read_answers
    from tolka.judge.experiment import correlations, read_official, read_outputs

    reference, systems = (None, None) if outputs is None else read_outputs(outputs)
    found = correlations(
        read_answers(answers, format, pair=pair),
        outputs=systems,
        reference=reference,
        official=None if official is None else read_official(official),
        runs=runs,
        seed=seed,
    )
    if json:
        print_json({"correlations": [asdict(one) for one in found]})
        return
    _table(
        f"Agreement of {found[0].mean.items} systems with "
        + ("the official ranking" if official is not None else "expected wins on the other half of the segments"),
        ["ranked by", "Spearman", "Kendall", "Pearson"],
        [(one.by, f"{one.mean.spearman:.3f}", f"{one.mean.kendall:.3f}", f"{one.mean.pearson:.3f}") for one in found],
    )


@app.command(name="sweep", no_args_is_help=True)
def sweep_weights(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model's directory.")],
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="Lines to translate.")],
    reference: Annotated[Path, typer.Argument(metavar="REFERENCE", help="Their translations.")],
    *,
    alpha: Annotated[
        list[float] | None,
        typer.Option("--alpha", min=0, help="A weight to try; can be repeated. Default: eleven from 0.1 to 3."),
    ] = None,
    lines: Annotated[int, typer.Option("--lines", min=1, help="Lines of the text to use.")] = 500,
    answers: Annotated[
        Path | None, typer.Option("--answers", help="What judges said of the outputs, as JSON lines, or a campaign.")
    ] = None,
    campaign: Annotated[
        Path | None, typer.Option("--campaign", help="Make a campaign of the outputs here, for people to judge.")
    ] = None,
    seed: SeedOption = 1,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
) -> None:
    """Vary the weight of the language model: what BLEU prefers, and what readers do.

    A weight is counted by that of all translation probabilities together. Without answers of people, two made-up readers
    choose: one for adequacy, one for fluency.

    Example: `tolka judge experiment sweep de-en test.de test.en`

    Example: `tolka judge experiment sweep de-en test.de test.en --alpha 0.2 --alpha 0.5 --alpha 2 --campaign alphas/`
    """
    from itertools import islice

    from tolka.cli.judge.sources import read_all
    from tolka.corpus import read_lines
    from tolka.judge.experiment import ALPHAS, READERS, preferred, readers_answers, sweep
    from tolka.translate import Translator

    texts = [list(islice(read_lines(path), lines)) for path in (source, reference)]
    found = sweep(Translator.load(model), texts[0], texts[1], alphas=alpha or ALPHAS, threads=threads)
    if campaign is not None:
        _campaign_of(found, texts[0], texts[1], campaign)
    by_readers: dict[str, tuple[Ranking, float]] = {}
    if answers is not None:
        by_readers["people"] = preferred(read_all([answers], "jsonl"), found)
    else:
        for reader in READERS:
            by_readers[reader] = preferred(readers_answers(found, texts[1], reader, seed=seed), found)
    rows = []
    for point in found.points:
        row: dict[str, Any] = {"alpha": point.alpha, "bleu": point.bleu, "length": point.length}
        for who, (ranking, _) in by_readers.items():
            row[who] = None
            if point.name in ranking.items:
                at = ranking.items.index(point.name)
                row[who] = {name: float(getattr(ranking, name + "s" * (name == "score"))[at]) for name in _SCORED}
        rows.append(row)
    best = {"bleu": found.best.alpha} | {reader: alpha_ for reader, (_, alpha_) in by_readers.items()}
    if json:
        print_json({"tuned": found.tuned, "best": best, "points": rows})
        return
    _table(
        f"alpha is the weight of the language model by that of the translation model; the model has {found.tuned:.2f}",
        ["alpha", "BLEU", "length", *(f"CLAIRE, {reader}" for reader in by_readers)],
        [
            (
                f"{row['alpha']:g}",
                f"{row['bleu']:.1f}",
                f"{row['length']:.2f}",
                *(
                    "" if row[reader] is None else "{score:.2f} ({low:.2f} to {high:.2f})".format(**row[reader])
                    for reader in by_readers
                ),
            )
            for row in rows
        ],
    )
    for who, value in best.items():
        print(f"best by {'BLEU' if who == 'bleu' else who}: {value:g}")
    if answers is None:
        print("The readers are made up: they say where adequacy and fluency pull, not what people prefer.")


_SCORED = ("score", "low", "high")


def _campaign_of(found: Sweep, source: list[str], reference: list[str], place: Path) -> None:
    import sys

    from tolka.judge.campaign import Material, create_campaign

    rows = [
        {"item": point.name, "segment": str(at + 1), "source": line, "reference": meant, "text": point.outputs[at]}
        for at, (line, meant) in enumerate(zip(source, reference, strict=True))
        for point in found.points
    ]
    create_campaign(place, Material.of_rows(rows, where="sweep")).close()
    print(f"made the campaign {place}; next: tolka judge serve {place}", file=sys.stderr)


@app.command(name="all")
def run_all(
    *,
    data: Annotated[
        Path | None,
        typer.Option("--data", envvar="TOLKA_DATA", help="A folder of corpora; without it, what needs one is skipped."),
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", help="A German-English model; without it, a small one is trained.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option("--only", help="Just this experiment; can be repeated.")] = None,
    runs: Annotated[int, typer.Option("--runs", min=1, help="Random repetitions of simulations.")] = 10,
    lines: Annotated[int, typer.Option("--lines", min=1, help="Lines to translate or to degrade.")] = 500,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write a page of this name too.")] = None,
    seed: SeedOption = 1,
    threads: ThreadsOption = 0,
    quiet: QuietFlag = False,
    json: JsonFlag = False,
) -> None:
    """Run every experiment again: the thesis's value, ours, and the difference.

    Where corpora go in the folder of data is in the documentation (Science, CLAIRE); with none, worked examples and
    simulations are run, and what was skipped is said.

    Example: `tolka judge experiment all --data corpora/ -o experiments.html`

    Example: `tolka judge experiment all --only table33 --only planner`
    """
    import tempfile

    from tolka.errors import FileError
    from tolka.judge.experiment import Setting, reproduce
    from tolka.judge.report.experiments import figure, render_experiments, verdict

    if data is not None and not data.is_dir():
        raise FileError("there is no such folder of data", path=data, hint="give --data the folder that holds corpora")
    with tempfile.TemporaryDirectory(prefix="tolka-experiment-") as place:
        setting = Setting(
            data=data,
            model=model,
            train=_trainer(Path(place), threads),
            runs=runs,
            lines=lines,
            seed=seed,
            threads=threads,
            progress=progress(quiet),
        )
        outcomes = reproduce(setting, only=only or ())
    if output is not None:
        from tolka.files import write_atomic

        with write_atomic(output) as file:
            file.write(render_experiments(outcomes))
    if json:
        print_json({"seed": seed, "runs": runs, "experiments": [outcome.as_json() for outcome in outcomes]})
        return
    done = [outcome for outcome in outcomes if not outcome.skipped]
    for outcome in done:
        one = outcome.experiment
        _table(
            f"{one.name} ({one.where}): {one.about}",
            ["figure", "thesis", "ours", "difference", ""],
            [
                (
                    finding.what,
                    *(figure(value) for value in (finding.thesis, finding.ours, finding.difference)),
                    verdict(finding),
                )
                for finding in outcome.findings
            ],
        )
    for outcome in outcomes:
        if outcome.skipped:
            print(f"skipped {outcome.experiment.name} ({outcome.experiment.where}): {outcome.skipped}")
    told = [finding.agrees for outcome in done for finding in outcome.findings if finding.agrees is not None]
    if told:
        print(f"{sum(told)} of {len(told)} figures that depend on no corpus agree.")
    print("* worked out from the numbers and definitions of the thesis, not printed there.")


_TRAINED = 6000  # pairs


def _trainer(place: Path, threads: int) -> Callable[[tuple[Path, Path], tuple[Path, Path], int], Path]:
    """Trains a small phrase model in a folder, once."""

    def train(corpus: tuple[Path, Path], dev: tuple[Path, Path], seed: int) -> Path:
        from itertools import islice

        from tolka.corpus import read_lines
        from tolka.pipeline import TrainSettings
        from tolka.pipeline import train as train_model

        model = place / "model"
        if model.exists():
            return model
        parts = []
        for path, lang in zip(corpus, ("de", "en"), strict=True):
            parts.append(place / f"train.{lang}")
            parts[-1].write_text("\n".join(islice(read_lines(path), _TRAINED)) + "\n", encoding="utf-8")
        asked = TrainSettings(
            source=parts[0],
            target=parts[1],
            langs=("de", "en"),
            dev=dev,
            kind="phrase",
            tokenised=True,
            seed=seed,
            threads=threads,
        )
        train_model(asked, model, work=place / "work")
        return model

    return train


def _finite(value: float) -> float | None:
    return None if value == float("inf") else value


def _coefficients(found: Agreement) -> tuple[str, str]:
    return f"{found.spearman:.3f} ({found.spearman_p:.2f})", f"{found.kendall:.3f} ({found.kendall_p:.2f})"


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    import sys

    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
    for at, head in enumerate(heads):
        table.add_column(head, justify="right" if at else "left")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    print_table(table, new_console(width=None if sys.stdout.isatty() else 140))
