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

from typing import TYPE_CHECKING

from tolka.forest.derivation import Derivation, Grown, Growth, Rule, RuleKind, Segment, Step
from tolka.forest.forest import Edges, Expectation, Forest, Ngrams, Nodes, SemiringName
from tolka.forest.semiring import Semiring
from tolka.later import later

if TYPE_CHECKING:
    from tolka.forest.constituents import constituent_forest, derived_tree
    from tolka.forest.drawing import draw_page
    from tolka.forest.reading import read_forests, write_forests

# Drawings and files of forests are rarely wanted; whoever translates loads the rest.
__getattr__, __dir__ = later(
    __name__,
    {
        "constituent_forest": "constituents",
        "derived_tree": "constituents",
        "draw_page": "drawing",
        "read_forests": "reading",
        "write_forests": "reading",
    },
)


__all__ = [
    "Derivation",
    "Edges",
    "Expectation",
    "Forest",
    "Grown",
    "Growth",
    "Ngrams",
    "Nodes",
    "Rule",
    "RuleKind",
    "Segment",
    "Semiring",
    "SemiringName",
    "Step",
    "constituent_forest",
    "derived_tree",
    "draw_page",
    "read_forests",
    "write_forests",
]
