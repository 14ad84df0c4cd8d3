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

from tolka.forest.derivation import Derivation, Rule, RuleKind, Segment, Step
from tolka.forest.drawing import draw_page
from tolka.forest.forest import Edges, Expectation, Forest, Ngrams, Nodes, Semiring
from tolka.forest.reading import read_forests, write_forests

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
