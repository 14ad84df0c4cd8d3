"""Packed forests of derivations, and what can be asked of them.

Example:
    >>> from tolka.forest import Forest
    >>> line = ('{"categories": ["X"], "rules": [{"lhs": 0, "source": ["haus"], "target": ["house"]}], '
    ...         '"nodes": [[0, 0, 1]], "edges": [{"head": 0, "rule": 0, "score": -0.5}]}')
    >>> forest = Forest.from_json(line)
    >>> forest.viterbi().text
    'house'
    >>> forest.inside("minmerge")
    [(0.5,)]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tolka.forest.derivation import Derivation, Rule, RuleKind, Segment, Step
from tolka.forest.forest import Edges, Expectation, Forest, Ngrams, Nodes, Semiring

if TYPE_CHECKING:
    from tolka.forest.drawing import draw_page
    from tolka.forest.reading import read_forests, write_forests

# Drawings and files of forests are rarely wanted; whoever translates loads the rest.
_LATER = {"draw_page": "drawing", "read_forests": "reading", "write_forests": "reading"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)


__all__ = [
    "Derivation",
    "Edges",
    "Expectation",
    "Forest",
    "Ngrams",
    "Nodes",
    "Rule",
    "RuleKind",
    "Segment",
    "Semiring",
    "Step",
    "draw_page",
    "read_forests",
    "write_forests",
]
