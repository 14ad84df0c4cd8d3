"""A gold standard without anybody's work: what aligned text says of words that a model does not know."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

from tolka.decode import words_of
from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from tolka.align.links import Link


def gold_of(
    words: Collection[str],
    sources: Sequence[str],
    targets: Sequence[str],
    links: Iterable[Sequence[Link]],
    *,
    least: int = 1,
) -> dict[str, list[str]]:
    """What words are linked with in aligned text (Razmara 2013, section 5.4.3), most frequent first.

    A run of neighbouring target words that a word is linked with is one translation; a gap makes two of it. Punctuation alone
    is none.

    Args:
        words: Those that translations are wanted of.
        sources: Lines of words.
        targets: Their translations.
        links: Of each pair.
        least: How often a translation must come.

    Returns:
        The translations of each word that has any, in the order of `words`.

    Raises:
        InputError: The texts differ in length.

    Example:
        >>> gold_of({"kater"}, ["der kater kam", "kater"], ["the tom cat came", "hangover"],
        ...         [[(0, 0), (1, 1), (1, 2), (2, 3)], [(0, 0)]])
        {'kater': ['hangover', 'tom cat']}
    """
    aligned = list(links)
    if not len(sources) == len(targets) == len(aligned):
        raise InputError(
            f"{len(sources)} sentences, {len(targets)} translations and links of {len(aligned)}",
            hint="give texts and links that belong together line by line",
        )
    found: dict[str, Counter[str]] = {}
    wanted = set(words)
    for source, target, own in zip(sources, targets, aligned, strict=True):
        left = words_of(source)
        places = {at for at, word in enumerate(left) if word in wanted}
        if not places:
            continue
        right = words_of(target)
        for at in sorted(places):
            linked = sorted({j for i, j in own if i == at and j < len(right)})
            for _, run in groupby(enumerate(linked), lambda pair: pair[1] - pair[0]):
                text = " ".join(right[j] for _, j in run)
                if any(letter.isalnum() for letter in text):
                    found.setdefault(left[at], Counter())[text] += 1
    gold = {}
    for word in dict.fromkeys(words):
        counts = found.get(word, Counter())
        kept = sorted((text for text in counts if counts[text] >= least), key=lambda text: (-counts[text], text))
        if kept:
            gold[word] = kept
    return gold
