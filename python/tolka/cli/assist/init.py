"""`tolka assist init`: make a directory of tasks."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 (Typer looks at it)
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_TOLD = 10


def init(
    directory: Annotated[Path, typer.Argument(metavar="TASKS", help="The directory to make.")],
    *,
    task: Annotated[str | None, typer.Option("--task", help="What is asked about: parse or senses.")] = None,
    source: Annotated[Path, typer.Option("--source", help="The sentences, tokenised, one a line.")],
    parser: Annotated[Path | None, typer.Option("--parser", help="parse: a parser, from tolka parse train.")] = None,
    forests: Annotated[
        Path | None,
        typer.Option("--forests", help="parse: forests of any parser in JSON lines, in the place of --parser."),
    ] = None,
    grammar: Annotated[
        list[str] | None,
        typer.Option("--grammar", help="parse: a grammar's name, or a .rewrite file; may be repeated."),
    ] = None,
    model: Annotated[Path | None, typer.Option("--model", help="senses: a translation model with phrases.")] = None,
    tests: Annotated[Path | None, typer.Option("--tests", help="Test questions, as JSON or JSON lines.")] = None,
    settings: Annotated[
        Path | None, typer.Option("--settings", help="A tasks.toml to begin with; its comments are not kept.")
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="What people see on top of the page.")] = None,
    language: Annotated[
        str | None,
        typer.Option("--language", help="The sentences' language, as de: for browsers, and for test questions."),
    ] = None,
    database: Annotated[
        str | None, typer.Option("--database", help="postgresql://… instead of a SQLite file in the directory.")
    ] = None,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Make a directory of tasks; `tasks.toml` in it has the settings. It is there whole, or not at all.

    Example: `tolka assist init tasks/ --task parse --parser parser --source text.tok --language en`

    Example: `tolka assist init tasks/ --task senses --model de-en --source s.de`
    """
    from tolka.assist.tasks import TaskSettings, create_tasks, read_known
    from tolka.assist.tasks.making import maker, sentences_of
    from tolka.errors import SettingsError
    from tolka.files.settings import parse_toml, read_settings
    from tolka.judge.platform import bank_languages

    values: dict[str, Any] = {}
    if settings is not None:
        values = parse_toml(read_settings(settings), settings)
    given = {"task": task, "title": title, "language": language, "database": database}
    values |= {name: value for name, value in given.items() if value is not None}
    if "task" not in values:
        raise SettingsError("which task is it?", hint="add --task parse or --task senses")
    if language is not None and language.split("-", maxsplit=1)[0].lower() in bank_languages():
        values["tests"] = {"language": language} | values.get("tests", {})
    chosen = TaskSettings.from_values(values, path=settings)
    known = read_known(tests) if tests is not None else []
    made_by = maker(chosen.task, parser=parser, forests=forests, grammar=tuple(grammar or ()), model=model)

    def told() -> Iterator[str]:
        with progress(quiet).task("preparing", unit="sentences") as advance:
            for text in sentences_of(source):
                yield text
                advance(1)

    made = create_tasks(directory, told(), chosen, made_by, tests=known)
    for number, trouble in list(made.troubles.items())[:_MOST_TOLD]:
        print(f"tolka: warning: {source}, line {number + 1}: {trouble}", file=sys.stderr)
    if json:
        troubles = {str(number + 1): trouble for number, trouble in made.troubles.items()}
        print_json(
            {
                "tasks": str(directory),
                "sentences": made.sentences,
                "askable": made.askable,
                "troubles": troubles,
            }
        )
        return
    print(f"{directory}: {made.sentences} sentences; about {made.askable} of them there is something to ask")
    print(f"next: tolka assist serve {directory}")
