"""How the components of an ensemble speak with one voice."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from tolka.errors import InputError, SettingsError

Operation = Literal["wsum", "wmax", "prod", "switch:max", "switch:sum"]
"""What becomes of the components' scores of a rule (Razmara 2013, sections 2.3.1 and 2.3.2): the weighted sum, maximum or product
of their probabilities, or all rules of a cell from the component with the best one or the largest sum."""

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
        literal: Whether `switch:max` multiplies logarithms, as the formula is printed: a larger lambda then makes a
            component less likely to win.
        scope: Whether switching chooses a component for a cell, or for each source side.
        switch_lm: Whether switching looks at what language models say of a rule's words.
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
    switch_lm: bool = False
    union_limit: int = 0

    def __post_init__(self) -> None:
        kinds = {"operation": Operation, "scaling": Scaling, "missing": Missing, "level": Level, "glue": Glue}
        for name, kind in {**kinds, "scope": Scope}.items():
            known, value = get_args(kind), getattr(self, name)
            if value not in known:
                raise SettingsError(f"unknown {name} {value!r}", hint=f"use {', '.join(known)}")
        self._check_shapes()
        for name, value in self.weights.items():
            _check(f"the weight of {name}", value, least=0.0)
        for name, value in self.temperatures.items():
            _check(f"the temperature of {name}", value, least=1e-6)
        for name, values in self.spans.items():
            for value in values:
                _check(f"a factor of {name}", value, least=0.0)
        _check("the floor", self.floor)
        if not isinstance(self.union_limit, int) or isinstance(self.union_limit, bool) or self.union_limit < 0:
            raise SettingsError(f"a union_limit of {self.union_limit!r}", hint="give a whole number of at least 0")

    def _check_shapes(self) -> None:
        """Refuse what is no mapping, list or truth value where there should be one, as files and commands may have it."""
        for name in ("weights", "temperatures", "spans"):
            if not isinstance(value := getattr(self, name), Mapping):
                raise SettingsError(f"{name} cannot be {value!r}", hint="give a value to each component by its name")
        for name in ("normalise", "literal", "switch_lm"):
            if not isinstance(value := getattr(self, name), bool):
                raise SettingsError(f"{name} cannot be {value!r}", hint="use true or false")
        for name, values in self.spans.items():
            if not isinstance(values, list | tuple):
                raise SettingsError(f"the factors of {name} are {values!r}", hint="give a list of numbers")

    @property
    def switches(self) -> bool:
        """Whether cells are given to one component each."""
        return self.operation.startswith("switch:")

    def with_weights(self, weights: Mapping[str, float]) -> Mixture:
        """The same with other lambdas; those not named stay as they are."""
        return replace(self, weights={**self.weights, **weights})

    def lambdas(self, names: Sequence[str]) -> list[list[float]]:
        """The lambda of each component as it counts, for each class of spans.

        Raises:
            InputError: A weight, a temperature or factors of a component that is not there.
        """
        for what in ("weights", "temperatures", "spans"):
            if odd := sorted(set(getattr(self, what)) - set(names)):
                raise InputError(f"the mixture has {what} of {odd[0]!r}", hint=f"components are {', '.join(names)}")
        own = [float(self.weights.get(name, 1.0)) for name in names]
        rows = []
        for length in range(max((len(factors) for factors in self.spans.values()), default=0) or 1):
            factors = [self._factor(name, length) for name in names]
            row = [weight * factor for weight, factor in zip(own, factors, strict=True)]
            if not any(row):
                raise InputError("all weights are 0, so that nobody speaks", hint="give one that is larger")
            rows.append(row if self.scaling == "raw" else idempotent(self.operation, row))
        return rows

    def _factor(self, name: str, length: int) -> float:
        factors = self.spans.get(name, ())
        return float(factors[min(length, len(factors) - 1)]) if factors else 1.0


def idempotent(operation: Operation, weights: Sequence[float]) -> list[float]:
    """Lambdas of the same proportions under which components that agree are left alone.

    Otherwise the sum of their logarithms counts rules, whoever proposed them.

    Example:
        >>> idempotent("wsum", [3.0, 1.0]), idempotent("wmax", [3.0, 1.5])
        ([0.75, 0.25], [1.0, 0.5])
    """
    whole = sum(weights) if operation in {"wsum", "prod"} else max(weights)
    return [weight / whole for weight in weights]


def _check(what: str, value: Any, least: float = -math.inf) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{what} is {value}, not a finite number", hint="give a number")
    if value < least:
        raise InputError(f"{what} is {value}, below {least:g}", hint=f"give a number of at least {least:g}")
