"""Multitrees: how a sentence and its translation are built together, node by node (Galron 2012; Wu 1997)."""

from tolka.multitree.bank import Multitrees, format_multitrees, parse_multitrees, read_multitrees, write_multitrees
from tolka.multitree.compare import TreeComparison, compare_multitrees
from tolka.multitree.constituents import Constituents
from tolka.multitree.cover import maximum_cover
from tolka.multitree.draw import draw_multitree
from tolka.multitree.gold import multitree_of_links
from tolka.multitree.notation import parse_tree
from tolka.multitree.synthetic import GoldBank, gold_multitrees, synthetic_multitrees, write_gold
from tolka.multitree.tree import KINDS, NOTHING, Inference, Multitree, format_tree, inverted, join, leaf, monotonic

__all__ = [
    "KINDS",
    "NOTHING",
    "Constituents",
    "GoldBank",
    "Inference",
    "Multitree",
    "Multitrees",
    "TreeComparison",
    "compare_multitrees",
    "draw_multitree",
    "format_multitrees",
    "format_tree",
    "gold_multitrees",
    "inverted",
    "join",
    "leaf",
    "maximum_cover",
    "monotonic",
    "multitree_of_links",
    "parse_multitrees",
    "parse_tree",
    "read_multitrees",
    "synthetic_multitrees",
    "write_gold",
    "write_multitrees",
]
