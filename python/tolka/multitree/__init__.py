"""Multitrees: how a sentence and its translation are built together, node by node (Galron 2012; Wu 1997)."""

from tolka.multitree.bank import Multitrees, format_multitrees, parse_multitrees, read_multitrees, write_multitrees
from tolka.multitree.notation import parse_tree
from tolka.multitree.tree import KINDS, NOTHING, Inference, Multitree, format_tree, inverted, join, leaf, monotonic

__all__ = [
    "KINDS",
    "NOTHING",
    "Inference",
    "Multitree",
    "Multitrees",
    "format_multitrees",
    "format_tree",
    "inverted",
    "join",
    "leaf",
    "monotonic",
    "parse_multitrees",
    "parse_tree",
    "read_multitrees",
    "write_multitrees",
]
