"""Word alignment: which word translates which, learnt from parallel text without supervision.

Example:
    >>> from tolka.align import Aligner
    >>> pairs = [("das Haus", "the house"), ("das Buch", "the book"), ("ein Buch", "a book")] * 5
    >>> aligner = Aligner(model="ibm1").train(pairs)
    >>> aligner.align([("ein Haus", "a house")], symmetrise="intersection")
    [[(0, 0), (1, 1)]]
"""

from tolka.align.aligner import MODELS, Aligner
from tolka.align.draw import draw
from tolka.align.links import (
    GoldLinks,
    read_gold,
    read_links,
    read_weighted_links,
    write_links,
    write_weighted_links,
)
from tolka.align.score import AlignmentScore, aer, alignment_error_rate
from tolka.align.symmetrise import METHODS, grow_posteriors, symmetrise

__all__ = [
    "METHODS",
    "MODELS",
    "Aligner",
    "AlignmentScore",
    "GoldLinks",
    "aer",
    "alignment_error_rate",
    "draw",
    "grow_posteriors",
    "read_gold",
    "read_links",
    "read_weighted_links",
    "symmetrise",
    "write_links",
    "write_weighted_links",
]
