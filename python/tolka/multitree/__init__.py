"""Multitrees: how a sentence and its translation are built together, node by node (Galron 2012; Wu 1997).

Example:
    >>> from tolka.multitree import inverted, leaf
    >>> print(inverted(leaf("joint", "commune", "JJ"), leaf("debate", "discussion", "NN"), "NP"))
    <NP [JJ joint | commune] [NN debate | discussion]>
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.later import later
from tolka.multitree.bank import Multitrees, format_multitrees, parse_multitrees, read_multitrees, write_multitrees
from tolka.multitree.constituents import Constituents
from tolka.multitree.cover import maximum_cover, maximum_covers
from tolka.multitree.gold import multitree_of_links
from tolka.multitree.notation import parse_tree
from tolka.multitree.settings import HIERARCHIES, PENALTIES, STATISTICS, SYSTEMS, MultitreeSettings
from tolka.multitree.tree import KINDS, NOTHING, Inference, Multitree, format_tree, inverted, join, leaf, monotonic

if TYPE_CHECKING:
    from tolka.multitree.aligning import AlignedBank, align_multitrees
    from tolka.multitree.compare import TreeComparison, compare_multitrees
    from tolka.multitree.draw import draw_multitree
    from tolka.multitree.encoding import SentenceEncoder, Symbols
    from tolka.multitree.pairing import PairParse, parse_pair
    from tolka.multitree.profile import SearchProfile
    from tolka.multitree.record import Account, PenaltyTuning, Record, Sureness
    from tolka.multitree.synthetic import GoldBank, gold_multitrees, synthetic_multitrees, write_gold
    from tolka.multitree.translation import TreeProposal, TreeTranslation
    from tolka.multitree.translator import MultitreeTranslator
    from tolka.multitree.watch import Watch

# Pictures and made-up text wait until they are needed.
__getattr__, __dir__ = later(
    __name__,
    {
        "Account": "record",
        "AlignedBank": "aligning",
        "GoldBank": "synthetic",
        "MultitreeTranslator": "translator",
        "PairParse": "pairing",
        "PenaltyTuning": "record",
        "Record": "record",
        "SearchProfile": "profile",
        "SentenceEncoder": "encoding",
        "Sureness": "record",
        "Symbols": "encoding",
        "TreeComparison": "compare",
        "TreeProposal": "translation",
        "TreeTranslation": "translation",
        "Watch": "watch",
        "align_multitrees": "aligning",
        "compare_multitrees": "compare",
        "draw_multitree": "draw",
        "gold_multitrees": "synthetic",
        "parse_pair": "pairing",
        "synthetic_multitrees": "synthetic",
        "write_gold": "synthetic",
    },
    instead={"align": "align_multitrees", "draw": "draw_multitree", "compare": "compare_multitrees"},
)

__all__ = [
    "HIERARCHIES",
    "KINDS",
    "NOTHING",
    "PENALTIES",
    "STATISTICS",
    "SYSTEMS",
    "Account",
    "AlignedBank",
    "Constituents",
    "GoldBank",
    "Inference",
    "Multitree",
    "MultitreeSettings",
    "MultitreeTranslator",
    "Multitrees",
    "PairParse",
    "PenaltyTuning",
    "Record",
    "SearchProfile",
    "SentenceEncoder",
    "Sureness",
    "Symbols",
    "TreeComparison",
    "TreeProposal",
    "TreeTranslation",
    "Watch",
    "align_multitrees",
    "compare_multitrees",
    "draw_multitree",
    "format_multitrees",
    "format_tree",
    "gold_multitrees",
    "inverted",
    "join",
    "leaf",
    "maximum_cover",
    "maximum_covers",
    "monotonic",
    "multitree_of_links",
    "parse_multitrees",
    "parse_pair",
    "parse_tree",
    "read_multitrees",
    "synthetic_multitrees",
    "write_gold",
    "write_multitrees",
]
