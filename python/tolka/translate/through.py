"""Tables that lead from one language to the next, as the rules of a model."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, cast

from tolka.errors import SettingsError
from tolka.grammar import ComposeLimits, Composition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.decode.decoder import Rules
    from tolka.grammar import Grammar, Voice
    from tolka.translate.description import Through


def composition(tables: Mapping[str, Rules], through: Through) -> Composition:
    """The rules that tables make together.

    Args:
        tables: By name, each from where the one before it leads to.
        through: How they are composed.

    Raises:
        SettingsError: A feature that counts, and that no table has.
        InputError: Two tables that share no word.
    """
    limits = ComposeLimits(through.rules, through.ways, through.targets, through.linked)
    legs = {name: cast("Grammar | Voice", table) for name, table in tables.items()}
    known = {f"{name}.{feature}" for name, leg in legs.items() for feature in leg.feature_names}
    if unknown := next((name for name in through.sums if name not in known), None):
        raise SettingsError(f"no table of the model has the feature {unknown!r}", hint="make the model again")

    def counted(name: str) -> dict[str, float]:
        own = f"{name}."
        return {of.removeprefix(own): float(value) for of, value in through.sums.items() if of.startswith(own)}

    def join(rest: tuple[str, Composition | Grammar | Voice], name: str) -> tuple[str, Composition]:
        after, second = rest
        sums = None
        if through.over == "sum":
            sums = counted(name), {"through": 1.0} if not after else counted(after)
        whole = Composition(legs[name], second, names=(name, after), sums=sums, limits=limits, recased=through.recased)
        return "", whole

    *before, last = legs
    start: tuple[str, Composition | Grammar | Voice] = (last, legs[last])
    return cast("Composition", reduce(join, reversed(before), start)[1])
