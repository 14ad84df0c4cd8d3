"""`tolka combine show`: what an ensemble is made of."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, print_json
from tolka.cli.tables import console, new_table, print_table


def show(
    model: Annotated[Path, typer.Argument(help="The ensemble.", show_default=False)],
    json: JsonFlag = False,
) -> None:
    """Show what an ensemble is made of, how it mixes, and what has become of its parts.

    Example: `tolka combine show both`
    """
    from tolka.combine import part_states

    described, parts = part_states(model)
    if json:
        print_json(
            {
                "model": str(model),
                "langs": described.langs,
                "mixture": described.mixture,
                "scale": described.scale,
                "strategy": described.strategy,
                "search": described.search,
                "preparation": described.preparation,
                "lead": described.lead,
                "inside": described.inside,
                "parts": [
                    {"name": one.name, "path": str(one.path), "kind": one.kind, "grows": one.grows,
                     "voice": one.voice, "weight": one.weight, "state": one.state}
                    for one in parts
                ],
            }
        )  # fmt: skip
        return
    source, target = described.langs
    led = f", led by {described.lead}" if described.preparation != "same" else ""
    print(f"ensemble    {source} to {target}, {len(parts)} parts{' inside' if described.inside else ''}")
    print(f"operation   {described.mixture['operation']}")
    print(f"scale       {described.scale}")
    print(f"strategy    {described.strategy}")
    print(f"preparation {described.preparation}{led}")
    table = new_table()
    for head in ("part", "kind", "lambda", "state", "where"):
        table.add_column(head, justify="right" if head == "lambda" else "left")
    for one in parts:
        voice = f", voice {one.voice}" if one.voice else ""
        kind = f"{one.kind or '?'}{', growing' if one.grows else ''}{voice}"
        table.add_row(one.name, kind, f"{one.weight:.4g}", one.state, str(one.path))
    print_table(table, console())
