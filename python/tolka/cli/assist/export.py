"""`tolka assist export`: the corrected treebank, or the better translation."""

from __future__ import annotations

import json as json_
from pathlib import Path  # noqa: TC003 (Typer looks at it)
from typing import Annotated

import typer

from tolka.cli.assist.opened import TasksArgument  # noqa: TC001 (Typer looks at it)
from tolka.cli.conventions import JsonFlag, print_json


def export(
    tasks: TasksArgument,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where results go, one a line beside the sentences.")],
    account: Annotated[
        Path | None, typer.Option("--account", help="JSON lines, too, that say what each answer changed.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", help="senses: the model, which makes text of its words.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Write every sentence's tree, or translation, as the answers have it; sentences without any as they were.

    Example: `tolka assist export tasks/ -o corrected.ptb --account account.jsonl`
    """
    from contextlib import ExitStack

    from tolka.assist.tasks import TaskSettings, open_tasks
    from tolka.assist.tasks.making import maker
    from tolka.assist.tasks.outcome import account_line, results
    from tolka.files import write_atomic

    task = None if model is None else maker(TaskSettings.load(tasks).task, model=model)
    counts = {"sentences": 0, "asked": 0, "changed": 0, "answers": 0, "unheard": 0, "empty": 0}
    with open_tasks(tasks, task=task) as held, ExitStack() as files:
        out = files.enter_context(write_atomic(output))
        lines = None if account is None else files.enter_context(write_atomic(account))
        for one in results(held):
            out.write(f"{' '.join(one.result.split())}\n")
            counts["sentences"] += 1
            counts["asked"] += bool(one.effects)
            counts["changed"] += one.result != one.first
            counts["answers"] += len(one.effects)
            counts["unheard"] += one.unheard
            counts["empty"] += bool(one.trouble)
            if lines is not None:
                for effect in one.effects:
                    lines.write(json_.dumps(account_line(one, effect), ensure_ascii=False) + "\n")
    if json:
        print_json({"file": str(output), **counts})
        return
    print(f"{output}: {counts['sentences']} sentences, {counts['changed']} changed by {counts['answers']} answers")
    if counts["empty"]:
        print(f"{counts['empty']} lines are empty: nothing could be made of those sentences")
    if counts["unheard"]:
        print(f"{counts['unheard']} answers are not heard: their questions are no longer asked")
