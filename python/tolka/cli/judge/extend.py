"""`tolka judge extend`: new systems, segments and test questions join a campaign."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path  # noqa: TC003 (Typer looks at it)
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, print_json
from tolka.cli.judge.campaign import CampaignArgument, named_file, opened
from tolka.errors import SettingsError


def extend(
    campaign: CampaignArgument,
    *,
    system: Annotated[
        list[str] | None,
        typer.Option("--system", metavar="[NAME=]FILE", help="A system's output, line by line; once per system."),
    ] = None,
    source: Annotated[Path | None, typer.Option("--source", help="The source of these lines.")] = None,
    reference: Annotated[Path | None, typer.Option("--reference", help="Their reference.")] = None,
    items: Annotated[
        Path | None,
        typer.Option("--items", help="Instead: CSV, JSON or JSON lines with item, text, segment, source, reference."),
    ] = None,
    tests: Annotated[Path | None, typer.Option("--tests", help="More test questions.")] = None,
    json: JsonFlag = False,
) -> None:
    """Let new systems, segments or test questions join a campaign, also while it is served; all answers stay.

    Lines of a new system are the campaign's segments in their order. Lines of known systems are new segments; or give
    the whole files with the new lines at their end.

    Example: `tolka judge extend campaign/ --system d.txt`

    Example: `tolka judge extend campaign/ --source src2.txt --system a=a2.txt --system b=b2.txt`
    """
    from tolka.judge.campaign import Lines, Rows, read_tests
    from tolka.judge.campaign import extend as join
    from tolka.judge.campaign.material import read_records

    if items is not None and (system or source is not None or reference is not None):
        raise SettingsError("give either --system files or --items", hint="see: tolka judge extend --help")
    if not (system or items is not None or tests is not None):
        raise SettingsError("nothing is given that could join", hint="give --system, --items or --tests")
    more: Lines | Rows | None = None
    if items is not None:
        more = Rows.read(read_records(items), where=items)
    elif system:
        more = Lines.read([named_file(one) for one in system], source=source, reference=reference)
    asked = read_tests(tests) if tests is not None else []
    with opened(campaign) as held:
        done = join(held, more, tests=asked)
        told = {"items": len(held.items), "segments": len(held.segments), "questions": held.questions.number()}
        target, number = held.settings.ask.target, held.number()
        state = held.state
    if json:
        print_json({"campaign": str(campaign), **told, "tests": held.tests, "new": asdict(done)})
        return
    new = f"new: {len(done.items)} items, {done.segments} segments, {done.questions} questions, {done.tests} tests"
    print(f"{campaign}: {told['items']} items, {told['segments']} segments, {told['questions']} questions; {new}")
    if target and number >= target:
        print(
            f"note: {number} of {target} answers are there; ask for more with: tolka judge set {campaign} ask.target=N"
        )
    if state != "running":
        print(f"note: the campaign is {state}; it goes on when you say so on the admin page")
