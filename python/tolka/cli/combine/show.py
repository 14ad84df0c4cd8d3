"""`tolka combine show`: what an ensemble is made of."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tolka.cli.conventions import JsonFlag, print_json
from tolka.cli.tables import console, new_table, print_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.combine import PartState


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
                     "voice": one.voice, "weight": one.weight, "state": one.state, "why": one.why}
                    for one in parts
                ],
            }
        )  # fmt: skip
        return
    source, target = described.langs
    led = f", led by {described.lead}" if described.preparation != "same" else ""
    print(f"ensemble    {source} to {target}, {len(parts)} parts{' inside' if described.inside else ''}")
    print(f"operation   {described.mixture['operation']}")
    for name, said in _unusual(described.mixture).items():
        print(f"{name.removesuffix('s'):<11} {said}")
    print(f"scale       {described.scale}")
    print(f"strategy    {described.strategy}")
    if described.search:
        print(f"search      {', '.join(f'{name} {value}' for name, value in described.search.items())}")
    print(f"preparation {described.preparation}{led}")
    table = new_table()
    for head in ("part", "kind", "lambda", "state", "where"):
        table.add_column(head, justify="right" if head == "lambda" else "left")
    for one in parts:
        voice = f", voice {one.voice}" if one.voice else ""
        kind = f"{one.kind or '?'}{', growing' if one.grows else ''}{voice}"
        table.add_row(one.name, kind, f"{one.weight:.4g}", one.state, str(one.path))
    print_table(table, console())
    for one in parts:
        if next_step := _next(model, one):
            print(next_step)


def _unusual(mixture: Mapping[str, Any]) -> dict[str, str]:
    """The settings of a mixture that are not as they usually are; operation and lambdas are shown anyway."""
    from dataclasses import asdict

    from tolka.decode.mixture import Mixture

    usual = asdict(Mixture())
    found = {}
    for name, value in mixture.items():
        if name in {"operation", "weights"} or value == usual[name]:
            continue
        if isinstance(value, dict):
            found[name] = ", ".join(f"{part} {_numbers(own)}" for part, own in value.items())
        else:
            found[name] = ("no", "yes")[value] if isinstance(value, bool) else str(value)
    return found


def _numbers(own: Any) -> str:
    return " ".join(f"{one:g}" for one in (own if isinstance(own, list) else [own]))


def _next(model: Path, part: PartState) -> str:
    """What to do about a part that is not as it was."""
    if part.state == "missing":
        return f"{part.name} is missing: put it back, or `tolka combine refresh {model} --part {part.name}=…` says where it is"
    if part.state == "changed":
        return f"{part.name} has changed: `tolka combine refresh {model}` takes it as it is now"
    return f"{part.name} is damaged: {part.why}" if part.state == "damaged" else ""
