"""Says in one sentence what is wrong with a setting, from what pydantic found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_KINDS = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "text in quotes",
    "bool_type": "true or false",
    "list_type": "a list in [brackets]",
    "tuple_type": "a list in [brackets]",
    "dict_type": "a table",
    "model_type": "a table",
}
_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}
_LENGTHS = {
    "string_too_short": ("at least", "min_length", "characters"),
    "string_too_long": ("at most", "max_length", "characters"),
    "too_short": ("at least", "min_length", "items"),
    "too_long": ("at most", "max_length", "items"),
}


def sentence(name: str, found: ErrorDetails) -> str:
    """The sentence for the setting called `name`; unknown keys are the caller's, who knows the known ones."""
    kind, context, value = found["type"], found.get("ctx", {}), found["input"]
    if kind == "missing":
        return f"{name} is missing"
    if kind in _KINDS:
        wanted = _KINDS[kind]
    elif kind in _BOUNDS:
        words, bound = _BOUNDS[kind]
        wanted = f"{words} {context[bound]}"
    elif kind in _LENGTHS:
        words, bound, unit = _LENGTHS[kind]
        return f"{name} must have {words} {context[bound]} {unit}, not {context.get('actual_length', len(value))}"
    elif kind in {"literal_error", "enum"}:
        wanted = f"one of {context['expected'].replace(' or ', ', ')}"
    elif kind in {"value_error", "assertion_error"}:
        return f"{name}: {context['error']}"
    else:
        return f"{name}: {found['msg'][0].lower()}{found['msg'][1:]}, not {show(value)}"
    return f"{name} must be {wanted}, not {show(value)}"


def show(value: Any) -> str:
    """A value as a recipe would write it, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 (a line of a terminal)
