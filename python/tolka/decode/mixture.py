"""How the components of an ensemble speak with one voice."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from tolka.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Operation = Literal["wsum", "wmax", "prod", "switch:max", "switch:sum"]
"""What becomes of the components' scores of a rule (Razmara 2013, sections 2.3.1 and 2.3.2)."""

Scaling = Literal["idempotent", "raw"]
Missing = Literal["floor", "veto", "skip"]
Level = Literal["auto", "edge", "rule"]
Glue = Literal["mixed", "average"]
Scope = Literal["cell", "pattern"]


@dataclass(frozen=True)
class Mixture:
    """How an ensemble mixes the scores of its components.

    Attributes:
        operation: `wsum`, `wmax`, `prod`, `switch:max` or `switch:sum`.
        weights: Lambda of each component; 1 of those not named.
        scaling: Whether lambdas are scaled so that components that agree are left alone, or taken as they are.
        temperatures: What the scores of a component are divided by; 1 of those not named.
        missing: What a component without a rule says of it, under `prod`.
        floor: What it says then, as a natural logarithm.
        level: Whether rules are mixed, or edges with their language models; `auto` mixes rules where both are the same.
        glue: Whether glue is mixed like rules, or averaged.
        normalise: Whether lists of rules are cut by scores that are normalised within their span.
        spans: Factors of a component's lambda by the length of spans, from 1; the last holds for all longer ones.
        literal: Whether `switch:max` multiplies logarithms, as the formula is printed.
        scope: Whether switching chooses a component for a cell, or for each source side.
        union_limit: Rules kept of all components together for a source side; 0 for all.
    """

    operation: Operation = "wsum"
    weights: Mapping[str, float] = field(default_factory=dict)
    scaling: Scaling = "idempotent"
    temperatures: Mapping[str, float] = field(default_factory=dict)
    missing: Missing = "floor"
    floor: float = -13.8155
    level: Level = "auto"
    glue: Glue = "mixed"
    normalise: bool = False
    spans: Mapping[str, Sequence[float]] = field(default_factory=dict)
    literal: bool = False
    scope: Scope = "cell"
    union_limit: int = 0

    def __post_init__(self) -> None:
        kinds = {"operation": Operation, "scaling": Scaling, "missing": Missing, "level": Level, "glue": Glue}
        for name, kind in {**kinds, "scope": Scope}.items():
            known, value = get_args(kind), getattr(self, name)
            if value not in known:
                raise SettingsError(f"unknown {name} {value!r}", hint=f"use {', '.join(known)}")
        for name, value in self.weights.items():
            _check(f"the weight of {name}", value, least=0.0)
        for name, value in self.temperatures.items():
            _check(f"the temperature of {name}", value, least=1e-6)
        if self.weights and not any(self.weights.values()):
            raise InputError("all weights are 0, so that nobody speaks", hint="give one that is larger")
        for name, values in self.spans.items():
            for value in values:
                _check(f"a factor of {name}", value, least=0.0)
        _check("the floor", self.floor)
        if not isinstance(self.union_limit, int) or isinstance(self.union_limit, bool) or self.union_limit < 0:
            raise SettingsError(f"a union_limit of {self.union_limit!r}", hint="give a whole number of at least 0")


def _check(what: str, value: Any, least: float = -math.inf) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{what} is {value}, not a finite number", hint="give a number")
    if value < least:
        raise InputError(f"{what} is {value}, below {least:g}", hint=f"give a number of at least {least:g}")
