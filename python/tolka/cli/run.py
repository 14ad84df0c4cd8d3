"""`tolka run`: bring everything a recipe describes up to date."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, print_json, progress
from tolka.cli.interrupts import PATIENCE, stopped_politely
from tolka.cli.tables import console, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from tolka.pipeline import Planned, RunResult


def run(
    recipe: Annotated[Path, typer.Argument(help="The recipe, a TOML file.", show_default=False)],
    *,
    work: Annotated[
        Path | None,
        typer.Option("--work", help="Directory of outputs and logs. Default: the recipe's name with .work, beside it."),
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Override a setting: table.key=value. Can be repeated.")
    ] = None,
    until: Annotated[str | None, typer.Option("--until", help="Run only this stage and what it needs.")] = None,
    force: Annotated[
        list[str] | None, typer.Option("--force", help="Run this stage even if nothing changed. Can be repeated.")
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, help="Stages that may run at the same time; the result is the same.")
    ] = 1,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Say what would run and why; write nothing.")
    ] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Afterwards, remove stored outputs that this recipe does not use.")
    ] = False,
    rehash: Annotated[
        bool, typer.Option("--rehash", help="Read every input and stored output again instead of trusting file times.")
    ] = False,
    stages: Annotated[
        Path | None, typer.Option("--stages", help="A Python file that defines further stages; it is executed.")
    ] = None,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Bring everything a recipe describes up to date, doing only what changed.

    An interrupted or killed run goes on where it was when the same command is given again.

    Example: `tolka run prepare.toml --set clean.max_tokens=50 --dry-run`
    """
    from tolka.pipeline import BUILTIN, Recipe, plan
    from tolka.pipeline import run as run_recipe
    from tolka.pipeline.further import with_stages_of
    from tolka.pipeline.scoring import score_run
    from tolka.pipeline.work import WorkDirectory

    loaded = Recipe.load(recipe, settings or (), stages=BUILTIN if stages is None else with_stages_of(stages))
    place = work if work is not None else recipe.with_suffix(".work")
    forced = tuple(force or ())
    if dry_run:
        planned = plan(loaded, place, until=until, force=forced, trust=not rehash)
        used = [one.path for one in planned if one.path is not None]
        # What a run would replace cannot be known before it; only what no stage can use any more is listed.
        settled = prune and len(used) == len(planned)
        unused = WorkDirectory(place).store.unused(used) if settled else []
        _show_plan(planned, unused, json=json)
        return
    with stopped_politely():
        result = run_recipe(
            loaded,
            place,
            jobs=jobs,
            until=until,
            force=forced,
            trust=not rehash,
            prune=prune,
            progress=progress(quiet),
            patience=PATIENCE,
        )
    for note in result.notes:
        print(f"tolka: note: {note}", file=sys.stderr)
    _show_result(result, score_run(loaded.graph, result, place, progress=progress(quiet)), json=json)


def _show_plan(planned: tuple[Planned, ...], unused: list[tuple[Path, int]], *, json: bool) -> None:
    if json:
        stages = [
            {
                "stage": one.name,
                "kind": one.stage,
                "status": one.status,
                "why": one.why,
                "key": one.key,
                "outputs": list(one.outputs),
            }
            for one in planned
        ]
        print_json({"stages": stages, "unused": [{"entry": path.name, "bytes": size} for path, size in unused]})
        return
    words = {"cached": "cached", "run": "will run", "depends": "may run"}
    rows = [(one.name, words[one.status], one.why, ", ".join(one.outputs)) for one in planned]
    _print(_table(("stage", "plan", "why", "outputs"), rows))
    for path, size in unused:
        print(f"would remove {path.name} ({_bytes(size)})")


def _show_result(result: RunResult, tests: dict[str, dict[str, Any]], *, json: bool) -> None:
    from tolka.pipeline.runner import to_json

    if json:
        print_json(
            {
                "run": result.number,
                "log": str(result.log),
                "seconds": round(result.seconds, 3),
                "stages": [to_json(one) for one in result.stages],
                "tests": tests,
                "pruned": [{"entry": path.name, "bytes": size} for path, size in result.pruned],
                "notes": list(result.notes),
            }
        )
        return
    rows = [
        (one.name, "cached" if one.cached else f"ran: {one.why}", f"{one.usage.seconds:.1f} s", _bytes(one.bytes))
        for one in result.stages
    ]
    _print(_table(("stage", "what happened", "time", "size"), rows, right=("time", "size")))
    if result.pruned:
        total = sum(size for _, size in result.pruned)
        print(f"removed {len(result.pruned)} unused outputs ({_bytes(total)})")
    cached = sum(one.cached for one in result.stages)
    work = result.log.parent.parent
    print(f"{len(result.stages) - cached} ran, {cached} cached, {result.seconds:.1f} s; outputs: {work / 'latest'}")
    for name, test in tests.items():
        scores = ", ".join(f"{metric} {one['score']:.2f}" for metric, one in test["scores"].items())
        print(f"test of {name}: {scores} ({test['lines']:,} lines)")
    print(f"log: {result.log}")


def _table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]], right: tuple[str, ...] = ()) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD)
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def _print(table: Table) -> None:
    print_table(table, console())


def _bytes(size: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:  # noqa: PLR2004 (SI prefixes)
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
