"""`tolka assist status`: how a directory of tasks stands."""

from __future__ import annotations

from tolka.cli.assist.opened import TasksArgument  # noqa: TC001 (Typer looks at it)
from tolka.cli.conventions import JsonFlag, print_json


def status(tasks: TasksArgument, *, json: JsonFlag = False) -> None:
    """Say how many answers there are, what is left to ask, and how people did in test questions.

    Example: `tolka assist status tasks/`
    """
    from tolka.assist.tasks import open_tasks
    from tolka.assist.tasks.outcome import overview

    with open_tasks(tasks) as held:
        found = overview(held)
    if json:
        print_json(found.as_json())
        return

    from rich.text import Text

    from tolka.cli.tables import console as new_console
    from tolka.cli.tables import new_table, print_table

    console = new_console()
    unreadable = f", {found.unreadable} of which nothing could be made" if found.unreadable else ""
    console.print(f"{found.sentences} sentences{unreadable}; {found.answers} answers about {found.begun} of them")
    console.print(f"left to ask: {found.open} questions, expected to tell {found.information:.1f} nats in all")
    if found.undone:
        console.print(f"{found.undone} answers were taken back")
    table = new_table()
    table.add_column("who")
    for name in ("answers", "tests passed", "believed", "median time", "cannot tell"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in found.people:
        notes = [*([] if row.counts else ["does not count"]), *(["shut out"] if row.blocked else [])]
        table.add_row(
            Text(", ".join([row.name, *notes])),
            str(row.answers),
            f"{row.passed} of {row.tests}" if row.tests else "",
            f"{row.trust:.0%}",
            "" if row.seconds is None else f"{row.seconds:.1f} s",
            "" if row.unsure is None else f"{row.unsure:.0%}",
        )
    if found.people:
        print_table(table, console)
