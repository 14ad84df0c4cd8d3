"""What `tolka translate` does with models that search for multitrees."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolka.errors import SettingsError, TolkaError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tolka.cli.streaming import Shown
    from tolka.translate.multitree import TreeTranslator


def is_tree_model(model: str | Path) -> bool:
    """Whether a directory holds such a model; what it is otherwise, others say better."""
    from tolka.files.manifest import read_manifest
    from tolka.translate.bundle import MULTITREE

    try:
        return read_manifest(Path(model)).kind == MULTITREE
    except TolkaError:
        return False


def translate_trees(
    model: Path,
    inputs: Sequence[Path],
    given: Mapping[str, Any],
    *,
    explain: Path | None = None,
    beside: Path | None = None,
    nbest: int | None = None,
    forest: Path | None = None,
    json: bool = False,
    force: bool = False,
    threads: int = 0,
    quiet: bool = False,
) -> None:
    """Translate text line by line.

    Args:
        model: The model.
        inputs: Files; standard input if none.
        given: Options of other models, with their values if they were given.
        explain: Where to write how it was done.
        beside: A model to compare with.
        nbest: How many translations of each line to list.
        forest: Where to write all derivations.
        json: Print one JSON object a line.
        force: Translate documents as if they were text.
        threads: Threads; 0 for one per core.
        quiet: Show no progress.
    """
    from tolka.cli.streaming import stream
    from tolka.translate.multitree import TreeTranslator
    from tolka.translate.multitree.explaining import TreeExplanations, TreeForests

    if odd := next((name for name, value in given.items() if value is not None), None):
        raise SettingsError(f"{odd} is not for a model of multitrees", hint="leave it out")
    if beside is not None and explain is None:
        raise SettingsError("--beside is of --explain", hint="say where the comparison goes with --explain page.html")
    one_of = {"--explain": explain, "--forest": forest, "--nbest": nbest, "--json": json or None}
    asked = [name for name, value in one_of.items() if value is not None]
    if len(asked) > 1 and asked != ["--nbest", "--json"]:
        raise SettingsError(f"{asked[0]} and {asked[1]} do not go together", hint="give one of them")
    translator = TreeTranslator.load(model)
    with ExitStack() as files:
        if explain is not None:
            other = None if beside is None else TreeTranslator.load(beside)
            names = (model.name, model.name if beside is None else beside.name)
            told = files.enter_context(TreeExplanations(translator, explain, other, names))
            show: Shown = lambda first, lines: told.translate(lines, first=first + 1, threads=threads)  # noqa: E731
        elif forest is not None:
            packed = files.enter_context(TreeForests(translator, forest))
            show = lambda first, lines: packed.translate(lines, first=first + 1, threads=threads)  # noqa: E731
        elif nbest is not None:
            show = _listed(translator, nbest, threads, json=json)
        else:
            show = _derivations(translator, threads) if json else _plain(translator, threads)
        stream(inputs, show, quiet=quiet, plain=not force)


def _plain(translator: TreeTranslator, threads: int) -> Shown:
    return lambda _, lines: translator.translate(lines, threads=threads)


def _listed(translator: TreeTranslator, nbest: int, threads: int, *, json: bool) -> Shown:
    """Lists as those of other models."""
    from tolka.translate.lists import json_line, moses_lines

    def show(first: int, lines: list[str]) -> Iterator[str]:
        found = translator.lists(lines, nbest, threads=threads)
        for number, (line, own) in enumerate(zip(lines, found, strict=True), first):
            if json:
                yield json_line(number, line, own.translations, several=True)
            else:
                yield from moses_lines(number, own.translations)

    return show


def _derivations(translator: TreeTranslator, threads: int) -> Shown:
    from json import dumps

    def show(first: int, lines: list[str]) -> list[str]:
        found = translator.explain(lines, threads=threads)
        return [
            dumps(
                {"line": number, "source": line, "text": text, "derivation": told.to_dict()},
                ensure_ascii=False,
                allow_nan=False,
            )
            for number, (line, (text, told)) in enumerate(zip(lines, found, strict=True), first)
        ]

    return show
