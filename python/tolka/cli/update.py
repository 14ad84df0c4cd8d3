"""`tolka update`: more sentence pairs for a translator, at once."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, ThreadsOption, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Sequence


def update(
    model: Annotated[Path, typer.Argument(help="The model's directory.", show_default=False)],
    files: Annotated[
        list[str] | None,
        typer.Argument(
            help="New sentences and their translations: two files, or files with both sides (TMX, PO, TSV, `|||`). "
            "With --undo: numbers of updates.",
            metavar="[FILE]...",
            show_default=False,
        ),
    ] = None,
    *,
    name: Annotated[
        str | None, typer.Option("--name", help="What the update is called in the list. Default: the file's name.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the model's updates.")] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Undo the last update, or those whose numbers are given.")
    ] = False,
    memory: Annotated[
        Literal["exact", "fuzzy", "off"] | None,
        typer.Option(
            "--memory",
            help="What corrections do from now on: translate the very sentence (exact), words of similar ones, too (fuzzy), "
            "or nothing (off).",
        ),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="With fuzzy: how similar a sentence must be, up to 1.")
    ] = None,
    corpus: Annotated[
        tuple[Path, Path] | None,
        typer.Option("--corpus", help="The text the model was trained on, to make it a model that grows."),
    ] = None,
    lm: Annotated[
        bool, typer.Option("--lm/--no-lm", help="With --corpus: whether the language model grows, too.")
    ] = True,
    force: Annotated[
        bool, typer.Option("--force", help="Add the pairs although they look wrong: swapped or shifted.")
    ] = False,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Add sentence pairs to a translator; it knows them the next time it is loaded.

    The sentences then come back with these translations, as they are written. A model trained with --growing learns their
    words for other sentences, too; any other becomes one that does when its training text is named with --corpus, once.

    Example: `tolka update de-en new.de new.en`

    Example: `tolka update de-en corrected.tmx`

    Example: `tolka update de-en --undo 3`
    """
    from tolka.errors import SettingsError
    from tolka.train.growing import list_updates, memory_with, set_memory, undo_update
    from tolka.translate.bundle import open_model

    given = [one for one, asked in (("--list", list_), ("--undo", undo), ("--corpus", corpus is not None)) if asked]
    if len(given) > 1:
        raise SettingsError(f"{given[0]} and {given[1]} do not go together", hint="give one of them")
    if list_ and files:
        raise SettingsError("--list takes no files", hint=f"tolka update {model} --list")
    settings = memory is not None or threshold is not None
    if not (files or given or settings):
        raise SettingsError(
            "there is nothing to add", hint="tolka update MODEL new.de new.en, or one file with both sides"
        )
    if list_:
        _list(model, json=json)
        return
    if settings:
        # Refused before anything is added.
        memory_with(open_model(model), memory, threshold)
    said: dict[str, Any] = {}
    lines: list[str] = []
    if undo:
        numbers: list[int | None] = [_number(one) for one in files or []]
        undone = [undo_update(model, number, threads=threads) for number in numbers or [None]]
        said["undone"] = [one.id for one in undone]
        lines += [f"update {one.id} ({one.name}, {one.pairs} pairs) is undone" for one in undone]
        said["updates"] = len(list_updates(model))
    else:
        said, lines = _add(model, files or [], name, corpus, lm=lm, force=force, threads=threads, shown=progress(quiet))
    if settings:
        now = set_memory(model, memory, threshold)
        said |= {"memory": now.use, "threshold": now.threshold}
        lines.append(f"memory: {now.use}" + (f", threshold {now.threshold:g}" if now.use == "fuzzy" else ""))
    if json:
        print_json(said)
    else:
        print("\n".join(lines))


def _add(
    model: Path,
    files: Sequence[str],
    name: str | None,
    corpus: tuple[Path, Path] | None,
    *,
    lm: bool,
    force: bool,
    threads: int,
    shown: Any,
) -> tuple[dict[str, Any], list[str]]:
    from dataclasses import asdict
    from pathlib import Path

    from tolka.cli.checking import check_given
    from tolka.corpus import group_corpora, read_corpora, read_corpus
    from tolka.train.growing import make_growing, update_model
    from tolka.translate.bundle import open_model

    langs = open_model(model).description.langs
    languages = langs[0], langs[1]
    said: dict[str, Any] = {}
    lines: list[str] = []
    if corpus is not None:
        text = [list(side) for side in zip(*read_corpus(corpus, required=True), strict=True)]
        check_given(model, text[0], text[1], names=(corpus[0].name, corpus[1].name), force=force)
        report = make_growing(model, text[0], text[1], lm=lm, threads=threads, progress=shown)
        said = asdict(report)
        lines.append(f"{report.added} pairs of training text are kept, so that the model grows")
    if files:
        corpora = group_corpora([Path(one) for one in files], languages)
        sources, targets = read_corpora(corpora, languages)
        names = [path.name for path in corpora[0].paths] if len(corpora) == 1 else [corpora[0].name]
        check_given(model, sources, targets, names=(names[0], names[-1]), force=force)
        called = name or ", ".join(one.name for one in corpora)
        report = update_model(model, sources, targets, name=called, force=force, threads=threads, progress=shown)
        said = asdict(report)
        count = f", {report.pairs} in all" if report.segments else ""
        left = f", {report.left_out} without text left out" if report.left_out else ""
        lines.append(f"{report.added} pairs added{count}{left} (update {report.id})")
        for note in report.notes:
            print(f"tolka: note: {note}", file=sys.stderr)
    return said, lines


def _number(text: str) -> int:
    from tolka.errors import SettingsError

    if not (text.isascii() and text.isdigit()):
        raise SettingsError(f"{text} is not the number of an update", hint="--list shows the numbers")
    return int(text)


def _list(model: Path, *, json: bool) -> None:
    from dataclasses import asdict
    from datetime import UTC, datetime

    from tolka.translate.bundle import open_model, update_name

    opened = open_model(model)
    memory = opened.description.memory
    updates = [] if memory is None else memory.updates
    files = opened.files.updates
    times = [datetime.fromtimestamp(files[update_name(one.id)].stat().st_mtime, UTC) for one in updates]
    if json:
        rows = [{**asdict(one), "time": f"{time:%Y-%m-%dT%H:%M:%SZ}"} for one, time in zip(updates, times, strict=True)]
        use = {} if memory is None else {"memory": memory.use, "threshold": memory.threshold}
        print_json({"updates": rows, **use})
    elif not updates:
        print("the model has no updates")
    else:
        for one, time in zip(updates, times, strict=True):
            learned = "" if one.learned == one.pairs else f" ({one.learned} learned)"
            print(f"{one.id}\t{time:%Y-%m-%d %H:%M}\t{one.pairs} pairs{learned}\t{one.name}")
