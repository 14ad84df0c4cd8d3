"""`tolka judge experiment`: the thesis's findings, run again."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path  # noqa: TC003 - Typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tolka.cli.conventions import JsonFlag, SeedOption, print_json
from tolka.cli.judge.sources import FormatOption, PairOption  # noqa: TC001 - Typer reads the annotations

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.judge.experiment import Agreement

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


def _finite(value: float) -> float | None:
    return None if value == float("inf") else value


def _coefficients(found: Agreement) -> tuple[str, str]:
    return f"{found.spearman:.3f} ({found.spearman_p:.2f})", f"{found.kendall:.3f} ({found.kendall_p:.2f})"


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    import sys

    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
    for at, head in enumerate(heads):
        table.add_column(head, justify="right" if at else "left")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else 140).print(table)
