"""`tolka compare`: systems side by side, as a web page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, ThreadsOption, print_json
from tolka.cli.evaluate import (
    LowercaseFlag,
    ReferenceOption,
    RoundsOption,
    TestSeedOption,
    TokenisedFlag,
    read_systems,
)


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
    tokenised: TokenisedFlag = False,
    lowercase: LowercaseFlag = False,
    rounds: RoundsOption = 1000,
    seed: TestSeedOption = 12345,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
) -> None:
    """Compare systems: scores with intervals, tests of each pair, and where they differ, as a page that works offline.

    Example: `tolka compare a.en b.en --ref ref.en --source src.de -o report.html`
    """
    from tolka import evaluate as room
    from tolka.corpus import read_lines
    from tolka.evaluate.evaluation import DEFAULT_METRICS
    from tolka.files import write_atomic

    systems, references = read_systems(outputs, ref)
    found = room.compare(
        dict(zip(_names(outputs), systems, strict=True)),
        references,
        metric or DEFAULT_METRICS,
        source=None if source is None else list(read_lines(source)),
        training=None if training is None else list(read_lines(training)),
        tokenised=tokenised,
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


def _names(paths: list[Path]) -> list[str]:
    """File names; whole paths where those are not enough, and numbers where not even they are."""
    for names in ([path.name for path in paths], [str(path) for path in paths]):
        if len(set(names)) == len(names):
            return names
    return [f"{path} ({number})" for number, path in enumerate(paths, start=1)]
