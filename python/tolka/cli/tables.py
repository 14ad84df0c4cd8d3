"""Tables in a terminal: without colours if those are not wanted, and without losing a number where it is narrow."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_WIDTH_OF_FILES = 160


def console(*, stderr: bool = False, width: int | None = None, **settings: Any) -> Console:
    """Where tables are printed; files get a width of their own, since nobody sees their edge.

    NO_COLOR (no-color.org) takes away bold and dim letters, too.
    """
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    if width is None and not stream.isatty() and "COLUMNS" not in os.environ:
        width = _WIDTH_OF_FILES
    plain: dict[str, Any] = {"color_system": None} if os.environ.get("NO_COLOR") else {}
    return Console(file=stream, highlight=False, width=width, **plain, **settings)


def new_table(**settings: Any) -> Table:
    """An empty table in the style of the house."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    return Table(box=SIMPLE_HEAD, pad_edge=False, **settings)


def print_table(table: Table, where: Console) -> None:
    """Print a table, or, where it is too wide, a line for each of its cells: no number is ever cut."""
    from rich.measure import Measurement
    from rich.text import Text

    # What it takes without breaking a cell.
    if Measurement.get(where, where.options.update(width=10_000, max_width=10_000), table).maximum <= where.width:
        where.print(table)
        return
    heads = [str(column.header) for column in table.columns]
    columns = [list(column.cells) for column in table.columns]
    if table.title:
        where.print(Text(str(table.title)))
    for cells in zip(*columns, strict=True):
        first, *rest = (cell if isinstance(cell, Text) else Text.from_markup(str(cell)) for cell in cells)
        where.print(first)
        for head, cell in zip(heads[1:], rest, strict=True):
            if cell.plain:
                where.print(Text.assemble(f"  {head}: ", cell), soft_wrap=True)
