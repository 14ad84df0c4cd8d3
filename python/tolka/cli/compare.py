"""`tolka compare`: systems side by side, as a web page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.cli.conventions import JsonFlag, ThreadsOption, print_json
from tolka.cli.evaluate import (
    LowercaseFlag,
    NamesOption,
    ReferenceOption,
    RoundsOption,
    TestSeedOption,
    TokenisedFlag,
    TokeniserOption,
    read_systems,
    system_names,
)
from tolka.cli.tables import console, new_table, print_table

if TYPE_CHECKING:
    from tolka.evaluate import Comparisons


def compare(
    outputs: Annotated[list[Path], typer.Argument(metavar="OUTPUT…", help="Two translations of a text, or more.")],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the page goes.")] = Path("report.html"),
    ref: ReferenceOption = None,
    source: Annotated[Path | None, typer.Option("--source", help="The text that was translated, to show it.")] = None,
    training: Annotated[
        Path | None, typer.Option("--training", help="Text to count words in, for scores by word frequency.")
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option("--metric", "-m", help="As for `tolka evaluate`; again for more of them.")
    ] = None,
    name: NamesOption = None,
    tokenised: TokenisedFlag = False,
    tokeniser: TokeniserOption = None,
    lowercase: LowercaseFlag = False,
    rounds: RoundsOption = 1000,
    seed: TestSeedOption = 12345,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
) -> None:
    """Compare systems: scores with intervals, tests of each pair, and where they differ, as a page that works offline.

    The first system is what the others are compared with; the page, and what is printed, begin with a verdict.

    Example: `tolka compare a.en b.en --name old --name new --ref ref.en --source src.de -o report.html`
    """
    from tolka import evaluate as room
    from tolka.corpus import read_lines
    from tolka.evaluate.evaluation import DEFAULT_METRICS
    from tolka.files import write_atomic

    systems, references = read_systems(outputs, ref)
    found = room.compare(
        dict(zip(system_names(outputs, name), systems, strict=True)),
        references,
        metric or DEFAULT_METRICS,
        source=None if source is None else list(read_lines(source)),
        training=None if training is None else list(read_lines(training)),
        tokenised=tokenised,
        tokeniser=tokeniser,
        lowercase=lowercase,
        rounds=rounds,
        seed=seed,
        threads=threads,
    )
    with write_atomic(output) as file:
        file.write(room.render(found))
    if json:
        print_json(
            {
                "page": str(output),
                "verdict": room.verdict(found),
                "systems": list(found.systems),
                "scores": {
                    figure.name: {
                        "signature": figure.signature,
                        "scores": list(figure.scores),
                        "pairs": [
                            {"system": found.systems[j], "baseline": found.systems[i], "p": test.p}
                            for (i, j), test in figure.pairs.items()
                        ],
                    }
                    for figure in found.figures
                },
            }
        )
    else:
        _print(found, output)


def _print(found: Comparisons, page: Path) -> None:
    from rich.markup import escape

    from tolka.evaluate import p_text, verdict

    table = new_table()
    table.add_column("system", no_wrap=True)
    for figure in found.figures:
        table.add_column(f"{figure.name}{'' if figure.higher_is_better else ' ↓'}", justify="right", no_wrap=True)
        table.add_column("95 %", justify="right", no_wrap=True)
        table.add_column("p", justify="right", no_wrap=True)
    for at, name in enumerate(found.systems):
        cells = [escape(name)]
        for figure in found.figures:
            interval = figure.intervals[at]
            cells += [f"{figure.scores[at]:.2f}", f"{interval.low:.2f} to {interval.high:.2f}"]
            cells.append(p_text(figure.pairs[0, at].p, name="") if at else "")
        table.add_row(*cells)
    where = console()
    print_table(table, where)
    where.print(f"{found.sentences} lines; p is of the difference from {escape(found.systems[0])}")
    where.print(f"[bold]{escape(verdict(found))}[/bold]", soft_wrap=True)
    where.print(f"page: {escape(str(page))}", soft_wrap=True)
