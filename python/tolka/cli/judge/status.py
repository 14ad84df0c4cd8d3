"""`tolka judge status`: how a campaign stands."""

from __future__ import annotations

import sys

from tolka.cli.conventions import JsonFlag, print_json
from tolka.cli.judge.campaign import CampaignArgument, opened
from tolka.cli.tables import console as new_console
from tolka.cli.tables import print_table


def status(campaign: CampaignArgument, *, json: JsonFlag = False) -> None:
    """Say how many answers there are, who gave them, how well they agree and what they cost.

    Example: `tolka judge status campaign/`
    """
    from tolka.judge.campaign.overview import overview

    with opened(campaign) as held:
        found = overview(held)
    if json:
        print_json(found.as_json())
        return

    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    console = new_console(width=None if sys.stdout.isatty() else 160)
    wanted = f" of {found.target}" if found.target else ""
    console.print(
        f"{found.state}: {found.answers}{wanted} answers, {found.waiting} on their way, {found.undone} taken back"
    )
    if found.agreement is not None:
        console.print(f"agreement: {found.agreement:.0%} of {found.compared} answers to the same question")
    if found.tests:
        console.print(f"test questions: {found.passed} of {found.tests} right")
    for sentence in found.spent.sentences():
        console.print(sentence)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("judge")
    table.add_column("kind")
    for name in ("answers", "tests passed", "median time", "chose left", "agrees"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in found.judges:
        table.add_row(
            Text(row.name),
            f"{row.role}{', shut out' if row.blocked else ''}{', left out' if row.left_out else ''}",
            str(row.answers),
            f"{row.passed} of {row.tests}" if row.tests else "",
            "" if row.seconds is None else f"{row.seconds:.1f} s",
            "" if row.left is None else f"{row.left:.0%}",
            "" if row.agreed is None else f"{row.agreed:.0%}",
        )
    if found.judges:
        print_table(table, console)
    for row in found.judges:
        if row.left_out:
            console.print(Text(f"left out of the ranking: {row.name} ({row.left_out})"))
