"""`tolka evaluate`: score translations against references."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tolka.cli.conventions import JsonFlag, ThreadsOption, print_json
from tolka.cli.tables import console, new_table, print_table

if TYPE_CHECKING:
    from rich.console import Console

    from tolka.evaluate import Comparison, Evaluation, Interval, Score

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


NamesOption = Annotated[
    list[str] | None,
    typer.Option("--name", help="What to call a system; once for each, in order. File names if not given."),
]
TokeniserOption = Annotated[
    str | None,
    typer.Option(
        "--tokeniser", help="sacrebleu's tokeniser for metrics of words: 13a, intl, zh, ja-mecab, ko-mecab, char, …"
    ),
]


def evaluate(
    outputs: Annotated[
        list[Path],
        typer.Argument(metavar="OUTPUT...", help="Translations, one a line; of several systems, or - for stdin."),
    ],
    *,
    ref: ReferenceOption = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", "-m", help="bleu, chrf, chrf++, ter, nist, gtm, gtm1, wer or per; again for more of them."
        ),
    ] = None,
    name: NamesOption = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="Another system's output; tests say whether it is beaten.")
    ] = None,
    tokenised: TokenisedFlag = False,
    tokeniser: TokeniserOption = None,
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

    Example: `tolka evaluate a.zh b.zh --name ours --name theirs --ref ref.zh --tokeniser zh`
    """
    from tolka import evaluate as room
    from tolka.errors import SettingsError
    from tolka.evaluate.evaluation import DEFAULT_METRICS

    if segments and len(outputs) > 1:
        raise SettingsError("--segments lists the lines of one system", hint="name one output")
    names = system_names(outputs, name)
    systems, references = read_systems([*outputs, *([] if baseline is None else [baseline])], ref)
    found = [
        room.evaluate(
            lines,
            references,
            metric or DEFAULT_METRICS,
            tokenised=tokenised,
            tokeniser=tokeniser,
            lowercase=lowercase,
            baseline=systems[-1] if baseline is not None else None,
            confidence=confidence,
            rounds=rounds,
            seed=seed,
            threads=threads,
        )
        for lines in systems[: len(outputs)]
    ]
    if json:
        listed = [_as_json(one, segments=segments) for one in found]
        print_json(listed[0] if len(listed) == 1 else _together(names, listed))
    elif segments:
        print("\t".join(["line", *(score.name for score in found[0].scores)]))
        for number, values in enumerate(zip(*(score.segments for score in found[0].scores), strict=True), start=1):
            print("\t".join([str(number), *(f"{value:.2f}" for value in values)]))
    else:
        _print_tables(names, found)


def system_names(outputs: list[Path], names: list[str] | None) -> list[str]:
    """What systems are called: as asked, or file names; whole paths where those are not enough, then with numbers."""
    from tolka.errors import SettingsError

    if names:
        if len(names) != len(outputs) or len(set(names)) != len(names):
            raise SettingsError(
                f"there are {len(names)} names for {len(outputs)} outputs, and each needs its own",
                hint="give --name once for each output, in their order",
            )
        return names
    for known in ([path.name for path in outputs], [str(path) for path in outputs]):
        if len(set(known)) == len(known):
            return known
    return [f"{path} ({number})" for number, path in enumerate(outputs, start=1)]


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


def _together(names: list[str], listed: list[dict[str, Any]]) -> dict[str, Any]:
    """Several systems: what they share once, and the scores of each by its name."""
    shared = {key: listed[0][key] for key in ("sentences", "references")}
    return {**shared, "systems": {name: one["scores"] for name, one in zip(names, listed, strict=True)}}


def _print_tables(names: list[str], found: list[Evaluation]) -> None:
    from rich.markup import escape

    where = console()
    if len(found) == 1:
        _print_metrics(found[0], where)
    else:
        _print_systems(names, found, where)
    first = found[0]
    where.print(f"{first.sentences} lines, {first.references} reference{'s' if first.references > 1 else ''}")
    for name, one in zip(names, found, strict=True):
        for score in one.scores:
            if "recall" in score.details:
                said = f"precision {score.details['precision']:.2f}, recall {score.details['recall']:.2f}"
                where.print(escape(f"{score.name}  {f'{name}: ' if len(found) > 1 else ''}{said}"), soft_wrap=True)
    for score in first.scores:
        where.print(escape(f"{score.name}  {score.signature}"), style="dim", soft_wrap=True)


def _print_metrics(found: Evaluation, where: Console) -> None:
    """A row for each metric."""
    from tolka.evaluate import p_text

    scores, tests = new_table(), new_table()
    for column in ["metric", "score", *(["95 %"] if found.scores[0].interval else [])]:
        scores.add_column(column, justify="left" if column == "metric" else "right", no_wrap=True)
    tested = [test.test for test in found.scores[0].tests]
    if tested:
        scores.add_column("baseline", justify="right", no_wrap=True)
        scores.add_column("difference", justify="right", no_wrap=True)
        tests.add_column("p of the difference", no_wrap=True)
        for test in tested:
            short = test.replace("approximate ", "").replace(" signed-rank", "")
            tests.add_column(short, justify="right", no_wrap=True)
    for score in found.scores:
        cells = [_label(score), f"{score.score:.2f}"]
        if score.interval is not None:
            cells.append(_interval(score.interval))
        if score.baseline is not None:
            cells += [f"{score.baseline:.2f}", f"{score.score - score.baseline:+.2f}"]
        scores.add_row(*cells)
        tests.add_row(_label(score), *(p_text(test.p, name="") for test in score.tests))
    print_table(scores, where)
    if tested:
        print_table(tests, where)


def _print_systems(names: list[str], found: list[Evaluation], where: Console) -> None:
    """A row for each system."""
    from rich.markup import escape

    from tolka.evaluate import p_text

    table = new_table()
    table.add_column("system", no_wrap=True)
    first = found[0].scores
    if first[0].baseline is not None:
        names, found = ["(baseline)", *names], [found[0], *found]
    for score in first:
        table.add_column(_label(score), justify="right", no_wrap=True)
        if score.interval is not None:
            table.add_column("95 %", justify="right", no_wrap=True)
        if score.baseline is not None:
            table.add_column("p", justify="right", no_wrap=True)
    for row, (name, one) in enumerate(zip(names, found, strict=True)):
        of_baseline = row == 0 and first[0].baseline is not None
        cells = [escape(name)]
        for score in one.scores:
            cells.append(f"{score.baseline if of_baseline else score.score:.2f}")
            if score.interval is not None:
                cells.append("" if of_baseline else _interval(score.interval))
            if score.baseline is not None:
                cells.append("" if of_baseline else p_text(_randomisation(score).p, name=""))
        table.add_row(*cells)
    print_table(table, where)
    if first[0].tests:
        where.print(f"p: {_randomisation(first[0]).test} against the baseline")


def _randomisation(score: Score) -> Comparison:
    """The test that `compare` uses, too."""
    return next(test for test in score.tests if test.test == "approximate randomisation")


def _label(score: Score) -> str:
    return score.name if score.higher_is_better else f"{score.name} ↓"


def _interval(interval: Interval) -> str:
    return f"{interval.low:.2f} to {interval.high:.2f}"
