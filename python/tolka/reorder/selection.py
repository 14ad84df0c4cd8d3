"""Which sentences to train on: those whose links are sure, not too long, or a sample."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from tolka.align import Aligner
    from tolka.align.links import Link


def link_confidence(
    source: Sequence[str],
    target: Sequence[str],
    links: Sequence[Link],
    probability: Callable[[str, str], tuple[float, float]],
    *,
    mean: bool = True,
) -> float:
    """How sure lexical tables are of the links of a pair (Huang 2009), from 0 to 1.

    The geometric mean of both directions' products over links of t(linked words) / sum of t over the other sentence.

    Args:
        source: Source words.
        target: Target words.
        links: Their links.
        probability: Of a source and a target word, t(target | source) and t(source | target).
        mean: The geometric mean per link, so that long sentences are not worse than short ones; else the product.

    Example:
        >>> t = {("das", "the"): 0.7, ("das", "book"): 0.1, ("Buch", "the"): 0.1, ("Buch", "book"): 0.8}
        >>> both = lambda s, t_: (t[s, t_], t[s, t_])
        >>> round(link_confidence(["das", "Buch"], ["the", "book"], [(0, 0), (1, 1)], both, mean=False), 6)
        0.777778
    """
    if not links:
        return 0.0
    product = 1.0
    for i, j in links:
        forward, backward = probability(source[i], target[j])
        forwards = sum(probability(word, target[j])[0] for word in source)
        backwards = sum(probability(source[i], word)[1] for word in target)
        if not forward or not backward:
            return 0.0
        product *= math.sqrt(forward / forwards * backward / backwards)
    return float(product ** (1 / len(links))) if mean else product


def link_confidences(
    aligner: Aligner, pairs: Sequence[tuple[str, str]], links: Sequence[Sequence[Link]], *, mean: bool = True
) -> NDArray[np.float64]:
    """As `link_confidence`, for many tokenised pairs, with the lexical tables of an aligner; 0 where no word is linked.

    Example:
        >>> from tolka.align import Aligner
        >>> pairs = [("das Haus", "the house"), ("das Buch", "the book"), ("ein Buch", "a book")] * 10
        >>> right, wrong = [(0, 0), (1, 1)], [(0, 1), (1, 0)]
        >>> found = link_confidences(Aligner(model="ibm1").train(pairs), pairs[:2], [right, wrong])
        >>> bool(found[0] > found[1])
        True
    """
    logs = aligner.log_confidences(pairs, links)
    count = np.fromiter((len(row) for row in links), dtype=np.int64, count=len(links))
    found: NDArray[np.float64] = np.exp(logs / np.maximum(count, 1) if mean else logs)
    return np.where(count > 0, found, 0.0)


def most_confident(confidences: Sequence[float] | NDArray[np.float64], number: int) -> list[int]:
    """The places of the highest values, in the order of the corpus; of equal ones the first.

    Example:
        >>> most_confident([0.1, 0.9, 0.5, 0.9], 2)
        [1, 3]
    """
    if number < 1:
        raise SettingsError(f"the number of sentences to keep must be positive, not {number}")
    values = np.asarray(confidences, dtype=np.float64)
    if np.isnan(values).any():
        raise InputError(f"sentence {int(np.isnan(values).argmax()) + 1} has a confidence that is no number")
    best = np.argsort(-values, kind="stable")[:number]
    return sorted(best.tolist())


def short_enough(lengths: Sequence[int], longest: int, *, shortest: int = 1) -> list[int]:
    """The places of sentences that are neither too long nor too short.

    Example:
        >>> short_enough([3, 200, 7], 100)
        [0, 2]
    """
    return [place for place, length in enumerate(lengths) if shortest <= length <= longest]


def every_twentieth(count: int) -> list[int]:
    """The places of a twentieth of so many sentences, evenly spread, and at most 2,000: those that training watches.

    Example:
        >>> every_twentieth(45)
        [19, 39]
    """
    every = max(20, -(-count // 2000))
    return list(range(every - 1, count, every))


def subsample(count: int, size: int, *, seed: int = 1) -> list[int]:
    """So many of the numbers below `count`, drawn without putting back, in order; all if there are no more.

    Example:
        >>> subsample(1000, 3, seed=1) == subsample(1000, 3, seed=1), len(subsample(5, 10))
        (True, 5)
    """
    if size < 1:
        raise SettingsError(f"the size of a sample must be positive, not {size}")
    return sorted(random.Random(seed).sample(range(count), min(size, count)))  # noqa: S311 - a sample, not a secret
