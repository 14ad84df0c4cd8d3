"""`tolka judge turk`: questions of a campaign for Mechanical Turk, by files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, SeedOption, print_json
from tolka.cli.judge.campaign import opened

app = typer.Typer(
    name="turk", help="Ask people on Mechanical Turk, by files to upload and to download.", no_args_is_help=True
)
FolderArgument = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the files.")]


@app.callback()
def turk() -> None:
    """Ask people on Mechanical Turk, by files to upload and to download."""


@app.command(no_args_is_help=True)
def publish(
    campaign: Annotated[Path, typer.Argument(metavar="CAMPAIGN", help="The campaign's directory.")],
    folder: FolderArgument,
    *,
    questions: Annotated[int, typer.Option("--questions", "-n", min=1, max=100_000, help="How many.")] = 100,
    answers: Annotated[int, typer.Option("--answers", min=1, max=1000, help="Answers wanted of each.")] = 1,
    language: Annotated[
        str, typer.Option("--language", help="Language of the outputs; with it, every question has a test item.")
    ] = "",
    tests: Annotated[
        Path | None, typer.Option("--tests", help="Test items of your own, as JSON lines, instead of tolka's.")
    ] = None,
    seed: SeedOption = 1,
    json: JsonFlag = False,
) -> None:
    """Write questions to upload: a layout for the project, and a table of questions for a batch.

    Which pairs are asked follows from the campaign's strategy and its answers; called again, it makes another batch.

    Example: `tolka judge turk publish campaign/ turk/ -n 200 --language en`
    """
    from itertools import count

    from tolka.judge.campaign import BlankTest, read_tests
    from tolka.judge.platform import TurkFiles, bank, campaign_orders
    from tolka.judge.platform.turk import ORDERS

    items = bank(language) if language else []
    if tests is not None:
        items = [test for test in read_tests(tests) if isinstance(test, BlankTest)]
    files = TurkFiles(folder, language=language)
    before = {path.name for path in folder.glob("hits-*.csv")}
    taken = {order.id.partition("q")[0] for order in files.orders()} if (folder / ORDERS).exists() else set()
    name = next(name for number in count(1) if (name := f"b{number}") not in taken)
    with opened(campaign) as found:
        orders = campaign_orders(found, questions, wanted=answers, tests=items, seed=seed, name=f"{name}q")
    files.publish(orders)
    new = sorted(path.name for path in folder.glob("hits-*.csv") if path.name not in before)
    if json:
        print_json({"questions": len(orders), "answers": answers, "tests": len(items), "tables": new})
        return
    print(f"{folder}: {len(orders)} questions for {len(orders) * answers} answers in {', '.join(new)}")
    if not items:
        print("without test items nobody can be found out; give --language or --tests")
    print(f"next: put layout.html into a project, upload the table with {answers} assignments per HIT,")
    print(f"then: tolka judge turk collect {folder} results.csv -o answers.jsonl")


@app.command(no_args_is_help=True)
def collect(
    folder: FolderArgument,
    results: Annotated[list[Path], typer.Argument(metavar="RESULTS…", help="Tables of results as downloaded.")],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the answers that count go, as JSON lines.")],
    least_correct: Annotated[
        float, typer.Option("--least-correct", min=0, max=1, help="Shut out people with fewer test items right …")
    ] = 0.5,
    least_tests: Annotated[int, typer.Option("--least-tests", min=1, help="… of so many or more.")] = 4,
    least_seconds: Annotated[float, typer.Option("--least-seconds", min=0, help="Count no quicker answers.")] = 0.0,
    pay_failed: Annotated[
        bool, typer.Option("--pay-failed", help="Pay for answers with a failed test item, without counting them.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Read results: answers that count go to a file, and reviews, blocks and what is to be asked anew to the folder.

    Answers whose test item failed do not count, and are refused. Results may overlap; each assignment counts once.

    Example: `tolka judge turk collect turk/ Batch_1_results.csv -o answers.jsonl`
    """
    from tolka.judge.exchange import write_jsonl
    from tolka.judge.platform import Gate, TurkFiles, settle, to_answers

    files = TurkFiles(folder, results=results)
    before = {path.name for path in folder.glob("hits-*.csv")}
    gate = Gate(not pay_failed, least_correct, least_tests, least_seconds)
    found = settle(files, files.orders(), gate)
    answers = to_answers(found.counted)
    write_jsonl(output, answers)
    new = sorted(path.name for path in folder.glob("hits-*.csv") if path.name not in before)
    told = {
        "answers": len(answers),
        "approved": len(found.approved),
        "rejected": len(found.rejected),
        "unused": len(found.unused),
        "blocked": sorted(found.blocked),
        "lacking": sum(found.lacking.values()),
        "tables": new,
    }
    if json:
        print_json(told)
        return
    print(f"{output}: {len(answers)} answers that count")
    print(
        f"{told['approved']} to pay ({told['unused']} of them not counted), {told['rejected']} refused: see review-*.csv"
    )
    for worker, reason in sorted(found.blocked.items()):
        print(f"{worker} is shut out: {reason}")
    if new:
        print(f"{told['lacking']} answers are missing; ask anew with {', '.join(new)}")


@app.command(no_args_is_help=True)
def rehearse(
    folder: FolderArgument,
    output: Annotated[Path, typer.Argument(metavar="RESULTS", help="Where made-up results go.")],
    *,
    workers: Annotated[int, typer.Option("--workers", min=1, max=10_000, help="Made-up people.")] = 20,
    spammers: Annotated[float, typer.Option("--spammers", min=0, max=1, help="The share of spammers.")] = 0.3,
    spread: Annotated[float, typer.Option("--spread", min=0, help="Spread of the items' made-up scores.")] = 1.0,
    seed: SeedOption = 1,
    json: JsonFlag = False,
) -> None:
    """Let made-up people answer what was published, spammers among them, before money is spent.

    Example: `tolka judge turk rehearse turk/ made-up.csv --spammers 0.4`
    """
    from dataclasses import replace

    import numpy as np

    from tolka.judge.platform import SimulatedPlatform, TurkFiles, diligent, one_sided, spammer, write_results

    orders = TurkFiles(folder).orders()
    items = sorted({order.about[side] for order in orders for side in ("left", "right")})
    rng = np.random.default_rng([seed, 11])
    scores = dict(zip(items, rng.normal(0.0, spread, len(items)).tolist(), strict=True))
    bad = round(spammers * workers)
    people = [(spammer if at % 2 else one_sided)(f"spammer{at + 1}") for at in range(bad)]
    people += [diligent(f"worker{at + 1}", leaves=0.05) for at in range(workers - bad)]
    platform = SimulatedPlatform(people, seed=seed)
    gap = {order.id: scores[order.about["left"]] - scores[order.about["right"]] for order in orders}
    platform.publish([replace(order, about={**order.about, "gap": gap[order.id]}) for order in orders])
    number = write_results(output, platform.collect())
    told = {name: round(score, 3) for name, score in sorted(scores.items(), key=lambda one: -one[1])}
    if json:
        print_json({"submissions": number, "scores": told})
        return
    print(f"{output}: {number} made-up submissions by {workers} people, {bad} of them spammers")
    print(f"made-up scores: {', '.join(f'{name} {score:g}' for name, score in told.items())}")
