"""In which order undirected search connected the rules of a derivation, as drawings say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.forest.derivation import Grown
from tolka.forest.drawing import svg
from tolka.forest.drawing.legend import Key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.forest.derivation import Derivation, Growth

# One rule of each kind, in an order in which they may come.
_EXAMPLES: tuple[Growth, ...] = ("start", "up", "down")


def is_grown(derivation: Derivation) -> bool:
    """Whether the order of its rules is known, which is that of all or none."""
    return any(step.grown for step in derivation.steps[:1])


def growth_keys(derivations: Iterable[Derivation]) -> list[Key]:
    """What the numbers of rules mean; nothing if no order is known."""
    grown = [derivation for derivation in derivations if is_grown(derivation)]
    seen = {step.grown.how for derivation in grown for step in derivation.steps if step.grown}
    said = dict(svg.GROWTH)
    if any(map(_is_repaired, grown)):
        said["start"] = "first rule, of a repaired tree the first that stayed"
    return [Key("", said[how], grown=Grown(at, how)) for at, how in enumerate(_EXAMPLES) if how in seen]


def _is_repaired(derivation: Derivation) -> bool:
    """Search begins with a leaf; only repairs leave trees whose first rule has something below it."""
    return any(step.parts and step.grown and step.grown.how == "start" for step in derivation.steps)
