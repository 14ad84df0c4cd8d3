"""`tolka update`: more sentence pairs for a translator, at once."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, ThreadsOption, print_json, progress


def update(
    model: Annotated[Path, typer.Argument(help="The model's directory.", show_default=False)],
    source: Annotated[Path | None, typer.Argument(help="New sentences, one a line.", show_default=False)] = None,
    target: Annotated[Path | None, typer.Argument(help="Their translations.", show_default=False)] = None,
    *,
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

    A model trained with --growing takes pairs at once. Any other becomes one that grows when its training text is named
    with --corpus, once, with new pairs or without.

    Example: `tolka update de-en new.de new.en`
    """
    from dataclasses import asdict

    from tolka.cli.checking import check_given
    from tolka.errors import SettingsError
    from tolka.train.growing import make_growing, read_side, update_model

    if (source is None) != (target is None) or (source is None and corpus is None):
        raise SettingsError("new sentences need a source and a target file", hint="tolka update MODEL new.de new.en")
    shown = progress(quiet)
    if corpus is not None:
        text = read_side(corpus[0]), read_side(corpus[1])
        check_given(model, *text, names=(corpus[0].name, corpus[1].name), force=force)
        report = make_growing(model, *text, lm=lm, threads=threads, progress=shown)
    if source is not None and target is not None:
        sides = read_side(source), read_side(target)
        check_given(model, *sides, names=(source.name, target.name), force=force)
        report = update_model(model, *sides, threads=threads, progress=shown)
    if json:
        print_json(asdict(report))
    else:
        print(f"{report.added} pairs added, {report.pairs} in all")
