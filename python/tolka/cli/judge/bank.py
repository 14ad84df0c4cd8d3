"""`tolka judge test-items`: test questions that come with tolka."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 - Typer reads the annotations
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, print_json


def show_items(
    language: Annotated[str | None, typer.Argument(metavar="[LANGUAGE]", help="en, de, fr …; none lists them.")] = None,
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write them here, for `tolka judge init --tests`.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show the test questions that come with tolka: words that fit a blank, which who reads the language knows.

    Example: `tolka judge test-items de -o tests.jsonl`
    """
    import json as form

    from tolka.judge.platform import bank, bank_languages

    if language is None:
        found = {name: len(bank(name)) for name in bank_languages()}
        if json:
            print_json({"languages": found})
        else:
            for name, number in found.items():
                print(f"{name}: {number} test items")
        return
    records = [
        {"text": test.text, "options": list(test.options), "right": [test.options[at] for at in test.right]}
        for test in bank(language)
    ]
    if output is not None:
        from tolka.files import write_atomic

        with write_atomic(output) as file:
            file.writelines(form.dumps(one, ensure_ascii=False) + "\n" for one in records)
        print(f"{output}: {len(records)} test items", file=sys.stderr)
    if json:
        print_json({"language": language, "items": records})
    elif output is None:
        for one in records:
            fitting = ", ".join(f"[{option}]" if option in one["right"] else option for option in one["options"])
            print(f"{one['text']}  {fitting}")
