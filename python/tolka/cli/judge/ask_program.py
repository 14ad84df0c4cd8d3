"""`tolka judge ask-program`: let a program answer as a judge."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, print_json, progress
from tolka.cli.judge.campaign import CampaignArgument, opened


def ask_program(
    campaign: CampaignArgument,
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND…", help="The command; no shell reads it.")],
    *,
    name: Annotated[str, typer.Option("--name", help="What this judge is called.")],
    answers: Annotated[int, typer.Option("--answers", min=1, help="How many answers to ask for.")] = 100,
    timeout: Annotated[float, typer.Option("--timeout", min=0.001, help="Seconds one answer may take.")] = 60.0,
    both_orders: Annotated[
        bool,
        typer.Option(
            "--both-orders/--one-order", help="Put each pair twice, with the sides exchanged: programs favour a side."
        ),
    ] = True,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Ask a program, for instance one that asks a language model: JSON lines on its standard input and output.

    An answer counts if it is the same in both orders; how far the program follows the side is told in the end.

    Example: `tolka judge ask-program campaign/ --name my-model --answers 200 -- python my_judge.py`
    """
    from tolka.judge.campaign.programs import ask_program as run

    with opened(campaign) as held:
        done = run(
            held,
            name,
            command,
            answers=answers,
            timeout=timeout,
            both_orders=both_orders,
            progress=progress(quiet),
        )
    if json:
        print_json({**asdict(done), "bias": done.bias.as_json() if done.bias.pairs else None})
        return
    print(f"{done.answers} answers stored; {done.ended}")
    if done.bias.pairs:
        print(done.bias)
    if done.wrong:
        print(f"tolka: warning: {done.wrong} answers could not be understood", file=sys.stderr)
