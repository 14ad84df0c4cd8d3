"""`tolka judge table`: Table 3.3 of any campaign."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 - Typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tolka.cli.conventions import JsonFlag, SeedOption, print_json
from tolka.cli.judge.campaign import opened
from tolka.cli.judge.settings import ClusterOption, JudgesOption, PriorOption, TiesOption, rules_of
from tolka.cli.judge.sources import AnswersArgument, CriterionOption, FormatOption, PairOption, design_of, read_all
from tolka.cli.tables import console as new_console
from tolka.cli.tables import print_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.judge.experiment import Agreement, CampaignTable


def table(
    answers: AnswersArgument,
    *,
    format: FormatOption = "jsonl",  # noqa: A002
    pair: PairOption = None,
    criterion: CriterionOption = None,
    outputs: Annotated[
        Path | None,
        typer.Option(
            "--outputs",
            help="Segment, source, reference, then one column per system, between tabs; a campaign has its own.",
        ),
    ] = None,
    human: Annotated[
        Path | None,
        typer.Option("--human", help="People's ranking: columns system and rank (or score), or WMT's clusters."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="A metric of `tolka evaluate`; may be repeated. [default: bleu]"),
    ] = None,
    prior: PriorOption = 0.25,
    cluster: ClusterOption = "auto",
    judges: JudgesOption = "equal",
    ties: TiesOption = "half",
    seed: SeedOption = 1,
    json: JsonFlag = False,
) -> None:
    """Print CLAIRE's scores beside BLEU and people's ranking, with how well they agree, and on whom that rests.

    Example: `tolka judge table campaign/ --human ranks.tsv`

    With files: `tolka judge table rankings.csv --format wmt --pair Czech-English --outputs outputs.tsv`
    """
    from tolka.judge.experiment import campaign_table, metric_scores, read_human
    from tolka.judge.rank import Ranker

    ranker = Ranker(
        prior=prior,
        cluster=cluster,
        judges=judges,
        ties=ties,
        seed=seed,
        rules=rules_of(answers),
        design=design_of(answers, None),
    )
    ranking = ranker.fit(read_all(answers, format, pair=pair, criterion=criterion))
    for warning in ranking.warnings:
        print(f"tolka: warning: {warning}", file=sys.stderr)
    texts = _outputs(answers, outputs)
    found = campaign_table(
        ranking,
        metrics={} if texts is None else metric_scores(texts[1], texts[0], metric or ["bleu"]),
        human=None if human is None else read_human(human),
    )
    if json:
        print_json(found.as_json())
    else:
        _print(found)


def _outputs(answers: Sequence[Path], outputs: Path | None) -> tuple[list[str], dict[str, list[str]]] | None:
    """References and outputs, from a file or from the only campaign."""
    from tolka.errors import InputError
    from tolka.judge.experiment import campaign_outputs, read_outputs

    if outputs is not None:
        return read_outputs(outputs)
    if len(answers) == 1 and answers[0].is_dir():
        with opened(answers[0]) as campaign:
            try:
                return campaign_outputs(campaign)
            except InputError as error:
                print(f"tolka: warning: no metric: {error}", file=sys.stderr)
    return None


def _print(found: CampaignTable) -> None:
    metrics = list(found.lines[0].metrics)
    people = found.lines[0].human is not None
    _table(
        "Scores",
        ["system", "CLAIRE", "s.e.", *metrics, *(["human rank"] if people else [])],
        [
            (
                line.system,
                f"{line.claire:.3f}",
                f"{line.error:.3f}",
                *(f"{line.metrics[name]:.2f}" for name in metrics),
                *([str(line.human)] if people else []),
            )
            for line in found.lines
        ],
    )
    print(f"s.e.: {found.error_is}")
    whole = found.with_human if people else found.with_claire
    if whole:
        goal = "people's ranking" if people else "CLAIRE"
        ways = list(whole)
        heads = [head for by in ways for head in (f"{by}: Spearman", "Kendall")]
        rows = [("all", whole), *((f"without {name}", each) for name, each in found.without.items())]
        _table(
            f"Agreement with {goal} (two-sided p)",
            ["systems", *heads],
            [(name, *(cell for by in ways for cell in _coefficients(each.get(by)))) for name, each in rows],
        )
    print(found.signature)


def _coefficients(found: Agreement | None) -> tuple[str, str]:
    if found is None:
        return "", ""
    return f"{found.spearman:.3f} ({found.spearman_p:.2g})", f"{found.kendall:.3f} ({found.kendall_p:.2g})"


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
    for at, head in enumerate(heads):
        shown.add_column(head, justify="right" if at else "left", no_wrap=True)
    for row in rows:
        shown.add_row(*(Text(str(cell)) for cell in row))
    print_table(shown, new_console(width=None if sys.stdout.isatty() else 240))
