"""Joining the links of two directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka._engine import symmetrise_links
from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.align.links import Link

METHODS = (
    "intersection",
    "union",
    "grow-diag",
    "grow-diag-final",
    "grow-diag-final-and",
    "posterior",
    "forward",
    "backward",
)


def symmetrise(
    forward: Sequence[Link],
    backward: Sequence[Link],
    method: str = "grow-diag-final-and",
    *,
    threshold: float = 0.5,
) -> list[Link]:
    """Join the links of both directions of one sentence pair; links are (source, target) in both.

    Args:
        forward: Links of one direction.
        backward: Links of the other.
        method: One of `METHODS`.
        threshold: For `posterior`: a link of one direction counts 0.5, of both 1.

    Raises:
        SettingsError: There is no such method.
        InputError: A position is negative or beyond 65534.

    Example:
        >>> symmetrise([(0, 0), (1, 1), (1, 2)], [(0, 0), (1, 1), (2, 2)], "grow-diag")
        [(0, 0), (1, 1), (1, 2), (2, 2)]
    """
    try:
        return symmetrise_links(list(forward), list(backward), method, threshold)
    except OverflowError as error:
        raise InputError("a link has a position that is negative or too large") from error
