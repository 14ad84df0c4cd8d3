"""A pre-orderer at work on a file: in batches, with bounded memory, and able to go on after it was stopped."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tolka.errors import FileError, SettingsError
from tolka.progress import SILENT
from tolka.reorder.reordering import in_order
from tolka.syntax import format_conllu

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from os import PathLike

    from tolka.progress import Progress
    from tolka.reorder.preorderer import Order, Preorderer
    from tolka.syntax import Tree

BATCH = 1000


def _words(tree: Tree, order: Order) -> str:
    return in_order(tree.forms, order) + "\n"


def _positions(_tree: Tree, order: Order) -> str:
    return " ".join(map(str, order)) + "\n"


def _ordered(tree: Tree, order: Order) -> str:
    return format_conllu(replace(tree, order=order))


FORMS: dict[str, Callable[[Tree, Order], str]] = {"words": _words, "permutations": _positions, "conllu": _ordered}
"""What can be written: reordered words, positions from 0 in their new order, or trees with the rank of each word."""


def reorder_stream(
    preorderer: Preorderer, trees: Iterable[Tree], *, batch: int = BATCH, threads: int = 0
) -> Iterator[tuple[Tree, Order]]:
    """Each sentence with its order; holds no more than a batch of them in memory.

    Example:
        >>> from tolka.syntax import synthetic_treebank
        >>> class Backwards:
        ...     def orders(self, trees, *, threads=1):
        ...         return [tuple(reversed(range(len(tree)))) for tree in trees]
        >>> [(tree, order)] = reorder_stream(Backwards(), synthetic_treebank(1, 1).trees)
        >>> order[0] == len(tree) - 1
        True
    """
    trees = iter(trees)
    while some := list(islice(trees, batch)):
        yield from zip(some, preorderer.orders(some, threads=threads), strict=True)


def reorder_lines(
    preorderer: Preorderer, trees: Iterable[Tree], form: str = "words", *, batch: int = BATCH, threads: int = 0
) -> Iterator[str]:
    """The text of each sentence in one of `FORMS`, with its line end.

    Raises:
        SettingsError: There is no such form.
    """
    written = _form(form)
    return (written(tree, order) for tree, order in reorder_stream(preorderer, trees, batch=batch, threads=threads))


def reorder_to_file(
    preorderer: Preorderer,
    trees: Iterable[Tree],
    path: str | PathLike[str],
    form: str = "words",
    *,
    key: str = "",
    batch: int = BATCH,
    threads: int = 0,
    progress: Progress = SILENT,
) -> int:
    """Write reordered sentences to a file, which takes its name when all are there.

    Until then they are in `path` + ".part". A run that finds such a file with the same key beside it goes on behind its
    last whole sentence; with another key, it starts again.

    Args:
        preorderer: What reorders.
        trees: The sentences, from the first on, whether they are done already or not.
        path: The file.
        form: One of `FORMS`.
        key: Says of what the file is made; put into it whatever the result depends on.
        batch: Sentences between two visits to the disk.
        threads: 0 for all cores.
        progress: Told of each batch.

    Returns:
        How many sentences were done already.

    Raises:
        SettingsError: There is no such form.
        FileError: The file cannot be written.
    """
    written = _form(form)
    end = b"\n\n" if form == "conllu" else b"\n"
    path = Path(path)
    part, note = Path(f"{path}.part"), Path(f"{path}.part.key")
    try:
        done = _resume(part, note, f"{form}\n{key}\n", end)
        with part.open("ab") as out, progress.task("reordering", unit="sentences") as advance:
            rest = islice(trees, done, None)
            while some := list(islice(rest, batch)):
                orders = preorderer.orders(some, threads=threads)
                text = "".join(written(tree, order) for tree, order in zip(some, orders, strict=True))
                out.write(text.encode())
                out.flush()
                os.fsync(out.fileno())
                advance(len(some))
        part.replace(path)
        note.unlink()
    except OSError as error:
        raise FileError(error.strerror or str(error), path=error.filename or path) from error
    return done


def _resume(part: Path, note: Path, key: str, end: bytes) -> int:
    """How many whole sentences the file has; cuts off what follows them."""
    if not part.exists() or not note.exists() or note.read_text("utf-8") != key:
        # The note goes first: a file without it is never gone on with.
        note.unlink(missing_ok=True)
        part.write_bytes(b"")
        note.write_text(key, "utf-8")
        return 0
    done = whole = at = 0
    tail = b""
    with part.open("rb") as file:
        while piece := file.read(1 << 20):
            # What may be the beginning of an end is looked at again with the next piece.
            text = tail + piece
            found = text.count(end)
            if found:
                done += found
                whole = at - len(tail) + text.rindex(end) + len(end)
            at += len(piece)
            tail = text[-(len(end) - 1) :] if len(end) > 1 and not text.endswith(end) else b""
    os.truncate(part, whole)
    return done


def _form(form: str) -> Callable[[Tree, Order], str]:
    if form not in FORMS:
        raise SettingsError(f"there is no form {form!r} of reordered text", hint=f"choose from {', '.join(FORMS)}")
    return FORMS[form]
