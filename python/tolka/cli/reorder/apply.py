"""`tolka reorder apply`: a pre-orderer at work."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tolka.cli.conventions import QuietFlag, ThreadsOption, progress
from tolka.cli.reorder.shared import SourceArgument  # noqa: TC001 - Typer reads it


def apply(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The directory of a pre-orderer, or rules:NAME.")],
    source: SourceArgument = Path("-"),
    permutations: Annotated[
        bool, typer.Option("--permutations", help="Print positions, counted from 0, in their new order.")
    ] = False,
    conllu: Annotated[bool, typer.Option("--conllu", help="Print the trees with `Order=` rank in MISC.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to a file; a run that was stopped goes on.")
    ] = None,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Sentences in memory at a time.")] = 1000,
    threads: ThreadsOption = 0,
    quiet: QuietFlag = False,
) -> None:
    """Put the words of parsed sentences into their new order, one sentence a line.

    Example: `tolka reorder apply pre/ src.conllu > reordered.tok`
    """
    from hashlib import sha256

    from tolka.errors import SettingsError
    from tolka.files import content_hash
    from tolka.reorder import create, load
    from tolka.reorder.applying import reorder_lines, reorder_to_file
    from tolka.syntax import read_conll

    if permutations and conllu:
        raise SettingsError("--permutations and --conllu are two forms of output", hint="choose one")
    form = "permutations" if permutations else "conllu" if conllu else "words"
    preorderer = create(model) if model.startswith("rules:") else load(model)
    trees = read_conll(source)
    if output is None:
        for text in reorder_lines(preorderer, trees, form, batch=batch, threads=threads):
            sys.stdout.write(text)
        return
    if str(source) == "-":
        raise SettingsError("a run that may be stopped must read a file", hint="name the source, or print to stdout")
    known = Path(model, "model.toml")
    manifest = known.read_text("utf-8") if known.exists() else model
    key = sha256(f"{manifest}\n{content_hash(source)}".encode()).hexdigest()
    done = reorder_to_file(
        preorderer, trees, output, form, key=key, batch=batch, threads=threads, progress=progress(quiet)
    )
    if done and not quiet:
        print(f"tolka: went on behind {done} sentences that were done", file=sys.stderr)
