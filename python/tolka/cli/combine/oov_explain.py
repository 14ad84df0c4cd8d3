"""`tolka combine oov explain`: why an unknown word is translated as it is."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.cli.conventions import JsonFlag, print_json
from tolka.cli.tables import console, new_table, print_table
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from tolka.combine.oov import Entry

_PICTURES = {".svg", ".html", ".htm"}


def explain(
    model: Annotated[Path, typer.Argument(help="What `tolka combine oov` made.", show_default=False)],
    word: Annotated[str, typer.Argument(help="The word, as the model sees it.", show_default=False)],
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Draw it: a picture (.svg), or a page (.html).")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show which neighbours voted for the translations of a word, and what they said.

    Example: `tolka combine oov explain better Kater`

    Example: `tolka combine oov explain better Kater -o kater.svg`
    """
    from tolka.combine.oov import draw_neighbourhood, neighbourhood_page, open_record
    from tolka.combine.oov.explain import entry_json
    from tolka.corpus import Output

    ending = "" if output is None else output.suffix.lower()
    if output is not None and ending not in _PICTURES:
        raise SettingsError(f"{output.name} is neither a picture nor a page", hint="end its name in .svg or .html")
    entry = open_record(model).entry(word)
    if output is not None:
        with Output(output) as out:
            out.write_text(draw_neighbourhood(entry) if ending == ".svg" else neighbourhood_page(entry))
    if json:
        print_json(entry_json(entry))
    else:
        _show(entry)


def _show(entry: Entry) -> None:
    from rich.text import Text

    from tolka.combine.oov.explain import entry_text

    print(entry_text(entry))
    if not entry.neighbours:
        return
    table = new_table()
    for head in ("neighbour", "similarity", "edge", "is", "says"):
        table.add_column(head, justify="right" if head == "similarity" else "left")
    for one in entry.neighbours:
        says = ", ".join(f"{text} {p:.2f}" for text, p in one.labels)
        table.add_row(Text(one.text), f"{one.similarity:.3f}", one.kind, one.role, Text(says))
    print_table(table, console())
