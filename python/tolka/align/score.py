"""How good links are, given gold ones (Och and Ney 2003)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka._engine import count_agreement
from tolka.align.links import GoldLinks
from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.align.links import Link


@dataclass(frozen=True)
class AlignmentScore:
    """How links compare with gold ones.

    Attributes:
        aer: Alignment error rate, 1 - (|A∩S| + |A∩P|) / (|A| + |S|).
        precision: |A∩P| / |A|, where P includes the sure links.
        recall: |A∩S| / |S|.
        f1: Harmonic mean of precision and recall.
        links: |A|.
        sure: |S|.
        pairs: Sentence pairs compared.
    """

    aer: float
    precision: float
    recall: float
    f1: float
    links: int
    sure: int
    pairs: int


def alignment_error_rate(links: Sequence[Sequence[Link]], gold: Sequence[GoldLinks | Sequence[Link]]) -> AlignmentScore:
    """Compare links with gold ones, pair by pair.

    Args:
        links: The proposed links of each pair.
        gold: Gold links of as many pairs; plain links are sure.

    Raises:
        InputError: The numbers of pairs differ.

    Example:
        >>> score = alignment_error_rate([[(0, 0), (1, 2)]], [GoldLinks(sure=((0, 0), (1, 1)), possible=((1, 2),))])
        >>> score.precision, score.recall, score.aer
        (1.0, 0.5, 0.25)
    """
    if len(links) != len(gold):
        raise InputError(
            f"there are links for {len(links)} pairs and gold for {len(gold)}",
            hint="compare the lines the gold links belong to",
        )
    rows = []
    for proposed, wanted in zip(links, gold, strict=True):
        known = wanted if isinstance(wanted, GoldLinks) else GoldLinks(sure=tuple(wanted))
        rows.append((list(proposed), list(known.sure), list(known.possible)))
    try:
        total, sure, _, _, precision, recall, aer = count_agreement(rows)
    except OverflowError as error:
        raise InputError("a link has a position that is negative or too large") from error
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return AlignmentScore(aer=aer, precision=precision, recall=recall, f1=f1, links=total, sure=sure, pairs=len(links))


def aer(links: Sequence[Sequence[Link]], gold: Sequence[GoldLinks | Sequence[Link]]) -> float:
    """The alignment error rate alone, from 0 (all as in the gold links) to 1; see `alignment_error_rate`.

    Example:
        >>> aer([[(0, 0), (1, 2)]], [GoldLinks(sure=((0, 0), (1, 1)), possible=((1, 2),))])
        0.25
    """
    return alignment_error_rate(links, gold).aer
