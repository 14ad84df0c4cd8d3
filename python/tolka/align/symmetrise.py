"""Joining the links of two directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka._engine import symmetrise_links
from tolka.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


def grow_posteriors(
    posteriors: Mapping[Link, float | tuple[float, float]],
    *,
    sparse: float = 0.5,
    dense: float = 0.35,
    method: str = "grow-diag-final-and",
) -> dict[Link, float]:
    """Grow the probable links of one sentence pair into less probable ones, and keep the probabilities.

    Links of at least `sparse` play the intersection, those of at least `dense` the union (Galron 2012, section 5.2.1, after Koehn,
    Och and Marcu 2003): precise links stay, and words without one get the best that is near.

    Args:
        posteriors: The probability of each link, or both directions' probabilities (`Aligner.posteriors`), whose mean counts.
        sparse: Least probability of a link that is kept in any case.
        dense: Least probability of a link that may be added.
        method: How to grow, one of `METHODS`.

    Returns:
        The links, in order, with their probabilities.

    Raises:
        SettingsError: The thresholds are not 0 < dense <= sparse <= 1, or there is no such method.
        InputError: A probability is not between 0 and 1.

    Example:
        >>> grow_posteriors({(0, 0): 0.9, (1, 1): (0.2, 0.6), (1, 0): 0.38, (2, 2): 0.3})
        {(0, 0): 0.9, (1, 0): 0.38, (1, 1): 0.4}
    """
    if not 0 < dense <= sparse <= 1:
        raise SettingsError(
            f"thresholds {sparse} and {dense} make no sense",
            hint="both are above 0 and at most 1, and dense is not higher",
        )
    means = {link: sum(one) / 2 if isinstance(one, tuple) else one for link, one in posteriors.items()}
    for (i, j), mean in means.items():
        if not 0 <= mean <= 1:
            raise InputError(f"the probability {mean} of the link {i}-{j} is not between 0 and 1")
    # The first set is part of the second, so it is their intersection and the second their union.
    inner = [link for link, mean in means.items() if mean >= sparse]
    outer = [link for link, mean in means.items() if mean >= dense]
    return {link: means[link] for link in symmetrise(inner, outer, method)}
