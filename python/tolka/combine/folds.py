"""Parts of a text: folds that each sentence is in one of, and samples of it."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


def split_folds(
    count: int,
    folds: int,
    *,
    seed: int = 1,
    contiguous: bool = False,
    groups: Sequence[Hashable] | None = None,
) -> list[int]:
    """Divide sentences among folds of the same size, as near as that can be (Razmara 2013, algorithm 1).

    Args:
        count: Sentences.
        folds: Folds, 2 or more.
        seed: Sentences are shuffled with it before.
        contiguous: Whether each fold is a run of sentences that follow each other instead.
        groups: For each sentence what it is like: those that are alike are in the same fold, so that none is trained on
            what it is tuned on. Folds differ in size then if many are alike.

    Returns:
        For each sentence the number of its fold, from 0; as `tolka.grammar.Extractor.extract_folds` takes them.

    Raises:
        SettingsError: Fewer than two folds, or groups of contiguous folds.
        InputError: There are not as many sentences, or different ones, as folds.

    Example:
        >>> split_folds(7, 3, contiguous=True)
        [0, 0, 0, 1, 1, 2, 2]
        >>> sorted(split_folds(7, 3, seed=5))
        [0, 0, 0, 1, 1, 2, 2]
        >>> one, two, *_ = split_folds(7, 3, groups=["a", "a", "b", "c", "d", "e", "f"])
        >>> one == two
        True
    """
    if isinstance(folds, bool) or not isinstance(folds, int) or folds < 2:  # noqa: PLR2004
        raise SettingsError(f"a text cannot be divided into {folds!r} folds", hint="say 2 or more")
    if contiguous and groups is not None:
        raise SettingsError("folds of sentences that follow each other have no groups", hint="leave out one of the two")
    if groups is not None and len(groups) != count:
        raise InputError(f"there are {count} sentences and groups of {len(groups)}")
    if contiguous:
        _check(count, folds, "sentences")
        # The first folds have one more if there are not as many in each.
        size, more = divmod(count, folds)
        return [fold for fold in range(folds) for _ in range(size + (fold < more))]
    members: dict[Hashable, list[int]] = {}
    for at in range(count):
        members.setdefault(at if groups is None else groups[at], []).append(at)
    _check(len(members), folds, "sentences" if groups is None else "different sentences")
    listed = list(members.values())
    shuffled = [listed[at] for at in np.random.default_rng(seed).permutation(len(listed)).tolist()]
    # The largest first, each to the fold that has the fewest.
    shuffled.sort(key=len, reverse=True)
    sizes = [(0, fold) for fold in range(folds)]
    found = [0] * count
    for own in shuffled:
        size, fold = sizes[0]
        heapq.heapreplace(sizes, (size + len(own), fold))
        for at in own:
            found[at] = fold
    return found


def _check(there: int, folds: int, what: str) -> None:
    if there < folds:
        raise InputError(
            f"{there} {what} cannot be divided into {folds} folds", hint="ask for fewer, or give more text"
        )


def every_nth(folds: int, step: int) -> list[int]:
    """Some folds from all over: the first, and every so-manieth after it.

    Example:
        >>> [fold + 1 for fold in every_nth(51, 5)]
        [1, 6, 11, 16, 21, 26, 31, 36, 41, 46, 51]
    """
    if isinstance(step, bool) or not isinstance(step, int) or step < 1:
        raise SettingsError(f"there is no every {step!r}th fold", hint="say 1 for all, 2 for every other")
    return list(range(0, folds, step))


def sample_sentences(count: int, share: float, *, seed: int = 1, replacement: bool = False) -> list[int]:
    """Draw sentences.

    Args:
        count: Sentences.
        share: How many are drawn, as a share of them.
        seed: Of the draw.
        replacement: Whether a sentence can be drawn again, as in bagging (Breiman 1996).

    Returns:
        The numbers of those drawn, in ascending order.

    Raises:
        SettingsError: No share above 0, up to 1.
        InputError: There are no sentences.

    Example:
        >>> len(set(sample_sentences(100, 0.8)))
        80
        >>> len(sample_sentences(100, 1.0, replacement=True))
        100
    """
    if not 0 < share <= 1:
        raise SettingsError(f"the share cannot be {share}", hint="give a number above 0, up to 1")
    if count < 1:
        raise InputError("there are no sentences to draw from")
    wanted = max(1, round(share * count))
    drawn: list[int] = np.random.default_rng(seed).choice(count, wanted, replace=replacement).tolist()
    return sorted(drawn)
