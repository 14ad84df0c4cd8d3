"""`tolka assist report`: what answers changed, as one web page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tolka.cli.assist.opened import TasksArgument  # noqa: TC001 (Typer looks at it)
from tolka.cli.conventions import JsonFlag, print_json


def report(
    tasks: TasksArgument,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the page goes.")] = Path("report.html"),
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Call people helper 1, helper 2 and so on.")] = False,
    json: JsonFlag = False,
) -> None:
    """Write what each answer changed, how people did and what was learned by how many answers, as a page that works offline.

    Example: `tolka assist report tasks/ -o report.html`
    """
    from tolka.assist.tasks import open_tasks
    from tolka.assist.tasks.outcome import overview, results
    from tolka.assist.tasks.report import render
    from tolka.files import write_atomic

    with open_tasks(tasks) as held:
        found, every = overview(held), list(results(held))
        title = held.settings.title
    with write_atomic(output) as out:
        out.write(render(found, every, title=title, anonymous=anonymous))
    if json:
        print_json({"page": str(output), **found.as_json()})
