"""`tolka evaluate`: score translations against references."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tolka.cli.conventions import JsonFlag, ThreadsOption, print_json

if TYPE_CHECKING:
    from tolka.evaluate import Evaluation, Score

ReferenceOption = Annotated[
    list[Path] | None, typer.Option("--ref", "-r", help="A reference, line by line; give it again for more of them.")
]
TokenisedFlag = Annotated[
    bool, typer.Option("--tokenised", help="The text is tokenised: words are what stands between white space.")
]
LowercaseFlag = Annotated[bool, typer.Option("--lowercase", help="Ignore case.")]
RoundsOption = Annotated[int, typer.Option("--rounds", min=1, help="Resamples of the bootstrap.")]
# sacrebleu's, so that its resamples are repeated.
TestSeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of the resamples; same seed, same result.")]


def evaluate(
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="The translations, one a line; - is stdin.")],
    *,
    ref: ReferenceOption = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", help="bleu, chrf, chrf++, ter, nist, gtm, wer or per; again for more of them."),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="Another system's output; tests say whether it is beaten.")
    ] = None,
    tokenised: TokenisedFlag = False,
    lowercase: LowercaseFlag = False,
    confidence: Annotated[bool, typer.Option("--confidence", help="Give each score a 95 % interval.")] = False,
    segments: Annotated[
        bool, typer.Option("--segments", help="A line per sentence, tab-separated; with --json, a list per metric.")
    ] = False,
    rounds: RoundsOption = 1000,
    seed: TestSeedOption = 12345,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
) -> None:
    """Score translations against one reference or several, with sacrebleu's values and signatures.

    Example: `tolka evaluate out.en --ref ref.en --baseline other.en --json`
    """
    from tolka import evaluate as room
    from tolka.evaluate.evaluation import DEFAULT_METRICS

    systems, references = read_systems([output] if baseline is None else [output, baseline], ref)
    found = room.evaluate(
        systems[0],
        references,
        metric or DEFAULT_METRICS,
        tokenised=tokenised,
        lowercase=lowercase,
        baseline=systems[1] if baseline is not None else None,
        confidence=confidence,
        rounds=rounds,
        seed=seed,
        threads=threads,
    )
    if json:
        print_json(_as_json(found, segments=segments))
    elif segments:
        print("\t".join(["line", *(score.name for score in found.scores)]))
        for number, values in enumerate(zip(*(score.segments for score in found.scores), strict=True), start=1):
            print("\t".join([str(number), *(f"{value:.2f}" for value in values)]))
    else:
        _print_table(found)


def read_systems(outputs: list[Path], references: list[Path] | None) -> tuple[list[list[str]], list[list[str]]]:
    """The lines of outputs and references, checked to belong together."""
    from tolka.corpus import read_lines
    from tolka.errors import SettingsError
    from tolka.evaluate.evaluation import check_lengths

    if not references:
        raise SettingsError("there is no reference", hint="name one with --ref")
    texts = [list(read_lines(path)) for path in [*outputs, *references]]
    systems, wanted = texts[: len(outputs)], texts[len(outputs) :]
    check_lengths(systems, wanted, [str(path) for path in [*outputs, *references]])
    return systems, wanted


def _as_json(found: Evaluation, *, segments: bool) -> dict[str, Any]:
    from dataclasses import asdict

    def one(score: Score) -> dict[str, Any]:
        listed = asdict(score)
        for key in ("interval", "baseline"):
            if listed[key] is None:
                del listed[key]
        if not listed["tests"]:
            del listed["tests"]
        if not segments:
            del listed["segments"]
        del listed["metric"]
        return listed

    scores = {score.metric: one(score) for score in found.scores}
    return {"sentences": found.sentences, "references": found.references, "scores": scores}


def _print_table(found: Evaluation) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    def number(value: float) -> Text:
        return Text(f"{value:.2f}", no_wrap=True)

    scores, tests = Table(box=SIMPLE_HEAD, pad_edge=False), Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ["metric", "score", *(["95 %"] if found.scores[0].interval else [])]:
        scores.add_column(column, justify="left" if column == "metric" else "right", no_wrap=True)
    tested = [test.test for test in found.scores[0].tests]
    if tested:
        scores.add_column("baseline", justify="right")
        scores.add_column("difference", justify="right")
        tests.add_column("p of the difference", no_wrap=True)
        for test in tested:
            tests.add_column(test.replace("approximate ", "").replace(" signed-rank", ""), justify="right")
    for score in found.scores:
        name = Text(score.name if score.higher_is_better else f"{score.name} ↓", style="bold")
        cells: list[str | Text] = [name, number(score.score)]
        if score.interval is not None:
            cells.append(f"{score.interval.low:.2f} to {score.interval.high:.2f}")
        if score.baseline is not None:
            cells += [number(score.baseline), f"{score.score - score.baseline:+.2f}"]
        scores.add_row(*cells)
        tests.add_row(name, *(f"{test.p:.4f}" for test in score.tests))
    console = Console(file=sys.stdout, highlight=False)
    console.print(scores)
    if tested:
        console.print(tests)
    console.print(f"{found.sentences} lines, {found.references} reference{'s' if found.references > 1 else ''}")
    for score in found.scores:
        console.print(escape(f"{score.name}  {score.signature}"), style="dim", soft_wrap=True)
