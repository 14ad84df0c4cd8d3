"""Reference orders: source words in the order of their translations, as links have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka import _engine
from tolka.errors import InputError
from tolka.reorder.flat import cut, flat_links, numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.align.links import Link
    from tolka.reorder.preorderer import Order

POLICIES = ("previous", "following", "begin", "drop")
"""What becomes of words without links: they stay with the word before or after them, go first, or go away."""


def reference_order(length: int, links: Iterable[Link], policy: str = "previous") -> Order:
    """The order of one sentence: sorted by the leftmost link of each word; equal words keep their order.

    Args:
        length: Words in the sentence.
        links: Source and target positions, both from 0.
        policy: One of `POLICIES`, for words without links. Under `drop` the result lacks them and is no permutation.

    Raises:
        InputError: A link is outside the sentence.
        SettingsError: There is no such policy.

    Example:
        >>> links = [(0, 0), (2, 4), (3, 5), (4, 6), (5, 2), (6, 3)]
        >>> words = "er hat das Buch gestern nicht gelesen".split()
        >>> " ".join(words[place] for place in reference_order(7, links))
        'er hat nicht gelesen das Buch gestern'
    """
    return reference_orders([length], [list(links)], policy)[0]


def reference_orders(
    lengths: Sequence[int], links: Sequence[Sequence[Link]], policy: str = "previous", *, threads: int = 0
) -> list[Order]:
    """As `reference_order`, for many sentences.

    Raises:
        InputError: The numbers of sentences differ, or a link is outside its sentence.
        SettingsError: There is no such policy.
    """
    if len(lengths) != len(links):
        raise InputError(
            f"there are {len(lengths)} sentences and {len(links)} lines of links",
            hint="give the links of these sentences",
        )
    found, ends = _engine.reorder_references(numbers(lengths), *flat_links(links), policy, threads=threads)
    return cut(found, ends)


def map_links(links: Iterable[Link], order: Sequence[int]) -> list[Link]:
    """Links after the source words were put into another order; links of words that it lacks go away.

    Example:
        >>> map_links([(0, 0), (1, 2), (2, 1)], (0, 2, 1))
        [(0, 0), (1, 1), (2, 2)]
    """
    place = {word: at for at, word in enumerate(order)}
    return sorted((place[source], target) for source, target in links if source in place)
